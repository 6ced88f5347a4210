"""The state of an evaluation that follows the line: one a ply, brought up to date when asked for.

A row of `SearchStack.states` has the position that its state is of, so it is known whether a state
counts, whatever happened to the ply since: a null move, another branch, a search that was stopped.
Where a ply is evaluated, states are updated from the last one above it that counts. (The field
calls such a state an accumulator: Y. Nasu, "Efficiently updatable neural-network-based evaluation
functions for computer shogi", 2018; that it is updated lazily is Stockfish's.)
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import float32

from samuel.games.evaluator import Incremental
from samuel.kernels.bits import ONE
from samuel.kernels.compose import compose_closure
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, copy, offset
from samuel.search.alphabeta.context import SEARCH, thaw
from samuel.search.alphabeta.stack import SearchStack, position_at
from samuel.search.score import from_evaluation


@jit
def _row(stack: SearchStack, ply: int) -> Pointer:
    return offset(stack.states, ply * stack.state_words)


@jit
def _counts(stack: SearchStack, ply: int) -> bool:
    """Return whether the state at a ply is of the position that stands there."""
    row, position = _row(stack, ply), position_at(stack, ply)
    if row[0] != ONE:
        return False
    for k in range(stack.words):
        if row[k + 1] != position[k]:
            return False
    return True


@jit
def _claim(stack: SearchStack, ply: int) -> Pointer:
    """Note that the state at a ply is of the position there, and return where it is written."""
    row = _row(stack, ply)
    row[0] = ONE
    copy(offset(row, 1), position_at(stack, ply), stack.words)
    return offset(row, 1 + stack.words)


@functools.lru_cache(maxsize=64)
def evaluation_by_state(incremental: Incremental, static_limit: int) -> Any:
    """Return `static(stack, its, ply)`: the evaluation of the position at a ply, in points."""
    refresh, update, evaluate_state, _ = incremental

    @jit
    def static(stack: SearchStack, its: Any, ply: int) -> int:
        known = ply
        while known > 0 and not _counts(stack, known):
            known -= 1
        if known == 0 and not _counts(stack, known):
            refresh(position_at(stack, 0), its.integers, its.floats, _claim(stack, known))
        behind = 1 + stack.words
        for k in range(known + 1, ply + 1):
            before, after = position_at(stack, k - 1), position_at(stack, k)
            above = offset(_row(stack, k - 1), behind)
            update(before, after, its.integers, its.floats, above, _claim(stack, k))
        state = offset(_row(stack, ply), behind)
        score = evaluate_state(position_at(stack, ply), its.integers, its.floats, state)
        return from_evaluation(float32(score), static_limit)

    return static


@jit(SEARCH)
def no_state(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
    """Placeholder for an evaluator without a state; never called."""
    return 0


@functools.lru_cache(maxsize=64)
def static_of(incremental: Incremental, static_limit: int) -> Any:
    """Return the same as an entry point of the search."""
    evaluation = evaluation_by_state(incremental, static_limit)

    def static(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
        _, its, _, stack = thaw(context)
        return evaluation(stack, its, ply)

    return compose_closure(static, SEARCH)


def new_states(plies: int, words: int, incremental: Incremental | None) -> Any:
    """Return rows of a mark, a position (`words`,) and its state; empty ones without a state."""
    size = 0 if incremental is None else 1 + words + incremental.size
    return np.zeros((plies, size), np.uint64)
