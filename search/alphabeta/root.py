"""Search at the root: iterative deepening within limits, exact endgames, and what follows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64

from samuel.games.draws import GOES_ON
from samuel.games.rules import NO_MOVE, SAME
from samuel.kernels.budget import (
    DEADLINE,
    ENDED,
    INTERRUPTED,
    NODE_LIMIT,
    NODES,
    STOPPED,
    UNLIMITED,
    check_soon,
    now,
)
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at
from samuel.search.alphabeta.alphabeta import LAST_PLIES
from samuel.search.alphabeta.chance import window_below
from samuel.search.alphabeta.context import thaw
from samuel.search.alphabeta.evaluation import leaf_score, score_without_depth
from samuel.search.alphabeta.options import ASPIRATION, CHECK_EXTENSIONS, DEEPENING
from samuel.search.alphabeta.ordering import bring_best, list_moves, rate_moves
from samuel.search.alphabeta.stack import (
    AGE,
    NO_NULL_BEFORE,
    ROOT_DEPTH,
    SearchStack,
    end_at,
    hints_at,
    is_on,
    keep_history,
    keep_turn,
    moves_at,
    position_at,
    pv_at,
    score_by_past,
)
from samuel.search.method import SEARCHER, Found
from samuel.search.score import INFINITY, MAX_PLY, SCORE_UNIT, from_utility

ASPIRE_FROM = 4
"""A first guess comes from an iteration of this depth, or a deeper one."""
ASPIRATION_PARTS = 32
"""The window reaches a 32nd of the highest evaluation to either side of the guess: 2 discs. In a
search that prunes it is a number of the options."""


@jit
def keep_line(stack: SearchStack) -> int:
    """Make the principal variation from the root on the line; return its length."""
    length = int64(stack.pv_length[0])
    for i in range(length):
        stack.line[i] = pv_at(stack, 0)[i]
    return length


@jit
def score_of_move(context: Pointer, move: int, depth: int) -> int:
    """Return the score of a move at the root, searched to `depth`, for its side to move."""
    return score_in_window(context, move, depth, int64(-INFINITY), int64(INFINITY))


@jit
def score_in_window(context: Pointer, move: int, depth: int, alpha: int, beta: int) -> int:
    """Return the score of a move at the root in a window, for its side to move."""
    rules, _, parts, stack = thaw(context)
    if depth > 0 and is_on(stack, CHECK_EXTENSIONS) and rules.in_check(position_at(stack, 0)):
        depth += 1
    turn = rules.play(position_at(stack, 0), move, position_at(stack, 1))
    stack.moved[1], stack.checked[1] = move, rules.in_check(position_at(stack, 1))
    keep_turn(stack, int64(0), turn)
    keep_history(stack, int64(0), turn)
    low, high = window_below(turn, alpha, beta)
    if depth == 0:
        stack.pv_length[1] = 0
        score = leaf_score(context, int64(1))
    elif stack.margin and depth == 1:  # a node of a search that prunes has a ply at least
        score = score_without_depth(context, int64(1), low, high)
    else:
        score = parts.chance(context, int64(1), depth - 1, low, high)
    return score if turn & SAME else -score


@jit(int64(SEARCHER, int64, int64, int64, int64))
def score_move_at_root(searcher: Any, move: int, depth: int, alpha: int, beta: int) -> int:
    """Call `score_in_window` from Python; the line that follows is that of ply 1."""
    context = at(searcher, 0)
    rules, _, _, stack = thaw(context)
    if stack.margin:  # what a search that prunes asks of the root
        stack.tally[ROOT_DEPTH], stack.tally[NO_NULL_BEFORE] = depth, 0
        checked = rules.in_check(position_at(stack, 0))
        stack.static_scores[0] = -INFINITY if checked else leaf_score(context, int64(0))
    return score_in_window(context, move, depth, alpha, beta)


@jit
def _search_root(
    context: Pointer, depth: int, guess: int, reached: int, length: int
) -> tuple[int, int]:
    """Return the score of the root at `depth`, and the length of the line."""
    _, _, parts, stack = thaw(context)
    alpha, beta = int64(-INFINITY), int64(INFINITY)
    if is_on(stack, ASPIRATION) and reached >= ASPIRE_FROM and abs(guess) < stack.proven:
        width = max(int64(1), stack.static_limit // ASPIRATION_PARTS)
        if stack.margin:
            width = max(int64(1), stack.margin * stack.aspiration_window // 1000)
        alpha, beta = guess - width, guess + width
    while True:
        score = parts.node(context, int64(0), depth, alpha, beta)
        stopped = stack.counters[STOPPED] != 0
        is_kept = not stopped or depth > LAST_PLIES or stack.listens
        if is_kept and stack.pv_length[0] > 0:
            length = keep_line(stack)
        if stopped or alpha < score < beta:
            return score, length
        if score <= alpha:
            alpha = int64(-INFINITY)
        else:
            beta = int64(INFINITY)


@jit
def deepen(context: Pointer, depth: int) -> Found:
    """Search the root deeper and deeper to `depth`, or until a limit stops it.

    Without limits it goes by steps of two plies: evaluations of the same side to move agree
    better, and so do the best moves (15 to 35 % fewer nodes with `classic` at depth 8 and 10).

    A forced end ends it, too, as none is sooner at full width. A search that prunes leaves nothing
    out once a win is known: it goes on for an iteration, which may find a sooner one.

    The best line so far counts in an iteration that was stopped; score and depth are those of the
    last finished one. When not even depth 1 was, the score is the static evaluation. A finished
    game gives its utility (by its history where that ended it) and no line; so does, with its
    expected score, a position where chance is to move.
    """
    rules, _, parts, stack = thaw(context)
    stack.tally[AGE] = (stack.tally[AGE] + 1) & 0xFF
    is_chance = rules.outcomes(position_at(stack, 0), moves_at(stack, 0), hints_at(stack, 0)) > 0
    if not is_chance:
        n = list_moves(context, int64(0), depth)
        if n == 0:
            utility = from_utility(rules.utility(position_at(stack, 0)), 0, stack.proven)
            return Found(utility, int64(0), int64(0), int64(1))
        end = end_at(stack, int64(0))
        if end != GOES_ON:
            score = score_by_past(stack, end, int64(0))
            return Found(score, int64(0), int64(0), int64(1))
        rate_moves(context, int64(0), int64(1), int64(0), n)
        stack.line[0] = bring_best(moves_at(stack, 0), hints_at(stack, 0), 0, n)
    score, reached, length = leaf_score(context, int64(0)), int64(0), int64(not is_chance)
    counters = stack.counters
    unlimited = counters[NODE_LIMIT] == UNLIMITED and counters[DEADLINE] == UNLIMITED
    first, step = (2 - (depth & 1), 2) if unlimited else (1, 1)
    if not is_on(stack, DEEPENING):
        first = depth
    for iteration in range(first, depth + 1, step):
        if is_chance:
            result = parts.chance(context, int64(0), iteration, int64(-INFINITY), int64(INFINITY))
        else:
            result, length = _search_root(context, iteration, score, reached, length)
        if stack.counters[STOPPED]:
            break
        was_proven = abs(score) >= stack.proven
        score, reached = result, int64(iteration)
        away = stack.proven + MAX_PLY - abs(score)
        is_end = abs(score) >= stack.proven and iteration >= away
        if is_end and (was_proven or away == 1 or not stack.margin):
            break
    return Found(score, reached, length, int64(0))


@jit
def widest_window(stack: SearchStack) -> int:
    """Return a bound in whole units that no result of a finished game reaches."""
    return int64(stack.static_limit // SCORE_UNIT + 1)


@jit
def solved_score(context: Pointer, ply: int, alpha: int, beta: int) -> int:
    """Return the exact utility of the position at `ply`, by the game's solver, in whole units."""
    rules, evaluation, _, stack = thaw(context)
    stack.hints[0] = int32(stack.thread)
    return rules.solve(
        *(position_at(stack, ply), alpha, beta, stack.solver_table, stack.solver_rows),
        *(stack.hints, stack.counters, evaluation.evaluate, evaluation.integers),
        *(evaluation.floats, stack.guided),
    )


