"""Kernels of the steps by which a network learns: of Adam, a batch of rows at a time.

A batch is cut into parts of fixed size; each has gradients of its own, which are added up in order.
So the numbers do not depend on how many threads there are.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int64, types

from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.kernels.records import array, array_type, number, record
from samuel.models.networks.steps import (
    NUMBERS,
    PLAN,
    SAMPLE,
    Numbers,
    Plan,
    Sample,
    add_row,
    gradients,
)

_FIRST_MOMENT, _SECOND_MOMENT, _TINY = 0.9, 0.999, 1e-8
"""As in D. Kingma and J. Ba, "Adam: A method for stochastic optimization", 2015."""
_LAST_RATE = 0.02
"""Share of the learning rate that is left at the end."""
_ONE = np.float32(1)


@record
class Optimizer(NamedTuple):
    """Gradients and moments of the steps of a network."""

    rows: Any = array(float32, ("parts", "adam rows", "units"), "gradients of parts of a batch")
    biases: Any = array(float32, ("parts", "sets", "units"), "likewise")
    layers: Any = array(float32, ("parts", "stages", "size"), "likewise")
    row_moments: Any = array(float32, (2, "adam rows", "units"), "of Adam: first and second")
    bias_moments: Any = array(float32, (2, "sets", "units"), "likewise")
    layer_moments: Any = array(float32, (2, "stages", "size"), "likewise")
    seen: Any = array(float32, ("seen",), "of each row that moves by itself, its squares added up")
    rates: Any = array(float64, (3,), "of rows, biases and layers, times the learning rate")
    bounds: Any = array(float64, (3,), "what their numbers are no farther from 0 than")
    decay: float = number("share of a number that a step at a rate of 1 removes", float64)
    learning_rate: float = number("of the first step", float64)
    steps: int = number("how many there are in all")


OPTIMIZER = array_type(Optimizer)


@jit
def _rate(by: Optimizer, step: int) -> float:
    """Return the learning rate of a step, which falls evenly."""
    return by.learning_rate * (1 - (1 - _LAST_RATE) * (step / by.steps))


@jit(float64(SAMPLE, int64, int64, int64, int64, NUMBERS, PLAN, OPTIMIZER))
def part_of_step(
    sample: Sample,
    start: int,
    end: int,
    part: int,
    step: int,
    its: Numbers,
    plan: Plan,
    by: Optimizer,
) -> float:
    """Make the gradients of a part of the batch from `start` to `end`; return the loss of it."""
    parts, n, rate = by.biases.shape[0], end - start, by.rates[0] * _rate(by, step)
    of = Numbers(by.rows[part], by.biases[part], by.layers[part])
    first, last = start + n * part // parts, start + n * (part + 1) // parts
    return gradients(sample, first, last, its, plan, of, by.seen, rate)


@jit
def _adam_step(
    numbers: Any, slopes: Any, moments: Any, kind: int, step: int, share: float, by: Optimizer
) -> None:
    """Take a step of Adam by the slopes of the parts, within the bound; `share` is 1 / weights."""
    rate, most, decay = by.rates[kind] * _rate(by, step), by.bounds[kind], by.decay
    rate *= math.sqrt(1 - _SECOND_MOMENT ** (step + 1)) / (1 - _FIRST_MOMENT ** (step + 1))
    old, old_square = np.float32(_FIRST_MOMENT), np.float32(_SECOND_MOMENT)
    tiny, kept = np.float32(_TINY), np.float32(1 - rate * decay)
    factor, single, bound = np.float32(share), np.float32(rate), np.float32(most)
    n, sums = slopes.shape[1] * slopes.shape[2], at(slopes, 0)
    for part in range(1, slopes.shape[0]):
        add_row(sums, at(slopes, part), _ONE, n)
    its, mean, square = at(numbers, 0), at(moments, 0), at(moments, 1)
    for k in range(n):
        slope = factor * sums[k]
        mean[k] = old * mean[k] + (_ONE - old) * slope
        square[k] = old_square * square[k] + (_ONE - old_square) * slope * slope
        moved = kept * its[k] - single * mean[k] / (np.sqrt(square[k]) + tiny)
        moved = bound if moved > bound else moved
        its[k] = -bound if moved < -bound else moved


@jit(float64(SAMPLE, int64, int64, int64, NUMBERS, OPTIMIZER))
def finish_step(
    sample: Sample, start: int, end: int, step: int, its: Numbers, by: Optimizer
) -> float:
    """Let a step of Adam follow from the gradients of a batch; return what its rows weigh."""
    weight = float64(sample.weights[start:end].sum())
    share = 1 / max(1e-30, weight)
    _adam_step(its.rows, by.rows, by.row_moments, 0, step, share, by)
    _adam_step(its.biases, by.biases, by.bias_moments, 1, step, share, by)
    _adam_step(its.layers, by.layers, by.layer_moments, 2, step, share, by)
    return weight


@jit(types.UniTuple(float64, 2)(SAMPLE, int64, int64, NUMBERS, PLAN, OPTIMIZER))
def take_steps(
    sample: Sample, batch: int, step: int, its: Numbers, plan: Plan, by: Optimizer
) -> tuple[float, float]:
    """Take a step, from number `step` on, for each batch of rows; return their loss and weight."""
    total = whole = 0.0
    for start in range(0, sample.sets.shape[0], batch):
        end = min(start + batch, int64(sample.sets.shape[0]))
        for part in range(by.biases.shape[0]):
            total += part_of_step(sample, start, end, part, step, its, plan, by)
        whole += finish_step(sample, start, end, step, its, by)
        step += 1
    return total, whole
