"""What patterns hold, numbered for all instances at once.

An instance's number is the sum of its squares' digits times powers of three (features.shapes). The
share of eight squares, one byte of a word, is looked up for all instances in a row of a table, and
a position's numbers are the sum of eight rows for the player less eight for the opponent: a few
vector additions for each byte, whatever the shapes.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from llvmlite import ir
from numba import int16, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from samuel.features.shapes import PatternSet
from samuel.kernels.bits import Word
from samuel.kernels.jit import DISABLED
from samuel.kernels.pointers import Pointer, cast_to

HALVES = types.CPointer(int16)
as_halves = cast_to(int16)
"""`as_halves(pointer, n)`: the same place as 16-bit numbers, n of them farther on."""

LANES = 16
"""Numbers that a vector register holds; rows of tables are filled up to a multiple."""

_BYTES, _VALUES = 8, 256


def lanes_of(patterns: PatternSet) -> int:
    """Return the length of a row of the tables."""
    return -(-len(patterns.instances) // LANES) * LANES


@functools.lru_cache(maxsize=16)
def square_table(patterns: PatternSet) -> NDArray[np.int16]:
    """Return what a stone on the square of each bit adds, (64, lanes)."""
    table = np.zeros((64, lanes_of(patterns)), np.int16)
    for lane, (_, squares) in enumerate(patterns.instances):
        for place, bit in enumerate(squares):
            table[bit, lane] = 3**place
    return table


@functools.lru_cache(maxsize=16)
def byte_table(patterns: PatternSet) -> NDArray[np.int16]:
    """Return what the stones in each byte of a word add, (8 * 256, lanes), byte by byte."""
    of_squares = square_table(patterns).reshape(_BYTES, 8, -1)
    holds = (np.arange(_VALUES)[:, None] >> np.arange(8) & 1).astype(np.int16)
    rows = [holds @ squares for squares in of_squares]
    return np.ascontiguousarray(np.concatenate(rows).astype(np.int16))


@functools.lru_cache(maxsize=16)
def middles(patterns: PatternSet) -> NDArray[np.int32]:
    """Return for each instance the configuration (PatternSet.size) of its empty squares."""
    shapes = np.array([shape for shape, _ in patterns.instances])
    sizes = np.array([shape.size for shape in patterns.shapes])
    return (patterns.starts[shapes] + sizes[shapes] // 2).astype(np.int32)


def _fill(
    _typing: Any, _table: Any, _lanes: Any, _player: Any, _opponent: Any, _numbers: Any
) -> Any:
    """Emit the sums of rows, a register of lanes after another."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        table, lanes, player, opponent, numbers = arguments
        word = ir.IntType(64)
        rows = []
        for stones in (player, opponent):
            for byte in range(_BYTES):
                shifted = b.lshr(stones, ir.Constant(word, 8 * byte))
                value = b.and_(shifted, ir.Constant(word, _VALUES - 1))
                row = b.add(value, ir.Constant(word, _VALUES * byte))
                rows.append(b.gep(table, [b.mul(row, lanes)]))
        vector = ir.VectorType(ir.IntType(16), LANES).as_pointer()

        def lanes_at(pointer: Any, place: Any) -> Any:
            return b.bitcast(b.gep(pointer, [place]), vector)

        registers = b.udiv(lanes, ir.Constant(word, LANES))
        with cgutils.for_range(b, registers, intp=word) as loop:
            place = b.mul(loop.index, ir.Constant(word, LANES))
            total = b.load(lanes_at(rows[0], place), align=2)
            for number, row in enumerate(rows[1:], start=1):
                part = b.load(lanes_at(row, place), align=2)
                total = b.add(total, part) if number < _BYTES else b.sub(total, part)
            b.store(total, lanes_at(numbers, place), align=2)

    return types.void(HALVES, types.int64, types.uint64, types.uint64, HALVES), generate


if DISABLED:

    def fill_numbers(
        table: Pointer, lanes: int, player: Word, opponent: Word, numbers: Pointer
    ) -> None:
        """Fill in the number of each instance, as the compiled form does."""
        rows = np.asarray(table[: _BYTES * _VALUES * lanes]).reshape(-1, lanes)
        numbers[:lanes] = 0
        for byte in range(_BYTES):
            for stones, sign in ((player, 1), (opponent, -1)):
                value = int(stones) >> 8 * byte & (_VALUES - 1)
                numbers[:lanes] += np.int16(sign) * rows[_VALUES * byte + value]

else:
    fill_numbers = intrinsic(_fill)
    """`fill_numbers(table, lanes, player, opponent, numbers)`: the number of each instance."""
