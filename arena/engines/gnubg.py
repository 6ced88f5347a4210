"""GNU Backgammon as an engine, driven by the commands that it takes from standard input (1.07).

It has no protocol, but commands for people: before each play it is told the position by its ID and
the dice, and asked for a `hint`, whose first line is `1. Cubeless 0-ply  13/7 8/7*  Eq.: +0.216`.
So it has no board to keep in step, and neither rolls nor doubles. Its output before that is
read up to an answer that names a number of ours, since it has no other sign that a command is done.
Its refusals come on standard error alone.

It evaluates a money game without the cube. Its plies are those after the play: its 0-ply, the
static evaluation of the position after each play, is depth 1 here, its 2-ply depth 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from samuel.arena.engines.engine import Engine, number_in
from samuel.common.errors import UserError
from samuel.games.backgammon.notation import BackgammonNotation
from samuel.games.game import Game
from samuel.search.limits import Limits

MOST_DEPTH = 8
"""It looks 0 to 7 plies ahead."""
_SETTINGS = (
    "set lang C",
    *("set player 0 human", "set player 1 human"),
    *("set automatic game off", "set automatic roll off", "set confirm new off"),
    *("set jacoby off", "set cube use off", "set output rawboard on"),
    "set evaluation chequerplay evaluation cubeful off",
)
_NAME = "GNU Backgammon"
_WORDS = re.compile(r"\w+")


class GnubgEngine(Engine):
    """GNU Backgammon; see Engine."""

    score_unit: ClassVar[str] = "points"
    _takes_positions: ClassVar[bool] = True

    def _greet(self) -> None:
        self._signs = 0
        self._depth: int | None = None
        said = self._ask(_SETTINGS, is_greeting=True)
        names = [line.strip() for line in said if line.strip().startswith(_NAME)]
        if not names:
            raise self._process.nonsense(f"is not {_NAME}")
        self._call(names[0])

    @classmethod
    def require_game(cls, game: Game) -> None:  # noqa: D102
        if not isinstance(game.notation, BackgammonNotation):
            raise UserError(f"{_NAME} plays backgammon, not {game.name}")

    def _set_up(self, game: Game, moves: Sequence[int]) -> None:
        self._ask(["new session"])

    def _tell(self, move: int) -> None:
        """Do nothing: every request contains the whole position."""

    def _think(self, limits: Limits, other: float | None) -> Iterator[str]:
        self._set_depth(limits.depth)
        identifier, _, dice = self.position.text.split()
        told = ("set turn 1", f"set board {identifier}", f"set dice {dice[0]} {dice[1]}", "hint 1")
        hints = [found for line in self._ask(told) if (found := _best_in(line))]
        if not hints:
            raise self._process.nonsense(f"gave no hint at {self.position.text}")
        for play, self.score in hints:
            yield play

    def _set_depth(self, depth: int | None) -> None:
        if depth in (None, self._depth):
            return
        if depth > MOST_DEPTH:
            raise UserError(f"depth for {_NAME} must be at most {MOST_DEPTH} (got {depth})")
        self._ask([f"set evaluation chequerplay evaluation plies {depth - 1}"])
        self._depth = depth

    def _ask(self, commands: Sequence[str], *, is_greeting: bool = False) -> list[str]:
        """Return the lines that commands are answered with."""
        self._signs += 1
        sign = f"samuel{self._signs}"
        last = f"set player 0 name {sign}"
        for command in commands:
            self._process.send(command)
        said: list[str] = []
        for line in self._answers(last, is_greeting=is_greeting):
            if sign in _WORDS.findall(line):
                break
            said.append(line)
        return said


def _best_in(line: str) -> tuple[str, float] | None:
    """Return play and equity in points from the first line of a hint, `1. ... 8/7 Eq.: 1`."""
    first, *words = line.split() or [""]
    is_part = ["/" in word for word in words]
    if first != "1." or True not in is_part:
        return None
    begin = is_part.index(True)
    count = [*is_part[begin:], False].index(False)
    _, equity, *_ = [*words[begin + count :], "", ""]
    score = number_in(equity)
    return None if score is None else (" ".join(words[begin : begin + count]), score)
