"""Fitting weights of patterns without a matrix (models/newton.py): the passes over the rows.

The score of a position with r squares left is

    f = intercept + sum over its configurations c of w_r[c],    w_r = s W_k + (1 - s) W_(k+1),

W_k the weights at knot k, s the share of the knot below r (hat functions). The objective is

    sum of weight * loss(f, y) + 1/2 alpha * sum of W**2
                               + 1/2 smoothing * sum over k of (W_(k+1) - W_k)**2

with loss (f - y)**2 / 2 or, for results y in [0, 1], log(1 + exp f) - y f. Its gradient, and its
Hessian times a direction, each are one pass over the positions: numbers of the instances, a sum of
weights, and the same addition to each weight's entry. Positions are sorted by squares left, so that
the blended weights of one count, small enough for the processor's cache, serve all that have it.

Conjugate gradients are preconditioned by the diagonal of the Hessian.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import NDArray

from samuel.features.pattern_index import INDEX, fill_numbers
from samuel.features.terms import PatternTerms
from samuel.games.rules import ROWS
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at

SQUARED, LOGISTIC = 0, 1
GRADIENT, PRODUCT, SCORES = 0, 1, 2
_GRAIN = 1 << 16
"""Rows whose parts are added up in single precision."""

Floats = NDArray[np.float64]

_I32, _I64, _F32, _F64, _F64_2 = int32[::1], int64[::1], float32[::1], float64[::1], float64[:, ::1]


@dataclass(frozen=True)
class RowBlock:
    """Rows sorted by squares left."""

    positions: NDArray[np.uint64]  # (n, K)
    cells: NDArray[np.int32]  # (n, tables), configurations in tables
    target: NDArray[np.float32]  # (n,)
    weight: NDArray[np.float32]  # (n,)
    starts: NDArray[np.int64]  # (counts + 1,), where each count of squares left starts

    def __len__(self) -> int:
        return len(self.positions)


Source = Sequence[Callable[[], RowBlock]]
"""Functions that give the blocks of the data, as often as they are asked for."""


def block_of(
    terms: PatternTerms,
    positions: NDArray[np.uint64],
    target: NDArray[Any],
    weight: NDArray[Any] | None,
    plies_left: NDArray[np.int64],
    counts: int,
) -> RowBlock:
    """Return rows as a block; `plies_left` (n,) is below `counts`."""
    order = np.argsort(plies_left.astype(np.int16), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(plies_left, minlength=counts))])
    weights = np.ones(len(order), np.float32) if weight is None else np.asarray(weight, np.float32)
    rows = np.ascontiguousarray(positions[order])
    return RowBlock(
        rows,
        terms.cells(rows),
        np.asarray(target, np.float32)[order],
        weights if weight is None else weights[order],
        starts.astype(np.int64),
    )


def parts_of(block: RowBlock, parts: int) -> Source:
    """Return a block as several of about the same size, without a copy."""
    bounds = np.linspace(0, len(block), parts + 1).astype(np.int64).tolist()
    return [functools.partial(_slice, block, a, b) for a, b in itertools.pairwise(bounds) if a < b]


def _slice(block: RowBlock, first: int, last: int) -> RowBlock:
    """Return the rows `first` to `last` of a block, without a copy."""
    rows = slice(first, last)
    starts = np.clip(block.starts, first, last) - first
    return RowBlock(
        block.positions[rows], block.cells[rows], block.target[rows], block.weight[rows], starts
    )


@jit
def _blend(weights: Any, k: int, share: float, fold: Any, full: Any) -> None:
    """Write the weights between knots k and k + 1, one for each configuration."""
    for c in range(fold.shape[0]):
        value = share * weights[k, fold[c]]
        if share < 1.0:
            value += (1.0 - share) * weights[k + 1, fold[c]]
        full[c] = value


@jit
def _unblend(full: Any, k: int, share: float, fold: Any, gradient: Any) -> None:
    """Add what belongs to each configuration to the weights of knots k and k + 1; and clear it."""
    for c in range(fold.shape[0]):
        value = float64(full[c])
        full[c] = 0.0
        gradient[k, fold[c]] += share * value
        if share < 1.0:
            gradient[k + 1, fold[c]] += (1.0 - share) * value


@jit
def _unblend_squares(full: Any, k: int, share: float, fold: Any, gradient: Any, knots: int) -> None:
    """Add to the diagonal of the Hessian, where shares count squared."""
    for c in range(fold.shape[0]):
        value = float64(full[c])
        full[c] = 0.0
        gradient[knots + k, fold[c]] += share * share * value
        if share < 1.0:
            gradient[knots + k + 1, fold[c]] += (1.0 - share) * (1.0 - share) * value


@jit
def _sum_at(values: Any, middle: Any, numbers: Any, cells: Any, i: int) -> Any:
    """Return the sum of the values at the configurations of row i."""
    total = np.float32(0)
    for j in range(middle.shape[0]):
        total += values[np.uint64(middle[j] + numbers[j])]
    for j in range(cells.shape[1]):
        total += values[np.uint64(cells[i, j])]
    return total


@jit
def _add_at(values: Any, step: Any, middle: Any, numbers: Any, cells: Any, i: int) -> None:
    """Add to the value at each configuration of row i."""
    for j in range(middle.shape[0]):
        values[np.uint64(middle[j] + numbers[j])] += step
    for j in range(cells.shape[1]):
        values[np.uint64(cells[i, j])] += step


@jit(
    types.void(
        *(ROWS, int32[:, ::1], _F32, _F32, _I64),
        *(INDEX, _I32, _I64, _F64),
        *(_F64_2, _F64_2, float64, float64, int64, int64, _F64_2, _F64, _F32),
    )
)
def run_pass(
    positions: Any,
    cells: Any,
    target: Any,
    weight: Any,
    starts: Any,
    index: Any,
    fold: Any,
    knot: Any,
    share: Any,
    weights: Any,
    direction: Any,
    intercept: float,
    shift: float,
    loss: int,
    task: int,
    gradient: Any,
    sums: Any,
    scores: Any,
) -> None:
    """Go over a block once."""
    size, knots = fold.shape[0], weights.shape[0]
    numbers, middle = at(index.numbers, 0), index.middle
    here, along = np.zeros(size, np.float32), np.zeros(size, np.float32)
    added, squares = np.zeros(size, np.float32), np.zeros(size, np.float32)
    needs_score = task != PRODUCT or loss == LOGISTIC
    for left in range(starts.shape[0] - 1):
        first, last = starts[left], starts[left + 1]
        if first == last:
            continue
        k, s = knot[left], share[left]
        if needs_score:
            _blend(weights, k, s, fold, here)
        if task == PRODUCT:
            _blend(direction, k, s, fold, along)
        for i in range(first, last):
            fill_numbers(index, at(positions, i))
            score, product = np.float32(intercept), np.float32(shift)
            if needs_score:
                score += _sum_at(here, middle, numbers, cells, i)
            if task == SCORES:
                scores[i] = score
                continue
            curvature = float64(weight[i])
            if loss == LOGISTIC:
                p = 1.0 / (1.0 + math.exp(-float64(score)))
                curvature *= p * (1.0 - p)
            if task == PRODUCT:
                product += _sum_at(along, middle, numbers, cells, i)
                slope = curvature * product
            elif loss == LOGISTIC:
                slope = weight[i] * (p - target[i])
                x = float64(score)
                sums[2] += weight[i] * (max(x, 0.0) + math.log1p(math.exp(-abs(x))) - target[i] * x)
            else:
                error = float64(score) - target[i]
                slope = weight[i] * error
                sums[2] += 0.5 * weight[i] * error * error
            sums[0] += slope
            _add_at(added, np.float32(slope), middle, numbers, cells, i)
            if task == GRADIENT:
                sums[1] += curvature
                _add_at(squares, np.float32(curvature), middle, numbers, cells, i)
            if (i - first) % _GRAIN == _GRAIN - 1:
                _unblend(added, k, s, fold, gradient)
                if task == GRADIENT:
                    _unblend_squares(squares, k, s, fold, gradient, knots)
        if task != SCORES:
            _unblend(added, k, s, fold, gradient)
        if task == GRADIENT:
            _unblend_squares(squares, k, s, fold, gradient, knots)
