"""Exact endgames of Othello, much faster than the general search.

Principal variation search in three tiers. With many squares left (`_search`) moves are ordered
by a shallow search; below, in null windows (`_null_window`), by the mobility they leave; the last
squares (games/othello/last_squares.py) have no table and no sorting. Cuts: bounds in the table,
those of the children too (enhanced transposition cutoff; Plaat 1996), and the opponent's stable
discs where they leave too little to win.

With an evaluator and many squares left, the exact search is the second of two passes. The first
leaves out what the evaluator is sure enough of (games/othello/endgame_order.py): its best moves
stay in the table, and its score is what the exact pass has but to confirm. Its bounds do not count
there, so the second pass rests on proofs alone.

Threads that share the table share the work: with many squares left each marks the positions that it
searches, and the others put off the moves that lead there (J.-C. Weill 1996, "The ABDADA
distributed minimax-search algorithm").
"""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from samuel.games.othello.bits import MOST_MOVES, final_difference, moves_of, stable_discs_within
from samuel.games.othello.endgame_order import (
    MOVE_ORDERING,
    SELECT_FROM,
    MoveOrdering,
    next_best,
    put_off,
    rate_by_search,
    rate_moves,
    selective_cut,
    turn_moves,
)
from samuel.games.othello.endgame_table import (
    fetch,
    high_of,
    is_searched,
    key_of,
    low_of,
    mark_searched,
    probe,
    store,
    usable,
)
from samuel.games.othello.last_squares import WORST, solve_few
from samuel.kernels.bits import ZERO, Word, bit, popcount
from samuel.kernels.budget import NODES, STOPPED, count_node
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, INTS, WORDS, Pointer, as_words, offset, room_of

_FEW = 5
"""From this many empty squares down, sorting and the table cost more than they save."""

_NEAR, _NEAR_ROWS = 11, 1 << 16
"""Below so many empty squares positions recur soon, in a part of the table, of 1 MB, that stays in
the processor's caches. Each thread has a part of its own, if there is room: cores that write to one
wait for each other (two threads visited 1.7 times as many nodes a second as one, with parts of
their own 2.0 times)."""

_LOOK_AHEAD = 9
"""From this many empty squares on, the children are looked up in the table before any search."""

_DEEP, _DEEPEST = 14, 6
"""From this many empty squares on, a shallow search orders the moves: a ply more every two, up to
so many. An evaluator is asked of the positions after the moves, without one (decision 012)."""

TWO_PASSES_FROM = 17
"""From this many empty squares on, an evaluator's selective pass comes before the exact one."""

_SHARED_FROM = 16
"""From this many empty squares on a position is marked for other threads: below, what they lose by
searching it too is less than what they lose by a bad order."""

_STABILITY_FROM = 20
"""Stable discs are counted only where alpha is so high that they may decide."""

_UNKNOWN = 1 << 10
"""No score."""

_PLACE = 64
"""The row of the scratch that holds a position for the evaluator; below, each row is the move list
of a number of empty squares."""


_MOST_FEW = 16
"""Room for the moves of `_null_window`: no fewer than its empty squares."""
_few_room, _room = room_of(_MOST_FEW), room_of(MOST_MOVES)


@jit
def _part_for(empties: int, table: Pointer, rows: int, near: Pointer) -> tuple[Pointer, int]:
    """Return the table of positions with so many empty squares, and its rows."""
    if empties < _NEAR:
        return near, min(rows, int64(_NEAR_ROWS))
    return table, rows


@jit
def _most_possible(player: Word, opponent: Word, empty: Word, alpha: int) -> int:
    """Return an upper bound of the score, a sharp one if it may be as low as `alpha`."""
    size = popcount(player | opponent | empty)
    if alpha < _STABILITY_FROM or size - 2 * popcount(opponent) > alpha:
        return size
    wall = ~(player | opponent | empty)
    return size - 2 * popcount(stable_discs_within(opponent, player, wall))


@jit
def _fetch_children(
    player: Word,
    opponent: Word,
    moves: Word,
    flips: Pointer,
    keys: Pointer,
    table: Pointer,
    rows: int,
) -> None:
    """Fill `keys` with those of the children, and have their rows loaded."""
    n = 0
    while moves:
        move = moves & (ZERO - moves)
        moves ^= move
        keys[n] = key_of(opponent ^ flips[n], player ^ flips[n] ^ move)
        fetch(table, rows, keys[n])
        n += 1


