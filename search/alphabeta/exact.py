"""Exact endgames: by the game's own solver, or by a search to the end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64

from samuel.games.interface import NO_MOVE
from samuel.kernels.budget import (
    CHECK_AT,
    DEADLINE,
    INTERRUPTED,
    NODE_LIMIT,
    NODES,
    POLL_EVERY,
    STOPPED,
    UNLIMITED,
    now,
)
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at
from samuel.search.alphabeta.frame import thaw
from samuel.search.alphabeta.memory import SearchStack, moves_at, position_at
from samuel.search.alphabeta.root import keep_line
from samuel.search.method import SEARCHER, Found
from samuel.search.score import INFINITY, MAX_PLY, POINTS


@jit
def widest_window(stack: SearchStack) -> int:
    """Return a bound in whole units that no result of a finished game reaches."""
    return int64(stack.static_limit // POINTS + 1)


@jit
def solved_score(context: Pointer, ply: int, alpha: int, beta: int) -> int:
    """Return the exact utility of the position at `ply`, by the game's solver, in whole units."""
    rules, evaluation, _, stack = thaw(context)
    return rules.solve(
        *(position_at(stack, ply), alpha, beta, stack.solver_table, stack.solver_rows),
        *(stack.hints, stack.counters, evaluation.evaluate, evaluation.integers),
        *(evaluation.floats, stack.guided),
    )


@jit
def solve_root(context: Pointer, alpha: int, beta: int) -> int:
    """Return the exact utility of the root by the game's solver; the best move in line[0].

    The window and the result are in whole units. The move is proven where alpha < score < beta and
    the window is wider than 1. At a finished game line[0] becomes NO_MOVE; a stopped solver leaves
    it as it was.
    """
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
    counters[CHECK_AT] = min(counters[NODE_LIMIT], counters[NODES] + POLL_EVERY)


@jit
def restore_limits(counters: Pointer, nodes: int, deadline: int) -> None:
    """Set the limits to what they were; of stops only an interruption stays."""
    counters[NODE_LIMIT], counters[DEADLINE] = nodes, deadline
    counters[CHECK_AT] = min(nodes, counters[NODES] + POLL_EVERY)
    counters[STOPPED] = counters[INTERRUPTED]


@jit
def find_exactly(context: Pointer, found: Found) -> Found:
    """Return the exact score of the root, or `found` where the limits did not suffice."""
    _, _, parts, stack = thaw(context)
    counters = stack.counters
    if stack.has_solver:
        widest = widest_window(stack)
        score = solve_root(context, -widest, widest) * POINTS
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
