"""Outside engines that speak the NBoard protocol, version 2, of Chris Welty's Othello board.

Its description comes with his program and with Ntest: https://github.com/weltyc/ntest,
instructions/Protocol.htm. The engine is told the game in GGF, then move by move; it answers `go`
with `=== F5/eval/time`, or with blanks in place of the strokes (Edax), and does not make that move
before it is told to. Its other lines are about its thinking. `ping n`, answered by `pong n`,
shows that all before it is done.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from samuel.arena.engines.engine import Engine, number_in
from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.games.notation import Notation
from samuel.games.othello.ggf import has_ggf, write_ggf
from samuel.games.records import GameRecord
from samuel.games.rules import PASS
from samuel.search.limits import Limits

MOVE_TIME = "set movetime"
"""Command of this project's own, in seconds, which ends the depth that was told before; the others
ignore what they do not know."""
PLAYER_NAMES = ("samuel", "samuel")
"""Names in the games that engines are told of: of no consequence."""


def write_move(notation: Notation, move: int) -> str:
    """Return a move as NBoard writes it: F5, or PA for a pass."""
    return "PA" if move == PASS else notation.write_move(move).upper()


class NBoardEngine(Engine):
    """An engine that speaks the NBoard protocol; see Engine."""

    score_unit: ClassVar[str] = "discs"
    _takes_positions: ClassVar[bool] = True

    def _greet(self) -> None:
        self._pings = 0
        self._process.send("nboard 2")
        self._synchronise(is_greeting=True)

    @classmethod
    def require_game(cls, game: Game) -> None:  # noqa: D102
        if not has_ggf(game):
            raise UserError(f"the NBoard protocol is for Othello, not for {game.name}")

    def _set_up(self, game: Game, moves: Sequence[int]) -> None:
        record = GameRecord(self.position, 0, moves, PLAYER_NAMES, math.nan)
        self._process.send(f"set game {write_ggf(record)}")
        self._synchronise()

    def _tell(self, move: int) -> None:
        self._process.send(f"move {write_move(self.position.game.notation, move)}")

    def _think(self, limits: Limits, other: float | None) -> Iterator[str]:
        time, depth = f"{MOVE_TIME} {limits.seconds or 0:g}", f"set depth {limits.depth}"
        if limits.seconds is not None and self._is_new("time", time):
            self._process.send(time)
            self._told.pop("depth", None)  # which holds no more
        if limits.depth is not None and self._is_new("depth", depth):
            self._process.send(depth)
        self._process.send("go")
        for line in self._thoughts():
            if line.lstrip().startswith("==="):
                move, *details = re.split(r"[/\s]+", line.strip()[3:].lstrip())
                self.score = number_in(next(iter(details), None))
                yield move
            self._listen(line)

    def _synchronise(self, *, is_greeting: bool = False) -> None:
        self._pings += 1
        lines = self._answers(f"ping {self._pings}", is_greeting=is_greeting)
        while (line := next(lines)).split() != ["pong", str(self._pings)]:
            if self._listen(line):
                lines = self._lines()  # it speaks the protocol

    def _listen(self, line: str) -> bool:
        """Set the engine's name from a line that has it; return whether this one has."""
        words = line.split(maxsplit=2)
        has_name = words[:2] == ["set", "myname"] and len(words) == 3
        if has_name:
            self._call(words[2])
        return has_name