@jit
def _known_score(entry: Word, alpha: int) -> int:
    """Return the bound by which an entry decides the window (alpha, alpha + 1), or _UNKNOWN."""
    if low_of(entry) > alpha:
        return low_of(entry)
    return high_of(entry) if high_of(entry) <= alpha else int64(_UNKNOWN)


@jit
def _least_by_children(
    keys: Pointer, n: int, beta: int, table: Pointer, rows: int, selective: int
) -> int:
    """Return a lower bound of the score that the table has by one move, if it is >= `beta`."""
    for i in range(n):
        least = -high_of(usable(probe(table, rows, keys[i]), selective))
        if least >= beta:
            return least
    return int64(WORST)


@jit(int64(uint64, uint64, uint64, int64, WORDS, int64, WORDS, COUNTS))
def _null_window(
    player: Word,
    opponent: Word,
    empty: Word,
    alpha: int,
    table: Pointer,
    rows: int,
    near: Pointer,
    counters: Pointer,
) -> int:
    """Solve the window (alpha, alpha + 1), fail-soft, with at least four empty squares."""
    empties = popcount(empty)
    if empties <= _FEW:
        return solve_few(player, opponent, empty, alpha, counters)
    count_node(counters)
    if counters[STOPPED]:
        return int64(0)
    kept, known = _part_for(empties, table, rows, near)
    key = key_of(player, opponent)
    fetch(kept, known, key)
    moves = moves_of(player, opponent) & empty
    if moves == ZERO:
        if moves_of(opponent, player) & empty == ZERO:
            return final_difference(player, opponent, empty)
        return -_null_window(opponent, player, empty, -alpha - 1, table, rows, near, counters)
    most = _most_possible(player, opponent, empty, alpha)
    if most <= alpha:
        return most
    entry = probe(kept, known, key)
    score = _known_score(entry, alpha)
    if score != _UNKNOWN:
        return score
    before = counters[NODES]
    flips, rated, keys = _few_room(), _few_room(), _few_room()
    turn_moves(player, opponent, moves, flips)
    where, theirs = _part_for(empties - 1, table, rows, near)
    if empties >= _LOOK_AHEAD:
        _fetch_children(player, opponent, moves, flips, keys, where, theirs)
    for i in range(_MOST_FEW):
        rated[i] = ZERO
    rate_moves(player, opponent, empty, moves, flips, entry, rated)
    if empties >= _LOOK_AHEAD:  # their rows have come from memory in the meantime
        least = _least_by_children(keys, popcount(moves), alpha + 1, where, theirs, int64(0))
        if least > alpha:
            return least
    best, best_square = int64(WORST), int64(0)
    for _ in range(popcount(moves)):
        i, square = next_best(rated, _MOST_FEW)
        child, other = opponent ^ flips[i], player ^ flips[i] ^ bit(square)
        left = empty ^ bit(square)
        score = -_null_window(child, other, left, -alpha - 1, table, rows, near, counters)
        if counters[STOPPED]:
            return int64(0)
        if score > best:
            best, best_square = score, square
            if score > alpha:
                break
    low = best if best > alpha else WORST
    high = best if best <= alpha else -WORST
    store(kept, known, key, low, high, best_square, counters[NODES] - before, int64(0))
    return best


