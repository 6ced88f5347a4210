"""The compiled alpha-beta search: one kernel for every game and every evaluator.

Principal variation search (Marsland and Campbell 1982) in the one-function, fail-soft form, with
a transposition table. With no limit in the way, the score is the one of plain minimax at the same
depth: table entries count only at equal depth, and nothing is pruned but what alpha-beta prunes.
A pass is a ply.
"""

from __future__ import annotations

from typing import Any

from numba import int64

from games.abi import EVALUATION, NO_MOVE, RULES
from games.budget import STOPPED, count_node
from jit import jit
from search.memory import MEMORY
from search.score import INFINITY, from_evaluation, from_utility, shift_proven
from search.table import (
    EXACT,
    LOWER,
    UPPER,
    bound_of,
    depth_of,
    key_of,
    move_of,
    probe,
    score_of,
    store,
)

_HASH_MOVE_HINT = 1 << 30


@jit
def leaf_score(rules: Any, evaluation: Any, memory: Any, ply: int) -> int:
    """Return the score of stack[ply] without search: its utility or its static evaluation."""
    position = memory.stack[ply]
    if rules.is_terminal(position):
        return from_utility(rules.utility(position), ply, memory.proven)
    static = evaluation.evaluate(position, evaluation.integers, evaluation.floats)
    return from_evaluation(static, memory.static_limit)


@jit
def _best_of_leaves(
    rules: Any, evaluation: Any, memory: Any, ply: int, n: int, alpha: int, beta: int
) -> int:
    """Return the score of a node at depth 1, whose children are leaves."""
    best = int64(-INFINITY)
    for i in range(n):
        rules.play(memory.stack[ply], memory.moves[ply, i], memory.stack[ply + 1])
        count_node(memory.counters)
        score = -leaf_score(rules, evaluation, memory, ply + 1)
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                memory.pv[ply, 0] = memory.moves[ply, i]
                memory.pv_length[ply] = 1
                if score >= beta:
                    break
    return best


@jit
def rate_moves(rules: Any, memory: Any, ply: int, n: int, first: int) -> None:
    """Fill hints[ply]: the game's ordering, `first` (the table's move) above all."""
    rules.order(memory.stack[ply], memory.moves[ply], n, memory.hints[ply])
    if first != NO_MOVE:
        for i in range(n):
            if memory.moves[ply, i] == first:
                memory.hints[ply, i] = _HASH_MOVE_HINT


@jit
def bring_best(memory: Any, ply: int, i: int, n: int) -> int:
    """Swap the best rated of moves[ply, i:n] to place i and return it."""
    moves, hints = memory.moves[ply], memory.hints[ply]
    best = i
    for j in range(i + 1, n):
        if hints[j] > hints[best]:
            best = j
    moves[i], moves[best] = moves[best], moves[i]
    hints[i], hints[best] = hints[best], hints[i]
    return int64(moves[i])


@jit
def keep_pv(memory: Any, ply: int, move: int) -> None:
    """Make `move` and the variation found below it the principal variation of this ply."""
    length = memory.pv_length[ply + 1]
    memory.pv[ply, 0] = move
    for i in range(length):
        memory.pv[ply, i + 1] = memory.pv[ply + 1, i]
    memory.pv_length[ply] = length + 1


@jit(int64(RULES, EVALUATION, MEMORY, int64, int64, int64, int64))
def negamax(
    rules: Any, evaluation: Any, memory: Any, ply: int, depth: int, alpha: int, beta: int
) -> int:
    """Return the score of stack[ply] at `depth`, in points, for the side to move there.

    Fail-soft: a result <= alpha is an upper bound, one >= beta a lower bound, one between them
    exact. Stopped by a limit, it returns 0, to be thrown away (counters[STOPPED] says so).
    """
    count_node(memory.counters)
    memory.pv_length[ply] = 0
    if depth == 0:
        return leaf_score(rules, evaluation, memory, ply)
    position = memory.stack[ply]
    n = rules.legal_moves(position, memory.moves[ply])
    if n == 0:
        return from_utility(rules.utility(position), ply, memory.proven)
    if depth == 1:
        return _best_of_leaves(rules, evaluation, memory, ply, n, alpha, beta)

    key = key_of(position)
    entry = probe(memory.table, key)
    # a cut at a node of the principal variation would cut the variation short
    if depth_of(entry) == depth and beta - alpha == 1:
        score = shift_proven(score_of(entry), -ply, memory.proven)
        bound = bound_of(entry)
        if (bound & LOWER and score >= beta) or (bound & UPPER and score <= alpha):
            return score

    rate_moves(rules, memory, ply, n, move_of(entry))
    best, best_move, reached = int64(-INFINITY), int64(NO_MOVE), alpha
    for i in range(n):
        move = bring_best(memory, ply, i, n)
        rules.play(position, move, memory.stack[ply + 1])
        if i == 0:
            score = -negamax(rules, evaluation, memory, ply + 1, depth - 1, -beta, -reached)
        else:
            score = -negamax(rules, evaluation, memory, ply + 1, depth - 1, -reached - 1, -reached)
            if reached < score < beta:
                score = -negamax(rules, evaluation, memory, ply + 1, depth - 1, -beta, -reached)
        if memory.counters[STOPPED]:
            return int64(0)
        if score > best:
            best, best_move = score, move
            if score > reached:
                reached = score
                keep_pv(memory, ply, move)
                if score >= beta:
                    break
    bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
    store(memory.table, key, shift_proven(best, ply, memory.proven), best_move, depth, bound)
    return best
