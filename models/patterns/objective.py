"""The objective of a pattern model as passes over its data, and early stopping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from samuel.common.steps import send_iteration
from samuel.features.pattern_index import index_of
from samuel.features.terms import PatternTerms, Stages
from samuel.models.newton import Floats, Solve, send_step
from samuel.models.patterns.fit import (
    GRADIENT,
    LOGISTIC,
    PRODUCT,
    SCORES,
    SQUARED,
    RowBlock,
    Source,
    run_pass,
)


@dataclass(frozen=True)
class PatternObjective:
    """Objective over weights (knots * n_weights) and an intercept; see models.patterns.fit."""

    terms: PatternTerms
    stages: Stages
    source: Source
    loss: int  # SQUARED or LOGISTIC
    alpha: float = 0.0
    smoothing: float = 0.0  # pull between neighbouring knots
    n_jobs: int | None = None
    fit_intercept: bool = True

    @property
    def is_quadratic(self) -> bool:
        """True for the squared loss."""
        return self.loss == SQUARED

    def weights_of(self, at: Floats) -> Floats:
        """Return the weights (knots, n_weights) of a place: a view."""
        return at[:-1].reshape(self.stages.count, self.terms.n_weights)

    def gradient(self, at: Floats) -> tuple[float, Floats, Solve]:
        """Return the objective, its gradient, and what divides by the Hessian's diagonal."""
        value, found, diagonal = 0.0, np.zeros_like(at), np.zeros_like(at)
        for part, sums, _ in self._passes(at, at, GRADIENT):
            half = len(part) // 2
            found[:-1] += part[:half].ravel()
            diagonal[:-1] += part[half:].ravel()
            found[-1] += sums[0]
            diagonal[-1] += sums[1]
            value += sums[2]
        weights, neighbours = self.weights_of(at), np.zeros((self.stages.count, 1))
        neighbours[1:] += 1
        neighbours[:-1] += 1
        value += 0.5 * self.alpha * float(np.sum(weights**2))
        value += 0.5 * self.smoothing * float(np.sum(np.diff(weights, axis=0) ** 2))
        whole = self.weights_of(diagonal)
        whole += self.alpha + self.smoothing * neighbours
        diagonal = np.maximum(diagonal, 1e-12)
        return value, self._with_penalties(found, at), lambda residual: residual / diagonal

    def product(self, at: Floats, direction: Floats) -> Floats:
        """Return the Hessian at a place times a direction."""
        found = np.zeros_like(at)
        for part, sums, _ in self._passes(at, direction, PRODUCT):
            found[:-1] += part.ravel()
            found[-1] += sums[0]
        return self._with_penalties(found, direction)

    def scores(self, at: Floats) -> list[tuple[RowBlock, NDArray[np.float32]]]:
        """Return each block of the data with its scores."""
        return [(block, scores) for _, _, (block, scores) in self._passes(at, at, SCORES)]

    def _passes(self, at: Floats, direction: Floats, task: int) -> Any:
        work = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        return work(delayed(self._pass)(give, at, direction, task) for give in self.source)

    def _pass(
        self, give: Callable[[], RowBlock], at: Floats, direction: Floats, task: int
    ) -> tuple[Floats, Floats, tuple[RowBlock, NDArray[np.float32]] | None]:
        """Go over one block; return what to add to the gradient and the sums, or the scores."""
        block, (knots, width) = give(), self.weights_of(at).shape
        rows = 0 if task == SCORES else 2 * knots if task == GRADIENT else knots
        added, sums = np.zeros((rows, width)), np.zeros(3)
        scores = np.zeros(len(block) if task == SCORES else 0, np.float32)
        run_pass(
            *(block.positions, block.cells, block.target, block.weight, block.starts),
            *(index_of(self.terms.patterns), self.terms.weight_of),
            *(self.stages.knot, self.stages.share),
            *(self.weights_of(at), self.weights_of(direction), at[-1], direction[-1]),
            *(self.loss, task, added, sums, scores),
        )
        return added, sums, (block, scores) if task == SCORES else None

    def _with_penalties(self, found: Floats, along: Floats) -> Floats:
        """Add the penalties' part of a gradient or a product to that of the data."""
        weights, whole = self.weights_of(along), self.weights_of(found)
        whole += self.alpha * weights
        steps = self.smoothing * np.diff(weights, axis=0)
        whole[:-1] -= steps
        whole[1:] += steps
        if not self.fit_intercept:
            found[-1] = 0.0
        return found


class EarlyStopping:
    """Early stopping: measures each step on the held-out rows, `check`, and keeps the best."""

    def __init__(self, check: PatternObjective | None, n_iter_no_change: int, tol: float) -> None:
        self.check, self.n_iter_no_change, self.tol = check, n_iter_no_change, tol
        self.scores: list[float] = []
        self.best: Floats | None = None
        self.waited = 0

    def __call__(self, iteration: int, at: Floats, loss: float) -> bool:
        """Measure the weights after a step; return whether to end."""
        if self.check is None:
            return send_step(iteration, at, loss)
        score, best = _goodness(self.check, at), max(self.scores, default=-np.inf)
        self.scores.append(score)
        self.waited = 0 if score > best + self.tol else self.waited + 1
        if score >= best:
            self.best = at
        send_iteration(iteration, loss, (self.check.loss == SQUARED) - score)  # 1 - R2, or log loss
        return self.waited >= self.n_iter_no_change


def _goodness(problem: PatternObjective, at: Floats) -> float:
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
