"""The network over patterns of one position: its layers, and their code in the machine's vectors.

Emitted through llvmlite: written in Python, the clipping and the inner layer took more time than
the rows (docs/decisions/055).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from samuel.kernels.jit import DISABLED
from samuel.models.compiled.layers import Layers

INNER = 16
"""Units of the inner layer."""
WIDTHS = (64, 128)
"""Possible numbers of units before it: one or two lines of the processor's cache a row."""
_AT_ONCE = 4
"""Units of the first layer that are gone over together: sums that do not wait for each other."""
_WORD, _LANE, _SINGLE = ir.IntType(64), ir.IntType(32), ir.FloatType()


def layers_of(units: int) -> Layers:
    """Return the layers over the sum of rows, which is clipped: they are listed here alone."""
    return Layers((units, INNER, 1), "relu")


def _network(bits: int, units: int) -> Any:
    """Return what emits the network of n configurations, their rows added up in so many bits."""

    def network(_typing: Any, given: Any) -> Any:
        return types.float32(given), functools.partial(_emit, bits, units)

    return intrinsic(network)


def _emit(bits: int, units: int, _context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
    """Emit the sum of rows, clipped, and the layers over it: all sums in registers."""
    given = cgutils.unpack_tuple(b, arguments[0])
    rows, weight_of, middle, numbers, n, ceilings, biases, stage = given
    of_row, of_sum = (ir.VectorType(ir.IntType(width), units) for width in (8, bits))
    kind = ir.VectorType(_SINGLE, units)
    total = cgutils.alloca_once_value(b, ir.Constant(of_sum, [0] * units))
    with cgutils.for_range(b, n, intp=_WORD) as loop:
        base = b.sext(b.load(b.gep(middle, [loop.index])), _WORD)
        shown = b.sext(b.load(b.gep(numbers, [loop.index])), _WORD)
        weight = b.sext(b.load(b.gep(weight_of, [b.add(base, shown)])), _WORD)
        place = b.mul(weight, _WORD(units))
        row = b.load(b.bitcast(b.gep(rows, [place]), of_row.as_pointer()), align=1)
        b.store(b.add(b.load(total), b.sext(row, of_sum)), total)
    values = b.fadd(b.sitofp(b.load(total), kind), _loaded(b, biases, _WORD(0), kind))
    most = _loaded(b, ceilings, _WORD(0), kind)
    values = _at_least_0(b, values)
    values = b.select(b.fcmp_ordered("<", values, most), values, most)
    start, pairs = 0, layers_of(units).pairs
    for inputs, outputs in pairs[:-1]:
        values = _at_least_0(b, _times(b, values, stage, start, outputs))
        start += outputs * (inputs + 1)
    weights = _loaded(b, stage, _WORD(start + 1), values.type)
    return b.fadd(_sum(b, b.fmul(values, weights)), b.load(b.gep(stage, [_WORD(start)])))


def _loaded(b: Any, pointer: Any, start: Any, kind: Any) -> Any:
    return b.load(b.bitcast(b.gep(pointer, [start]), kind.as_pointer()), align=4)


def _at_least_0(b: Any, values: Any) -> Any:
    none = ir.Constant(values.type, [0.0] * values.type.count)
    return b.select(b.fcmp_ordered(">", values, none), values, none)


def _times(b: Any, values: Any, stage: Any, start: int, units: int) -> Any:
    """Emit a layer's sums: of the weights that begin at a place each row times its value."""
    room = cgutils.alloca_once(b, values.type)
    b.store(values, room)
    source, kind = b.bitcast(room, _SINGLE.as_pointer()), ir.VectorType(_SINGLE, units)
    none = ir.Constant(kind, [0.0] * units)
    sums = [cgutils.alloca_once_value(b, none) for _ in range(_AT_ONCE)]
    everywhere = ir.Constant(ir.VectorType(_LANE, units), [0] * units)
    name = f"llvm.fmuladd.v{units}f32"
    fmuladd = b.module.globals.get(name) or ir.Function(
        b.module, ir.FunctionType(kind, [kind] * 3), name
    )
    with cgutils.for_range(b, _WORD(values.type.count // _AT_ONCE), intp=_WORD) as loop:
        for k, added in enumerate(sums):
            u = b.add(b.mul(loop.index, _WORD(_AT_ONCE)), _WORD(k))
            value = b.insert_element(none, b.load(b.gep(source, [u])), _LANE(0))
            value = b.shuffle_vector(value, none, everywhere)
            weights = _loaded(b, stage, b.add(b.mul(u, _WORD(units)), _WORD(start + units)), kind)
            b.store(b.call(fmuladd, [value, weights, b.load(added)]), added)
    total = _loaded(b, stage, _WORD(start), kind)
    for added in sums:
        total = b.fadd(total, b.load(added))
    return total


def _sum(b: Any, parts: Any) -> Any:
    """Emit the sum of the numbers of a vector, half and half."""
    width = parts.type.count
    while width > 1:
        width //= 2
        halves = [
            b.shuffle_vector(parts, parts, ir.Constant(ir.VectorType(_LANE, width), list(lanes)))
            for lanes in (range(width), range(width, 2 * width))
        ]
        parts = b.fadd(*halves)
    return b.extract_element(parts, _LANE(0))


def _in_python(units: int) -> Any:
    """Return what adds up the network where nothing is compiled."""
    layers = layers_of(units)

    def network(given: Any) -> Any:
        rows, weight_of, middle, numbers, n, ceilings, biases, stage = given
        places = [units * int(weight_of[int(middle[k]) + int(numbers[k])]) for k in range(n)]
        total = sum(rows[place : place + units].astype(np.int32) for place in places)
        values = np.clip(biases[:units] + total, 0, ceilings[:units]).astype(np.float32)
        (inner, inner_biases), (outputs, bias) = layers.parts(stage[: layers.size])
        return (np.maximum(values @ inner + inner_biases, 0) @ outputs + bias)[0]

    return network


@functools.cache
def network_of(bits: int, units: int) -> Any:
    """Return `network((rows, weight_of, middle, numbers, n, ceilings, biases, stage))`.

    It returns what the network of n configurations adds to the score, as float32; sums of rows are
    made in so many bits. `stage` are the parameters of `layers_of(units)`.
    """
    return _in_python(units) if DISABLED else _network(bits, units)
