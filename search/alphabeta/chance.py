"""Nodes where chance is to move: the mean over what may come, each outcome by its weight.

Plain expectiminimax (D. Michie, "Game-playing and game-learning automata", 1966) searches every
outcome with the widest window, for each has its part in the mean. Star1 and Star2 (B. Ballard, "The
*-minimax search procedure for trees containing chance nodes", 1983; T. Hauk, M. Buro, J. Schaeffer,
"Rediscovering *-minimax search", 2006) know that no score lies beyond the best and the worst
result of the game. Star1 ends when what is left cannot bring the mean back into the window; Star2
first tries one or a few moves after each outcome, which bounds its score, and often ends there.

All is done with whole numbers: `floor` and `ceiling` are the least and the most that the weighted
sum of scores can still be. So the mean is the same to the last point, however it is found.

Depth counts decisions: what chance does takes a row of the stack and no depth, and where none is
left the dice are still thrown. So scores rest on evaluations of positions in which a side is to
move, such as datasets hold. Only an evaluator that does not look at dice is asked before them.
"""

from __future__ import annotations

import functools
from typing import Any

from numba import int64

from samuel.games.rules import CHANCE, NO_MOVE, SAME
from samuel.kernels.bits import ZERO
from samuel.kernels.budget import STOPPED, count_node
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, compose_closure
from samuel.search.alphabeta.context import SEARCH, thaw
from samuel.search.alphabeta.evaluation import leaf_score
from samuel.search.alphabeta.options import CORRECTION, TABLE
from samuel.search.alphabeta.ordering import list_moves, next_move, put_first, rate_moves
from samuel.search.alphabeta.stack import (
    SearchStack,
    bounds_at,
    hints_at,
    is_on,
    keep_turn,
    moves_at,
    position_at,
)
from samuel.search.alphabeta.table import (
    EXACT,
    LOWER,
    TABLE_FROM,
    UPPER,
    counts,
    keep,
    key_at,
    lower_of,
    move_of,
    probe,
    upper_of,
)
from samuel.search.score import (
    INFINITY,
    MAX_PLY,
    PLIES,
    from_outcomes,
    from_utility,
    least_total,
    shift_proven,
)

NO_CUTS = -1
"""In place of a number of probes: plain expectiminimax. Without any it is Star1, else Star2."""


