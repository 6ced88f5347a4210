"""Othello in vector code: the four axes of the board in four lanes.

The same methods as the plain forms in games/othello/bits.py, which are their reference. Emitted as
LLVM vectors, since numba has no vector types; worth it only where the processor has 256-bit
integer vectors (AVX2), which `AVAILABLE` tells. `SAMUEL_PLAIN_BITS=1` does without.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from samuel.kernels.jit import DISABLED


def _rays(sign: int) -> NDArray[np.uint64]:
    """Return (64, 4): the squares one way along each axis, those of the steps 1, 8, 7 and 9."""
    rays = np.zeros((64, 4), np.uint64)
    for square in range(64):
        for axis, (row_step, column_step) in enumerate([(0, 1), (1, 0), (1, -1), (1, 1)]):
            row, column = square // 8 + sign * row_step, square % 8 + sign * column_step
            while 0 <= row < 8 and 0 <= column < 8:
                rays[square, axis] |= np.uint64(1 << (8 * row + column))
                row, column = row + sign * row_step, column + sign * column_step
    return rays


UPWARD, DOWNWARD = _rays(1), _rays(-1)
"""Toward higher bits, and toward lower bits."""


_features = llvmlite.binding.get_host_cpu_features()
_wanted = not DISABLED and os.environ.get("SAMUEL_PLAIN_BITS", "0") in ("", "0")
AVAILABLE = _wanted and bool(_features.get("avx2"))

AT_ONCE = 2 if _features.get("avx512f") else 1
"""Moves that `replies_to` plays at once, four lanes each: as many as fill a register."""

_WORD, _INDEX, _BOOL = ir.IntType(64), ir.IntType(32), ir.IntType(1)
_LANES = ir.VectorType(_WORD, 4)
_FULL = (1 << 64) - 1
_INNER_FILES = 0x7E7E7E7E7E7E7E7E
_STEPS = (1, 8, 7, 9)


def _vector(values: Sequence[int], sets: int = 1) -> ir.Constant:
    """Return a constant of four lanes, or of several sets of the same four."""
    lanes = [ir.Constant(_WORD, int(value) & _FULL) for value in values] * sets
    return ir.Constant(ir.VectorType(_WORD, len(lanes)), lanes)


def _shuffle(b: Any, vector: Any, lanes: Sequence[int], other: Any = None) -> Any:
    """Return the lanes so numbered of a vector, followed by those of another."""
    order = ir.Constant(ir.VectorType(_INDEX, len(lanes)), [ir.Constant(_INDEX, k) for k in lanes])
    other = ir.Constant(vector.type, ir.Undefined) if other is None else other
    return b.shuffle_vector(vector, other, order)


def _everywhere(b: Any, words: Sequence[Any]) -> Any:
    """Return a vector with each of the words in all four lanes of its set."""
    n = len(words)
    vector = ir.Constant(ir.VectorType(_WORD, n), ir.Undefined)
    for k, word in enumerate(words):
        vector = b.insert_element(vector, word, ir.Constant(_INDEX, k))
    return _shuffle(b, vector, [k for k in range(n) for _ in range(4)])


def _any_lane(b: Any, vector: Any) -> Any:
    """Return the bitwise or of the four lanes of each set, in all four of them."""
    for distance in (1, 2):
        partners = [lane ^ distance for lane in range(vector.type.count)]
        vector = b.or_(vector, _shuffle(b, vector, partners))
    return vector


def _lane(b: Any, vector: Any, k: int) -> Any:
    return b.extract_element(vector, ir.Constant(_INDEX, k))


def _call(b: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Call an LLVM intrinsic."""
    operands = ir.FunctionType(result, [argument.type for argument in arguments])
    return b.call(b.module.declare_intrinsic(name, fnty=operands), arguments)


def _reached(b: Any, mine: Any, theirs: Any) -> Any:
    """Return the squares past a run of theirs from one of mine, in any lane of each set."""
    sets = mine.type.count // 4
    through = b.and_(theirs, _vector([_INNER_FILES, _FULL, _INNER_FILES, _INNER_FILES], sets))
    step, two = _vector(_STEPS, sets), _vector([2 * s for s in _STEPS], sets)
    up = b.and_(through, b.shl(mine, step))
    down = b.and_(through, b.lshr(mine, step))
    up = b.or_(up, b.and_(through, b.shl(up, step)))
    down = b.or_(down, b.and_(through, b.lshr(down, step)))
    pairs_up = b.and_(through, b.shl(through, step))
    pairs_down = b.lshr(pairs_up, step)
    for _ in range(2):
        up = b.or_(up, b.and_(pairs_up, b.shl(up, two)))
        down = b.or_(down, b.and_(pairs_down, b.lshr(down, two)))
    return _any_lane(b, b.or_(b.shl(up, step), b.lshr(down, step)))


