"""The objective of a pattern model as passes over its data, its minimum, and early stopping."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from samuel.features.pattern_index import index_of
from samuel.features.terms import PatternTerms, Stages
from samuel.models.patterns.fit import (
    GRADIENT,
    LOGISTIC,
    PRODUCT,
    SCORES,
    SQUARED,
    Floats,
    RowBlock,
    Source,
    run_pass,
)

_INNER, _FORCING = 25, 0.1
_HALVINGS, _SUFFICIENT = 12, 1e-4


@dataclass
class Point:
    """Weights (knots, n_weights) and an intercept: a place, a direction or a gradient."""

    weights: Floats
    intercept: float = 0.0

    def dot(self, other: Point) -> float:
        """Return the inner product."""
        product = float(np.vdot(self.weights, other.weights))
        return product + self.intercept * other.intercept

    def plus(self, step: float, other: Point) -> Point:
        """Return this + step * other."""
        return Point(self.weights + step * other.weights, self.intercept + step * other.intercept)

    @property
    def zero(self) -> Point:
        """The origin of the same space."""
        return Point(np.zeros_like(self.weights))


@dataclass(frozen=True)
class Objective:
    """Objective that is minimised; see models.patterns.fit."""

    terms: PatternTerms
    stages: Stages
    source: Source
    loss: int  # SQUARED or LOGISTIC
    precision: Floats | float = 1.0  # of the penalty on each weight (knots, n_weights)
    centre: Floats | float = 0.0  # where it pulls to
    intercept_precision: float = 0.0
    intercept_centre: float = 0.0
    smoothing: float = 0.0  # pull between neighbouring knots
    n_jobs: int | None = None
    fit_intercept: bool = True

    def gradient(self, at: Point) -> tuple[float, Point, Point]:
        """Return the objective, its gradient and the diagonal of its Hessian."""
        value, found, diagonal = 0.0, at.zero, at.zero
        for part, sums, _ in self._passes(at, at.zero, GRADIENT):
            half = len(part) // 2
            found.weights += part[:half]
            diagonal.weights += part[half:]
            found.intercept += sums[0]
            diagonal.intercept += sums[1]
            value += sums[2]
        away = at.weights - self.centre
        value += 0.5 * float(np.sum(self.precision * away**2)) + self._roughness(at)
        off = at.intercept - self.intercept_centre
        value += 0.5 * self.intercept_precision * off**2
        found.intercept += self.intercept_precision * off
        found.weights += self.precision * away + self._smoothed(at.weights)
        return value, self._restricted(found), diagonal

    def preconditioner(self, diagonal: Point) -> Point:
        """Return the diagonal of the whole Hessian, above 0, given that of the data."""
        knots = len(diagonal.weights)
        ties = np.full((knots, 1), 2.0 if knots > 1 else 0.0)
        ties[[0, -1]] /= 2
        whole = diagonal.weights + self.precision + self.smoothing * ties
        intercept = diagonal.intercept + self.intercept_precision
        return Point(np.maximum(whole, 1e-12), max(intercept, 1e-12))

    def product(self, at: Point, direction: Point) -> Point:
        """Return the Hessian at a place times a direction."""
        found = at.zero
        for part, sums, _ in self._passes(at, direction, PRODUCT):
            found.weights += part
            found.intercept += sums[0]
        found.weights += self.precision * direction.weights + self._smoothed(direction.weights)
        found.intercept += self.intercept_precision * direction.intercept
        return self._restricted(found)

    def scores(self, at: Point) -> list[tuple[RowBlock, NDArray[np.float32]]]:
        """Return each block of the data with its scores."""
        return [(block, scores) for _, _, (block, scores) in self._passes(at, at.zero, SCORES)]

    def _passes(self, at: Point, direction: Point, task: int) -> Any:
        work = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        return work(
            delayed(_pass)(self.terms, self.stages, give, at, direction, self.loss, task)
            for give in self.source
        )

    def _restricted(self, point: Point) -> Point:
        return point if self.fit_intercept else Point(point.weights, 0.0)

    def _smoothed(self, weights: Floats) -> Floats:
        pull = np.zeros_like(weights)
        if self.smoothing > 0 and len(weights) > 1:
            steps = self.smoothing * np.diff(weights, axis=0)
            pull[:-1] -= steps
            pull[1:] += steps
        return pull

    def _roughness(self, at: Point) -> float:
        if self.smoothing == 0:
            return 0.0
        return 0.5 * self.smoothing * float(np.sum(np.diff(at.weights, axis=0) ** 2))


def _pass(
    terms: PatternTerms,
    stages: Stages,
    give: Callable[[], RowBlock],
    at: Point,
    direction: Point,
    loss: int,
    task: int,
) -> tuple[Floats, Floats, tuple[RowBlock, NDArray[np.float32]] | None]:
    """Go over one block; return what to add to the gradient and the sums, or the scores."""
    block = give()
    knots, width = at.weights.shape
    rows = 0 if task == SCORES else 2 * knots if task == GRADIENT else knots
    added, sums = np.zeros((rows, width)), np.zeros(3)
    scores = np.zeros(len(block) if task == SCORES else 0, np.float32)
    run_pass(
        *(block.positions, block.cells, block.target, block.weight, block.starts),
        *(index_of(terms.patterns), terms.weight_of),
        *(stages.knot, stages.share, at.weights, direction.weights),
        *(at.intercept, direction.intercept, loss, task, added, sums, scores),
    )
    return added, sums, (block, scores) if task == SCORES else None


def minimise(
    problem: Objective,
    start: Point,
    *,
    max_iter: int,
    tol: float,
    watch: Callable[[int, Point], bool] = lambda iteration, at: False,
) -> tuple[Point, int, Point]:
    """Return the minimum, the passes it took, and the diagonal of the data's Hessian there."""
    if problem.loss == SQUARED:
        value, gradient, diagonal = problem.gradient(start)
        at, passes, _ = _conjugate_gradients(
            problem,
            start,
            gradient,
            diagonal,
            max_iter,
            lambda gain, gained: gain <= tol * abs(value),
            watch,
        )
        return at, passes, diagonal
    return _newton(problem, start, max_iter, tol, watch)


