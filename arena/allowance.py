"""What a side may spend on its moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from samuel.errors import UserError, require_number
from samuel.games.interface import Game
from samuel.kernels import budget
from samuel.kernels.records import number, record
from samuel.search.method import Method
from samuel.search.methods import method_named
from samuel.search.score import MOST_DEPTH, MOST_SECONDS, require_limits

_NODES_PER_SECOND = 5e6
"""Of a fast search, to guess how much a table is to hold."""
_MOVES_A_GAME = 30
"""Of a side, about: to guess the same from the time for a game."""


@record
class Limits(NamedTuple):
    """An allowance as kernels take it."""

    depth: int = number("plies of search a move")
    nodes: int = number("positions a move, or budget.UNLIMITED")
    nanoseconds: int = number("wall time a move, or budget.UNLIMITED")
    exact_from: int = number("positions are solved from this many remaining squares on")
    game_nanoseconds: int = number("wall time for all moves of a game, or budget.UNLIMITED")
    increment: int = number("nanoseconds that every move adds to that")


@dataclass(frozen=True)
class Allowance:
    """What a side may spend on a move; the first limit reached ends its search.

    Attributes
    ----------
    depth
        plies, or None for no limit; where there is none at all, what the game is usually played at
        (`Defaults.depth`).
    nodes
        positions, or None.
    seconds
        wall time a move, or None.
    probcut
        the confidence of selective search, in standard deviations (search.search), or None or 0
        for full width. No limit, but what a side makes of it.
    game_seconds
        wall time for all moves of a game, or None; who exceeds it loses the game.
    increment
        seconds that every move adds to that.
    method
        the name of what chooses moves, with settings (search.methods.method_named).
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    probcut: float | None = None
    game_seconds: float | None = None
    increment: float = 0.0
    method: str = "alphabeta"

    def limits(self, exact_from: int) -> Limits:
        """Return the limits as the kernel takes them.

        Raises
        ------
        UserError
            A number is out of its range.
        """
        require_limits(self.depth, self.nodes, self.seconds)
        require_number("the seconds of a game", self.game_seconds, 1e-9, MOST_SECONDS)
        require_number("the increment of a clock", self.increment, 0.0, MOST_SECONDS)
        return Limits(
            self.depth or MOST_DEPTH,
            min(self.nodes or budget.UNLIMITED, budget.UNLIMITED),
            _nanoseconds(self.seconds),
            exact_from,
            _nanoseconds(self.game_seconds),
            min(_nanoseconds(self.increment), budget.UNLIMITED >> 8),
        )

    def in_game(self, game: Game) -> Allowance:
        """Return the same with a limit, where it has none: the depth that is usual in a game."""
        if (self.depth, self.nodes, self.seconds, self.game_seconds) == (None,) * 4:
            return replace(self, depth=game.defaults.depth)
        return self

    @property
    def chooser(self) -> Method:
        """What chooses moves within it.

        Raises
        ------
        UserError
            There is no such method, or it cannot search selectively.
        """
        return method_named(self.method, self.probcut)

    @property
    def samples(self) -> bool:
        """Whether it chooses by sampling, to no depth."""
        return not method_named(self.method).deepens

    @property
    def is_timed(self) -> bool:
        """Whether it depends on the clock, so that games may differ from run to run."""
        return self.seconds is not None or self.game_seconds is not None

    @property
    def table_bits(self) -> int:
        """Size of a transposition table that suits: emptied before every game, so not larger."""
        if self.depth is not None:
            return min(18, 6 + 2 * self.depth)
        a_move = math.inf if self.game_seconds is None else self.game_seconds / _MOVES_A_GAME
        seconds = min(self.seconds or math.inf, a_move + self.increment)
        nodes = min(self.nodes or math.inf, _NODES_PER_SECOND * seconds)
        return max(16, min(20, math.ceil(math.log2(max(1.0, min(nodes, 1 << 20))))))

    def __str__(self) -> str:
        more = f" + {1000 * self.increment:.12g} ms a move" if self.increment else ""
        parts = [
            "" if self.depth is None or self.samples else f"depth {self.depth}",
            "" if self.nodes is None else f"{self.nodes} nodes",
            "" if self.seconds is None else f"{1000 * self.seconds:.12g} ms a move",
            "" if self.game_seconds is None else f"{self.game_seconds:.12g} s a game{more}",
            "" if not self.probcut else f"selective at {self.probcut:.12g} sigma",
            "" if self.method == "alphabeta" else f"by {self.method}",
        ]
        return ", ".join(part for part in parts if part)


Allowances: TypeAlias = Allowance | Sequence[Allowance]


def allowances_in(
    allowance: Allowances | None,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    probcut: float | None = None,
) -> tuple[Allowance, ...]:
    """Return what a side may spend, given as allowances or by the limits; neither is no limit.

    Raises
    ------
    UserError
        It is given in both ways, or there is none.
    """
    if depth is nodes is seconds is probcut is None:
        given = Allowance() if allowance is None else allowance
    elif allowance is not None:
        raise UserError("give an allowance, or its depth, nodes, seconds and probcut, not both")
    else:
        given = Allowance(depth, nodes, seconds, probcut)
    allowances = (given,) if isinstance(given, Allowance) else tuple(given)
    if not allowances:
        raise UserError("give at least one allowance")
    return allowances


def _nanoseconds(seconds: float | None) -> int:
    return round(min((math.inf if seconds is None else seconds) * 1e9, budget.UNLIMITED))
