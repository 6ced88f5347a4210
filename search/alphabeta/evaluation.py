"""The score of a position without search, and its correction by what searches found.

Correction history: positions are alike where they agree on a region of the board
(`SearchRules.regions`). For each content of each region a running mean is kept of how far searches
ended from the static evaluation; the mean over the regions is added to later evaluations. The idea
is old ("dynamic correction"); in this form it is chess engines' of 2023 on. Scores then depend on
what was searched before.

The state of an evaluation that follows the line: one a ply, brought up to date when asked for.

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
from numba import float32, int32, int64

from samuel.games.draws import GOES_ON
from samuel.games.evaluator import ANY_LENGTH, Incremental
from samuel.kernels.bits import ONE, ZERO, mix
from samuel.kernels.jit import EntryPoint, jit
from samuel.kernels.pointers import Pointer, at, compose_closure, copy, offset, view
from samuel.search.alphabeta.context import LEARN, SEARCH, thaw
from samuel.search.alphabeta.options import CORRECTION
from samuel.search.alphabeta.stack import (
    CORRECTIONS,
    REGIONS,
    SearchStack,
    end_at,
    is_on,
    position_at,
    score_by_past,
)
from samuel.search.score import SCORE_UNIT, from_evaluation, from_utility


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


_SCALE = 16
"""A correction is kept in sixteenths of a point, so that small steps are not lost."""
_INERTIA = 64
"""A search moves the mean by depth / 64 of the way, at most by a quarter."""
_MOST_SHARE = 4
"""In a search that prunes a correction is at most a quarter of the game's margin."""


@jit
def _place(stack: SearchStack, ply: int, region: int) -> int:
    position, key = position_at(stack, ply), ZERO
    for k in range(stack.words):
        key = mix(key, position[k] & stack.regions[region * stack.words + k])
    return region * CORRECTIONS + int64(key & np.uint64(CORRECTIONS - 1))


@jit
def _uncorrected(context: Pointer, ply: int) -> int:
    """Return the static evaluation of the position at `ply`, where the game is not over."""
    _, evaluation, parts, stack = thaw(context)
    if stack.state_words:
        return parts.static(context, ply, int64(0), int64(0), int64(0))
    position = position_at(stack, ply)
    static = evaluation.evaluate(position, evaluation.integers, evaluation.floats)
    return from_evaluation(static, stack.static_limit)


@jit(forceinline=False)
def corrected_score(context: Pointer, ply: int) -> int:
    """Return the corrected static evaluation of a position (a ply) where the game is not over."""
    stack, score = thaw(context).stack, _uncorrected(context, ply)
    total, regions = int64(0), min(REGIONS, stack.region_count)
    for region in range(regions):
        total += stack.corrections[_place(stack, ply, region)]
    if regions > 0:
        score += total // (_SCALE * regions)
    return max(-stack.static_limit, min(stack.static_limit, score))


@jit(LEARN)
def correct(context: Pointer, ply: int, depth: int, best: int, alpha: int, beta: int) -> None:
    """Learn from a search of the position at `ply` that found a score or a bound of it."""
    rules, _, _, stack = thaw(context)
    if abs(best) >= stack.proven or rules.is_terminal(position_at(stack, ply)):
        return
    if stack.margin and stack.checked[ply]:
        return  # nothing is evaluated in check
    now = _uncorrected(context, ply)
    if (best >= beta and best <= now) or (best <= alpha and best >= now):
        return  # a bound on the wrong side says nothing
    found = best - now
    if stack.margin:  # corrected leaves would drive their own correction up without a bound
        most = stack.margin // _MOST_SHARE
        found = max(-most, min(most, found))
    weight = min(depth, _INERTIA // 4)
    for region in range(min(REGIONS, stack.region_count)):
        at = _place(stack, ply, region)
        error = found * _SCALE - stack.corrections[at]
        stack.corrections[at] += int32(error * weight // _INERTIA)


@jit
def static_at(context: Pointer, ply: int) -> int:
    """Return the static evaluation of the position at `ply`, where the game is not over."""
    if is_on(thaw(context).stack, CORRECTION):
        return corrected_score(context, ply)
    return _uncorrected(context, ply)


@jit
def leaf_score(context: Pointer, ply: int) -> int:
    """Return the score of the position at `ply` without search: utility or evaluation."""
    rules, _, _, stack = thaw(context)
    position = position_at(stack, ply)
    if rules.is_terminal(position):
        return from_utility(rules.utility(position), ply, stack.proven)
    return static_at(context, ply)


@jit
def score_without_depth(context: Pointer, ply: int, alpha: int, beta: int) -> int:
    """Return the score of the position at `ply` by its history, or else by its noisy moves."""
    rules, _, parts, stack = thaw(context)
    stack.pv_length[ply] = 0
    by_past = end_at(stack, ply)
    if by_past != GOES_ON and not rules.is_terminal(position_at(stack, ply)):
        return score_by_past(stack, by_past, ply)
    return parts.quiesce(context, ply, int64(0), alpha, beta)


def evaluation_at(evaluate: Any, static_limit: int) -> Any:
    """Return an evaluation of the position at a ply, to be compiled together with the rules."""
    within: Any = getattr(evaluate, "within", None)
    incremental = getattr(evaluate, "incremental", None)
    takes_pointers, has_within = isinstance(evaluate, EntryPoint), within is not None
    if incremental is not None:
        static_of_ply = evaluation_by_state(incremental, static_limit)

        @jit
        def of_state(row: Any, stack: SearchStack, its: Any, ply: int, low: int, high: int) -> int:
            return static_of_ply(stack, its, ply)

        return of_state

    @jit
    def of_row(row: Any, stack: SearchStack, its: Any, ply: int, low: int, high: int) -> int:
        integers, floats = its.integers, its.floats
        if has_within:
            # below INFINITY < 2**23, from which single precision takes less than half a point
            bounds = float32(low / SCORE_UNIT), float32(high / SCORE_UNIT)
            static = within(at(row, 0), integers, floats, *bounds)
        elif takes_pointers:
            static = evaluate(at(row, 0), integers, floats)
        else:
            static = evaluate(row, view(integers, ANY_LENGTH), view(floats, ANY_LENGTH))
        # single precision, as an entry point returns it: half a point is rounded alike
        return from_evaluation(float32(static), static_limit)

    return of_row
