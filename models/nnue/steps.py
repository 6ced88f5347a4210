"""Gradients of an efficiently updatable network over positions, and the steps that follow them.

Plain loops over rows of numbers, which numba turns into vector code. A batch is cut into parts of
fixed size; each has gradients of its own, which are added up in order. So the weights do not depend
on how many threads there are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import boolean, float32, float64, int32, int64, types, uint16, uint64

from samuel.kernels.bits import ONE, trailing_zeros
from samuel.kernels.jit import jit

PROBABILITY, SQUARED, LOGISTIC = range(3)
"""Losses: squared error of a probability of winning, squared error, and cross-entropy."""
_FIRST_MOMENT, _SECOND_MOMENT, _TINY = 0.9, 0.999, 1e-8
"""As in D. Kingma and J. Ba, "Adam: A method for stochastic optimization", 2015."""

_I32, _I64, _F32 = int32[::1], int64[::1], float32[::1]
_U64_2, _I64_2, _U16_2 = uint64[:, ::1], int64[:, ::1], uint16[:, ::1]
_I32_4, _F32_2 = int32[:, :, :, ::1], float32[:, ::1]
_ZERO, _ONE = np.float32(0), np.float32(1)


@jit(types.void(_U64_2, int64, _I32_4, _I64_2, _I64, _U16_2))
def list_inputs(
    positions: Any, words: int, row_of: Any, views: Any, starts: Any, inputs: Any
) -> None:
    """List the inputs of positions, one position's behind another's; `starts` says where.

    Those of the side to move are the first row of `inputs`, the other side's the second. `views`
    (n, 2) says how halves see the board, and `row_of` is (parts, views, 2, codes), as
    `learned_rows_by_code`.
    """
    for i in range(positions.shape[0]):
        place = starts[i]
        for k in range(words):
            word = positions[i, k]
            while word:
                code = 64 * k + trailing_zeros(word)
                for part in range(row_of.shape[0]):
                    for half in range(2):
                        inputs[half, place] = row_of[part, views[i, half], half, code]
                    place += 1
                word &= word - ONE


@jit
def _slope_of_loss(loss: int, score: float, target: float) -> tuple[float, float]:
    """Return the loss of a score, in units of the network, and its derivative."""
    if loss == SQUARED:
        error = score - target
        return error * error, 2 * error
    wins = 1 / (1 + math.exp(-score))
    if loss == LOGISTIC:
        above = math.log1p(math.exp(-abs(score))) + (score if score > 0 else 0.0)
        return above - score * target, wins - target
    error = wins - target
    return error * error, 2 * error * wins * (1 - wins)


@jit(float64(int64, _F32, _F32, _F32))
def mean_loss(loss: int, scores: Any, targets: Any, weights: Any) -> float:
    """Return the weighted mean loss of scores; a plain mean where no row counts."""
    total = whole = plain = 0.0
    for i in range(scores.shape[0]):
        found, _ = _slope_of_loss(loss, float64(scores[i]), float64(targets[i]))
        total += weights[i] * found
        whole += weights[i]
        plain += found
    return total / whole if whole > 0 else plain / scores.shape[0]


@jit(fastmath={"contract", "reassoc"})
def _forward(
    inputs: Any,
    start: int,
    end: int,
    rows: Any,
    biases: Any,
    layers: Any,
    widths: Any,
    squared: bool,
    sums: Any,
    values: Any,
) -> float:
    """Return the score of a position; `sums` has the halves, `values` what each layer makes."""
    units = biases.shape[0]
    for u in range(units):
        sums[u] = biases[u]
        sums[units + u] = biases[u]
    for k in range(start, end):
        mine = inputs[0, k]
        theirs = inputs[1, k]
        for u in range(units):
            sums[u] += rows[mine, u]
        for u in range(units):
            sums[units + u] += rows[theirs, u]
    for u in range(2 * units):
        value = min(max(sums[u], _ZERO), _ONE)
        values[u] = value * value if squared else value
    place, weight = 0, 0
    last = widths.shape[0] - 2
    for layer in range(last):
        n, m = widths[layer], widths[layer + 1]
        behind = place + n
        for j in range(m):
            sums[behind + j] = layers[weight + j]
        weight += m
        for u in range(n):
            value = values[place + u]
            for j in range(m):
                sums[behind + j] += value * layers[weight + u * m + j]
        weight += n * m
        for j in range(m):
            value = min(max(sums[behind + j], _ZERO), _ONE)
            values[behind + j] = value * value if squared else value
        place = behind
    score = layers[weight]
    for u in range(widths[last]):
        score += values[place + u] * layers[weight + 1 + u]
    return score


@jit
def _through_clip(sums: Any, slopes: Any, start: int, n: int, squared: bool) -> None:
    """Multiply slopes of clipped numbers by the derivative of the clipping."""
    for u in range(start, start + n):
        inside = _ZERO < sums[u] < _ONE
        factor = (sums[u] + sums[u] if squared else _ONE) if inside else _ZERO
        slopes[u] *= factor


@jit(fastmath={"contract", "reassoc"})
def _backward(
    inputs: Any,
    start: int,
    end: int,
    layers: Any,
    widths: Any,
    squared: bool,
    slope: float,
    sums: Any,
    values: Any,
    slopes: Any,
    of_rows: Any,
    of_biases: Any,
    of_layers: Any,
) -> None:
    """Add the derivatives of a loss whose derivative by the score is `slope`."""
    units = of_biases.shape[0]
    last = widths.shape[0] - 2
    place, weight = 0, 0
    for layer in range(last):
        place += widths[layer]
        weight += widths[layer + 1] * (widths[layer] + 1)
    of_layers[weight] += slope
    for u in range(widths[last]):
        of_layers[weight + 1 + u] += slope * values[place + u]
        slopes[place + u] = slope * layers[weight + 1 + u]
    for layer in range(last - 1, -1, -1):
        n, m = widths[layer], widths[layer + 1]
        _through_clip(sums, slopes, place, m, squared)
        behind, place = place, place - n
        weight -= m * (n + 1)
        for j in range(m):
            of_layers[weight + j] += slopes[behind + j]
        for u in range(n):
            value, total = values[place + u], _ZERO
            for j in range(m):
                of_layers[weight + m + u * m + j] += value * slopes[behind + j]
                total += slopes[behind + j] * layers[weight + m + u * m + j]
            slopes[place + u] = total
    _through_clip(sums, slopes, 0, 2 * units, squared)
    for u in range(units):
        of_biases[u] += slopes[u] + slopes[units + u]
    for k in range(start, end):
        mine = inputs[0, k]
        theirs = inputs[1, k]
        for u in range(units):
            of_rows[mine, u] += slopes[u]
        for u in range(units):
            of_rows[theirs, u] += slopes[units + u]


_GRADIENTS = float64(
    *(_I64, _U16_2, _I64, _I32, _F32, _F32, _F32),
    *(_F32_2, _F32, _F32_2, _I64),
    *(_F32_2, _F32, _F32_2, int64, boolean),
)


@jit(_GRADIENTS)
def gradients(
    starts: Any,
    inputs: Any,
    order: Any,
    buckets: Any,
    base: Any,
    targets: Any,
    weights: Any,
    rows: Any,
    biases: Any,
    layers: Any,
    widths: Any,
    of_rows: Any,
    of_biases: Any,
    of_layers: Any,
    loss: int,
    squared: bool,
) -> float:
    """Write the gradients of the weighted loss of the rows in `order`; return that loss.

    `base` has what another model's score adds to the network's, in its units.
    """
    most = 0
    for k in range(widths.shape[0]):
        most += widths[k]
    sums, values = np.zeros(most, np.float32), np.zeros(most, np.float32)
    slopes = np.zeros(most, np.float32)
    of_rows[:] = 0
    of_biases[:] = 0
    of_layers[:] = 0
    total = 0.0
    for k in range(order.shape[0]):
        i = order[k]
        start, end, its = starts[i], starts[i + 1], layers[buckets[i]]
        score = _forward(inputs, start, end, rows, biases, its, widths, squared, sums, values)
        found, slope = _slope_of_loss(loss, float64(base[i] + score), float64(targets[i]))
        total += weights[i] * found
        _backward(
            *(inputs, start, end, its, widths, squared, float32(weights[i] * slope)),
            *(sums, values, slopes, of_rows, of_biases, of_layers[buckets[i]]),
        )
    return total


@jit(
    types.void(
        *(_I64, _U16_2, _I64, _I32, _F32_2, _F32, _F32_2, _I64, boolean, _F32),
    )
)
def scores_of(
    starts: Any,
    inputs: Any,
    order: Any,
    buckets: Any,
    rows: Any,
    biases: Any,
    layers: Any,
    widths: Any,
    squared: bool,
    found: Any,
) -> None:
    """Write the scores of the rows in `order`, in units of the network."""
    most = 0
    for k in range(widths.shape[0]):
        most += widths[k]
    sums, values = np.zeros(most, np.float32), np.zeros(most, np.float32)
    for k in range(order.shape[0]):
        i = order[k]
        found[k] = _forward(
            *(inputs, starts[i], starts[i + 1], rows, biases, layers[buckets[i]]),
            *(widths, squared, sums, values),
        )


@jit(types.void(_F32, _F32_2, _F32, _F32, int64, float64, float64, float64, float64))
def adam_step(
    numbers: Any,
    slopes: Any,
    first: Any,
    second: Any,
    step: int,
    rate: float,
    share: float,
    decay: float,
    most: float,
) -> None:
    """Take a step of Adam, and keep the numbers within `most` of 0.

    `slopes` has a row for each part of the batch, `share` is one through the sum of its weights.
    """
    rate = rate * math.sqrt(1 - _SECOND_MOMENT**step) / (1 - _FIRST_MOMENT**step)
    old, old_square = np.float32(_FIRST_MOMENT), np.float32(_SECOND_MOMENT)
    tiny, kept = np.float32(_TINY), np.float32(1 - rate * decay)
    by, single, bound = np.float32(share), np.float32(rate), np.float32(most)
    for k in range(numbers.shape[0]):
        slope = _ZERO
        for part in range(slopes.shape[0]):
            slope += slopes[part, k]
        slope *= by
        first[k] = old * first[k] + (_ONE - old) * slope
        second[k] = old_square * second[k] + (_ONE - old_square) * slope * slope
        moved = kept * numbers[k] - single * first[k] / (math.sqrt(second[k]) + tiny)
        numbers[k] = min(max(moved, -bound), bound)
