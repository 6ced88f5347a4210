"""The network over patterns of one position, in the machine's vectors: the sizes, and the code.

Emitted through llvmlite: written in Python, the clipping and the inner layer took more time than
the rows (docs/decisions/055-othellos-learned-is-a-network-over-patterns.md).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from llvmlite import ir
from numba import int8, types
from numba.core import cgutils
from numba.extending import intrinsic

from samuel.features.pattern_index import HALVES
from samuel.kernels.jit import DISABLED
from samuel.kernels.pointers import FLOATS, INTS

INNER = 16
"""Units of the inner layer."""
WIDTHS = (64, 128)
"""How many units there may be before it: one or two lines of the processor's cache a row."""
_AT_ONCE = 4
"""Units of the first layer that are gone over together: sums that do not wait for each other."""
_BYTES = types.CPointer(int8)


def stage_floats(units: int) -> int:
    """Return the floats of a stage: the biases and weights of the inner layer, and the outputs."""
    return INNER + units * INNER + INNER


def _network(bits: int, units: int) -> Any:
    """Return what emits the network of n configurations, their rows added up in so many bits."""

    def network(
        _typing: Any,
        _rows: Any,
        _weight_of: Any,
        _middle: Any,
        _numbers: Any,
        _n: Any,
        _ceilings: Any,
        _biases: Any,
        _stage: Any,
    ) -> Any:
        kinds = (_BYTES, INTS, INTS, HALVES, types.int64, FLOATS, FLOATS, FLOATS)
        return types.float32(*kinds), functools.partial(_emit, bits, units)

    return intrinsic(network)


def _emit(bits: int, units: int, _context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
    """Emit the network: all sums in registers, four of each unit of the inner layer at a time."""
    rows, weight_of, middle, numbers, n, ceilings, biases, stage = arguments
    word, lane, single = ir.IntType(64), ir.IntType(32), ir.FloatType()
    of_row, of_sum = (ir.VectorType(ir.IntType(width), units) for width in (8, bits))
    first, second = (ir.VectorType(single, width) for width in (units, INNER))

    def loaded(pointer: Any, start: Any, kind: Any) -> Any:
        return b.load(b.bitcast(b.gep(pointer, [start]), kind.as_pointer()), align=4)

    def at_least(one: Any, other: Any) -> Any:
        return b.select(b.fcmp_ordered(">", one, other), one, other)

    def number(value: int) -> Any:
        return ir.Constant(word, value)

    total = cgutils.alloca_once_value(b, ir.Constant(of_sum, [0] * units))
    with cgutils.for_range(b, n, intp=word) as loop:
        base = b.sext(b.load(b.gep(middle, [loop.index])), word)
        shown = b.sext(b.load(b.gep(numbers, [loop.index])), word)
        weight = b.sext(b.load(b.gep(weight_of, [b.add(base, shown)])), word)
        place = b.mul(weight, number(units))
        row = b.load(b.bitcast(b.gep(rows, [place]), of_row.as_pointer()), align=1)
        b.store(b.add(b.load(total), b.sext(row, of_sum)), total)
    hidden = b.fadd(b.sitofp(b.load(total), first), loaded(biases, number(0), first))
    hidden = at_least(hidden, ir.Constant(first, [0.0] * units))
    most = loaded(ceilings, number(0), first)
    hidden = b.select(b.fcmp_ordered("<", hidden, most), hidden, most)
    room = cgutils.alloca_once(b, first)
    b.store(hidden, room)
    clipped = b.bitcast(room, single.as_pointer())

    none = ir.Constant(second, [0.0] * INNER)
    sums = [cgutils.alloca_once_value(b, none) for _ in range(_AT_ONCE)]
    everywhere = ir.Constant(ir.VectorType(lane, INNER), [0] * INNER)
    name = f"llvm.fmuladd.v{INNER}f32"
    fmuladd = b.module.globals.get(name) or ir.Function(
        b.module, ir.FunctionType(second, [second] * 3), name
    )
    with cgutils.for_range(b, number(units // _AT_ONCE), intp=word) as loop:
        for k, added in enumerate(sums):
            u = b.add(b.mul(loop.index, number(_AT_ONCE)), number(k))
            value = b.insert_element(none, b.load(b.gep(clipped, [u])), ir.Constant(lane, 0))
            value = b.shuffle_vector(value, none, everywhere)
            weights = loaded(stage, b.add(b.mul(u, number(INNER)), number(INNER)), second)
            b.store(b.call(fmuladd, [value, weights, b.load(added)]), added)
    inner = loaded(stage, number(0), second)
    for added in sums:
        inner = b.fadd(inner, b.load(added))
    outputs = loaded(stage, number(INNER + units * INNER), second)
    parts = b.fmul(at_least(inner, none), outputs)
    width = INNER
    while width > 1:
        width //= 2
        halves = [
            b.shuffle_vector(parts, parts, ir.Constant(ir.VectorType(lane, width), list(lanes)))
            for lanes in (range(width), range(width, 2 * width))
        ]
        parts = b.fadd(*halves)
    return b.extract_element(parts, ir.Constant(lane, 0))


def _in_python(units: int) -> Any:
    """Return what adds up the network where nothing is compiled."""

    def network(
        rows: Any,
        weight_of: Any,
        middle: Any,
        numbers: Any,
        n: int,
        ceilings: Any,
        biases: Any,
        stage: Any,
    ) -> Any:
        places = [units * int(weight_of[int(middle[k]) + int(numbers[k])]) for k in range(n)]
        total = sum(rows[place : place + units].astype(np.int32) for place in places)
        hidden = np.clip(biases[:units] + total, 0, ceilings[:units]).astype(np.float32)
        weights = stage[INNER : INNER + units * INNER].reshape(units, INNER)
        inner = np.maximum(stage[:INNER] + hidden @ weights, 0)
        return np.float32(inner @ stage[INNER + units * INNER : stage_floats(units)])

    return network


@functools.cache
def network_of(bits: int, units: int) -> Any:
    """Return `network(rows, weight_of, middle, numbers, n, ceilings, biases, stage)`.

    It returns what the network of n configurations adds to the score, as float32; sums of rows are
    made in so many bits.
    """
    return _in_python(units) if DISABLED else _network(bits, units)
