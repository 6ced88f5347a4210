"""What the table knows of the node at a ply, and what it is told of it."""

from __future__ import annotations

from numba import uint64

from samuel.games.interface import CHANCE
from samuel.kernels.bits import Word
from samuel.kernels.jit import jit
from samuel.search.alphabeta.memory import (
    AGE,
    CONTRADICTIONS,
    SearchStack,
    is_on,
    is_selective,
    position_at,
)
from samuel.search.alphabeta.switches import DEEPER_ROWS
from samuel.search.alphabeta.table import depth_of, key_of, store
from samuel.search.score import shift_proven

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
    """Return whether a row's bounds count for a search to `depth`: at equal depth, as minimax.

    In a selective search what is known of a deeper one counts, too.
    """
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
