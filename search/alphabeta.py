"""The compiled alpha-beta search: one kernel for every game and every evaluator.

Principal variation search (Marsland and Campbell 1982) in the one-function, fail-soft form, with
a transposition table. With no limit in the way, the score is the one of plain minimax at the same
depth: table entries count only at equal depth, and nothing is pruned but what alpha-beta prunes.
A pass is a ply.
"""

from __future__ import annotations

from numba import int64

from games.abi import NO_MOVE, RULES, STATIC, Evaluation, Rules
from games.budget import STOPPED, count_node
from jit import jit
from search.memory import WORK, Work, hints_at, moves_at, position_at, pv_at
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
def leaf_score(rules: Rules, static: Evaluation, work: Work, ply: int) -> int:
    """Return the score of the position at `ply` without search: utility or evaluation."""
    position = position_at(work, ply)
    if rules.is_terminal(position):
        return from_utility(rules.utility(position), ply, work.proven)
    evaluation = static.evaluate(position, static.integers, static.floats)
    return from_evaluation(evaluation, work.static_limit)


@jit
def _best_of_leaves(
    rules: Rules, static: Evaluation, work: Work, ply: int, n: int, alpha: int, beta: int
) -> int:
    """Return the score of a node at depth 1, whose children are leaves."""
    position, child, moves = position_at(work, ply), position_at(work, ply + 1), moves_at(work, ply)
    best = int64(-INFINITY)
    for i in range(n):
        rules.play(position, moves[i], child)
        count_node(work.counters)
        score = -leaf_score(rules, static, work, ply + 1)
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                pv_at(work, ply)[0] = moves[i]
                work.pv_length[ply] = 1
                if score >= beta:
                    break
    return best


@jit
def rate_moves(rules: Rules, work: Work, ply: int, n: int, first: int) -> None:
    """Fill the hints of a ply: the game's ordering, `first` (the table's move) above all."""
    moves, hints = moves_at(work, ply), hints_at(work, ply)
    rules.order(position_at(work, ply), moves, n, hints)
    if first != NO_MOVE:
        for i in range(n):
            if moves[i] == first:
                hints[i] = _HASH_MOVE_HINT


@jit
def bring_best(work: Work, ply: int, i: int, n: int) -> int:
    """Swap the best rated of the moves i to n of a ply to place i and return it."""
    moves, hints = moves_at(work, ply), hints_at(work, ply)
    best = i
    for j in range(i + 1, n):
        if hints[j] > hints[best]:
            best = j
    moves[i], moves[best] = moves[best], moves[i]
    hints[i], hints[best] = hints[best], hints[i]
    return int64(moves[i])


@jit
def keep_pv(work: Work, ply: int, move: int) -> None:
    """Make `move` and the variation found below it the principal variation of this ply."""
    line, below = pv_at(work, ply), pv_at(work, ply + 1)
    length = work.pv_length[ply + 1]
    line[0] = move
    for i in range(length):
        line[i + 1] = below[i]
    work.pv_length[ply] = length + 1


@jit(int64(RULES, STATIC, WORK, int64, int64, int64, int64))
def negamax(
    rules: Rules, static: Evaluation, work: Work, ply: int, depth: int, alpha: int, beta: int
) -> int:
    """Return the score of the position at `ply`, searched to `depth`, for its side to move.

    In points; fail-soft: a result <= alpha is an upper bound, one >= beta a lower bound, one
    between them exact. Stopped by a limit, it returns 0, to be thrown away
    (counters[STOPPED] says so).
    """
    count_node(work.counters)
    work.pv_length[ply] = 0
    if depth == 0:
        return leaf_score(rules, static, work, ply)
    position = position_at(work, ply)
    n = rules.legal_moves(position, moves_at(work, ply))
    if n == 0:
        return from_utility(rules.utility(position), ply, work.proven)
    if depth == 1:
        return _best_of_leaves(rules, static, work, ply, n, alpha, beta)

    key = key_of(position, work.words)
    entry = probe(work.table, work.table_rows, key)
    # a cut at a node of the principal variation would cut the variation short
    if depth_of(entry) == depth and beta - alpha == 1:
        score = shift_proven(score_of(entry), -ply, work.proven)
        bound = bound_of(entry)
        if (bound & LOWER and score >= beta) or (bound & UPPER and score <= alpha):
            return score

    rate_moves(rules, work, ply, n, move_of(entry))
    best, best_move, reached = int64(-INFINITY), int64(NO_MOVE), alpha
    for i in range(n):
        move = bring_best(work, ply, i, n)
        rules.play(position, move, position_at(work, ply + 1))
        if i == 0:
            score = -negamax(rules, static, work, ply + 1, depth - 1, -beta, -reached)
        else:
            score = -negamax(rules, static, work, ply + 1, depth - 1, -reached - 1, -reached)
            if reached < score < beta:
                score = -negamax(rules, static, work, ply + 1, depth - 1, -beta, -reached)
        if work.counters[STOPPED]:
            return int64(0)
        if score > best:
            best, best_move = score, move
            if score > reached:
                reached = score
                keep_pv(work, ply, move)
                if score >= beta:
                    break
    bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
    relative = shift_proven(best, ply, work.proven)
    store(work.table, work.table_rows, key, relative, best_move, depth, bound)
    return best
