"""Configurations of patterns, numbered for all instances at once.

An instance's number is the sum of its squares' digits times powers of how many contents a square
can have (features.shapes). The share of eight squares, one byte of a word, is looked up for all
instances in a row of a table. With one kind of piece on at most 64 squares, a position's numbers
are the sum of eight rows for the player less eight for the opponent: a few vector additions for
each byte, whatever the shapes. Otherwise bytes without a piece are passed over, and the rows of a
kind count as many times as its digit says.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import int16, int32, int64, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from samuel.features.shapes import PatternSet
from samuel.games.board import Board
from samuel.kernels.bits import ZERO, Word
from samuel.kernels.jit import DISABLED, jit
from samuel.kernels.pointers import Pointer, at, offset
from samuel.kernels.records import array, array_type, record

HALVES = types.CPointer(int16)

LANES = 16
"""Numbers that a vector register holds; rows of tables are filled up to a multiple."""

_BYTES, _VALUES = 8, 256
_EIGHT, _BYTE = np.uint64(8), np.uint64(_VALUES - 1)


@record
class Index(NamedTuple):
    """Arrays by which kernels number the configurations of instances, with room (`index_of`)."""

    table: Any = array(int16, ("bytes * 256", "lanes"), "as `byte_table`")
    steps: Any = array(
        int16, ("kinds",), "the digit of each content that words keep, counted from emptiness"
    )
    middle: Any = array(int32, ("instances",), "as `middles`")
    numbers: Any = array(
        int16,
        ("lanes",),
        "the room for the numbers (arrays made in a kernel would be freed after their last use by "
        "name, whatever still points to them)",
    )


INDEX = array_type(Index)


def index_of(patterns: PatternSet) -> Index:
    """Return what kernels need, for one thread."""
    steps = np.array(patterns.board.steps, np.int16)
    room = np.zeros(lanes_of(patterns), np.int16)
    return Index(byte_table(patterns), steps, middles(patterns), room)


def lanes_of(patterns: PatternSet) -> int:
    """Return the length of a row of the tables."""
    return -(-len(patterns.instances) // LANES) * LANES


def is_plain(board: Board) -> bool:
    """Return whether two words are the whole board, so that `fill_two` serves."""
    return board.words == 2


@functools.lru_cache(maxsize=16)
def square_table(patterns: PatternSet) -> NDArray[np.int16]:
    """Return what a piece of digit 1 on the square of each bit adds, (bits of a kind, lanes)."""
    board = patterns.board
    table = np.zeros((64 * board.words_each, lanes_of(patterns)), np.int16)
    for lane, (_, squares) in enumerate(patterns.instances):
        for place, square in enumerate(squares):
            table[board.bits[square], lane] = len(board.contents) ** place
    return table


@functools.lru_cache(maxsize=16)
def byte_table(patterns: PatternSet) -> NDArray[np.int16]:
    """Return what the pieces in each byte of a kind's words add, (bytes * 256, lanes)."""
    of_squares = square_table(patterns).reshape(-1, 8, lanes_of(patterns))
    holds = (np.arange(_VALUES)[:, None] >> np.arange(8) & 1).astype(np.int16)
    rows = [holds @ squares for squares in of_squares]
    return np.ascontiguousarray(np.concatenate(rows).astype(np.int16))


@functools.lru_cache(maxsize=16)
def middles(patterns: PatternSet) -> NDArray[np.int32]:
    """Return for each instance the configuration (PatternSet.size) of its empty squares."""
    shapes = np.array([shape for shape, _ in patterns.instances])
    sizes, board = np.array(patterns.sizes), patterns.board
    empty = board.empty * (sizes - 1) // (len(board.contents) - 1)
    return (patterns.starts[shapes] + empty[shapes]).astype(np.int32)


