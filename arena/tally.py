"""Sums over the pairs of an event, brought up to date as each pair ends."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable

import numpy as np

from samuel.arena.records import AGREED, SOLVED, PlayedPair, Spent
from samuel.arena.statistics import (
    MatchStatistics,
    MeanResult,
    mean_of_sums,
    statistics_of_outcomes,
)


class Tally:
    """Sums over the pairs of two players, A and B, so that no figure walks over all pairs."""

    def __init__(self, pairs: Iterable[PlayedPair] = ()) -> None:
        self.outcomes = np.zeros((3, 3), np.int64)
        self.spent = np.zeros((2, 3))
        self.faults: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self.solved = self.agreed = 0
        self._sum = self._squares = 0.0
        self._low, self._high = np.inf, -np.inf
        for pair in pairs:
            self.add(pair)

    def add(self, pair: PlayedPair) -> None:
        """Count a pair."""
        one, other = pair.results
        self.outcomes[_outcome(one), _outcome(other)] += 1
        mean = (one + other) / 2
        self._sum, self._squares = self._sum + mean, self._squares + mean * mean
        self._low, self._high = min(self._low, mean), max(self._high, mean)
        for game in pair.games:
            self.solved += game.ending == SOLVED
            self.agreed += game.ending == AGREED
            if game.fault is not None:
                self.faults[game.fault][game.ending] += 1
            for side, spent in enumerate(game.spent):
                self.spent[side] += spent.nodes, spent.seconds, spent.moves

    def copy(self) -> Tally:
        """Return the sums as they are now."""
        return copy.deepcopy(self)

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return int(self.outcomes.sum())

    def points(self) -> tuple[float, float]:
        """Return the points of A and of B: a win is 1, a draw 1/2."""
        own = float((self.outcomes.sum(axis=0) + self.outcomes.sum(axis=1)) @ (0.0, 0.5, 1.0))
        return own, 2 * self.pairs - own

    def statistics(self) -> MatchStatistics:
        """Return the statistics of the pairs."""
        return statistics_of_outcomes(self.outcomes)

    def mean(self, largest: float) -> MeanResult:
        """Return the mean result of a game for A with its interval."""
        ends = float(self._low), float(self._high)
        return mean_of_sums(self.pairs, self._sum, self._squares, ends, largest)

    def spent_by(self, side: int) -> Spent:
        """Return what a side has spent."""
        nodes, seconds, moves = self.spent[side].tolist()
        return Spent(int(nodes), seconds, int(moves))


def _outcome(result: float) -> int:
    """Return 0 for a loss, 1 for a draw, 2 for a win."""
    return (result > 0) - (result < 0) + 1