def _conjugate_gradients(
    problem: Objective,
    start: Point,
    gradient: Point,
    diagonal: Point,
    max_iter: int,
    is_done: Callable[[float, float], bool],
    watch: Callable[[int, Point], bool],
) -> tuple[Point, int, float]:
    """Minimise the quadratic model at `start`; return the place, the products and the gain."""
    scaling = problem.preconditioner(diagonal)
    residual, at, gained = Point(-gradient.weights, -gradient.intercept), start, 0.0
    scaled = Point(residual.weights / scaling.weights, residual.intercept / scaling.intercept)
    direction, size = scaled, residual.dot(scaled)
    for iteration in range(1, max_iter + 1):
        if size <= 0:
            return at, iteration - 1, gained
        product = problem.product(start, direction)
        curvature = direction.dot(product)
        if curvature <= 0:
            return at, iteration, gained
        step = size / curvature
        at = at.plus(step, direction)
        gain = 0.5 * step * size
        gained += gain
        if watch(iteration, at) or is_done(gain, gained):
            return at, iteration, gained
        residual = residual.plus(-step, product)
        scaled = Point(residual.weights / scaling.weights, residual.intercept / scaling.intercept)
        size, before = residual.dot(scaled), size
        direction = scaled.plus(size / before, direction)
    return at, max_iter, gained


def _newton(
    problem: Objective,
    at: Point,
    max_iter: int,
    tol: float,
    watch: Callable[[int, Point], bool],
) -> tuple[Point, int, Point]:
    """Minimise a loss that is not quadratic by Newton steps, each found by conjugate gradients."""
    value, gradient, diagonal = problem.gradient(at)
    passes, number = 0, 0
    while passes < max_iter:
        target, used, expected = _conjugate_gradients(
            problem,
            at,
            gradient,
            diagonal,
            min(_INNER, max_iter - passes),
            functools.partial(_is_near, _FORCING * tol * abs(value)),
            lambda iteration, at: False,
        )
        passes += used
        if not used:
            break
        step = target.plus(-1.0, at)
        length = 1.0
        for _ in range(_HALVINGS):
            tried = at.plus(length, step)
            new_value, new_gradient, new_diagonal = problem.gradient(tried)
            if new_value <= value - _SUFFICIENT * length * expected:
                break
            length /= 2
        else:
            return at, passes, diagonal
        gain, number = value - new_value, number + 1
        at, value, gradient, diagonal = tried, new_value, new_gradient, new_diagonal
        if watch(number, at) or gain <= tol * abs(value):
            break
    return at, passes, diagonal


def _is_near(least: float, gain: float, gained: float) -> bool:
    """Return whether a step inside a Newton step gained too little to go on."""
    return gain <= max(least, _FORCING * _FORCING * gained)


class EarlyStopping:
    """Early stopping: measures each step on the held-out rows, `check`, and keeps the best.

    It is idle without them. A fit ends after `n_iter_no_change` steps in a row none of which was
    better than the best before it by more than `tol`.
    """

    def __init__(self, check: Objective | None, n_iter_no_change: int, tol: float) -> None:
        self.check, self.n_iter_no_change, self.tol = check, n_iter_no_change, tol
        self.scores: list[float] = []
        self.best: Point | None = None
        self.waited = 0

    def __call__(self, iteration: int, at: Point) -> bool:
        """Measure the weights after a step; return whether to end."""
        if self.check is None:
            return False
        score, best = _goodness(self.check, at), max(self.scores, default=-np.inf)
        self.scores.append(score)
        self.waited = 0 if score > best + self.tol else self.waited + 1
        if score >= best:
            self.best = at
        return self.waited >= self.n_iter_no_change


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
