"""Logistic fits over columns whose weights are blended by stage, on models/newton.py.

The Hessian of a part of the rows preconditions a step, so that a product or two with that of all
rows find it: a million rows and 800 weights take seconds. At the end the Hessian of all rows gives
the standard errors of the weights.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int64, types
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from samuel.kernels.jit import jit
from samuel.models.newton import Floats, Solve, cross_entropy, minimise, scale_of

ROWS = 1 << 14
"""Rows whose columns are in memory at once."""
_SAMPLE = 1 << 17
"""Rows whose Hessian preconditions a step."""
_FEW_GROUPS = 30
"""With fewer games rows count as independent: a few sums tell no spread."""

_FLOATS, _TABLE = float32[:, ::1], float64[:, ::1]
_ROW, _PLACES = float64[::1], int64[::1]


@jit(types.void(_FLOATS, _FLOATS, _ROW, _PLACES, _ROW, _TABLE))
def add_products(
    columns: Any, shares: Any, curve: Any, places: Any, values: Any, found: Any
) -> None:
    """Add the upper triangle of the sum of curve x x' over rows to a matrix (S F, S F)."""
    width = columns.shape[1]
    for row in range(columns.shape[0]):
        n = 0
        for stage in range(shares.shape[1]):
            share = float64(shares[row, stage])
            if share != 0.0:
                for column in range(width):
                    if columns[row, column] != 0.0:
                        places[n] = stage * width + column
                        values[n] = share * float64(columns[row, column])
                        n += 1
        for i in range(n):
            factor = curve[row] * values[i]
            line = found[places[i]]
            for k in range(i, n):
                line[places[k]] += factor * values[k]


