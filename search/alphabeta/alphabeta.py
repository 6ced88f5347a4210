"""The compiled alpha-beta search: for every game and every evaluator.

Principal variation search (Marsland and Campbell 1982) in the one-function, fail-soft form, with
a transposition table. At full width, with no limit in the way, the score is the one of plain
minimax at the same depth: table entries count only at equal depth, and nothing is pruned but what
alpha-beta prunes. A selective search leaves out what ProbCut (probcut.py) and late moves
(`late_score`) show, and entries of deeper searches count.

A pass is a ply. Where a game has draws by rule, a position of the tree that comes again is one at
once, one from before the root by the rules; what the table keeps then depends a little on
the way that led to a position, as in every engine.
"""

from __future__ import annotations

import functools
from typing import Any

from numba import int64

from samuel.games.draws import GOES_ON
from samuel.games.rules import CHANCE, NO_MOVE, OTHER, REVERSIBLE, SAME
from samuel.kernels.bits import ZERO, Word
from samuel.kernels.budget import STOPPED, count_node
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, compose_closure
from samuel.search.alphabeta.chance import child_score
from samuel.search.alphabeta.context import SEARCH, thaw
from samuel.search.alphabeta.options import (
    ENHANCED_CUTOFFS,
    INTERNAL_DEEPENING,
    LATE_MOVES,
    PVS,
    TABLE,
)
from samuel.search.alphabeta.ordering import (
    keep_cutoff,
    list_moves,
    next_move,
    put_first,
    rate_moves,
)
from samuel.search.alphabeta.probcut import selective_cutoff
from samuel.search.alphabeta.stack import (
    DEFER_FROM,
    DEFERRED,
    SearchStack,
    clear_busy,
    end_at,
    hints_at,
    is_busy,
    is_on,
    is_selective,
    is_shared,
    keep_history,
    keep_pv,
    keep_turn,
    mark_busy,
    moves_at,
    position_at,
    pv_at,
    score_by_past,
)
from samuel.search.alphabeta.table import (
    EXACT,
    LOWER,
    TABLE_FROM,
    UPPER,
    counts,
    fetch,
    keep,
    key_at,
    lower_of,
    move_of,
    probe,
    upper_of,
)
from samuel.search.score import INFINITY, from_utility, shift_proven

_REDUCTION = 2
_REDUCE_FROM = 5
"""Plies from which on: a late move is then searched two at least."""
_EARLY = 3.0
"""Moves in full for each sigma of confidence."""


@jit
def moves_in_full(stack: SearchStack, ply: int, depth: int, n: int) -> int:
    """Return how many of the n moves of a node are searched to its whole depth at once."""
    if depth < _REDUCE_FROM or not is_selective(stack, ply, depth) or not is_on(stack, LATE_MOVES):
        return int64(n)
    return min(int64(n), max(int64(1), int64(_EARLY * stack.confidence + 0.5)))


@jit(forceinline=False)
def late_score(context: Pointer, ply: int, depth: int, turn: int, alpha: int, beta: int) -> int:
    """Return `child_score` of a late move, in a null window, for a node searched to `depth`.

    Where moves are well ordered, one that comes late is seldom the best. It is first searched two
    plies less deep, so that (where sides move in turn) the same side is to move at the leaves, and
    in full only where it then seems to reach the window (T. Romstad, "An introduction to late move
    reductions", 2006).
    """
    score = child_score(context, ply, depth - 1 - _REDUCTION, turn, alpha, beta)
    if score > alpha:
        score = child_score(context, ply, depth - 1, turn, alpha, beta)
    return score


LAST_PLIES = 2
"""Depths that `samuel.search.alphabeta.frontier` searches."""
ENHANCE_FROM = 4
INTERNAL_FROM = 5


