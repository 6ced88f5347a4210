"""Kernels by which a network learns: what it makes of rows, and the gradients of a loss.

The first layer adds up rows of numbers, one for each input of a position times its value, in one
half or in two that read other inputs. Its sums and those of the hidden layers are clipped, or go
through the logistic function.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import NDArray

from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at, offset
from samuel.kernels.records import array, array_type, number, record
from samuel.models.compiled.layers import LOGISTIC as SIGMOID
from samuel.models.compiled.layers import RELU, SCRELU, TANH, UNBOUNDED, dot, through

PROBABILITY, SQUARED, LOGISTIC = range(3)
"""Losses: squared error of a probability of winning, squared error, and cross-entropy."""
SEEN = 1e-3
"""Sum of squared gradients that a row starts with: one seldom met takes small steps."""
_ZERO, _ONE = np.float32(0), np.float32(1)

Inputs = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]
"""Starts, inputs and values, as a `Sample` has them."""


@record
class Sample(NamedTuple):
    """Rows to learn from, one's inputs behind another's."""

    starts: Any = array(int64, ("rows + 1",), "where the inputs of each begin")
    inputs: Any = array(int32, ("halves", "inputs"), "the row of the first layer of each input")
    values: Any = array(float32, ("inputs",), "how often it counts")
    sets: Any = array(int32, ("rows",), "which biases of the first layer are added")
    stages: Any = array(int32, ("rows",), "which layers after the first are used")
    base: Any = array(float32, ("rows",), "what another model's score adds")
    targets: Any = array(float32, ("rows", "outputs"), "of the outputs")
    weights: Any = array(float32, ("rows",), "how much each counts")


@record
class Numbers(NamedTuple):
    """Learned numbers of a network."""

    rows: Any = array(float32, ("all inputs", "units"), "of each input")
    biases: Any = array(float32, ("sets", "units"), "of the first layer")
    layers: Any = array(float32, ("stages", "size"), "of the layers after it (`Layers`)")

    def copy(self) -> Numbers:
        """Return a copy."""
        return Numbers(*(part.copy() for part in self))


@record
class Plan(NamedTuple):
    """Sizes of a network, and its loss."""

    activation: int = number("a place in ACTIVATIONS")
    loss: int = number("PROBABILITY, SQUARED or LOGISTIC, of each output")
    ceiling: float = number("what the first units are clipped at", float32)
    widths: Any = array(int64, ("layers + 1",), "units of both halves, and of each layer after it")
    shares: Any = array(float32, ("outputs",), "how much the loss of each output counts")


SAMPLE, NUMBERS, PLAN = array_type(Sample), array_type(Numbers), array_type(Plan)


@jit
def _slope_of_loss(loss: int, score: float, target: float) -> tuple[float, float]:
    """Return the loss of a score and its derivative."""
    if loss == SQUARED:
        error = score - target
        return error * error, 2 * error
    wins = 1 / (1 + math.exp(-score))
    if loss == LOGISTIC:
        above = math.log1p(math.exp(-abs(score))) + (score if score > 0 else 0.0)
        return above - score * target, wins - target
    error = wins - target
    return error * error, 2 * error * wins * (1 - wins)


@jit(fastmath={"contract", "reassoc"})
def _through_activation(
    sums: Pointer, values: Pointer, slopes: Pointer, n: int, activation: int, ceiling: float
) -> None:
    """Multiply slopes of values by the derivative of the activation."""
    if activation == SIGMOID:
        for u in range(n):
            slopes[u] *= values[u] * (_ONE - values[u])
    elif activation == TANH:
        for u in range(n):
            slopes[u] *= _ONE - values[u] * values[u]
    elif activation == SCRELU:
        for u in range(n):
            slopes[u] *= sums[u] + sums[u] if _ZERO < sums[u] < ceiling else _ZERO
    elif activation != 0:
        for u in range(n):
            slopes[u] *= _ONE if _ZERO < sums[u] < ceiling else _ZERO


@jit(fastmath={"contract", "reassoc"})
def add_row(target: Pointer, row: Pointer, factor: float, n: int) -> None:
    """Add a row of numbers times a factor."""
    for u in range(n):
        target[u] += factor * row[u]


@jit(fastmath={"contract", "reassoc"})
def _add_inputs(
    target: Pointer, inputs: Any, values: Any, start: int, end: int, rows: Any, n: int
) -> None:
    """Add the rows of inputs, times their values, four at a time."""
    for k in range(start, end - 3, 4):
        a, b, c, d = values[k], values[k + 1], values[k + 2], values[k + 3]
        one, two = at(rows, int64(inputs[k])), at(rows, int64(inputs[k + 1]))
        three, four = at(rows, int64(inputs[k + 2])), at(rows, int64(inputs[k + 3]))
        for u in range(n):
            target[u] += (a * one[u] + b * two[u]) + (c * three[u] + d * four[u])
    for k in range(end - (end - start) % 4, end):
        add_row(target, at(rows, int64(inputs[k])), values[k], n)


@jit
def _forward(
    sample: Sample, i: int, its: Numbers, plan: Plan, sums: Pointer, values: Pointer
) -> int:
    """Fill in what each layer makes of a row; return where `sums` has the outputs."""
    units, halves, widths = its.biases.shape[1], sample.inputs.shape[0], plan.widths
    biases = at(its.biases, int64(sample.sets[i]))
    for half in range(halves):
        own = offset(sums, half * units)
        for u in range(units):
            own[u] = biases[u]
        start, end = sample.starts[i], sample.starts[i + 1]
        _add_inputs(own, sample.inputs[half], sample.values, start, end, its.rows, units)
    layers, n = at(its.layers, int64(sample.stages[i])), int64(widths.shape[0] - 1)
    return through(sums, values, layers, at(widths, 0), n, plan.activation, plan.ceiling)


@jit(fastmath={"contract", "reassoc"})
def _layer_back(
    own: Pointer, back: Pointer, n: int, slopes: Pointer, m: int, weights: Pointer, of: Pointer
) -> None:
    """Add the derivatives of a layer by its weights; fill in those by its values, n, in `back`."""
    if m == 1:
        for u in range(n):
            of[u] += slopes[0] * own[u]
            back[u] = slopes[0] * weights[u]
        return
    for u in range(n):
        row, target, value, total = offset(weights, u * m), offset(of, u * m), own[u], _ZERO
        for j in range(m):
            target[j] += value * slopes[j]
            total += row[j] * slopes[j]
        back[u] = total


@jit
def _backward(
    sample: Sample,
    i: int,
    its: Numbers,
    plan: Plan,
    sums: Pointer,
    values: Pointer,
    slopes: Pointer,
    of: Numbers,
) -> None:
    """Add the derivatives of a loss; `slopes` has those by the outputs, and gets the others."""
    widths, stage = plan.widths, int64(sample.stages[i])
    inner = UNBOUNDED if plan.activation == RELU else _ONE
    place, weight = int64(0), int64(0)
    for layer in range(widths.shape[0] - 1):
        place += widths[layer]
        weight += widths[layer + 1] * (widths[layer] + 1)
    for layer in range(widths.shape[0] - 2, -1, -1):
        n, m = widths[layer], widths[layer + 1]
        behind, place = place, place - n
        weight -= m * (n + 1)
        own, back, here = offset(values, place), offset(slopes, place), offset(slopes, behind)
        target, weights = offset(at(of.layers, stage), weight), at(its.layers, stage)
        add_row(target, here, _ONE, m)
        _layer_back(own, back, n, here, m, offset(weights, weight + m), offset(target, m))
        ceiling = plan.ceiling if layer == 0 else inner
        _through_activation(offset(sums, place), own, back, n, plan.activation, ceiling)
    units = its.biases.shape[1]
    for half in range(sample.inputs.shape[0]):
        add_row(at(of.biases, int64(sample.sets[i])), offset(slopes, half * units), _ONE, units)


@jit
def _add_to_rows(sample: Sample, i: int, slopes: Pointer, of: Numbers) -> None:
    """Add the derivatives by the rows of the first layer."""
    units = of.rows.shape[1]
    for half in range(sample.inputs.shape[0]):
        for k in range(sample.starts[i], sample.starts[i + 1]):
            row = at(of.rows, int64(sample.inputs[half, k]))
            add_row(row, offset(slopes, half * units), sample.values[k], units)


@jit
def _move_rows(
    sample: Sample, i: int, slopes: Pointer, its: Numbers, seen: Any, rate: float
) -> None:
    """Let a position's rows take a step, by AdaGrad (Duchi 2011) with one sum for a row."""
    units = its.rows.shape[1]
    for half in range(sample.inputs.shape[0]):
        own = offset(slopes, half * units)
        mean = dot(own, own, units) / np.float32(units)
        for k in range(sample.starts[i], sample.starts[i + 1]):
            row, value = int64(sample.inputs[half, k]), sample.values[k]
            seen[row] += value * value * mean
            share = rate / (math.sqrt(seen[row]) + np.float32(SEEN))
            add_row(at(its.rows, row), own, float32(-share * value), units)