class Rows:
    """Rows of a logistic fit: columns, made again in each pass, blended weights, results."""

    def __init__(
        self,
        columns_of: Callable[[slice], NDArray[np.float32]],  # (m, F) of a slice of rows
        shares: NDArray[np.float32],  # how much of each stage counts (n, S)
        fixed: NDArray[np.float32],  # constant part of each score (n,)
        wins: Floats,  # probabilities of winning (n,)
        weights: Floats,  # sum to 1 (n,)
        groups: NDArray[Any] | None = None,  # games of the rows, those of a game together (n,)
    ) -> None:
        self.columns_of, self.shares, self.fixed = columns_of, shares, fixed
        self.wins, self.weights = wins, weights
        self.count = float(1 / np.sum(np.square(weights)))
        changes = () if groups is None else np.flatnonzero(groups[1:] != groups[:-1]) + 1
        self.first_of_group = np.append(0, changes).astype(np.int64)

    def _parts(self) -> Iterator[slice]:
        for first in range(0, len(self.wins), ROWS):
            yield slice(first, min(first + ROWS, len(self.wins)))

    def scores(self, weights: Floats) -> Floats:
        """Return the scores (n,) of all rows under weights (S, F)."""
        parts = [self._scores_of(some, self.columns_of(some), weights) for some in self._parts()]
        return np.concatenate(parts).astype(np.float64)

    def _scores_of(self, some: slice, columns: NDArray[np.float32], weights: Floats) -> Any:
        by_stage = columns @ weights.astype(np.float32).T
        return self.fixed[some] + np.sum(self.shares[some] * by_stage, axis=1)

    def loss(self, weights: Floats, scale: float) -> tuple[float, Floats]:
        """Return the mean cross-entropy, and its gradient (S, F)."""
        total, slope = 0.0, np.zeros_like(weights)
        for some in self._parts():
            columns = self.columns_of(some)
            logits = self._scores_of(some, columns, weights) / scale
            wins, counts = self.wins[some], self.weights[some]
            total += float(counts @ cross_entropy(logits, wins))
            errors = (counts * (expit(logits) - wins) / scale).astype(np.float32)
            slope += self.shares[some].T * errors @ columns
        return total, slope

    def product(self, weights: Floats, direction: Floats, scale: float) -> Floats:
        """Return the Hessian of the loss times a direction (S, F)."""
        found = np.zeros_like(weights)
        for some in self._parts():
            columns, shares = self.columns_of(some), self.shares[some]
            along = np.sum(shares * (columns @ direction.astype(np.float32).T), axis=1)
            curve = self._curve_of(some, columns, weights, scale)
            found += shares.T * (curve * along).astype(np.float32) @ columns
        return found

    def _curve_of(
        self, some: slice, columns: NDArray[np.float32], weights: Floats, scale: float
    ) -> Floats:
        """Return the second derivative of the loss of rows by their scores."""
        wins = expit(self._scores_of(some, columns, weights) / scale)
        curve: Floats = self.weights[some] * wins * (1 - wins) / scale**2
        return curve

    def hessian(self, weights: Floats, scale: float, alpha: float, most: int | None) -> Floats:
        """Return the Hessian (S F, S F) of the loss; of about `most` rows, evenly chosen."""
        size = weights.size
        whole, room = np.zeros((size, size)), (np.zeros(size, np.int64), np.zeros(size))
        step, total = 1 if most is None else max(1, len(self.wins) // most), 0.0
        for some in list(self._parts())[::step]:
            columns = self.columns_of(some)
            total += self.weights[some].sum()
            curve = self._curve_of(some, columns, weights, scale)
            add_products(columns, self.shares[some], curve, *room, whole)
        whole += np.triu(whole, 1).T
        floor = _floor(float(np.trace(whole)) / len(whole))
        return whole / max(total, 1e-300) + (alpha + floor) * np.eye(len(whole))

    def errors(
        self, weights: Floats, scale: float, hessian: Floats, alpha: float
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the standard errors (S, F) of weights at the minimum, where the Hessian is known.

        With groups they are those of the sandwich of the sums of slopes in each group (K.-Y. Liang
        and S. Zeger, 1986), but not smaller than those of independent rows. The second array marks
        the errors that are the penalty's: it has more than half of the precision of the weight.
        """
        inverse = cho_solve(cho_factor(hessian), np.eye(weights.size))
        penalty = alpha + _floor(float(np.trace(hessian)) / len(hessian) - alpha)
        of_penalty = penalty * np.diag(inverse) > 0.5
        variances = np.diag(inverse) / self.count
        if len(self.first_of_group) >= _FEW_GROUPS:
            spread = inverse @ self._spread(weights, scale) @ inverse
            variances = np.maximum(variances, np.diag(spread))
        return np.sqrt(variances).reshape(weights.shape), of_penalty.reshape(weights.shape)

    def _spread(self, weights: Floats, scale: float) -> Floats:
        """Return the sum over groups of products (S F, S F) of their slopes."""
        found = np.zeros((weights.size, weights.size))
        for some in self._parts():
            columns = self.columns_of(some)
            wins = expit(self._scores_of(some, columns, weights) / scale)
            slopes = self.weights[some] * (wins - self.wins[some]) / scale
            within = (some.start < self.first_of_group) & (self.first_of_group < some.stop)
            firsts = np.append(0, self.first_of_group[within] - some.start)
            each = (self.shares[some] * slopes[:, None]).astype(np.float32)
            sums = [np.add.reduceat(columns * share[:, None], firsts) for share in each.T]
            of_groups = np.hstack(sums).astype(np.float64)
            found += of_groups.T @ of_groups
        return found


def _floor(curvature: float) -> float:
    """Return what is added to the diagonal of a Hessian, by the mean of its diagonal."""
    return 1e-9 * max(curvature, 1e-12)


class _Objective:
    """Mean cross-entropy of rows, and a penalty on the change from the weights at the start."""

    is_quadratic = False

    def __init__(self, rows: Rows, begin: Floats, scale: float, alpha: float) -> None:
        self.rows, self.begin, self.scale, self.alpha = rows, begin, scale, alpha
        self.values: list[float] = []  # at each place, the first and the steps tried
        self._last: tuple[Floats, Floats] = np.zeros(0), np.zeros((0, 0))

    def gradient(self, at: Floats) -> tuple[float, Floats, Solve]:
        """Return the objective, its gradient, and what divides by the Hessian of a sample."""
        weights = self._shaped(at)
        change = weights - self.begin
        loss, slope = self.rows.loss(weights, self.scale)
        self.values.append(loss + 0.5 * self.alpha * float(np.sum(change**2)))

        @functools.cache
        def factor() -> Any:
            return cho_factor(self._hessian(at))

        gradient = np.ravel(slope + self.alpha * change)
        return self.values[-1], gradient, lambda residual: cho_solve(factor(), residual)

    def product(self, at: Floats, direction: Floats) -> Floats:
        """Return the Hessian at a place times a direction."""
        if len(self.rows.wins) <= _SAMPLE:
            found: Floats = self._hessian(at) @ direction
            return found
        weights, along = self._shaped(at), self._shaped(direction)
        return self.rows.product(weights, along, self.scale).ravel() + self.alpha * direction

    def _hessian(self, at: Floats) -> Floats:
        """Return the Hessian at a place of a sample, or of all rows where they are few."""
        if not np.array_equal(self._last[0], at):
            found = self.rows.hessian(self._shaped(at), self.scale, self.alpha, _SAMPLE)
            self._last = at, found
        return self._last[1]

    def _shaped(self, flat: Floats) -> Floats:
        return flat.reshape(self.begin.shape)


class Fitted(NamedTuple):
    """Result of `fit_rows`: weights (S, F), losses with the penalty, number of passes."""

    weights: Floats
    errors: Floats
    of_penalty: NDArray[np.bool_]
    first_loss: float
    loss: float
    passes: int


def fit_rows(
    rows: Rows, begin: Floats, scale: float, alpha: float, max_iter: int, tol: float
) -> Fitted:
    """Fit weights (S, F)."""
    problem = _Objective(rows, begin, scale, alpha)
    at, passes = minimise(problem, begin.ravel(), max_iter=max_iter, tol=tol)
    weights = at.reshape(begin.shape)
    hessian = rows.hessian(weights, scale, alpha, None)
    errors = rows.errors(weights, scale, hessian, alpha)
    return Fitted(weights, *errors, problem.values[0], min(problem.values), passes)


def best_scale(rows: Rows, weights: Floats, first: float) -> float:
    """Return the K under which weights (S, F) tell the results best; `first` where all are 0."""
    scores = rows.scores(weights)
    return scale_of(scores, rows.wins, rows.weights, first) if np.any(scores) else first