@jit(SEARCH)
def no_chance(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
    """Return the score of a node in a game that leaves nothing to chance."""
    return thaw(context).parts.node(context, ply, depth, alpha, beta)


@jit
def window_below(turn: int, alpha: int, beta: int) -> tuple[int, int]:
    """Return a window as it is for who moves next, by what `play` said."""
    return (alpha, beta) if turn & SAME else (-beta, -alpha)


@jit
def child_score(context: Pointer, ply: int, depth: int, turn: int, alpha: int, beta: int) -> int:
    """Return the score of the node at `ply` + 1, searched to `depth`, for who moves at `ply`."""
    parts = thaw(context).parts
    low, high = window_below(turn, alpha, beta)
    if turn & CHANCE:
        score = parts.chance(context, ply + 1, depth, low, high)
    else:
        score = parts.node(context, ply + 1, depth, low, high)
    return score if turn & SAME else -score


@jit
def _best(stack: SearchStack) -> int:
    """Return points that no score is beyond."""
    return stack.static_limit if stack.proven == INFINITY else stack.proven + MAX_PLY


@jit(forceinline=False)
def _probe_moves(context: Pointer, ply: int, depth: int, beta: int, probes: int) -> int:
    """Return a score that the side to move at `ply` can be sure of, by its first moves alone."""
    rules, _, _, stack = thaw(context)
    n = list_moves(context, ply, depth)
    if n == 0:
        return from_utility(rules.utility(position_at(stack, ply)), ply, stack.proven)
    first = int64(NO_MOVE)
    if depth >= TABLE_FROM and is_on(stack, TABLE):
        first = move_of(probe(stack.table, stack.table_rows, key_at(stack, ply, int64(0)))[1])
    known = put_first(stack, ply, n, first)
    best = -_best(stack) - 1
    for i in range(min(n, probes)):
        if i == known:
            rate_moves(context, ply, depth, known, n)
        move = next_move(stack, ply, i, known, n)
        turn = rules.play(position_at(stack, ply), move, position_at(stack, ply + 1))
        keep_turn(stack, ply, turn)
        best = max(best, child_score(context, ply, depth - 1, turn, best, beta))
        if stack.counters[STOPPED] or best >= beta:
            break
    return best


@jit
def mean_of_outcomes(
    context: Pointer,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
    probes: int,
    throws_at_leaves: bool,
) -> int:
    """Return the expected score of the position at `ply`, for who moves after the dice."""
    rules, _, parts, stack = thaw(context)
    stack.pv_length[ply] = 0
    position, outcomes, weights = (
        position_at(stack, ply),
        moves_at(stack, ply),
        hints_at(stack, ply),
    )
    n = rules.outcomes(position, outcomes, weights)
    if n == 0:
        return parts.node(context, ply, depth, alpha, beta)
    count_node(stack.counters)
    if depth == 0 and not throws_at_leaves and not is_on(stack, CORRECTION):
        return leaf_score(context, ply)
    if ply + 1 + depth >= PLIES - 1:
        stack.counters[STOPPED] = 1
        return int64(0)
    if probes == NO_CUTS:
        alpha, beta = int64(-INFINITY), int64(INFINITY)
    has_row, key = depth >= TABLE_FROM and is_on(stack, TABLE), ZERO
    if has_row:
        key = key_at(stack, ply, CHANCE)
        head, row = probe(stack.table, stack.table_rows, key)
        if counts(stack, head, ply, depth):
            lower = shift_proven(lower_of(row), -ply, stack.proven)
            upper = shift_proven(upper_of(row), -ply, stack.proven)
            if lower >= beta or lower == upper:
                return lower
            if upper <= alpha:
                return upper
    best, chances = _best(stack), stack.chances
    high, low = least_total(beta, chances), -least_total(-alpha, chances)
    floor, ceiling, bounds = -best * chances, best * chances, bounds_at(stack, ply)
    for i in range(n if probes > 0 and depth > 0 else 0):
        turn = rules.play(position, int64(outcomes[i]), position_at(stack, ply + 1))
        keep_turn(stack, ply, turn)
        bounds[i] = -best if turn & SAME else best
        in_reach = high <= best * chances if turn & SAME else low >= -best * chances
        if turn & CHANCE or not in_reach or floor >= high or ceiling <= low:
            continue
        # what its side to move can be sure of: for us the least where it is ours, else the most
        rest = high - floor if turn & SAME else ceiling - low
        enough = -((-rest) // weights[i]) - best
        sure = _probe_moves(context, ply + 1, depth, min(enough, best + 1), probes)
        if stack.counters[STOPPED]:
            return int64(0)
        bounds[i] = sure if turn & SAME else -sure
        if turn & SAME:
            floor += weights[i] * (sure + best)
        else:
            ceiling -= weights[i] * (sure + best)
    for i in range(n):
        if floor >= high or ceiling <= low:
            break
        turn = rules.play(position, int64(outcomes[i]), position_at(stack, ply + 1))
        keep_turn(stack, ply, turn)
        weight, least, most = int64(weights[i]), -best, best
        if probes > 0 and depth > 0:
            least, most = (int64(bounds[i]), best) if turn & SAME else (-best, int64(bounds[i]))
        floor -= weight * least
        ceiling -= weight * most
        # the scores at which the mean leaves the window, whatever comes after
        above = min(most + 1, -((floor - high) // weight))
        below = max(least - 1, (low - ceiling) // weight)
        under, over = window_below(turn, below, above)
        score = parts.chance(context, ply + 1, depth, under, over)
        if stack.counters[STOPPED]:
            return int64(0)
        score = score if turn & SAME else -score
        floor += weight * (score if score > below else least)
        ceiling += weight * (score if score < above else most)
    bound = EXACT if floor == ceiling else LOWER if floor >= high else UPPER
    mean = from_outcomes(ceiling if bound == UPPER else floor, chances)
    if has_row:
        keep(stack, key, ply, depth, mean, bound, NO_MOVE)
    return mean


@functools.cache
def chance_search(probes: int, ignores_chance: bool = False) -> Any:
    """Return `mean_of_outcomes` as an entry point."""
    throws_at_leaves = not ignores_chance

    def chance(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
        return mean_of_outcomes(context, ply, depth, alpha, beta, probes, throws_at_leaves)

    return compose_closure(chance, SEARCH)
