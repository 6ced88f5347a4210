"""The clocks of GTP: time for all moves, then periods of so many moves each (Canadian overtime)."""

from __future__ import annotations

from dataclasses import dataclass

from samuel.arena.clocks import moves_left
from samuel.play.servers.conversation import seconds_told


@dataclass
class _Left:
    seconds: float
    moves: int
    """For how many moves; 0 for the rest of the game."""


class GtpClock:
    """Both sides' clocks, as the commands time_settings and time_left tell of them."""

    def __init__(self) -> None:
        self._settings: tuple[float, float, int] | None = None
        self._left: dict[int, _Left] = {}

    def set(self, main: float, period: float, moves: int) -> None:
        """Take `main` seconds, then `period` seconds for every so many moves."""
        is_free = (main <= 0 and period <= 0) or (period > 0 and moves <= 0)
        self._settings = None if is_free else (main, period, moves)
        self.restart()

    def restart(self) -> None:
        """Begin a new game."""
        self._left.clear()

    def tell(self, side: int, seconds: float, moves: int) -> None:
        """Set a side's clock: the rest of its main time where `moves` is 0, else of its period."""
        self._left[side] = _Left(seconds, moves)

    def spend(self, side: int, seconds: float) -> None:
        """Take a move's time off a side's clock."""
        left = self._left_to(side)
        if left is None:
            return
        left.seconds -= seconds
        is_done = left.seconds <= 0 if left.moves == 0 else left.moves == 1
        left.moves = max(0, left.moves - 1)
        if is_done and self._settings is not None and self._settings[1] > 0:
            self._left[side] = _Left(*self._settings[1:])

    def seconds_for(self, side: int, plies_left: int) -> float | None:
        """Return the seconds for a side's next move, or None without a limit."""
        left = self._left_to(side)
        if left is None:
            return None
        return seconds_told(None, left.seconds, 0.0, left.moves or moves_left(plies_left))

    def _left_to(self, side: int) -> _Left | None:
        if side not in self._left and self._settings is not None:
            main, period, moves = self._settings
            self._left[side] = _Left(main, 0) if main > 0 else _Left(period, moves)
        return self._left.get(side)
