"""The kernel of multi-layer perceptrons.

A block's arrays:

    integers: number of layers, activation (an index in ACTIVATIONS), the largest number of
              units in a layer, the number of features, the units of each layer (the last has 1)
    floats:   layer by layer its biases, then its weights, one row an input
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.games.feature import LARGEST_FEATURE
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, offset
from samuel.models.forms.compiled import LARGEST_SCORE, Block

ACTIVATIONS = ("identity", "relu", "tanh", "logistic")
_RELU, _TANH, _LOGISTIC = 1, 2, 3
_HEADER = 3
_ZERO, _ONE = np.float32(0), np.float32(1)


@jit
def mlp(values: Pointer, scratch: Pointer, integers: Pointer, floats: Pointer) -> Any:
    """Return the output of the network; `scratch` has room for two layers."""
    layers, widest = integers[0], integers[2]
    source = values
    for layer in range(layers):
        inputs, units = integers[_HEADER + layer], integers[_HEADER + layer + 1]
        target = offset(scratch, widest * (layer & 1))
        if units == 1:
            target[0] = _dot(source, inputs, offset(floats, 1)) + floats[0]
        else:
            _layer(source, inputs, target, units, floats)
        if layer < layers - 1:
            _activate(target, units, integers[1])
        floats = offset(floats, units * (inputs + 1))
        source = target
    return source[0]


@jit(fastmath={"contract", "reassoc"})
def _dot(source: Pointer, inputs: int, weights: Pointer) -> Any:
    total = _ZERO
    for i in range(inputs):
        total += source[i] * weights[i]
    return total


@jit(fastmath={"contract", "reassoc"})
def _layer(source: Pointer, inputs: int, target: Pointer, units: int, floats: Pointer) -> None:
    """Add up the inputs four at a time: a unit is then read and written a quarter as often.

    Four that are 0, as on a board of points most are, add nothing and are left out.
    """
    weights = offset(floats, units)
    for j in range(units):
        target[j] = floats[j]
    in_fours = inputs & ~3
    for i in range(0, in_fours, 4):
        a, b, c, d = source[i], source[i + 1], source[i + 2], source[i + 3]
        if a == _ZERO and b == _ZERO and c == _ZERO and d == _ZERO:
            continue
        row = offset(weights, i * units)
        for j in range(units):
            target[j] += (a * row[j] + b * row[units + j]) + (
                c * row[2 * units + j] + d * row[3 * units + j]
            )
    for i in range(in_fours, inputs):
        value = source[i]
        row = offset(weights, i * units)
        for j in range(units):
            target[j] += value * row[j]


@jit
def _activate(target: Pointer, units: int, activation: int) -> None:
    if activation == _RELU:
        for j in range(units):
            target[j] = max(target[j], _ZERO)
    elif activation == _TANH:
        for j in range(units):
            target[j] = math.tanh(target[j])
    elif activation == _LOGISTIC:
        for j in range(units):
            target[j] = _ONE / (_ONE + math.exp(-target[j]))


def mlp_block(weights: Sequence[ArrayLike], biases: Sequence[ArrayLike], activation: str) -> Block:
    """Return the block of a network: for each layer weights (inputs, units), biases (units,)."""
    matrices = [np.asarray(w, np.float64) for w in weights]
    widths = [len(matrices[0]), *(w.shape[1] for w in matrices)]
    header = [len(matrices), ACTIVATIONS.index(activation), max(widths[1:]), *widths]
    parts = [np.ravel(part) for bias, w in zip(biases, matrices, strict=True) for part in (bias, w)]
    return Block(np.array(header, np.int32), np.concatenate(parts).astype(np.float32))


def mlp_scratch(block: Block) -> int:
    """Return how many floats of room the kernel needs."""
    return 2 * int(block.integers[2])


def mlp_is_sound(block: Block, columns: int) -> bool:
    """Return whether the kernel stays within the arrays and columns, and gives finite scores."""
    header = block.integers.tolist()  # Python's integers, whose products do not wrap
    if len(header) < _HEADER + 2 or min(header) < 0 or len(header) != _HEADER + 1 + header[0]:
        return False
    widths = header[_HEADER:]
    pairs = list(itertools.pairwise(widths))
    return bool(
        header[1] < len(ACTIVATIONS)
        and min(widths) > 0
        and widths[0] == columns
        and widths[-1] == 1
        and header[2] == max(widths[1:])
        and len(block.floats) == sum(units * (inputs + 1) for inputs, units in pairs)
        and _are_bounded(block.floats, pairs, ACTIVATIONS[header[1]])
    )


def _are_bounded(floats: NDArray[np.float32], layers: Any, activation: str) -> bool:
    """Return whether no unit can be so far from 0 that a score is not finite, layer by layer."""
    numbers, most = np.abs(floats), np.full(layers[0][0], LARGEST_FEATURE)
    for inputs, units in layers:
        biases, weights, numbers = np.split(numbers, [units, units * (inputs + 1)])
        most = biases + most @ weights.reshape(inputs, units)
        if not (most < LARGEST_SCORE).all():  # nor is NaN
            return False
        if activation in ("tanh", "logistic"):
            most = np.ones(units)
    return True
