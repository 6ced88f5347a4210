"""Base of all outside engines, whatever protocol they speak.

The arena's games are played by its own rules: an engine is told every move, its own answers are
checked against those rules, and forced passes are made for it.
"""

from __future__ import annotations

import contextlib
import math
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from samuel.arena.choice import Choice
from samuel.arena.engines.process import (
    EngineIllegalMove,
    EngineProcess,
    EngineResigned,
    EngineTimeout,
)
from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.rules import PASS
from samuel.search.limits import Limits

START_SECONDS = 60.0
"""Seconds that an engine may take to start: some compile or read large files first."""
NONSENSE_SECONDS = 20.0
"""The same from when it has said something that its protocol does not know, where nobody said how
long it takes: some greet the terminal, and then test themselves."""
ANSWER_SECONDS = 30.0
"""Seconds that it may take over a command that asks for no thought."""
LONGEST_THOUGHT = 600.0
"""Seconds that it may think where no clock says."""
RESIGNATION = "resign"
_PUNCTUATION = "\"'.,:;!"
"""Characters that may stand around a move, in text for people."""
_MOST_WORDS = 16
"""Most words of an answer in which a move is looked for."""
_MOST_SAID = 1 << 24
"""Most characters of an answer, except while an engine thinks."""
_LONGEST_NAME = 80
_LONGEST_MOVE = 100
"""Characters of what is tried as a move."""
_LATENESS = 5.0
"""Seconds over its time after which an engine that owes a move is given up."""


