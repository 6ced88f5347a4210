"""Alpha-beta that prunes, for games such as chess: most of what it leaves out is seldom missed.

A game takes part that has the rules `in_check`, `null_move` and `exchange`, and a `margin` by which
to measure (games/groups.py). Each method is a search option:

    null_move         a side that is well off even if it passes is cut off (C. Donninger, "Null move
                      and deep search", 1993); far from the leaves a search without passes must
                      agree (zugzwang)
    check_extensions  a side in check is searched a ply deeper
    late_moves        quiet moves that come late are searched less deep (T. Romstad, "An
                      introduction to late move reductions", 2006), and near the leaves the latest
                      not at all
    futility          near the leaves: a side far above the window is cut off, and quiet moves of a
                      side far below it are left out (E. Heinz, "Extended futility pruning", 1998)
    exchange          captures that lose material come last, and near the leaves not at all

Scores beyond `proven` stay what they are: nothing is left out before a move is found that does not
lose by force. Margins and reductions are numbers of `SearchOptions`; they and the depths are those
that chess programs use, tried by matches (docs/results/search.md).
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numba import int32, int64

from samuel.games.draws import GOES_ON
from samuel.games.rules import NO_MOVE, OTHER
from samuel.kernels.bits import ONE, ZERO, bit, trailing_zeros
from samuel.kernels.budget import STOPPED, count_node
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, compose_closure
from samuel.search.alphabeta.context import SEARCH, thaw
from samuel.search.alphabeta.evaluation import score_without_depth, static_at
from samuel.search.alphabeta.options import (
    CHECK_EXTENSIONS,
    DEEPER_ROWS,
    FUTILITY,
    INTERNAL_DEEPENING,
    NULL_MOVE,
    PVS,
    TABLE,
)
from samuel.search.alphabeta.ordering import list_moves, next_move, put_first
from samuel.search.alphabeta.pruning import (
    GOOD,
    KILLER,
    is_left_out,
    keep_quiet_cutoff,
    rate,
    reduction,
)
from samuel.search.alphabeta.stack import (
    DEFER_FROM,
    DEFERRED,
    NO_NULL_BEFORE,
    ROOT_DEPTH,
    SearchStack,
    clear_busy,
    end_at,
    hints_at,
    is_busy,
    is_on,
    is_shared,
    keep_history,
    keep_pv,
    keep_turn,
    margin_of,
    mark_busy,
    moves_at,
    position_at,
    score_by_past,
)
from samuel.search.alphabeta.table import (
    EXACT,
    LOWER,
    UPPER,
    depth_of,
    fetch,
    keep,
    key_at,
    lower_of,
    move_of,
    probe,
    upper_of,
)
from samuel.search.score import INFINITY, MAX_PLY, from_utility, shift_proven

_PUT_OFF = DEFERRED // 2
"""Moves that were put off keep their rating less -DEFERRED, which is below this."""
_REVERSE_TO = 7
"""Depth to which a side above the window is cut off."""
_NULL_FROM, _VERIFY_FROM = 3, 12
_MOST_PUT_OFF = 64
"""Moves beyond this are not put off."""


@jit
def _child(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
    """Return the score of the position at ply + 1, for the side that moved there."""
    if depth <= 0:
        return -score_without_depth(context, ply + 1, -beta, -alpha)
    return -thaw(context).parts.node(context, ply + 1, depth, -beta, -alpha)


@jit(forceinline=False)
def _passes(context: Pointer, ply: int, depth: int, static: int, beta: int) -> int:
    """Return a score >= beta that passing proves, or -INFINITY."""
    rules, _, _, stack = thaw(context)
    if rules.null_move(position_at(stack, ply), position_at(stack, ply + 1)) == 0:
        return int64(-INFINITY)
    keep_turn(stack, ply, OTHER)
    keep_history(stack, ply, OTHER)
    stack.moved[ply + 1], stack.checked[ply + 1] = NO_MOVE, 0
    per_ply = max(int64(1), margin_of(stack, stack.null_move_surplus))
    by_depth = 10_000 * depth // stack.null_move_divisor
    less = (stack.null_move_reduction + by_depth) // 100 + min(int64(3), (static - beta) // per_ply)
    left = depth - 1 - less
    score = _child(context, ply, left, beta - 1, beta)
    if stack.counters[STOPPED] or score < beta:
        return int64(-INFINITY)
    score = beta if score >= stack.proven else score
    if depth < _VERIFY_FROM:
        return score
    before = stack.tally[NO_NULL_BEFORE]
    stack.tally[NO_NULL_BEFORE] = ply + max(int64(1), 3 * left // 4)
    checked = thaw(context).parts.node(context, ply, max(int64(1), left), beta - 1, beta)
    stack.tally[NO_NULL_BEFORE] = before
    return score if checked >= beta else int64(-INFINITY)


@jit
def _cutoff_without_a_move(
    context: Pointer, ply: int, depth: int, likely: int, beta: int, worsens: bool
) -> int:
    """Return a score >= beta that a side has that is well off and not in check, or -INFINITY."""
    stack = thaw(context).stack
    if depth <= _REVERSE_TO and is_on(stack, FUTILITY):
        plies = depth - int64(not worsens)
        if likely - margin_of(stack, stack.reverse_futility_margin * plies) >= beta:
            return likely
    may_pass = is_on(stack, NULL_MOVE) and stack.moved[ply] != NO_MOVE
    may_pass = may_pass and ply >= stack.tally[NO_NULL_BEFORE]
    if may_pass and depth >= _NULL_FROM and likely >= beta:
        return _passes(context, ply, depth, likely, beta)
    return int64(-INFINITY)


@jit
def _known_score(
    stack: SearchStack, head: Any, bounds: Any, ply: int, depth: int, alpha: int, beta: int
) -> int:
    """Return a score outside the window that a row of the table proves, or -INFINITY."""
    deeper = depth_of(head) - depth
    if bounds and (deeper == 0 or (deeper > 0 and is_on(stack, DEEPER_ROWS))):
        score = shift_proven(lower_of(bounds), -ply, stack.proven)
        if score >= beta:
            return score
        score = shift_proven(upper_of(bounds), -ply, stack.proven)
        if score <= alpha:
            return score
    return int64(-INFINITY)


@jit
def _estimate(stack: SearchStack, static: int, bounds: Any, ply: int) -> int:
    """Return the static evaluation, or what a row of the table knows better."""
    if bounds:
        lower, upper = lower_of(bounds), upper_of(bounds)
        if static < lower < stack.proven:
            return lower
        if -stack.proven < upper < static:
            return upper
    return static


@jit
def prune(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
    """Return the score of the position at `ply`, searched to `depth`, for its side to move."""
    rules, _, parts, stack = thaw(context)
    stack.pv_length[ply] = 0
    position = position_at(stack, ply)
    is_pv = beta - alpha > 1
    if ply == 0:
        stack.tally[ROOT_DEPTH] = depth
        stack.tally[NO_NULL_BEFORE] = 0
        stack.checked[0] = rules.in_check(position)
    else:
        by_past = end_at(stack, ply)
        if by_past != GOES_ON and not rules.is_terminal(position):
            count_node(stack.counters)
            return score_by_past(stack, by_past, ply)
        # no line is worth more than a win at the next ply, or less than a loss here
        most = stack.proven + MAX_PLY
        alpha, beta = max(alpha, ply - most), min(beta, most - ply - 1)
        if alpha >= beta:
            return alpha
    if ply >= 2 * MAX_PLY:
        return parts.quiesce(context, ply, int64(0), alpha, beta)
    count_node(stack.counters)
    checked = stack.checked[ply] != 0
    if checked and is_on(stack, CHECK_EXTENSIONS) and ply < 2 * stack.tally[ROOT_DEPTH]:
        depth += 1
    has_row = is_on(stack, TABLE)
    key = key_at(stack, ply, OTHER)
    if has_row:
        fetch(stack.table, stack.table_rows, key)
    n = list_moves(context, ply, depth)
    if n == 0:
        return from_utility(rules.utility(position), ply, stack.proven)
    first = int64(stack.line[0]) if ply == 0 else int64(NO_MOVE)
    head, bounds = np.uint64(0), np.uint64(0)
    if has_row:
        head, bounds = probe(stack.table, stack.table_rows, key)
        if ply > 0:
            first = move_of(bounds)
            if not is_pv:
                score = _known_score(stack, head, bounds, ply, depth, alpha, beta)
                if score > -INFINITY:
                    return score
    static = int64(-INFINITY)
    worsens = True
    if not checked:
        static = static_at(context, ply)
        worsens = ply >= 2 and static <= stack.static_scores[ply - 2]
    stack.static_scores[ply] = static
    if not checked and not is_pv and ply > 0 and abs(beta) < stack.proven:
        likely = _estimate(stack, static, bounds, ply)
        score = _cutoff_without_a_move(context, ply, depth, likely, beta, worsens)
        stack.pv_length[ply] = 0
        if stack.counters[STOPPED]:
            return int64(0)
        if score >= beta:
            return score
        if depth >= _VERIFY_FROM:  # a search of this ply may have gone over the moves
            n = list_moves(context, ply, depth)
    is_unknown = first == NO_MOVE and ply > 0 and is_pv and depth >= 5
    if is_unknown and is_on(stack, INTERNAL_DEEPENING):
        depth -= 1  # nothing is known: the row that this leaves orders the next search
    node = NodeState(static, is_pv, checked, worsens)
    best, place = _search_moves(context, ply, depth, alpha, beta, n, first, node)
    if stack.counters[STOPPED]:
        return int64(0)
    best_move = first if place < 0 else int64(moves_at(stack, ply)[place])
    bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
    if has_row:
        keep(stack, key, ply, depth, best, bound, best_move)
    if stack.listens:
        parts.learn(context, ply, depth, best, alpha, beta)
    return best


class NodeState(NamedTuple):
    """State of a node before its moves are searched."""

    static: int
    is_pv: bool
    is_checked: bool
    worsens: bool


@jit
def _search_child(
    context: Pointer,
    stack: SearchStack,
    ply: int,
    depth: int,
    late: int,
    reached: int,
    beta: int,
    is_first: bool,
    is_pv: bool,
) -> int:
    """Return the score of the move just made: the first in full, others by a null window."""
    if is_first:
        return _child(context, ply, depth - 1, reached, beta)
    scouts = is_on(stack, PVS)
    high = reached + 1 if scouts else beta
    score = _child(context, ply, depth - 1 - late, reached, high)
    if late > 0 and score > reached and not stack.counters[STOPPED]:
        score = _child(context, ply, depth - 1, reached, high)
    if scouts and is_pv and reached < score < beta and not stack.counters[STOPPED]:
        score = _child(context, ply, depth - 1, reached, beta)
    return score


@jit
def _search_moves(
    context: Pointer,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
    n: int,
    first: int,
    node: NodeState,
) -> tuple[int, int]:
    """Search the n moves of a node, `first` before the others; return best score and its place."""
    rules, _, _, stack = thaw(context)
    hints = hints_at(stack, ply)
    known = put_first(stack, ply, n, first)
    unrated = known
    best, place, reached = int64(-INFINITY), int64(-1), alpha
    shared, child = depth >= DEFER_FROM and is_shared(stack), ZERO
    i = quiet = waiting = int64(0)
    later = ZERO
    while i < n:
        if i == unrated:
            rate(context, ply, known, n)
            unrated = int64(-1)
        move = next_move(stack, ply, i, known, n)
        rating = int64(hints[i]) if i >= known else int64(GOOD)
        is_new = rating > _PUT_OFF
        nth = i + waiting
        if not is_new:
            rating -= DEFERRED
            hints[i] = int32(rating)
            nth = trailing_zeros(later)
            later &= later - ONE
        turn = rules.play(position_at(stack, ply), move, position_at(stack, ply + 1))
        checks = rules.in_check(position_at(stack, ply + 1))
        is_mate = reached >= stack.proven  # a shorter one may begin with a quiet move
        is_check = node.is_checked or checks
        spared = ply == 0 or node.is_pv or is_check or best <= -stack.proven or is_mate
        if is_new and not spared:
            static, worsens = node.static, node.worsens
            if is_left_out(stack, depth, quiet, rating, static, reached, worsens):
                i += 1
                continue
        if is_new and -KILLER < rating < KILLER:
            quiet += 1
        stack.moved[ply + 1], stack.checked[ply + 1] = move, checks
        keep_turn(stack, ply, turn)
        keep_history(stack, ply, turn)
        if shared:
            child = key_at(stack, ply + 1, turn)
            if is_new and i > known and nth < _MOST_PUT_OFF and is_busy(stack, child, depth):
                hints[i] = int32(rating + DEFERRED)
                waiting += 1
                later |= bit(nth)
                continue
            mark_busy(stack, child, depth)
        late = int64(0)
        if i > 0 and not is_mate:
            late = reduction(stack, depth, nth, rating, node.is_pv, node.worsens, is_check)
        score = _search_child(context, stack, ply, depth, late, reached, beta, i == 0, node.is_pv)
        if shared:
            clear_busy(stack, child, depth)
        if stack.counters[STOPPED]:
            break
        if score > best:
            best = score
            if score > reached:
                reached, place = score, i
                keep_pv(stack, ply, move)
                if score >= beta:
                    if rating < GOOD and rating > -KILLER:
                        keep_quiet_cutoff(stack, ply, depth, i, known)
                    break
        i += 1
    return best, place


@functools.cache
def pruned_search() -> Any:
    """Return `prune` as an entry point."""

    def node(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
        return prune(context, ply, depth, alpha, beta)

    return compose_closure(node, SEARCH)
