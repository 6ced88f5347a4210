"""The transposition table: what earlier searches found of positions, in 16 bytes each.

A row is two words. The first holds the upper 48 bits of the key, the depth and the age; the
second a lower and an upper bound of the score (24 bits each) and of the best move the lowest 16
bits, by which it is told among those of the position. The first is kept
xored with the second: a row that two threads wrote halves of then belongs to no key (R. Hyatt and
T. Mann, "A lock-less transposition-table implementation for parallel search", 2002). Four rows
make a bucket, which is one cache line.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64

from samuel.games.rules import CHANCE, NO_MOVE
from samuel.kernels.bits import ZERO, Word, hash_of
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, prefetch
from samuel.search.alphabeta.options import DEEPER_ROWS
from samuel.search.alphabeta.stack import (
    AGE,
    CONTRADICTIONS,
    SearchStack,
    is_on,
    is_selective,
    position_at,
)
from samuel.search.score import INFINITY, shift_proven

LOWER, UPPER, EXACT = 1, 2, 3

_ROWS = 4
_KEY = np.uint64(0xFFFFFFFFFFFF0000)
_NEVER_ZERO = np.uint64(1 << 63)
_DEPTH, _AGE = np.uint64(0xFF), np.uint64(0xFF00)
_AGE_AT, _UPPER_AT, _MOVE_AT = np.uint64(8), np.uint64(24), np.uint64(48)
_24_BITS, _16_BITS = np.uint64(0xFFFFFF), np.uint64(0xFFFF)
_OLD = 16
"""Plies of depth that a row loses, when one must go, for each search since it was written."""


@jit
def key_of(position: Pointer, words: int, salt: Word) -> Word:
    """Return a 64-bit hash of all words of a position; searches of another salt share none."""
    return hash_of(position, words, salt) | _NEVER_ZERO


@jit
def _bucket(key: Word, rows: int) -> Word:
    """Return the index of the first word of a key's bucket."""
    return (key & np.uint64(rows // _ROWS - 1)) * np.uint64(2 * _ROWS)


@jit
def fetch(table: Pointer, rows: int, key: Word) -> None:
    """Ask the processor to load a key's bucket meanwhile."""
    prefetch(table, int64(_bucket(key, rows)))


@jit
def probe(table: Pointer, rows: int, key: Word) -> tuple[Word, Word]:
    """Return the two words of a key's row, or zeros."""
    first = _bucket(key, rows)
    for k in range(_ROWS):
        at = first + np.uint64(2 * k)
        bounds = table[at + np.uint64(1)]
        head = table[at] ^ bounds
        if (head ^ key) & _KEY == ZERO:
            return head, bounds
    return ZERO, ZERO


@jit
def depth_of(head: Word) -> int:
    """Return the depth that a row was searched to; 0 for the empty row."""
    return int64(head & _DEPTH)


@jit
def lower_of(bounds: Word) -> int:
    """Return the lower bound of a row."""
    return int64(bounds & _24_BITS) - INFINITY


@jit
def upper_of(bounds: Word) -> int:
    """Return the upper bound of a row."""
    return int64((bounds >> _UPPER_AT) & _24_BITS) - INFINITY


@jit
def move_of(bounds: Word) -> int:
    """Return the lowest 16 bits of a row's move, or PASS; or NO_MOVE, as for the empty row."""
    if bounds == ZERO:
        return int64(NO_MOVE)
    move = int64(bounds >> _MOVE_AT)
    return move if move < 0xFFFE else move - 0x10000


@jit
def _row_to_replace(table: Pointer, first: Word, key: Word, age: int) -> Word:
    """Return the index of the key's row in its bucket, or of the one worth least."""
    worst, least = first, int64(1 << 62)
    for k in range(_ROWS):
        at = first + np.uint64(2 * k)
        head = table[at] ^ table[at + np.uint64(1)]
        if (head ^ key) & _KEY == ZERO:
            return at
        since = (age - int64((head & _AGE) >> _AGE_AT)) & 0xFF
        worth = depth_of(head) - _OLD * since if head != ZERO else int64(-(1 << 20))
        if worth < least:
            worst, least = at, worth
    return worst


@jit
def store(
    table: Pointer, rows: int, key: Word, age: int, depth: int, score: int, bound: int, move: int
) -> bool:
    """Keep what a search to `depth` found; a row of the same depth is narrowed."""
    at = _row_to_replace(table, _bucket(key, rows), key, age)
    old = table[at + np.uint64(1)]
    head = table[at] ^ old
    lower = score if bound & LOWER else int64(-INFINITY)
    upper = score if bound & UPPER else int64(INFINITY)
    agrees = True
    if (head ^ key) & _KEY == ZERO and depth_of(head) == depth:
        agrees = lower <= upper_of(old) and upper >= lower_of(old)
        if agrees:
            lower, upper = max(lower, lower_of(old)), min(upper, upper_of(old))
    bounds = (
        uint64(lower + INFINITY)
        | (uint64(upper + INFINITY) << _UPPER_AT)
        | ((uint64(move) & _16_BITS) << _MOVE_AT)
    )
    table[at] = ((key & _KEY) | (uint64(age) << _AGE_AT) | uint64(depth)) ^ bounds
    table[at + np.uint64(1)] = bounds
    return agrees


TABLE_FROM = 3
"""Plies from which on a search is worth a row: nearer the leaves, waiting for memory costs more
than the nodes that it saves (10 % of the time)."""


@jit
def key_at(stack: SearchStack, ply: int, turn: int) -> Word:
    """Return the key of the node at a ply; chance's is another than a side's of equal words."""
    salt = uint64(stack.salt) ^ uint64(turn & CHANCE)
    return key_of(position_at(stack, ply), stack.words, salt)


@jit
def counts(stack: SearchStack, head: Word, ply: int, depth: int) -> bool:
    """Return whether a row's bounds count for a search to `depth`: at equal depth, as minimax."""
    known_to = depth_of(head)
    if known_to > depth:
        return is_selective(stack, ply, depth) and is_on(stack, DEEPER_ROWS)
    return known_to == depth


@jit
def keep(
    stack: SearchStack, key: Word, ply: int, depth: int, best: int, bound: int, move: int
) -> None:
    """Store what a search found."""
    score = shift_proven(best, ply, stack.proven)
    if not store(stack.table, stack.table_rows, key, stack.tally[AGE], depth, score, bound, move):
        stack.tally[CONTRADICTIONS] += 1