def _fill_plain(
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


def _add_row(_typing: Any, _row: Any, _lanes: Any, _step: Any, _numbers: Any) -> Any:
    """Emit the addition of a row, taken `step` times."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        row, lanes, step, numbers = arguments
        word, kind = ir.IntType(64), ir.VectorType(ir.IntType(16), LANES)
        times = b.insert_element(ir.Constant(kind, ir.Undefined), step, ir.IntType(32)(0))
        first = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        times = b.shuffle_vector(times, ir.Constant(kind, ir.Undefined), first)
        registers = b.udiv(lanes, ir.Constant(word, LANES))
        with cgutils.for_range(b, registers, intp=word) as loop:
            place = b.mul(loop.index, ir.Constant(word, LANES))
            source, target = (
                b.bitcast(b.gep(pointer, [place]), kind.as_pointer()) for pointer in (row, numbers)
            )
            part = b.mul(b.load(source, align=2), times)
            b.store(b.add(b.load(target, align=2), part), target, align=2)

    return types.void(HALVES, types.int64, types.int16, HALVES), generate


if DISABLED:

    def fill_two(
        table: Pointer, lanes: int, player: Word, opponent: Word, numbers: Pointer
    ) -> None:
        """Fill in the number of each instance, as the compiled form does."""
        rows = np.asarray(table[: _BYTES * _VALUES * lanes]).reshape(-1, lanes)
        numbers[:lanes] = 0
        for byte in range(_BYTES):
            for stones, sign in ((player, 1), (opponent, -1)):
                value = int(stones) >> 8 * byte & (_VALUES - 1)
                numbers[:lanes] += np.int16(sign) * rows[_VALUES * byte + value]

    def _add(row: Pointer, lanes: int, step: int, numbers: Pointer) -> None:
        numbers[:lanes] += np.int16(step) * row[:lanes]

else:
    fill_two, _add = intrinsic(_fill_plain), intrinsic(_add_row)


"""`fill_two(table, lanes, player, opponent, numbers)`: the numbers of a board of two words."""


@jit
def fill_kinds(
    table: Pointer,
    lanes: int,
    steps: Any,
    kinds: int,
    each: int,
    position: Pointer,
    numbers: Pointer,
) -> None:
    """Fill in the numbers on any board: so many kinds of content in words, `each` in so many."""
    for lane in range(lanes):
        numbers[lane] = int16(0)
    for word in range(each):
        taken = ZERO
        for kind in range(kinds):
            pieces = position[kind * each + word] & ~taken
            taken |= pieces
            for byte in range(_BYTES):
                value = int64(pieces & _BYTE)
                if value:
                    row = offset(table, (_VALUES * (_BYTES * word + byte) + value) * lanes)
                    _add(row, lanes, int16(steps[kind]), numbers)
                pieces >>= _EIGHT


@jit
def fill_numbers(index: Index, position: Pointer) -> None:
    """Fill in `index.numbers`, the number of each instance."""
    table, lanes, numbers = at(index.table, 0), index.table.shape[1], at(index.numbers, 0)
    kinds, each = index.steps.shape[0], index.table.shape[0] // (_BYTES * _VALUES)
    if kinds * each == 2:
        fill_two(table, lanes, position[0], position[1], numbers)
    else:
        fill_kinds(table, lanes, index.steps, kinds, each, position, numbers)


_FILL_TWO = "fill_two(table, {lanes}, position[0], position[1], numbers)"
_FILL_KINDS = "fill_kinds(table, {lanes}, STEPS, {kinds}, {each}, position, numbers)"


def filling(patterns: PatternSet) -> tuple[str, dict[str, Any]]:
    """Return a line of code that fills `numbers` for a `position` by `table`, and what it names."""
    board = patterns.board
    line = (_FILL_TWO if is_plain(board) else _FILL_KINDS).format(
        lanes=lanes_of(patterns), kinds=len(board.kept), each=board.words_each
    )
    return line, {"fill_two": fill_two, "fill_kinds": fill_kinds, "STEPS": board.steps}