@jit
def _last_plies(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
    """Return the score of a node at depth 1 or 2."""
    _, _, parts, stack = thaw(context)
    line = pv_at(stack, ply)
    score = parts.leaves(context, ply, depth, alpha, beta)
    if score > alpha and line[0] != NO_MOVE:
        stack.pv_length[ply] = 1 if line[1] == NO_MOVE else 2
    return score


@jit(forceinline=False)
def _cutoff_by_a_child(context: Pointer, ply: int, depth: int, n: int, beta: int) -> int:
    """Return a score >= beta that the table proves for a move (Schaeffer and Plaat 1996)."""
    rules, _, _, stack = thaw(context)
    moves = moves_at(stack, ply)
    for i in range(n):
        turn = rules.play(position_at(stack, ply), moves[i], position_at(stack, ply + 1))
        if turn & REVERSIBLE:
            continue  # it may be a draw, of which the table knows nothing
        head, bounds = probe(stack.table, stack.table_rows, key_at(stack, ply + 1, turn))
        if counts(stack, head, ply + 1, depth - 1):
            proof = lower_of(bounds) if turn & SAME else -upper_of(bounds)
            score = shift_proven(proof, -ply - 1, stack.proven)
            if score >= beta:
                return score
    return int64(-INFINITY)


@jit
def _cutoff_by_the_table(
    context: Pointer, ply: int, depth: int, n: int, head: Word, bounds: Word, alpha: int, beta: int
) -> int:
    """Return a score outside the window that rows of the table prove, or -INFINITY."""
    stack = thaw(context).stack
    if counts(stack, head, ply, depth):
        # an exact score inside the window would cut the principal variation short
        score = shift_proven(lower_of(bounds), -ply, stack.proven)
        if score >= beta:
            return score
        score = shift_proven(upper_of(bounds), -ply, stack.proven)
        if score <= alpha:
            return score
    if depth >= ENHANCE_FROM and is_on(stack, ENHANCED_CUTOFFS):
        score = _cutoff_by_a_child(context, ply, depth, n, beta)
        if score >= beta:
            return score
    return int64(-INFINITY)


@jit
def _search_moves(
    context: Pointer,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
    n: int,
    first: int,
    alternates: bool,
    has_draws: bool,
    cuts: bool,
) -> tuple[int, int]:
    """Search the n moves of a node, `first` before the others; return the best score and move."""
    rules, _, _, stack = thaw(context)
    known = put_first(stack, ply, n, first)
    unrated = known
    best, best_move, reached = int64(-INFINITY), int64(NO_MOVE), alpha
    shared, child, i = depth >= DEFER_FROM and is_shared(stack), ZERO, 0
    in_full = moves_in_full(stack, ply, depth, n) if beta - alpha == 1 else n
    while i < n:
        if i == unrated:
            rate_moves(context, ply, depth, known, n)
            unrated = int64(-1)
        move = next_move(stack, ply, i, known, n)
        turn = rules.play(position_at(stack, ply), move, position_at(stack, ply + 1))
        stack.moved[ply + 1] = move
        if alternates:
            turn = int64(OTHER)
        else:
            keep_turn(stack, ply, turn)
            if has_draws:
                keep_history(stack, ply, turn)
        if shared:
            child = key_at(stack, ply + 1, turn)
            if i > 0 and hints_at(stack, ply)[i] > DEFERRED and is_busy(stack, child, depth):
                hints_at(stack, ply)[i] = DEFERRED
                continue
            mark_busy(stack, child, depth)
        scouts = i > 0 and is_on(stack, PVS) and (not turn & CHANCE or stack.cuts_chance != 0)
        high = reached + 1 if scouts else beta
        if i < in_full:
            score = child_score(context, ply, depth - 1, turn, reached, high)
        else:
            score = late_score(context, ply, depth, turn, reached, high)
        if scouts and reached < score < beta:
            score = child_score(context, ply, depth - 1, turn, reached, beta)
        if shared:
            clear_busy(stack, child, depth)
        if stack.counters[STOPPED]:
            break
        i += 1
        if score > best:
            best, best_move = score, move
            if score > reached:
                if cuts:
                    reached = score
                keep_pv(stack, ply, move)
                if score >= beta:
                    keep_cutoff(stack, ply, depth, move)
                    break
    return best, best_move


@jit
def negamax(
    context: Pointer,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
    alternates: bool,
    has_draws: bool,
    cuts: bool,
) -> int:
    """Return the score of the position at `ply`, searched to `depth`, for its side to move.

    In points; fail-soft: a result <= alpha is an upper bound, one >= beta a lower bound, one
    between them exact. Stopped by a limit, it returns 0, to be thrown away
    (see counters[STOPPED]). `context` is a packed Searcher. Two constants are of the game: that
    the sides move in turn and nothing is left to chance, and that there are draws by rule; the
    third, whether a move that was searched narrows the window of the next.
    """
    rules, _, parts, stack = thaw(context)
    stack.pv_length[ply] = 0
    if has_draws:
        by_past = end_at(stack, ply)
        if by_past != GOES_ON and not rules.is_terminal(position_at(stack, ply)):
            count_node(stack.counters)
            return score_by_past(stack, by_past, ply)
    if 0 < depth <= LAST_PLIES and not stack.listens:
        return _last_plies(context, ply, depth, alpha, beta)
    count_node(stack.counters)
    if depth == 0:
        return parts.quiesce(context, ply, depth, alpha, beta)
    has_row = depth >= TABLE_FROM and is_on(stack, TABLE)
    key = ZERO
    if has_row:
        key = key_at(stack, ply, OTHER)
        fetch(stack.table, stack.table_rows, key)
    n = list_moves(context, ply, depth)
    if n == 0:
        return from_utility(rules.utility(position_at(stack, ply)), ply, stack.proven)

    first = int64(stack.line[0]) if ply == 0 else int64(NO_MOVE)
    if has_row:
        head, bounds = probe(stack.table, stack.table_rows, key)
        if ply > 0:
            first = move_of(bounds)
            score = _cutoff_by_the_table(context, ply, depth, n, head, bounds, alpha, beta)
            if score > -INFINITY:
                return score
        if first == NO_MOVE and depth >= INTERNAL_FROM and is_on(stack, INTERNAL_DEEPENING):
            parts.node(context, ply, depth - 2, alpha, beta)
            stack.pv_length[ply] = 0
            if stack.counters[STOPPED]:
                return int64(0)
            n = list_moves(context, ply, depth)
            first = move_of(probe(stack.table, stack.table_rows, key)[1])
    if beta - alpha == 1 and ply > 0 and depth < stack.depths and is_selective(stack, ply, depth):
        side = selective_cutoff(context, ply, depth, alpha)
        if stack.counters[STOPPED]:
            return int64(0)
        stack.pv_length[ply] = 0
        if side != 0:
            return beta if side > 0 else alpha
        # the shallow searches went over the moves, and may have found the best
        n = list_moves(context, ply, depth)
        if first == NO_MOVE and has_row:
            first = move_of(probe(stack.table, stack.table_rows, key)[1])

    best, best_move = _search_moves(
        context, ply, depth, alpha, beta, n, first, alternates, has_draws, cuts
    )
    if stack.counters[STOPPED]:
        return int64(0)
    bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
    if has_row:
        keep(stack, key, ply, depth, best, bound, best_move)
    if stack.listens:
        parts.learn(context, ply, depth, best, alpha, beta)
    return best


@functools.cache
def node_search(alternates: bool, has_draws: bool, cuts: bool = True) -> Any:
    """Return `negamax` as an entry point, compiled for what games have, or have not."""

    def node(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
        return negamax(context, ply, depth, alpha, beta, alternates, has_draws, cuts)

    return compose_closure(node, SEARCH)
