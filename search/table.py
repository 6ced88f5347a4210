"""The transposition table: rows of two words, the key and a packed entry, two rows a bucket.

An entry holds the score (32 bits), the move (16), the depth (8) and the bound (2). The first row
of a bucket keeps the deeper search, the second the latest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64, uint64
from numpy.typing import NDArray

from games.abi import NO_MOVE
from games.bits import ONE, ZERO, Word, mix
from jit import jit

LOWER, UPPER, EXACT = 1, 2, 3

_MOVE_AT, _DEPTH_AT, _BOUND_AT = np.uint64(32), np.uint64(48), np.uint64(56)
_32_BITS, _16_BITS, _8_BITS = np.uint64(0xFFFFFFFF), np.uint64(0xFFFF), np.uint64(0xFF)


def new_table(bits: int) -> NDArray[np.uint64]:
    """Return an empty table of 2**bits rows (16 bytes each)."""
    return np.zeros((1 << bits, 2), np.uint64)


@jit
def key_of(position: Any) -> Word:
    """Return a 64-bit hash of all words of a position; never 0, which marks an empty row."""
    key = ZERO
    for k in range(position.shape[0]):
        key = mix(key, position[k])
    return key | ONE


@jit
def probe(table: Any, key: Word) -> Word:
    """Return the entry of a key, or 0."""
    row = (key >> ONE) & np.uint64(table.shape[0] - 2)
    if table[row, 0] == key:
        return table[row, 1]
    if table[row + ONE, 0] == key:
        return table[row + ONE, 1]
    return ZERO


@jit
def store(table: Any, key: Word, score: int, move: int, depth: int, bound: int) -> None:
    """Keep an entry: in the first row unless that holds a deeper search of another position."""
    row = (key >> ONE) & np.uint64(table.shape[0] - 2)
    if table[row, 0] != key and depth_of(table[row, 1]) > depth:
        row += ONE
    table[row, 0] = key
    table[row, 1] = (
        (uint64(int64(score)) & _32_BITS)
        | ((uint64(int64(move)) & _16_BITS) << _MOVE_AT)
        | (uint64(int64(depth)) << _DEPTH_AT)
        | (uint64(int64(bound)) << _BOUND_AT)
    )


@jit
def score_of(entry: Word) -> int:
    """Return the score of an entry."""
    return int64(int32(entry & _32_BITS))


@jit
def move_of(entry: Word) -> int:
    """Return the move of an entry, or NO_MOVE for the empty entry."""
    if entry == ZERO:
        return int64(NO_MOVE)
    move = int64((entry >> _MOVE_AT) & _16_BITS)
    return move if move < 0xFFFE else move - 0x10000


@jit
def depth_of(entry: Word) -> int:
    """Return the depth an entry was searched to."""
    return int64((entry >> _DEPTH_AT) & _8_BITS)


@jit
def bound_of(entry: Word) -> int:
    """Return LOWER, UPPER or EXACT."""
    return int64(entry >> _BOUND_AT)