class Engine(ABC):
    """An outside engine as a player (arena.players.Player); a context manager that ends it."""

    def __init__(
        self,
        command: str,
        folder: str | None = None,
        start: float | None = None,
        timeout: float = START_SECONDS,
        settings: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.command, self._folder, self._settings = command, folder, settings
        self._start = timeout if start is None else start
        self._nonsense = NONSENSE_SECONDS if start is None else start
        words = command.split()
        self.name = Path(words[0]).name if words else command
        self.position = Position.start()
        self.score: float | None = None
        self.depth = 0
        self.restart()

    _has_remarks: ClassVar[bool] = False
    """True if a move may have further text behind it."""
    score_unit: ClassVar[str] = ""
    """The unit of the scores that its protocol tells; nothing where it tells none."""
    _takes_positions: ClassVar[bool] = False
    """True if it can be told a position that is not the initial one."""
    _farewell: ClassVar[str] = "quit"
    """The command that ends it."""

    def restart(self) -> None:
        """End its process, if it still has one, and start a fresh one."""
        self.close()
        self._process = EngineProcess(self.command, self._folder)
        self._told: dict[str, str] = {}
        with self._within(self._start):
            self._greet()

    @classmethod  # noqa: B027
    def require_game(cls, game: Game) -> None:
        """Raise UserError where the protocol is not for a game, whatever the engine."""

    def begin(self, start: Position, opening: Sequence[int] = ()) -> None:
        """Set up a fresh board and play the moves of an opening, passes included."""
        self.require_game(start.game)
        if start != Position.start(start.game) and not self._takes_positions:
            raise UserError(
                f"engine {self.command!r} can only play from the initial position: its protocol "
                "has no command for another"
            )
        self.position, self.score, self.depth = start, None, 0
        with self._within(self._start):
            self._set_up(start.game, opening)
        for move in opening:
            self.position = self.position.play(move)

    def see(self, move: int) -> None:
        """Send a move of its opponent, or what chance brings."""
        child = self.position.play(move)
        with self._within(ANSWER_SECONDS):
            self._tell(move)
        self.position = child

    def move(
        self,
        position: Position,
        limits: Limits,
        other: float | None = None,
        timeout: float | None = None,
    ) -> Choice:
        """Return its move for the side to move, which counts as played on its board as well."""
        if position != self.position:
            raise ValueError(f"the engine's board has {self.position.text}, not {position.text}")
        self.score, self.depth = None, 0
        legal = position.game.moves_in(position.row).tolist()
        if not legal:
            raise ValueError("the game is over")
        if legal == [PASS]:
            self.see(PASS)
            return Choice(PASS)
        with self._within(timeout_of(limits) if timeout is None else timeout):
            said, move = self._answered(self._think(limits, other), legal)
            if move not in legal:
                raise EngineIllegalMove(
                    f"engine {self.command!r} chose {said!r}, which is not legal at {position.text}"
                )
            self._confirm(move)
        self.position = position.play(move)
        has_unit = self.score_unit == position.game.scores.unit
        return Choice(move, self.score if has_unit else None, self.depth)

    def assess(
        self, position: Position, limits: Limits, timeout: float | None
    ) -> tuple[float | None, int]:
        """Return its score of a position where a side is to move, and the depth of its search."""
        self.begin(position)
        self.move(position, limits, timeout=timeout)
        return self.score, limits.depth or 0

    def _answered(self, texts: Iterator[str], legal: Sequence[int]) -> tuple[str, int]:
        """Return the first text that begins with a move, as it was written, and the move."""
        talk = ""
        try:
            for text in texts:
                words = text.split()[:_MOST_WORDS]
                if words and words[0].lower() == RESIGNATION:
                    raise EngineResigned(f"engine {self.command!r} resigned")
                fewest = 1 if self._has_remarks else max(1, len(words))
                for count in range(len(words), fewest - 1, -1):
                    said = " ".join(words[:count]).strip(_PUNCTUATION)
                    if len(said) <= _LONGEST_MOVE:
                        with contextlib.suppress(UserError):
                            return said, self.position.meant(said, legal)
                talk = text[:_LONGEST_MOVE]
        except EngineTimeout:
            if not talk:
                raise
        raise self._process.nonsense(f"chose {talk!r}, which is not a move")

    @property
    def knows_fractions(self) -> bool:
        """True if the engine accepts fractions of seconds."""
        return True

    @property
    def is_alive(self) -> bool:
        """True if its process can still answer."""
        return self._process.is_alive

    def close(self) -> None:
        """End it; nothing of it is left. Closing twice is fine."""
        process: EngineProcess | None = getattr(self, "_process", None)
        if process is not None:
            process.end(self._farewell)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _within(self, seconds: float) -> Iterator[None]:
        """Set the deadline of an exchange; end the process if the exchange fails."""
        self._process.deadline = time.monotonic() + seconds
        try:
            yield
        except (UserError, EngineIllegalMove, EngineResigned):
            raise
        except BaseException:
            self._process.end()
            raise

    def _lines(self, *, is_greeting: bool = False, most: float = _MOST_SAID) -> Iterator[str]:
        """Yield the lines that it writes until the deadline, of `most` characters in all."""
        until, said = math.inf, 0
        while said <= most:
            line = self._process.receive(until)
            said += len(line) + 1
            yield line
            if is_greeting:
                until = min(until, time.monotonic() + self._nonsense)
        raise self._process.nonsense("writes without end")

    def _answers(self, command: str, *, is_greeting: bool = False) -> Iterator[str]:
        """Send a command and yield the lines after it, unless the engine only repeats it."""
        self._process.send(command)
        for line in self._lines(is_greeting=is_greeting):
            if line.strip() == command:
                raise self._process.nonsense("only repeats its input")
            yield line

    def _is_new(self, what: str, command: str) -> bool:
        """Return whether a command differs from the last one of its kind, which it becomes."""
        is_new = self._told.get(what) != command
        self._told[what] = command
        return is_new

    def _thoughts(self) -> Iterator[str]:
        """Yield the lines that it writes while it thinks, of which there may be many."""
        return self._lines(most=math.inf)

    def _call(self, name: str) -> None:
        """Set its name, as one short line, unless the name is empty."""
        self.name = " ".join(name.split())[:_LONGEST_NAME] or self.name

    @abstractmethod
    def _greet(self) -> None:
        """Begin the conversation; learn its name."""

    @abstractmethod
    def _set_up(self, game: Game, moves: Sequence[int]) -> None:
        """Set up its board as `self.position`, and play the moves on it."""

    @abstractmethod
    def _tell(self, move: int) -> None:
        """Make a legal move on its board."""

    @abstractmethod
    def _think(self, limits: Limits, other: float | None) -> Iterator[str]:
        """Yield what may begin with the move that it chooses, as it writes it, or RESIGNATION."""

    def _confirm(self, move: int) -> None:
        """Make its own move on its board, where it has not done so by itself."""
        self._tell(move)


def timeout_of(limits: Limits) -> float:
    """Return the seconds to wait for a move within limits; `clock` is what is left of it."""
    times = [x for x in (limits.seconds, limits.clock) if x is not None]
    return min(times) + _LATENESS if times else LONGEST_THOUGHT


_NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:e[+-]?\d{1,2})?", re.I | re.A)


def number_in(text: str | None) -> float | None:
    """Return the number that a text is, such as `+35` or `-0.25`; None for another text."""
    # At most 18 digits before and behind the point keep it finite and quick to read.
    return float(text) if text is not None and _NUMBER.fullmatch(text) else None


def count_in(text: str | None) -> int:
    """Return the integer that a text is, at least 0; 0 for another text."""
    return max(0, int(number_in(text) or 0))