@jit(float64(SAMPLE, int64, int64, NUMBERS, PLAN, NUMBERS, float32[::1], float64))
def gradients(
    sample: Sample,
    start: int,
    end: int,
    its: Numbers,
    plan: Plan,
    of: Numbers,
    seen: Any,
    rate: float,
) -> float:
    """Write in `of` the gradients of the weighted loss of rows, from `start` on; return that loss.

    Where `seen` has the sums of squares of all rows of the first layer, these take their steps at
    once, at a rate; else their gradients are written, too.
    """
    most = plan.widths.sum()
    room = np.zeros((3, most), np.float32)
    sums, values, slopes = at(room, 0), at(room, 1), at(room, 2)
    of.rows[:] = 0
    of.biases[:] = 0
    of.layers[:] = 0
    total, outputs = 0.0, plan.shares.shape[0]
    for i in range(start, end):
        place = _forward(sample, i, its, plan, sums, values)
        for k in range(outputs):
            score = float64(sample.base[i] + sums[place + k])
            loss, slope = _slope_of_loss(plan.loss, score, float64(sample.targets[i, k]))
            share = float64(sample.weights[i]) * plan.shares[k]
            total += share * loss
            slopes[place + k] = float32(share * slope)
        _backward(sample, i, its, plan, sums, values, slopes, of)
        if seen.shape[0] > 0:
            _move_rows(sample, i, slopes, its, seen, float32(rate))
        else:
            _add_to_rows(sample, i, slopes, of)
    return total + 0 * room[0, 0]  # which keeps the room


@jit(types.void(SAMPLE, NUMBERS, PLAN, float32[:, ::1]))
def outputs_of(sample: Sample, its: Numbers, plan: Plan, found: Any) -> None:
    """Fill in the outputs (n, outputs) of rows, without their base."""
    room = np.zeros((2, plan.widths.sum()), np.float32)
    for i in range(found.shape[0]):
        place = _forward(sample, i, its, plan, at(room, 0), at(room, 1))
        for k in range(found.shape[1]):
            found[i, k] = room[0, place + k]


@jit(float64(float32[::1], float32[:, ::1], float32[::1], PLAN, float32[:, ::1]))
def mean_loss(base: Any, targets: Any, weights: Any, plan: Plan, found: Any) -> float:
    """Return the weighted mean loss of outputs; a plain mean where no row counts."""
    total = whole = plain = 0.0
    for i in range(found.shape[0]):
        weight = float64(weights[i])
        whole += weight
        for k in range(found.shape[1]):
            score = float64(base[i] + found[i, k])
            loss, _ = _slope_of_loss(plan.loss, score, float64(targets[i, k]))
            total += weight * plan.shares[k] * loss
            plain += plan.shares[k] * loss
    return total / whole if whole > 0 else plain / found.shape[0]
