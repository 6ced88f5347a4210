"""Layers of a network, listed once: what runs, bounds, teaches or writes one follows the list.

A layer makes of the numbers before it `activation(numbers @ weights + biases)`; the last, of one
unit, is the score and has no activation. The parameters of all layers are one row of floats: layer
by layer the biases, then the weights, one row an input. `forward` runs any list, compiled;
network_kernel.py of the patterns emits a list for the machine's vectors, models/export/c_header.py
in C, and models/export/feature_network.py for ONNX.
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
from samuel.kernels.records import array, filled, number, record
from samuel.models.compiled.model import LARGEST_SCORE

ACTIVATIONS = ("identity", "relu", "tanh", "logistic")
_RELU, _TANH, _LOGISTIC = 1, 2, 3
_ZERO = np.float32(0)

Part = tuple[NDArray[Any], NDArray[Any]]
"""Weights (..., inputs, units) and biases (..., units) of a layer."""


@dataclass(frozen=True)
class Layers:
    """The list of a network's layers."""

    widths: tuple[int, ...]  # numbers that it reads, then the units of each layer
    activation: str  # of every layer but the last
    by_unit: bool = False  # weights are one row a unit, as learning has them

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
            for array in (biases, np.swapaxes(weights, -1, -2) if self.by_unit else weights)
        ]
        return np.concatenate(flat, axis=-1).astype(np.float32)

    def parts(self, floats: NDArray[Any]) -> list[Part]:
        """Return the weights and the biases of each layer, views of what was `joined`."""
        found, start = [], 0
        for inputs, units in self.pairs:
            middle, end = start + units, start + units * (inputs + 1)
            sizes = (units, inputs) if self.by_unit else (inputs, units)
            weights = floats[..., middle:end].reshape(*floats.shape[:-1], *sizes)
            weights = weights.swapaxes(-1, -2) if self.by_unit else weights
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
            if self.activation in ("tanh", "logistic"):
                most = np.ones_like(most)
        return found


@record
class Network(NamedTuple):
    """The parameters of a network over features, by which kernels know the list of its layers."""

    layers: int = number("how many there are")
    activation: int = number("a place in ACTIVATIONS")
    most: int = number("the largest number of units in a layer")
    widths: Any = array(
        int32, ("layers + 1",), "how many features there are, and the units of each layer"
    )
    parameters: Any = array(float32, ("size",), "of all layers, as Layers has them joined")


@jit
def forward(values: Pointer, scratch: Pointer, its: Network) -> Any:
    """Return the score; `scratch` is filled in with what each layer makes, one behind another."""
    layers, activation, widths, floats = its.layers, its.activation, its.widths, its.parameters
    source = values
    for layer in range(layers):
        inputs, units = widths[layer], widths[layer + 1]
        if units == 1:
            scratch[0] = _dot(source, inputs, offset(floats, 1)) + floats[0]
        else:
            _layer(source, inputs, scratch, units, floats)
        if layer < layers - 1:
            _activate(scratch, units, activation)
        floats = offset(floats, units * (inputs + 1))
        source, scratch = scratch, offset(scratch, units)
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

    Those that are 0, as on a board of points most are, add nothing and are left out.
    """
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
def _activate(target: Pointer, units: int, activation: int) -> None:
    if activation == _RELU:
        for j in range(units):
            target[j] = max(target[j], _ZERO)
    elif activation == _TANH:
        for j in range(units):
            target[j] = math.tanh(target[j])
    elif activation == _LOGISTIC:
        for j in range(units):
            target[j] = logistic(target[j])


def mlp_block(
    weights: Sequence[ArrayLike], biases: Sequence[ArrayLike], activation: str
) -> Network:
    """Return the block of a network: for each layer weights (inputs, units), biases (units,)."""
    matrices = [np.asarray(w, np.float64) for w in weights]
    layers = Layers((len(matrices[0]), *(w.shape[1] for w in matrices)), activation)
    pairs = zip(matrices, (np.asarray(b, np.float64) for b in biases), strict=True)
    values = {
        "layers": len(layers.pairs),
        "activation": ACTIVATIONS.index(activation),
        "most": max(layers.widths[1:]),
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


def mlp_is_sound(block: Network, columns: int) -> bool:
    """Return whether the kernel stays within the arrays and columns, and gives finite scores."""
    widths = block.widths.tolist()  # Python's integers, whose products do not wrap
    if len(widths) < 2 or min(widths) < 1 or not 0 <= block.activation < len(ACTIVATIONS):
        return False
    layers = layers_in(block)
    return bool(
        layers.widths[0] == columns
        and layers.widths[-1] == 1
        and block.layers == len(layers.pairs)
        and block.most == max(layers.widths[1:])
        and len(block.parameters) == layers.size
        and all(
            (most < LARGEST_SCORE).all()  # nor is NaN
            for most in layers.bounds(block.parameters, np.full(columns, LARGEST_FEATURE))
        )
    )