@jit(
    int64(
        *(uint64, uint64, uint64, int64, int64), *(WORDS, int64, WORDS, INTS, COUNTS, MOVE_ORDERING)
    )
)
def _search(
    player: Word,
    opponent: Word,
    empty: Word,
    alpha: int,
    beta: int,
    table: Pointer,
    rows: int,
    near: Pointer,
    scratch: Pointer,
    counters: Pointer,
    ordering: MoveOrdering,
) -> int:
    """Solve a window (alpha, beta), fail-soft; the best move in scratch[0] as of `solve_on`."""
    empties = popcount(empty)
    rest = table, rows, near, scratch, counters, ordering
    place = as_words(offset(scratch, int64(_PLACE * MOST_MOVES)))
    if beta - alpha == 1 and 4 <= empties < _DEEP:
        return _null_window(player, opponent, empty, alpha, table, rows, near, counters)
    count_node(counters)
    if counters[STOPPED]:
        return int64(0)
    moves = moves_of(player, opponent) & empty
    if moves == ZERO:
        if moves_of(opponent, player) & empty == ZERO:
            score = final_difference(player, opponent, empty)
        else:
            score = -_search(opponent, player, empty, -beta, -alpha, *rest)
        scratch[0] = -1
        return score
    most = _most_possible(player, opponent, empty, alpha)
    if most <= alpha:
        return most
    kept, known = _part_for(empties, table, rows, near)
    key = key_of(player, opponent)
    entry = usable(probe(kept, known, key), ordering.selective)
    flips, rated = _room(), _room()
    turn_moves(player, opponent, moves, flips)
    if beta - alpha == 1:  # with a wider window a move is wanted, which a bound does not tell
        score = _known_score(entry, alpha)
        if score != _UNKNOWN:
            return score
        where, theirs = _part_for(empties - 1, table, rows, near)
        _fetch_children(player, opponent, moves, flips, rated, where, theirs)
        least = _least_by_children(rated, popcount(moves), beta, where, theirs, ordering.selective)
        if least >= beta:
            return least
        if ordering.selective and empties >= SELECT_FROM:
            side = selective_cut(player, opponent, empty, alpha, counters, ordering, place)
            if counters[STOPPED]:
                return int64(0)
            if side != 0:
                return beta if side > 0 else alpha

    before = counters[NODES]
    if empties >= _DEEP:
        depth = int64(0) if ordering.guided else min((empties - _DEEP) // 2, int64(_DEEPEST))
        rate_by_search(
            player, opponent, empty, moves, flips, entry, depth, rated, counters, ordering, place
        )
        if counters[STOPPED]:
            return int64(0)
    else:
        rate_moves(player, opponent, empty, moves, flips, entry, rated)
    best, best_square, reached = int64(WORST), int64(0), alpha
    n, taken, searched = popcount(moves), 0, 0
    if empties >= _SHARED_FROM:
        mark_searched(table, known, key)
    while searched < n:
        i, square = next_best(rated, n)
        child, other = opponent ^ flips[i], player ^ flips[i] ^ bit(square)
        left = empty ^ bit(square)
        taken += 1
        may_wait = empties > _SHARED_FROM and searched > 0 and taken <= n  # each is put off once
        if may_wait and is_searched(probe(table, rows, key_of(child, other))):
            put_off(rated, i, square)
            continue
        if searched == 0:
            score = -_search(child, other, left, -beta, -alpha, *rest)
        else:
            score = -_search(child, other, left, -reached - 1, -reached, *rest)
            if reached < score < beta:
                score = -_search(child, other, left, -beta, -score, *rest)
        searched += 1
        if counters[STOPPED]:
            return int64(0)
        if score > best:
            best, best_square = score, square
            reached = max(reached, score)
            if reached >= beta:
                break
        if empties >= _SHARED_FROM and beta - alpha == 1:  # another thread may have found it
            score = _known_score(usable(probe(kept, known, key), ordering.selective), alpha)
            if score != _UNKNOWN:
                return score
    low = best if best > alpha else WORST
    high = best if best < beta else -WORST
    selective = ordering.selective if empties >= SELECT_FROM else int64(0)
    store(kept, known, key, low, high, best_square, counters[NODES] - before, selective)
    scratch[0] = best_square
    return best


@jit
def solve_on(
    board: Word,
    position: Pointer,
    alpha: int,
    beta: int,
    table: Pointer,
    rows: int,
    scratch: Pointer,
    counters: Pointer,
    evaluate: Any,
    integers: Pointer,
    floats: Pointer,
    guided: int,
) -> int:
    """Return the exact final disc difference, fail-soft in the window (alpha, beta).

    `board` holds the squares that exist, so that the smaller boards within the 64 squares have
    the same solver; all discs stand on it. See games.groups.Solver for the other arguments. The
    best move is left in scratch[0] where the score is within a window wider than 1; -1 stands for a
    pass or a finished game.
    """
    player, opponent = position[0], position[1]
    empty = board & ~(player | opponent)
    low, high = alpha, beta
    thread = int64(scratch[0])
    own = thread if (thread + 1) * _NEAR_ROWS <= rows else int64(0)
    near = offset(table, 2 * _NEAR_ROWS * own)
    selective = int64(guided and popcount(empty) >= TWO_PASSES_FROM)
    while True:
        ordering = MoveOrdering(evaluate, integers, floats, guided, selective)
        score = _search(
            player, opponent, empty, low, high, table, rows, near, scratch, counters, ordering
        )
        if counters[STOPPED]:
            return int64(0)
        if selective:
            selective = int64(0)
            within = max(alpha + 1, min(beta - 1, score))  # a null window would tell no move
            low, high = within - 1, within + 1
        elif score <= low and low > alpha:
            low = alpha
        elif score >= high and high < beta:
            high = beta
        else:
            return score
