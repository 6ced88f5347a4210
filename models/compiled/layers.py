"""Layers of a network, listed once: what runs, bounds, teaches or writes one follows the list.

A layer makes of the numbers before it `activation(numbers @ weights + biases)`; the last has no
activation. The parameters of all layers are one row of floats: layer by layer the biases, then the
weights, one row an input. `through` runs any list, compiled, in a search and while it learns;
network_kernel.py of the patterns emits a list for the machine's vectors, models/export for C and
ONNX.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int32, int64
from numpy.typing import ArrayLike, NDArray

from samuel.games.feature import LARGEST_FEATURE
from samuel.kernels.jit import jit
from samuel.kernels.logistic import logistic
from samuel.kernels.pointers import Pointer, offset
from samuel.kernels.records import array, filled, length, number, record
from samuel.models.compiled.model import require, require_bounded, require_shapes

ACTIVATIONS = ("identity", "relu", "tanh", "logistic", "crelu", "screlu")
"""The last two clip to [0, 1], and one squares what it clips."""
RELU, TANH, LOGISTIC, CRELU, SCRELU = range(1, len(ACTIVATIONS))
UNBOUNDED = np.float32(np.inf)
_ZERO, _ONE = np.float32(0), np.float32(1)

Part = tuple[NDArray[Any], NDArray[Any]]
"""Weights (..., inputs, units) and biases (..., units) of a layer."""


@dataclass(frozen=True)
class Layers:
    """The list of a network's layers."""

    widths: tuple[int, ...]  # numbers that it reads, then the units of each layer
    activation: str  # of every layer but the last

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The inputs and the units of each layer."""
        return list(itertools.pairwise(self.widths))

    @property
    def size(self) -> int:
        """Number of parameters of all layers."""
        return sum(units * (inputs + 1) for inputs, units in self.pairs)

    def joined(self, parts: Sequence[Part]) -> NDArray[np.float32]:
        """Return the parameters of the layers as one array, float32 (..., size)."""
        flat = [
            np.reshape(array, (*np.shape(biases)[:-1], -1))
            for weights, biases in parts
            for array in (biases, weights)
        ]
        return np.concatenate(flat, axis=-1).astype(np.float32)

    def parts(self, floats: NDArray[Any]) -> list[Part]:
        """Return the weights and the biases of each layer, views of what was `joined`."""
        found, start = [], 0
        for inputs, units in self.pairs:
            middle, end = start + units, start + units * (inputs + 1)
            weights = floats[..., middle:end].reshape(*floats.shape[:-1], inputs, units)
            found.append((weights, floats[..., start:middle]))
            start = end
        return found

    def bounds(self, floats: NDArray[Any], most: NDArray[Any]) -> list[NDArray[np.float64]]:
        """Return what the sums of each layer (..., units) are no farther from 0 than.

        `most` is that of the values (inputs,); NaN where a number is.
        """
        found = []
        for weights, biases in self.parts(np.abs(floats.astype(float))):
            with np.errstate(invalid="ignore"):  # whoever asks refuses NaN
                most = biases + (most[..., None] * weights).sum(axis=-2)
            found.append(most)
            if self.activation not in ("identity", "relu"):
                most = np.ones_like(most)
        return found


@record
class Network(NamedTuple):
    """The parameters of a network over features, by which kernels know the list of its layers."""

    sizes: int = length("widths", "one more than there are layers")
    activation: int = number("a place in ACTIVATIONS")
    widths: Any = array(int32, ("sizes",), "how many features there are, units of each layer")
    parameters: Any = array(float32, ("size",), "of all layers, as Layers has them joined")


@jit
def forward(values: Pointer, scratch: Pointer, its: Network) -> Any:
    """Return the score; `scratch` is filled in with what each layer makes, one behind another."""
    widths, floats = its.widths, its.parameters
    inputs, units = widths[0], widths[1]
    layer_sums(values, inputs, scratch, units, floats)
    floats, layers = offset(floats, units * (inputs + 1)), int64(its.sizes - 2)
    activation, ceiling = its.activation, UNBOUNDED if its.activation == RELU else _ONE
    last = through(scratch, scratch, floats, offset(widths, 1), layers, activation, ceiling)
    return scratch[last]


@jit
def through(
    sums: Pointer,
    values: Pointer,
    floats: Pointer,
    widths: Pointer,
    layers: int,
    activation: int,
    ceiling: Any,
) -> int:
    """Fill in what layers make of the sums of units before them; return where their outputs are.

    Layer by layer the sums come behind one another, and so do the values, what they are activated;
    both may be in one place. The first units are clipped at `ceiling`, if their activation clips.
    """
    place = int64(0)
    for layer in range(layers):
        inputs, units = int64(widths[layer]), int64(widths[layer + 1])
        own = offset(values, place)
        activate(offset(sums, place), own, inputs, activation, ceiling)
        place += inputs
        layer_sums(own, inputs, offset(sums, place), units, floats)
        floats = offset(floats, units * (inputs + 1))
        ceiling = UNBOUNDED if activation == RELU else _ONE
    return place


@jit
def layer_sums(source: Pointer, inputs: int, target: Pointer, units: int, floats: Pointer) -> None:
    """Fill in the sums of a layer over `source`."""
    if units == 1:
        target[0] = dot(source, offset(floats, 1), inputs) + floats[0]
    else:
        _layer(source, inputs, target, units, floats)


@jit(fastmath={"contract", "reassoc"})
def dot(left: Pointer, right: Pointer, n: int) -> Any:
    """Return the sum of products."""
    total = _ZERO
    for i in range(n):
        total += left[i] * right[i]
    return total


@jit(fastmath={"contract", "reassoc"})
def _layer(source: Pointer, inputs: int, target: Pointer, units: int, floats: Pointer) -> None:
    """Add up the inputs that are not 0, four at a time: units are read a quarter as often."""
    weights = offset(floats, units)
    for j in range(units):
        target[j] = floats[j]
    waiting = first = second = third = int64(0)
    for i in range(inputs):
        if source[i] == _ZERO:
            continue
        waiting += 1
        if waiting == 4:
            a, b, c, d = source[first], source[second], source[third], source[i]
            one, two = offset(weights, first * units), offset(weights, second * units)
            three, four = offset(weights, third * units), offset(weights, i * units)
            for j in range(units):
                target[j] += (a * one[j] + b * two[j]) + (c * three[j] + d * four[j])
            waiting = int64(0)
        else:
            first, second, third = second, third, int64(i)
    for k in range(waiting):
        i = third if k == 0 else second if k == 1 else first
        value, row = source[i], offset(weights, i * units)
        for j in range(units):
            target[j] += value * row[j]


@jit(fastmath={"contract"})
def activate(sums: Pointer, values: Pointer, n: int, activation: int, ceiling: float) -> None:
    """Fill in the values of sums, which may be in one place."""
    if activation == RELU and ceiling == UNBOUNDED:
        for j in range(n):
            values[j] = max(sums[j], _ZERO)
    elif activation == TANH:
        for j in range(n):
            values[j] = math.tanh(sums[j])
    elif activation == LOGISTIC:
        for j in range(n):
            values[j] = logistic(sums[j])
    elif activation == 0:
        for j in range(n):
            values[j] = sums[j]
    else:
        for j in range(n):
            values[j] = min(max(sums[j], _ZERO), ceiling)
        if activation == SCRELU:
            for j in range(n):
                values[j] *= values[j]


def mlp_block(
    weights: Sequence[ArrayLike], biases: Sequence[ArrayLike], activation: str
) -> Network:
    """Return the block of a network: for each layer weights (inputs, units), biases (units,)."""
    matrices = [np.asarray(w, np.float64) for w in weights]
    layers = Layers((len(matrices[0]), *(w.shape[1] for w in matrices)), activation)
    pairs = zip(matrices, (np.asarray(b, np.float64) for b in biases), strict=True)
    values = {
        "activation": ACTIVATIONS.index(activation),
        "widths": np.array(layers.widths, np.int32),
        "parameters": layers.joined(list(pairs)),
    }
    return filled(Network, values)


def layers_in(block: Network) -> Layers:
    """Return the list of a block's layers."""
    return Layers(tuple(block.widths.tolist()), ACTIVATIONS[block.activation])


def mlp_scratch(block: Network) -> int:
    """Return how many floats of room the kernel needs."""
    return int(block.widths[1:].sum())


def check_mlp(block: Network, columns: int) -> None:
    """Raise ValueError unless the kernel stays within the arrays and gives finite scores."""
    widths = block.widths.tolist()  # Python's integers, whose products do not wrap
    require(len(widths) > 1 and min(widths) > 0, "'widths' must hold two or more sizes above 0")
    known = 0 <= block.activation <= LOGISTIC
    require(known, f"'activation' is {block.activation}, which is none")
    ends = (widths[0], widths[-1])
    require(ends == (columns, 1), f"'widths' has the ends {ends}, not {(columns, 1)}")
    layers = layers_in(block)
    require_shapes(block, {"parameters": (layers.size,)})
    for most in layers.bounds(block.parameters, np.full(columns, LARGEST_FEATURE)):
        require_bounded("parameters", most)
