"""The endgame solver's table: bounds of the exact score and the best moves of a position.

Four rows of two words make a bucket, and the one that took the fewest nodes is replaced. The
first word of a row is the key xor the second, so that a row of which another thread has written
one half is taken for no row at all (Hyatt and Mann 2002, "A lock-less transposition table").
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64

from samuel.games.othello.last_squares import WORST
from samuel.kernels.bits import ONE, ZERO, Word, leading_zeros
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, prefetch

_8, _16, _24, _32, _40, _BYTE = (np.uint64(k) for k in (8, 16, 24, 32, 40, 255))
_SELECTIVE, _SEARCHED = np.uint64(1 << 40), np.uint64(1 << 41)
_BUCKET = 4
_WHOLE_BUCKETS = ~np.uint64(_BUCKET - 1)

_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_MOVES = np.uint64(0xFFFF)
_NO_BOUNDS = np.uint64(-2 * WORST << 24)


@jit
def key_of(player: Word, opponent: Word) -> Word:
    """Return a 64-bit hash of a position: no two with the same player's discs share one."""
    key = player * _FIRST
    key = (key ^ (key >> _32)) + opponent
    key *= _SECOND
    return key ^ (key >> _32)


@jit
def _row(key: Word, i: int, rows: int) -> Word:
    """Return the index of the first word of row `i` of a key's bucket."""
    return ((key ^ np.uint64(i)) & np.uint64(rows - 1)) << ONE


@jit
def fetch(table: Pointer, rows: int, key: Word) -> None:
    """Have a key's bucket loaded while something else is done: most probes miss the caches."""
    prefetch(table, int64(_row(key & _WHOLE_BUCKETS, 0, rows)))


@jit
def probe(table: Pointer, rows: int, key: Word) -> Word:
    """Return the entry of a key, or 0."""
    for i in range(_BUCKET):
        at = _row(key, i, rows)
        entry = table[at | ONE]
        if table[at] ^ entry == key:
            return entry
    return ZERO


@jit
def low_of(entry: Word) -> int:
    """Return the lower bound of the score."""
    return int64((entry >> _16) & _BYTE) + WORST if entry != ZERO else int64(WORST)


@jit
def high_of(entry: Word) -> int:
    """Return the upper bound of the score."""
    return int64((entry >> _24) & _BYTE) + WORST if entry != ZERO else int64(-WORST)


@jit
def is_selective(entry: Word) -> int:
    """Return 1 where the bounds come from a search that left moves out, else 0: they are proven."""
    return int64((entry >> _40) & ONE)


@jit
def is_searched(entry: Word) -> bool:
    """Return whether a thread searches the position at present (`mark_searched`)."""
    return entry & _SEARCHED != ZERO


@jit
def usable(entry: Word, selective: int) -> Word:
    """Return an entry, for an exact search without bounds that are not proven."""
    if is_selective(entry) <= selective:
        return entry
    return (entry & _MOVES) | _NO_BOUNDS


@jit
def best_of(entry: Word) -> int:
    """Return the best square, or -1."""
    return int64(entry & _BYTE) - 1


@jit
def second_of(entry: Word) -> int:
    """Return the square that was the best before, or -1."""
    return int64((entry >> _8) & _BYTE) - 1


@jit
def _place_for(table: Pointer, rows: int, key: Word) -> tuple[Word, Word]:
    """Return where a key's row is or comes to be, and its entry; 0 for none."""
    place, least = ZERO, uint64(255)
    for i in range(_BUCKET):
        at = _row(key, i, rows)
        entry = table[at | ONE]
        if table[at] ^ entry == key:
            return at, entry
        spent = (entry >> _32) & _BYTE
        if spent < least:
            place, least = at, spent
    return place, ZERO


@jit
def mark_searched(table: Pointer, rows: int, key: Word) -> None:
    """Tell other threads that a position is searched, until `store` is called for it."""
    place, entry = _place_for(table, rows, key)
    entry = (entry if entry != ZERO else _NO_BOUNDS | _SELECTIVE) | _SEARCHED
    table[place] = key ^ entry
    table[place | ONE] = entry


@jit
def store(
    table: Pointer,
    rows: int,
    key: Word,
    low: int,
    high: int,
    square: int,
    nodes: int,
    selective: int,
) -> None:
    """Keep what `nodes` nodes have found out: bounds, narrowed by those known, and a best move."""
    effort = np.uint64(64) - leading_zeros(uint64(nodes))
    place, entry = _place_for(table, rows, key)
    known = usable(entry, selective)
    first, second = uint64(square + 1), entry & _BYTE
    if low < low_of(known) or first == second:
        first, second = entry & _BYTE, (entry >> _8) & _BYTE
    if entry != ZERO and is_selective(entry) < selective:  # what is proven stays
        low, high, selective = low_of(entry), high_of(entry), int64(0)
    else:
        low, high = max(low, low_of(known)), min(high, high_of(known))
    entry = (uint64(selective) << _40) | (effort << _32)
    entry |= (uint64(high - WORST) << _24) | (uint64(low - WORST) << _16)
    entry |= (second << _8) | first
    table[place] = key ^ entry
    table[place | ONE] = entry
