"""The transposition table: rows of two words, the key and a packed entry, two rows a bucket.

An entry holds the score (32 bits), the move (16), the depth (8) and the bound (2). The first row
of a bucket keeps the deeper search, the second the latest.
"""

from __future__ import annotations

import numpy as np
from numba import int32, int64, uint64
from numpy.typing import NDArray

from games.abi import NO_MOVE
from games.bits import ONE, ZERO, Word, mix
from games.pointers import Pointer
from jit import jit

LOWER, UPPER, EXACT = 1, 2, 3

_TWO = np.uint64(2)
_MOVE_AT, _DEPTH_AT, _BOUND_AT = np.uint64(32), np.uint64(48), np.uint64(56)
_32_BITS, _16_BITS, _8_BITS = np.uint64(0xFFFFFFFF), np.uint64(0xFFFF), np.uint64(0xFF)


def new_table(bits: int) -> NDArray[np.uint64]:
    """Return an empty table of 2**bits rows of 16 bytes, at least 2."""
    return np.zeros((1 << max(1, bits), 2), np.uint64)


@jit
def key_of(position: Pointer, words: int) -> Word:
    """Return a 64-bit hash of all words of a position; never 0, which marks an empty row."""
    key = ZERO
    for k in range(words):
        key = mix(key, position[k])
    return key | ONE


@jit
def _bucket(key: Word, rows: int) -> Word:
    """Return the index of the first word of a key's bucket: two rows of two words."""
    return ((key >> ONE) & np.uint64((rows >> 1) - 1)) << _TWO


@jit
def probe(table: Pointer, rows: int, key: Word) -> Word:
    """Return the entry of a key, or 0."""
    at = _bucket(key, rows)
    if table[at] == key:
        return table[at + ONE]
    if table[at + _TWO] == key:
        return table[at + _TWO + ONE]
    return ZERO


@jit
def store(
    table: Pointer, rows: int, key: Word, score: int, move: int, depth: int, bound: int
) -> None:
    """Keep an entry: in the first row unless that holds a deeper search of another position."""
    at = _bucket(key, rows)
    if table[at] != key and depth_of(table[at + ONE]) > depth:
        at += _TWO
    table[at] = key
    table[at + ONE] = (
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
