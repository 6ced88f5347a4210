"""Outside engines that speak GTP, the Go Text Protocol, version 2 (G. Farnebäck, 2002).

A command is a line, with a number before it where the engine repeats that in its answer; an answer
begins with `=` or, where it is refused, with `?`, and ends with an empty line. All else is talk:
lines with no such beginning or with another number, those before the last such beginning, and to
`genmove`, what is no move. In engines without numbers, talk that looks like a whole answer,
with its empty line, cannot be told from one. Squares are
named as the game at hand names them: of Othello engines, a1 is the upper left corner, not the lower
left one as in Go (so do GRhino and Quarry). Black is who moves first.
"""

from __future__ import annotations

import collections
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from samuel.arena.engines.engine import Engine
from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.games.rules import PASS
from samuel.search.limits import Limits

COLOURS = ("black", "white")
"""Names of the sides, the first to move first."""
_DEPTH_COMMANDS = ("set_depth", "depth")
MOVE_TIME = "move_time"
"""Command of this project's own: seconds a move. Some other programs take fractions as well."""

_ANSWER = re.compile(r"([=?])(?![=?])(.*)", re.DOTALL)
_VERSION = re.compile(r"\s*[12](\.\d+)?\s*")
"""Versions of the protocol that are understood: the older one has all that we use."""


def game_name(game: Game) -> str:
    """Return what GTP programs call a game, in the extension `set_game` of Quarry and GRhino."""
    return game.defaults.title or game.name


class GtpEngine(Engine):
    """An engine that speaks GTP; see Engine."""

    # Engines differ over passes: some refuse to be told of a forced one, and make it by themselves.

    _has_remarks: ClassVar[bool] = True

    def _greet(self) -> None:
        self.version = ""
        self.commands: frozenset[str] = frozenset()
        self._number: int | None = None
        self._is_unread = False  # an answer whose end was not yet read
        self._find_version()
        self._find_numbers()
        is_fine, listed = self._ask("list_commands")
        self.commands = frozenset(listed.split()) if is_fine else frozenset()
        self._call(self._demand("name"))
        is_fine, version = self._ask("version")
        self.version = version if is_fine else ""

    @property
    def knows_fractions(self) -> bool:
        """True if the engine accepts fractions of seconds; GTP itself has whole seconds."""
        return MOVE_TIME in self.commands

    def _set_up(self, game: Game, moves: Sequence[int]) -> None:
        if "set_game" in self.commands:
            is_fine, said = self._ask(f"set_game {game_name(game)}")
            if not is_fine:
                raise UserError(f"{self.name} does not play {game.name} ({said})")
        rows, columns = game.shape or (0, 0)
        is_fine, said = self._ask(f"boardsize {columns}")
        if not is_fine and (rows, columns) != (8, 8):
            raise UserError(f"{self.name} does not play {game.name} ({said})")
        self._demand("clear_board")
        self._told.pop("game", None)
        start = self.position
        for move in moves:
            self._tell(move)
            self.position = self.position.play(move)
        self.position = start

    def _tell(self, move: int) -> None:
        name = self.position.game.notation.write_move(move)
        command = f"play {COLOURS[self.position.side]} {name}"
        is_fine, said = self._ask(command)
        if not is_fine and move != PASS:
            raise self._process.nonsense(f"refused {command!r}, which is legal ({said})")

    def _think(self, limits: Limits, other: float | None) -> Iterator[str]:
        self._set_clock(limits, other)
        colour = COLOURS[self.position.side]
        self._send(f"genmove {colour}")
        refusal = None
        for line in self._thoughts():
            if not line.strip():
                self._is_unread = False
                if refusal is not None:
                    raise self._process.nonsense(f"refused to move ({refusal})")
            sign, said = self._answer_in(line) or ("", "")
            refusal = said if sign == "?" else None
            if sign == "=":
                self._is_unread = self._number is None
                yield said
                if self._number is not None:
                    return
            elif line.startswith("="):
                yield line[1:]

    def _confirm(self, move: int) -> None:
        """Do nothing: genmove makes the move as well."""

    def _set_clock(self, limits: Limits, other: float | None) -> None:
        if limits.depth is not None:
            for command in _DEPTH_COMMANDS:
                if command in self.commands:
                    self._once("depth", f"{command} {limits.depth}")
                    break
        if limits.seconds is not None:
            if self.knows_fractions:
                self._once("time", f"{MOVE_TIME} {limits.seconds:g}")
            else:  # so many seconds for every single move
                self._once("time", f"time_settings 0 {max(1, math.ceil(limits.seconds))} 1")
        if limits.clock is not None:
            if "game" not in self._told:
                self._once("game", f"time_settings {math.ceil(limits.clock)} 0 0")
            both = (limits.clock, limits.clock if other is None else other)
            for side, left in zip((self.position.side, 1 - self.position.side), both, strict=True):
                told = f"{left:g}" if self.knows_fractions else f"{math.floor(left)}"
                self._ask(f"time_left {COLOURS[side]} {told if left > 0 else 0} 0")

    def _once(self, what: str, command: str) -> None:
        """Give a command unless it was the last one of its kind; engines may refuse it."""
        if self._is_new(what, command):
            self._ask(command)

    def _demand(self, command: str) -> str:
        """Return the answer to a command that must not be refused."""
        is_fine, said = self._ask(command)
        if not is_fine:
            raise self._process.nonsense(f"refused {command!r} ({said})")
        return said

    def _ask(self, command: str) -> tuple[bool, str]:
        """Return (whether the command was accepted, what was said)."""
        self._send(command)
        lines = self._lines()
        if self._is_unread:  # what the engine said behind its last move
            collections.deque(itertools.takewhile(str.strip, lines), maxlen=0)
            self._is_unread = False
        sign, first = next(found for line in lines if (found := self._answer_in(line)))
        rest: list[str] = []
        for line in itertools.takewhile(str.strip, lines):
            if found := self._answer_in(line):  # so the one before was talk
                (sign, first), rest = found, []
            else:
                rest.append(line)
        return sign == "=", "\n".join([first, *rest]).strip()

    def _send(self, command: str) -> None:
        if self._number is not None:
            self._number += 1
            command = f"{self._number} {command}"
        self._process.send(command)

    def _answer_in(self, line: str) -> tuple[str, str] | None:
        """Return the sign and the text of the first line of an answer; None of any other line."""
        found = _ANSWER.match(line)
        if found is None:
            return None
        sign, said = found.groups()
        if self._number is None:
            return sign, said.strip()
        own = str(self._number)
        is_ours = said.startswith(own) and not said[len(own) :][:1].strip()
        return (sign, said[len(own) :].strip()) if is_ours else None

    def _find_version(self) -> None:
        """Wait for the answer to the first command, which a banner may come before."""
        for line in self._answers("protocol_version", is_greeting=True):
            if line.startswith("=") and _VERSION.fullmatch(line[1:]):
                return

    def _find_numbers(self) -> None:
        """Number the commands from now on where the engine repeats a number in its answer."""
        self._process.send("1 protocol_version")
        lines = self._lines()
        first = next(line for line in lines if _ANSWER.match(line))
        answer = [first, *itertools.takewhile(str.strip, lines)]
        self._number = 1 if any(line.split()[0] in ("=1", "?1") for line in answer) else None
