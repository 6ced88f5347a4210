"""Early stopping: a fit ends when rows held out are predicted no better any more."""

from __future__ import annotations

import numpy as np

from samuel.models.patterns.fit import LOGISTIC, SQUARED
from samuel.models.patterns.solver import Objective, Point


class Watch:
    """Judges each step by the rows held out, `check`, and keeps the best; idle without them.

    A fit ends after `patience` steps in a row none of which was better than the best before it by
    more than `least`.
    """

    def __init__(self, check: Objective | None, patience: int, least: float) -> None:
        self.check, self.patience, self.least = check, patience, least
        self.scores: list[float] = []
        self.best: Point | None = None
        self.waited = 0

    def __call__(self, iteration: int, at: Point) -> bool:
        """Judge the weights after a step; return whether to end."""
        if self.check is None:
            return False
        score, best = _goodness(self.check, at), max(self.scores, default=-np.inf)
        self.scores.append(score)
        self.waited = 0 if score > best + self.least else self.waited + 1
        if score >= best:
            self.best = at
        return self.waited >= self.patience


def _goodness(problem: Objective, at: Point) -> float:
    """Return R2, of a classifier the negated log loss."""
    total = weights = mean = square = 0.0
    for block, scores in problem.scores(at):
        weight, target = block.weight.astype(np.float64), block.target
        f = scores.astype(np.float64)
        if problem.loss == SQUARED:
            total += float(weight @ (f - target) ** 2)
        else:
            total += float(weight @ (np.logaddexp(0, f) - target * f))
        weights += float(weight.sum())
        mean += float(weight @ target)
        square += float(weight @ target.astype(np.float64) ** 2)
    if problem.loss == LOGISTIC:
        return -total / weights
    return 1 - total / max(square - mean**2 / weights, 1e-30)