@jit
def solve_root(context: Pointer, alpha: int, beta: int) -> int:
    """Return the exact utility of the root by the game's solver; the best move in line[0]."""
    rules, _, _, stack = thaw(context)
    n = rules.legal_moves(position_at(stack, 0), moves_at(stack, 0))
    if n == 0:
        stack.line[0] = NO_MOVE
        return int64(round(np.float64(rules.utility(position_at(stack, 0)))))
    score = solved_score(context, int64(0), alpha, beta)
    if stack.counters[STOPPED]:
        return int64(0)
    stack.line[0] = stack.hints[0] if n > 1 else moves_at(stack, 0)[0]
    return score


@jit
def halve_limits(counters: Pointer) -> None:
    """Leave a search half of the nodes and of the time that are left, where they are limited."""
    nodes, deadline = counters[NODE_LIMIT], counters[DEADLINE]
    if nodes < UNLIMITED:
        counters[NODE_LIMIT] = counters[NODES] + (nodes - counters[NODES]) // 2
    if deadline < UNLIMITED:
        counters[DEADLINE] = now() + (deadline - now()) // 2
    check_soon(counters)


@jit
def restore_limits(counters: Pointer, nodes: int, deadline: int) -> None:
    """Set the limits to what they were; of stops only those that are no limits stay."""
    counters[NODE_LIMIT], counters[DEADLINE] = nodes, deadline
    check_soon(counters)
    counters[STOPPED] = counters[INTERRUPTED] | counters[ENDED]


@jit
def find_exactly(context: Pointer, found: Found) -> Found:
    """Return the exact score of the root, or `found` where the limits did not suffice."""
    _, _, parts, stack = thaw(context)
    counters = stack.counters
    if stack.has_solver:
        widest = widest_window(stack)
        score = solve_root(context, -widest, widest) * SCORE_UNIT
        length = int64(stack.line[0] != NO_MOVE)
    else:
        score = parts.chance(context, int64(0), int64(MAX_PLY), int64(-INFINITY), int64(INFINITY))
        length = int64(0) if counters[STOPPED] else keep_line(stack)
    if counters[STOPPED]:
        return found
    return Found(score, thaw(context).rules.plies_left(position_at(stack, 0)), length, int64(1))


@jit(int64(SEARCHER, int64, int64))
def solve_at_root(searcher: Any, alpha: int, beta: int) -> int:
    """Call `solve_root` from Python."""
    return solve_root(at(searcher, 0), alpha, beta)
