"""Agreement with players: how an evaluator rates the moves that were played.

A. Samuel's measure of 1959 and 1967 ("Some studies in machine learning using the game of
checkers", II, IBM Journal 11, 1967): with L and H the legal moves that score lower and higher
than the one played, summed over all positions, (L - H) / (L + H). It is 1 where the move played is
always the best, 0 where it is no better than chance, and 1 - 2 / (n - 1) where it is second of n.
Moves that score the same count as neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.games.rows import successors
from samuel.models import evaluate

_AT_ONCE = 10_000
"""Positions, whose successors are held together."""


@dataclass(frozen=True)
class Agreement:
    """Agreement of an evaluator with the moves that were played, position by position.

    Attributes
    ----------
    lower, higher, equal
        int64 (n,), how many legal moves it rates lower and higher than the one played, and how many
        others the same.
    """

    lower: NDArray[np.int64]
    higher: NDArray[np.int64]
    equal: NDArray[np.int64]

    @property
    def correlation(self) -> float:
        """(L - H) / (L + H); NaN where it tells no moves apart."""
        return float(correlation(self.lower.sum(), self.higher.sum()))

    @property
    def first(self) -> float:
        """The share of positions with a choice in which it would play as was played.

        Moves with equal scores are equally likely.
        """
        others = self.lower + self.higher + self.equal
        chosen = (self.higher == 0) / (1 + self.equal)
        return float(chosen[others > 0].mean()) if (others > 0).any() else float("nan")


def correlation(lower: ArrayLike, higher: ArrayLike) -> NDArray[np.float64]:
    """Return (L - H) / (L + H), NaN for 0 by 0."""
    low, high = np.asarray(lower, np.float64), np.asarray(higher, np.float64)
    with np.errstate(invalid="ignore"):
        return (low - high) / (low + high)


def agreement(
    evaluator: Evaluator, game: Game, positions: ArrayLike, moves: ArrayLike
) -> Agreement:
    """Return how an evaluator rates the moves (n,) that were played in positions (n, K).

    It is asked one ply on, after each legal move, for the side that moved; an end counts as it is.

    Raises
    ------
    UserError
        The game has dice.
    ValueError
        A move is not legal.
    """
    rows, played = game.rows(positions), np.asarray(moves, np.int64)
    lower, higher, equal = np.zeros((3, len(rows)), np.int64)
    for first in range(0, len(rows), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        found = successors(game, rows[part])
        scores = found.signs * evaluate(evaluator, game, found.positions).astype(np.float64)
        is_played = found.moves == played[part][found.parents]
        if is_played.sum() != len(rows[part]):
            raise ValueError("a move that was played is not legal")
        apart = scores - scores[is_played][found.parents]
        n = len(rows[part])
        lower[part] = np.bincount(found.parents, apart < 0, n)
        higher[part] = np.bincount(found.parents, apart > 0, n)
        equal[part] = np.bincount(found.parents, apart == 0, n) - 1
    return Agreement(lower, higher, equal)
