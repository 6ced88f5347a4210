"""Nodes where chance is to move: the mean over what may come, each outcome by its weight.

Plain expectiminimax (D. Michie, "Game-playing and game-learning automata", 1966): every outcome is
searched, with the widest window, for each has its part in the mean. Depth counts decisions: what
chance does takes a row of the stack and no depth, and where none is left the dice are still thrown.
So scores rest on evaluations of positions in which a side is to move, such as datasets hold.
"""

from __future__ import annotations

from numba import int64

from samuel.games.interface import CHANCE, NO_MOVE, SAME
from samuel.kernels.bits import ZERO
from samuel.kernels.budget import STOPPED, count_node
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
from samuel.search.alphabeta.frame import thaw
from samuel.search.alphabeta.memory import hints_at, is_on, keep_turn, moves_at, position_at
from samuel.search.alphabeta.recall import TABLE_FROM, keep, key_at
from samuel.search.alphabeta.switches import TABLE
from samuel.search.alphabeta.table import EXACT, depth_of, lower_of, probe
from samuel.search.method import SEARCH
from samuel.search.score import INFINITY, PLIES, from_outcomes


@jit(SEARCH)
def no_chance(frame: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
    """Return the score of a node in a game that leaves nothing to chance."""
    return thaw(frame).calls.node(frame, ply, depth, alpha, beta)


@jit(SEARCH)
def expectiminimax(frame: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
    """Return the expected score of the position at `ply`, for the side that moves after the dice.

    Each outcome is searched to `depth`, whatever the window. Where a side is to move, the score is
    that of `negamax`. `frame` is a packed Searcher; stopped by a limit, it returns 0. A line that
    would take more rows than there are is stopped, too.
    """
    rules, _, calls, work = thaw(frame)
    work.pv_length[ply] = 0
    position, outcomes, weights = position_at(work, ply), moves_at(work, ply), hints_at(work, ply)
    n = rules.outcomes(position, outcomes, weights)
    if n == 0:
        return calls.node(frame, ply, depth, alpha, beta)
    count_node(work.counters)
    if ply + 1 + depth >= PLIES - 1:
        work.counters[STOPPED] = 1
    has_row, key = depth >= TABLE_FROM and is_on(work, TABLE), ZERO
    if has_row:
        key = key_at(work, ply, CHANCE)
        head, bounds = probe(work.table, work.table_rows, key)
        if depth_of(head) == depth:
            return lower_of(bounds)  # means are exact
    total = int64(0)
    for i in range(n):
        if work.counters[STOPPED]:
            return int64(0)
        turn = rules.play(position, int64(outcomes[i]), position_at(work, ply + 1))
        keep_turn(work, ply, turn)
        score = calls.chance(frame, ply + 1, depth, int64(-INFINITY), int64(INFINITY))
        total += weights[i] * (score if turn & SAME else -score)
    if work.counters[STOPPED]:
        return int64(0)
    mean = from_outcomes(total, work.chances)
    if has_row:
        keep(work, key, ply, depth, mean, EXACT, NO_MOVE)
    return mean


@jit
def window_below(turn: int, alpha: int, beta: int) -> tuple[int, int]:
    """Return a window as it is for who moves next, by what `play` said."""
    return (alpha, beta) if turn & SAME else (-beta, -alpha)


@jit
def child_score(frame: Pointer, ply: int, depth: int, turn: int, alpha: int, beta: int) -> int:
    """Return the score of the node at `ply` + 1, searched to `depth`, for who moves at `ply`.

    `turn` is what `play` said; `alpha` and `beta` are the window at `ply`.
    """
    calls = thaw(frame).calls
    low, high = window_below(turn, alpha, beta)
    if turn & CHANCE:
        score = calls.chance(frame, ply + 1, depth, low, high)
    else:
        score = calls.node(frame, ply + 1, depth, low, high)
    return score if turn & SAME else -score
