"""Moves and flips of Othello in vector code: the four axes of the board in the four lanes.

The same methods as the plain forms in `games.othello_bits`, which are their reference. Emitted as
LLVM vectors, since numba has no vector types; worth it only where the processor has 256-bit
integer vectors (AVX2), which `AVAILABLE` tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from jit import DISABLED

AVAILABLE = not DISABLED and bool(llvmlite.binding.get_host_cpu_features().get("avx2"))

_WORD = ir.IntType(64)
_LANES = ir.VectorType(_WORD, 4)
_INDEX = ir.IntType(32)
_FULL = (1 << 64) - 1
_INNER_FILES = 0x7E7E7E7E7E7E7E7E
_STEPS = (1, 8, 7, 9)


def _vector(values: Sequence[int]) -> ir.Constant:
    return ir.Constant(_LANES, [ir.Constant(_WORD, int(value) & _FULL) for value in values])


def _everywhere(builder: Any, word: Any) -> Any:
    """Return a vector with `word` in all lanes."""
    empty = ir.Constant(_LANES, ir.Undefined)
    first = builder.insert_element(empty, word, ir.Constant(_INDEX, 0))
    lanes = ir.Constant(ir.VectorType(_INDEX, 4), [ir.Constant(_INDEX, 0)] * 4)
    return builder.shuffle_vector(first, empty, lanes)


def _any_lane(builder: Any, vector: Any) -> Any:
    """Return the bitwise or of the four lanes."""
    name = "llvm.vector.reduce.or.v4i64"
    function = builder.module.declare_intrinsic(name, fnty=ir.FunctionType(_WORD, [_LANES]))
    return builder.call(function, [vector])


@intrinsic
def moves_of(_typing: Any, _player: Any, _opponent: Any) -> Any:
    """Return the squares where the player may move; see games.othello_bits.moves_of_plain."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        player, opponent = arguments
        mine = _everywhere(b, player)
        files = _vector([_INNER_FILES, _FULL, _INNER_FILES, _INNER_FILES])
        through = b.and_(_everywhere(b, opponent), files)
        step, two = _vector(_STEPS), _vector([2 * s for s in _STEPS])
        up = b.and_(through, b.shl(mine, step))
        down = b.and_(through, b.lshr(mine, step))
        up = b.or_(up, b.and_(through, b.shl(up, step)))
        down = b.or_(down, b.and_(through, b.lshr(down, step)))
        pairs_up = b.and_(through, b.shl(through, step))
        pairs_down = b.lshr(pairs_up, step)
        for _ in range(2):
            up = b.or_(up, b.and_(pairs_up, b.shl(up, two)))
            down = b.or_(down, b.and_(pairs_down, b.lshr(down, two)))
        reached = _any_lane(b, b.or_(b.shl(up, step), b.lshr(down, step)))
        return b.and_(reached, b.not_(b.or_(player, opponent)))

    return types.uint64(types.uint64, types.uint64), generate


def make_flips_of(higher: NDArray[np.uint64], lower: NDArray[np.uint64]) -> Any:
    """Return the intrinsic `flips_of(player, opponent, square)` over rays (64, 4) by square.

    See games.othello_bits.flips_of_plain for the method.
    """

    @intrinsic
    def flips_of(_typing: Any, _player: Any, _opponent: Any, _square: Any) -> Any:
        def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
            player, opponent, square = arguments
            row = b.shl(square, ir.Constant(_WORD, 1))
            rays = _rays_in_module(b.module, higher, lower)
            zero_index = ir.Constant(_WORD, 0)
            up = b.load(b.gep(rays, [zero_index, row]), align=32)
            odd = b.or_(row, ir.Constant(_WORD, 1))
            down = b.load(b.gep(rays, [zero_index, odd]), align=32)
            mine, theirs = _everywhere(b, player), _everywhere(b, opponent)
            one, zero = _vector([1] * 4), _vector([0] * 4)

            end = b.and_(b.and_(b.add(b.or_(theirs, b.not_(up)), one), mine), up)
            found = b.sext(b.icmp_unsigned("!=", end, zero), _LANES)
            flips_up = b.and_(b.add(end, found), up)

            blocked = b.or_(b.and_(b.not_(theirs), down), one)
            count = b.module.declare_intrinsic(
                "llvm.ctlz.v4i64", fnty=ir.FunctionType(_LANES, [_LANES, ir.IntType(1)])
            )
            zeros = b.call(count, [blocked, ir.Constant(ir.IntType(1), 1)])
            end = b.and_(b.and_(b.lshr(_vector([1 << 63] * 4), zeros), mine), down)
            flips_down = b.and_(b.shl(b.sub(zero, end), one), down)
            return _any_lane(b, b.or_(flips_up, flips_down))

        return types.uint64(types.uint64, types.uint64, types.int64), generate

    return flips_of


def _rays_in_module(
    module: Any, higher: NDArray[np.uint64], lower: NDArray[np.uint64]
) -> ir.GlobalVariable:
    """Return the table of rays as a constant of the module, made at its first use there."""
    name = "othello_rays"
    if name in module.globals:
        return module.globals[name]
    rows = [_vector(rays[square]) for square in range(64) for rays in (higher, lower)]
    table = ir.GlobalVariable(module, ir.ArrayType(_LANES, len(rows)), name)
    table.initializer = ir.Constant(table.type.pointee, rows)
    table.linkage, table.global_constant, table.align = "internal", True, 32
    return table
