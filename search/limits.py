"""Limits: what a search, or a side of a game, may spend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple, TypeAlias

from samuel.errors import UserError
from samuel.games.interface import Game
from samuel.kernels import budget
from samuel.kernels.records import number, record
from samuel.options import Also, OptionClass, OptionError, Range, Several, Text
from samuel.search.score import MOST_DEPTH, MOST_REMAINING, MOST_SECONDS

_NODES_PER_SECOND = 5e6
"""Nodes of a fast search, to guess how much a table is to hold."""
_MOVES_A_GAME = 30
"""Moves of a side in a game, to guess the same from a clock."""


@record
class LimitCounts(NamedTuple):
    """Limits as kernels take them: whole numbers, `budget.UNLIMITED` where there is no limit."""

    depth: int = number("plies a move")
    nodes: int = number("positions a move")
    nanoseconds: int = number("wall time a move")
    exact_from: int = number("positions are solved from this many remaining squares on")
    game_nanoseconds: int = number("wall time for all moves of a game")
    increment: int = number("nanoseconds that every move adds to that")


@dataclass(frozen=True)
class Limits(OptionClass):
    """What may be spent on a move, or on a game; the first limit reached ends a search.

    Attributes
    ----------
    depth
        Plies a move (a pass is a ply). Without any limit the game's usual depth.
    nodes
        Positions visited a move, about.
    seconds
        Wall time a move, in seconds.
    clock
        Seconds for all moves of a game: 10, or with an increment, as text, 10+0.1. A side that
        exceeds them loses the game.
    increment
        Seconds that every move adds to the clock.
    exact_from
        Solve positions exactly from this many remaining squares on; 0 for never. By default the
        game's own number.

    Raises
    ------
    UserError
        A number is out of its range.
    """

    depth: Annotated[int | None, Range(1, MOST_DEPTH), Several()] = None
    nodes: Annotated[int | None, Range(1, budget.UNLIMITED)] = None
    seconds: Annotated[float | None, Range(1e-9, MOST_SECONDS), Also("ms", scale=1e-3)] = None
    clock: Annotated[
        float | None, Range(1e-9, MOST_SECONDS), Text(str, "10 or 10+0.1"), Also("tc")
    ] = None
    increment: Annotated[float, Range(0.0, MOST_SECONDS)] = 0.0
    exact_from: Annotated[int | None, Range(0, MOST_REMAINING)] = None

    def __post_init__(self) -> None:
        if isinstance(self.clock, str):
            seconds, plus, increment = self.clock.partition("+")
            try:
                object.__setattr__(self, "clock", float(seconds))
                if plus:
                    object.__setattr__(self, "increment", float(increment))
            except ValueError:
                raise OptionError(
                    f"clock {self.clock!r} cannot be read; write seconds, such as 10 or 10+0.1"
                ) from None
        super().__post_init__()

    def counts(self, game: Game) -> LimitCounts:
        """Return the limits in a game as kernels take them."""
        return LimitCounts(
            self.depth or MOST_DEPTH,
            min(self.nodes or budget.UNLIMITED, budget.UNLIMITED),
            _nanoseconds(self.seconds),
            self.solved_from(game),
            _nanoseconds(self.clock),
            min(_nanoseconds(self.increment), budget.UNLIMITED >> 8),
        )

    def solved_from(self, game: Game) -> int:
        """Return from how many remaining squares on positions of a game are solved."""
        return game.exact_from if self.exact_from is None else self.exact_from

    @property
    def is_open(self) -> bool:
        """Whether nothing ends a search but the end of the game."""
        return (self.depth, self.nodes, self.seconds, self.clock) == (None,) * 4

    def in_game(self, game: Game) -> Limits:
        """Return the same, of a game's usual depth where nothing else is limited."""
        return replace(self, depth=game.defaults.depth) if self.is_open else self

    @property
    def is_timed(self) -> bool:
        """Whether they depend on time, so that games may differ from run to run."""
        return self.seconds is not None or self.clock is not None

    @property
    def table_bits(self) -> int:
        """Size of a transposition table that suits: emptied before every game, so not larger."""
        if self.depth is not None:
            return min(18, 6 + 2 * self.depth)
        a_move = math.inf if self.clock is None else self.clock / _MOVES_A_GAME
        seconds = min(self.seconds or math.inf, a_move + self.increment)
        nodes = min(self.nodes or math.inf, _NODES_PER_SECOND * seconds)
        return max(16, min(20, math.ceil(math.log2(max(1.0, min(nodes, 1 << 20))))))

    def __str__(self) -> str:
        more = f" + {1000 * self.increment:.12g} ms a move" if self.increment else ""
        parts = [
            "" if self.depth is None else f"depth {self.depth}",
            "" if self.nodes is None else f"{self.nodes} nodes",
            "" if self.seconds is None else f"{1000 * self.seconds:.12g} ms a move",
            "" if self.clock is None else f"{self.clock:.12g} s a game{more}",
        ]
        return ", ".join(part for part in parts if part)


SeveralLimits: TypeAlias = Limits | Sequence[Limits]
"""Limits, or several that are taken in turn."""


def several(limits: SeveralLimits) -> tuple[Limits, ...]:
    """Return limits as a tuple, of one where there is one.

    Raises
    ------
    UserError
        There are none.
    """
    found = (limits,) if isinstance(limits, Limits) else tuple(limits)
    if not found:
        raise UserError("give at least one set of limits")
    return found


def _nanoseconds(seconds: float | None) -> int:
    return round(min((math.inf if seconds is None else seconds) * 1e9, budget.UNLIMITED))
