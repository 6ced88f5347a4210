"""Outside engines for five in a row that speak the protocol of Gomocup, as brains do.

Its description is that of P. Lastovicka, who wrote Piskvork, the manager of Gomocup. `START 15` is
answered by `OK`; `BEGIN`, `TURN 7,7` (the other side's move) and `BOARD`, a line `x,y,who` for each
stone, 1 its own and 2 the other's, and `DONE`, are answered by its move, `8,7`; columns and rows
are counted from 0 from the upper left square. Lines that begin with MESSAGE or DEBUG are
talk. A brain ignores keys of INFO that it does not know, or answers ERROR. So a key is sent only
when its value changes, and an ERROR that may answer INFO is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from samuel.arena.engines.engine import Engine
from samuel.arena.engines.process import EngineTimeout
from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.games.gomoku.rules import layout_of, move_at, place_of
from samuel.search.limits import Limits

LENGTH = 5
"""Stones in a row that win in Gomocup."""
FREESTYLE, EXACT = 0, 1
"""Values of `INFO rule`."""
DEPTH = "depth"
"""Key of INFO of this project's own: plies of search, 0 for what time allows."""
_QUOTED = 80
_TALK = ("MESSAGE", "DEBUG")
_REFUSALS = ("ERROR", "UNKNOWN")
_NAME = re.compile(r'\bname\s*=\s*"([^"]{0,200})"')
_MOVE = re.compile(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*")


def read_place(text: str) -> tuple[int, int] | None:
    """Return the column and row of `7,8`; None where a text is something else."""
    found = _MOVE.fullmatch(text)
    return (int(found[1]), int(found[2])) if found else None


class GomocupEngine(Engine):
    """A brain of Gomocup; see Engine."""

    _farewell: ClassVar[str] = "END"

    def _greet(self) -> None:
        self._moves: list[int] = []
        self._known: list[int] | None = None
        """The moves that the brain's board has; None before a game."""
        self._unanswered = 0
        """Number of INFO since its last answer, each of which it may refuse."""
        for line in self._answers("ABOUT", is_greeting=True):
            if not _is_talk(line) and (found := _NAME.search(line)):
                self._call(found[1])
                return

    @classmethod
    def require_game(cls, game: Game) -> None:  # noqa: D102
        if layout_of(game).length != LENGTH:
            raise UserError(f"the Gomocup protocol is for five in a row, not for {game.name}")

    def _set_up(self, game: Game, moves: Sequence[int]) -> None:
        self._layout, self._known = layout_of(game), None
        columns, rows = self._layout.columns, self._layout.rows
        size = f"START {columns}" if columns == rows else f"RECTSTART {columns},{rows}"
        self._process.send(size)
        for line in self._lines():
            if _is_refusal(line) and not self._is_of_info():
                raise UserError(f"engine {self.command!r} does not play {game.name}: {line}")
            if line.strip() == "OK":
                break
        self._unanswered = 0
        self._told.clear()
        self._inform("rule", EXACT if self._layout.exact else FREESTYLE)
        self._moves, self._known = list(moves), []

    def _tell(self, move: int) -> None:
        self._moves.append(move)

    def _confirm(self, move: int) -> None:
        self._moves.append(move)
        self._known = list(self._moves)

    def _think(self, limits: Limits, other: float | None) -> Iterator[str]:
        self._tell_time(limits)
        if not self._moves:
            self._process.send("BEGIN")
        elif self._known == self._moves[:-1]:
            self._process.send(f"TURN {self._written(self._moves[-1])}")
        else:
            self._show_board()
        self._known = list(self._moves)
        refusal = ""
        try:
            for line in self._thoughts():
                if _is_refusal(line):
                    refusal = line.strip()[:_QUOTED]
                    if not self._is_of_info():
                        break
                elif line.strip() and not _is_talk(line):
                    self._unanswered = 0
                    yield self._read(line)
        except EngineTimeout:
            if not refusal:
                raise
        raise self._process.nonsense(f"refused a command: {refusal}")

    def _is_of_info(self) -> bool:
        """Return whether a refusal may answer an INFO, which is no fault."""
        self._unanswered -= 1
        return self._unanswered >= 0

    def _read(self, line: str) -> str:
        """Return a move in the game's own notation, and as it is what is none."""
        place = read_place(line)
        try:
            move = None if place is None else move_at(self._layout, *place)
        except UserError:
            return line
        return line if move is None else self.position.game.notation.write_move(move)

    def _show_board(self) -> None:
        self._process.send("BOARD")
        own = len(self._moves) % 2
        for number, move in enumerate(self._moves):
            who = 1 if number % 2 == own else 2
            self._process.send(f"{self._written(move)},{who}")
        self._process.send("DONE")

    def _tell_time(self, limits: Limits) -> None:
        if limits.depth is not None:
            self._inform(DEPTH, limits.depth)
        if limits.seconds is not None:
            self._inform("timeout_turn", max(1, round(1000 * limits.seconds)))
        if limits.clock is not None:
            self._inform("time_left", max(1, round(1000 * limits.clock)))

    def _inform(self, key: str, value: int) -> None:
        """Send a key of INFO, unless its value is the last one sent in this game."""
        if self._is_new(key, command := f"INFO {key} {value}"):
            self._unanswered += 1
            self._process.send(command)

    def _written(self, move: int) -> str:
        return "{},{}".format(*place_of(self._layout, move))


def _is_talk(line: str) -> bool:
    return line.split()[:1] in ([word] for word in _TALK)


def _is_refusal(line: str) -> bool:
    return line.split()[:1] in ([word] for word in _REFUSALS)
