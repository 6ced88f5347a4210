"""Games that end before their end because the scores of both sides agree on the result.

As in fastchess and cutechess, where both sides have to agree. A move without a search, or of an
engine that reports no score, does not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.common.options import Text
from samuel.kernels.jit import jit

GOES_ON, FIRST_WINS, SECOND_WINS, DRAWN = range(4)
_MOST_PLIES = 1_000_000
"""Moves in a row, or plies, beyond all that a game has."""
_WIN, _WIN_MOVES, _DRAW, _DRAW_MOVES, _FROM_PLY = range(5)


def win_terms_in(text: str) -> tuple[float, int]:
    """Return the score and the moves of `4,3`; else ValueError."""
    score, moves = text.split(",")
    return float(score), int(moves)


def draw_terms_in(text: str) -> tuple[float, int, int]:
    """Return the score, the moves and the first ply of `0.1,8,80`, or of `0.1,8`."""
    score, moves, *ply = text.split(",")
    if len(ply) > 1:
        raise ValueError(text)
    return float(score), int(moves), int(ply[0]) if ply else 0


WinTerms: TypeAlias = Annotated[tuple[float, int] | None, Text(win_terms_in, "4,3")]
DrawTerms: TypeAlias = Annotated[tuple[float, int, int] | None, Text(draw_terms_in, "0.1,8,80")]


@dataclass(frozen=True)
class Agreement:
    """Terms on which games end by the scores of both sides."""

    win: tuple[float, int] | None = None
    draw: tuple[float, int, int] | None = None

    def __post_init__(self) -> None:
        if self.win is not None and not (0 < self.win[0] < math.inf and self.win[1] > 0):
            raise UserError(
                "--resign needs a finite score and moves above 0, such as 4,3 "
                f"(got {_written(self.win)})"
            )
        if self.draw is not None and not (0 <= self.draw[0] < math.inf and min(self.draw[1:]) >= 0):
            raise UserError(
                "--draw needs finite numbers from 0 up, such as 0.1,8,80 "
                f"(got {_written(self.draw)})"
            )
        for name, terms in (("--resign", self.win), ("--draw", self.draw)):
            if terms is not None and max(terms[1:]) > _MOST_PLIES:
                raise UserError(f"{name} needs moves up to {_MOST_PLIES:,} (got {_written(terms)})")
        if self.draw is not None and self.draw[1] < 1:
            raise UserError("--draw needs a move at least, such as 0.1,8,80")

    @property
    def terms(self) -> NDArray[np.float64]:
        """The numbers as `agreed` takes them."""
        return np.array([*(self.win or (0, 0)), *(self.draw or (0, 0, 0))], np.float64)

    @property
    def in_words(self) -> dict[str, list[float]]:
        """The terms that are given, for the event's journal."""
        both = {"resign": self.win, "draw": self.draw}
        return {name: list(terms) for name, terms in both.items() if terms is not None}


def _written(terms: tuple[float, ...]) -> str:
    return ",".join(f"{number:g}" if isinstance(number, float) else str(number) for number in terms)


PLAYED_ON = Agreement()
"""Terms of games that are played to their end."""


@jit
def agreed(terms: Any, counts: Any, side: int, score: float, plies: int) -> int:
    """Count a side's score, for the first side; return what the scores have decided."""
    if score >= terms[_WIN]:
        counts[side, 0] = max(counts[side, 0], 0) + 1
    elif score <= -terms[_WIN]:
        counts[side, 0] = min(counts[side, 0], 0) - 1
    else:
        counts[side, 0] = 0
    counts[side, 1] = counts[side, 1] + 1 if abs(score) <= terms[_DRAW] else 0
    if terms[_WIN_MOVES] > 0:
        if min(counts[0, 0], counts[1, 0]) >= terms[_WIN_MOVES]:
            return FIRST_WINS
        if max(counts[0, 0], counts[1, 0]) <= -terms[_WIN_MOVES]:
            return SECOND_WINS
    is_draw = min(counts[0, 1], counts[1, 1]) >= terms[_DRAW_MOVES] > 0
    return DRAWN if is_draw and plies >= terms[_FROM_PLY] else GOES_ON