def _flipped(b: Any, mine: Any, theirs: Any, up: Any, down: Any) -> Any:
    """Return the discs turned along the rays `up` and `down`, in any lane of each set."""
    count = mine.type.count
    one, zero = (_vector([value] * count) for value in (1, 0))
    end = b.and_(b.and_(b.add(b.or_(theirs, b.not_(up)), one), mine), up)
    found = b.sext(b.icmp_unsigned("!=", end, zero), mine.type)
    flips_up = b.and_(b.add(end, found), up)

    blocked = b.or_(b.and_(b.not_(theirs), down), one)
    never_zero = ir.Constant(_BOOL, 1)
    zeros = _call(b, f"llvm.ctlz.v{count}i64", mine.type, blocked, never_zero)
    end = b.and_(b.and_(b.lshr(_vector([1 << 63] * count), zeros), mine), down)
    flips_down = b.and_(b.shl(b.sub(zero, end), one), down)
    return _any_lane(b, b.or_(flips_up, flips_down))


@intrinsic
def moves_of(_typing: Any, _player: Any, _opponent: Any) -> Any:
    """Return the squares where the player may move; see games.othello.bits.moves_of_plain."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        player, opponent = arguments
        reached = _reached(b, _everywhere(b, [player]), _everywhere(b, [opponent]))
        return b.and_(_lane(b, reached, 0), b.not_(b.or_(player, opponent)))

    return types.uint64(types.uint64, types.uint64), generate


def _rays_from(b: Any, squares: Sequence[Any]) -> tuple[Any, Any]:
    """Return the rays from one square a set, toward higher and toward lower bits."""
    found = []
    for side in (0, 1):
        parts = []
        for square in squares:
            row = b.or_(b.shl(square, ir.Constant(_WORD, 1)), ir.Constant(_WORD, side))
            place = b.gep(_rays_in_module(b.module), [ir.Constant(_WORD, 0), row])
            parts.append(b.load(place, align=32))
        while len(parts) > 1:
            lanes = range(2 * parts[0].type.count)
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [_shuffle(b, one, lanes, other) for one, other in pairs]
        found += parts
    return found[0], found[1]


def _rays_in_module(module: Any) -> ir.GlobalVariable:
    """Return the table of rays as a constant of the module, made at its first use there."""
    name = "othello_rays"
    if name in module.globals:
        return module.globals[name]
    rows = [_vector(rays[square]) for square in range(64) for rays in (UPWARD, DOWNWARD)]
    table = ir.GlobalVariable(module, ir.ArrayType(_LANES, len(rows)), name)
    table.initializer = ir.Constant(table.type.pointee, rows)
    table.linkage, table.global_constant, table.align = "internal", True, 32
    return table


@intrinsic
def flips_of(_typing: Any, _player: Any, _opponent: Any, _square: Any) -> Any:
    """Return the discs that a move turns; see games.othello.bits.flips_of_plain."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        player, opponent, square = arguments
        mine, theirs = _everywhere(b, [player]), _everywhere(b, [opponent])
        return _lane(b, _flipped(b, mine, theirs, *_rays_from(b, [square])), 0)

    return types.uint64(types.uint64, types.uint64, types.int64), generate


@intrinsic
def replies_to(_typing: Any, _player: Any, _opponent: Any, _empty: Any, _moves: Any) -> Any:
    """Return the number of replies to the lowest AT_ONCE of `moves`, at least 1 for each."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        player, opponent, empty, left = arguments
        one, zero = (ir.Constant(_WORD, value) for value in (1, 0))
        moves, squares = [], []
        for _ in range(AT_ONCE):
            moves.append(b.and_(left, b.sub(zero, left)))
            square = _call(b, "llvm.cttz.i64", _WORD, left, ir.Constant(_BOOL, 0))
            squares.append(b.and_(square, ir.Constant(_WORD, 63)))  # 64 where no move is left
            left = b.and_(left, b.sub(left, one))
        mine, theirs = (_everywhere(b, [word] * AT_ONCE) for word in (player, opponent))
        flips = _flipped(b, mine, theirs, *_rays_from(b, squares))
        mine = b.or_(b.xor(mine, flips), _everywhere(b, moves))
        reached = _reached(b, b.xor(theirs, flips), mine)
        replies = zero
        for k, move in enumerate(moves):
            squares_left = b.and_(empty, b.not_(move))
            found = b.and_(_lane(b, reached, 4 * k), squares_left)
            count = _call(b, "llvm.ctpop.i64", _WORD, found)
            count = b.select(b.icmp_unsigned("==", count, zero), one, count)
            if k > 0:  # the first is always there
                count = b.select(b.icmp_unsigned("==", move, zero), zero, count)
            replies = b.add(replies, count)
        return replies

    return types.int64(*[types.uint64] * 4), generate
