"""The steps by which a network over patterns learns (network_fit.py), compiled.

Each position that is gone over moves the rows of its configurations and the biases of the first
layer; the layers after that, which all positions of a stage share, take one step for every few.
These are one array (stages, INNER, units + 2): of each unit of the inner layer its weights, its
bias and its output.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import NDArray

from samuel.features.pattern_index import INDEX, fill_numbers
from samuel.games.rules import ROWS
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.models.patterns.network import CEILING

SEEN = 1e-3
"""Sum of squared gradients that a configuration starts with: one seldom met takes small steps."""
_SLOWER = 0.04
"""Rate of the layers after the first, as a share of the first's: all positions teach them."""
_TOGETHER = 4
"""Positions of a stage for which they take one step: a root and a division for each weight and
position were a good part of the work (docs/decisions/055)."""
_KEPT, _FLOOR = 0.999, 1e-4
"""Share of the mean of squared gradients that a step keeps, and what is added to its root."""


def joined(
    inner: NDArray[np.float32], biases: NDArray[np.float32], outputs: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the layers after the first as one array, a copy."""
    inputs = inner.transpose(0, 2, 1)
    return np.ascontiguousarray(np.dstack([inputs, biases[..., None], outputs[..., None]]))


def split(
    layers: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return what was `joined`."""
    inner, biases, outputs = layers[..., :-2].transpose(0, 2, 1), layers[..., -2], layers[..., -1]
    return np.ascontiguousarray(inner), np.ascontiguousarray(biases), np.ascontiguousarray(outputs)


@jit(fastmath={"contract", "reassoc"})
def _forward(layers: Any, hidden: Any, after: Any) -> Any:
    """Return what the layers (INNER, units + 2) add for `hidden`, and fill in the inner units."""
    units, added = hidden.shape[0], np.float32(0)
    for v in range(after.shape[0]):
        value = layers[v, units]
        for u in range(units):
            value += hidden[u] * layers[v, u]
        after[v] = max(value, np.float32(0))
        added += layers[v, units + 1] * after[v]
    return added


@jit(fastmath={"contract", "reassoc"})
def _backward(layers: Any, hidden: Any, after: Any, error: Any, gradients: Any, back: Any) -> None:
    """Add an error's gradients to those of the layers, and fill in those of `hidden`."""
    units = hidden.shape[0]
    for u in range(units):
        back[u] = 0
    for v in range(after.shape[0]):
        if after[v] > np.float32(0):
            slope = error * layers[v, units + 1]
            for u in range(units):
                gradients[v, u] += slope * hidden[u]
                back[u] += slope * layers[v, u]
            gradients[v, units] += slope
            gradients[v, units + 1] += error * after[v]


@jit(fastmath={"contract", "reassoc"})
def _step(layers: Any, gradients: Any, n: int, squares: Any, rate: Any) -> None:
    """Take a step by the gradients of n positions, each by the root of the mean of its squares.

    All are (INNER, units + 2); `gradients` begin again at 0.
    """
    share = np.float32(1) / np.float32(n)
    for v in range(layers.shape[0]):
        for u in range(layers.shape[1]):
            gradient = share * gradients[v, u]
            mean = np.float32(_KEPT) * squares[v, u] + np.float32(1 - _KEPT) * gradient * gradient
            squares[v, u] = mean
            layers[v, u] -= rate * gradient / (math.sqrt(mean) + np.float32(_FLOOR))
            gradients[v, u] = 0


@jit(
    types.void(
        *(ROWS, int64[::1], float32[::1], float32[::1], float32[::1], int64[::1]),
        *(INDEX, int32[::1]),
        *(float32[:, ::1], float32[:, ::1], float32[:, :, ::1]),
        *(float32[::1], float32[:, :, ::1], float64, float64, float32[::1]),
    ),
    fastmath={"contract", "reassoc"},
)
def go_over(
    positions: Any,
    order: Any,
    target: Any,
    weight: Any,
    base: Any,
    left: Any,
    index: Any,
    weight_of: Any,
    rows: Any,
    biases: Any,
    layers: Any,
    seen: Any,
    squares: Any,
    rate: float,
    last: float,
    found: Any,
) -> None:
    """Go over positions in an order: fill in `found` what is added, if it has room; or take steps.

    The rate falls evenly to `last`. `seen` (n_weights,) has the sum of squares of each
    configuration; `squares` the means of the layers after the first.
    """
    numbers, middle = at(index.numbers, 0), index.middle
    n, units, zero, ceiling = middle.shape[0], rows.shape[1], np.float32(0), np.float32(CEILING)
    chosen, waiting = np.zeros(n, np.int64), np.zeros(layers.shape[0], np.int64)
    sums, hidden = np.zeros(units, np.float32), np.zeros(units, np.float32)
    after, back = np.zeros(layers.shape[1], np.float32), np.zeros(units, np.float32)
    gradients, now = np.zeros(layers.shape, np.float32), np.float32(rate)
    for place in range(order.shape[0]):
        i = order[place]
        r = left[i]
        s = r * layers.shape[0] // biases.shape[0]
        fill_numbers(index, at(positions, i))
        for u in range(units):
            sums[u] = biases[r, u]
        for k in range(n):
            row = int64(weight_of[middle[k] + numbers[k]])
            chosen[k] = row
            for u in range(units):
                sums[u] += rows[row, u]
        for u in range(units):
            hidden[u] = min(max(sums[u], zero), ceiling)
        added = _forward(layers[s], hidden, after)
        if found.shape[0] > 0:
            found[i] = added
            continue
        now = np.float32(rate + (last - rate) * place / order.shape[0])
        error = weight[i] * (base[i] + added - target[i])
        _backward(layers[s], hidden, after, error, gradients[s], back)
        waiting[s] += 1
        if waiting[s] == _TOGETHER:
            _step(layers[s], gradients[s], waiting[s], squares[s], np.float32(_SLOWER) * now)
            waiting[s] = 0
        mean = zero
        for u in range(units):
            back[u] = back[u] if zero < sums[u] < ceiling else zero
            mean += back[u] * back[u]
            biases[r, u] -= now * back[u]
        mean /= np.float32(units)
        for k in range(n):
            row = chosen[k]
            seen[row] += mean
            share = now / (math.sqrt(seen[row]) + np.float32(SEEN))
            for u in range(units):
                rows[row, u] -= share * back[u]
    for s in range(layers.shape[0]):
        if waiting[s] > 0:
            _step(layers[s], gradients[s], waiting[s], squares[s], np.float32(_SLOWER) * now)
