"""What happens at the root: iterative deepening within limits, and exact endgames."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64, types

from samuel.games.interface import NO_MOVE, RULES, SAME, Rules
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
from samuel.kernels.pointers import Pointer, freeze
from samuel.search.alphabeta.chance import chance_score
from samuel.search.alphabeta.evaluation import leaf_score
from samuel.search.alphabeta.ordering import bring_best, rate_moves
from samuel.search.alphabeta.switches import ASPIRATION, DEEPENING
from samuel.search.frame import Frame, thaw
from samuel.search.memory import (
    AGE,
    GUIDED,
    MEMORY,
    WORK,
    Memory,
    Work,
    hints_at,
    is_on,
    keep_turn,
    moves_at,
    position_at,
    pv_at,
    work_of,
)
from samuel.search.score import INFINITY, MAX_PLY, POINTS, from_utility
from samuel.search.scoring import SCORING, STATIC, Scoring, static_of

_FOUND = types.Tuple((int64, int64, int64))

ASPIRE_FROM = 4
"""A first guess comes from an iteration of this depth, or a deeper one."""
ASPIRATION_PARTS = 32
"""The window reaches a 32nd of the highest evaluation to either side of the guess: 2 discs."""


@jit
def _keep_line(work: Work) -> int:
    length = int64(work.pv_length[0])
    for i in range(length):
        work.line[i] = pv_at(work, 0)[i]
    return length


@jit
def is_chance_at(rules: Rules, work: Work, ply: int) -> bool:
    """Return whether chance is to move at a ply; goes over its moves."""
    return rules.outcomes(position_at(work, ply), moves_at(work, ply), hints_at(work, ply)) > 0


@jit
def search_widely(rules: Rules, static: Scoring, work: Work, ply: int, depth: int) -> int:
    """Return the score of the position at `ply`, searched to `depth` with the widest window.

    Chance may be to move there.
    """
    return chance_score(freeze(Frame(rules, static, work)), ply, depth)


@jit
def score_of_move(rules: Rules, static: Scoring, work: Work, move: int, depth: int) -> int:
    """Return the score of a move at stack[0], searched to `depth`, for its side to move.

    In points; what is searched leaves the moves of ply 0 as they are.
    """
    turn = rules.play(position_at(work, 0), move, position_at(work, 1))
    keep_turn(work, int64(0), turn)
    score = search_widely(rules, static, work, int64(1), depth - 1)
    return score if turn & SAME else -score


@jit
def _search_root(frame: Pointer, depth: int, guess: int, reached: int) -> int:
    """Return the score of stack[0] at `depth`; `guess` is what depth `reached` found."""
    _, static, work = thaw(frame)
    alpha, beta = int64(-INFINITY), int64(INFINITY)
    if is_on(work, ASPIRATION) and reached >= ASPIRE_FROM and abs(guess) < work.proven:
        width = max(int64(1), work.static_limit // ASPIRATION_PARTS)
        alpha, beta = guess - width, guess + width
    while True:
        score = static.negamax(frame, int64(0), depth, alpha, beta)
        if work.counters[STOPPED] or alpha < score < beta:
            return score
        if score <= alpha:
            alpha = int64(-INFINITY)
        else:
            beta = int64(INFINITY)


@jit(_FOUND(RULES, STATIC, WORK, int64))
def deepen(rules: Rules, static: Scoring, work: Work, depth: int) -> tuple[int, int, int]:
    """Search stack[0] deeper and deeper to `depth`, or until a limit stops it.

    Without limits it goes by steps of two plies: evaluations of the same side to move agree
    better, and so do the best moves (15 to 35 % fewer nodes with `classic` at depth 8 and 10).

    Returns
    -------
    (score in points, depth, length of the line) of the deepest finished iteration; the line
    is in work.line. When not even depth 1 was finished, depth is 0, the score the static
    evaluation and the line the first legal move. A finished game gives its utility and no line;
    so does, with its expected score, a position where chance is to move.
    """
    frame = freeze(Frame(rules, static, work))
    work.settings[AGE] = (work.settings[AGE] + 1) & 0xFF
    is_chance = is_chance_at(rules, work, int64(0))
    if not is_chance:
        n = rules.legal_moves(position_at(work, 0), moves_at(work, 0))
        if n == 0:
            utility = from_utility(rules.utility(position_at(work, 0)), 0, work.proven)
            return utility, int64(0), int64(0)
        rate_moves(frame, 0, 1, n, NO_MOVE)
        work.line[0] = bring_best(moves_at(work, 0), hints_at(work, 0), 0, n)
    score, reached, length = leaf_score(frame, int64(0)), int64(0), int64(not is_chance)
    counters = work.counters
    unlimited = counters[NODE_LIMIT] == UNLIMITED and counters[DEADLINE] == UNLIMITED
    first, step = (2 - (depth & 1), 2) if unlimited else (1, 1)
    if not is_on(work, DEEPENING):
        first = depth
    for iteration in range(first, depth + 1, step):
        if is_chance:
            result = chance_score(frame, int64(0), iteration)
        else:
            result = _search_root(frame, iteration, score, reached)
        if work.counters[STOPPED]:
            break
        score, reached, length = result, int64(iteration), _keep_line(work)
        if abs(score) >= work.proven:
            break  # a forced end was found: a deeper search finds no sooner one
    return score, reached, length


@jit
def _solve(
    rules: Rules, static: Scoring, work: Work, ply: int, alpha: int, beta: int, guided: int
) -> int:
    """Return the exact utility of the position at `ply`, by the game's solver."""
    return rules.solve(
        *(position_at(work, ply), alpha, beta, work.solver_table, work.solver_rows),
        *(work.hints, work.counters, static.evaluate, static.integers, static.floats, guided),
    )


@jit(int64(RULES, STATIC, WORK, int64, int64, int64))
def solve_root(
    rules: Rules, static: Scoring, work: Work, alpha: int, beta: int, guided: int
) -> int:
    """Return the exact utility of stack[0] by the game's solver; the best move in line[0].

    The window and the result are in whole units; the evaluation may order moves where `guided`
    is 1. The move is proven where alpha < score < beta and the window is wider than 1. At a
    finished game line[0] becomes NO_MOVE; a stopped solver leaves it as it was.
    """
    n = rules.legal_moves(position_at(work, 0), moves_at(work, 0))
    if n == 0:
        work.line[0] = NO_MOVE
        return int64(round(np.float64(rules.utility(position_at(work, 0)))))
    score = _solve(rules, static, work, int64(0), alpha, beta, guided)
    if work.counters[STOPPED]:
        return int64(0)
    work.line[0] = work.hints[0] if n > 1 else moves_at(work, 0)[0]
    return score


@jit
def _solve_within_budget(
    rules: Rules, static: Scoring, work: Work, depth: int, limit: int
) -> tuple[int, int, int]:
    """Solve; where the nodes or the time may run out, first search with half of them."""
    counters = work.counters
    nodes, deadline = counters[NODE_LIMIT], counters[DEADLINE]
    score, reached, length = int64(0), int64(0), int64(0)
    if nodes < UNLIMITED or deadline < UNLIMITED:
        if nodes < UNLIMITED:
            counters[NODE_LIMIT] = counters[NODES] + (nodes - counters[NODES]) // 2
        if deadline < UNLIMITED:
            counters[DEADLINE] = now() + (deadline - now()) // 2
        counters[CHECK_AT] = min(counters[NODE_LIMIT], counters[NODES] + POLL_EVERY)
        score, reached, length = deepen(rules, static, work, depth)
        counters[NODE_LIMIT], counters[DEADLINE] = nodes, deadline
        counters[CHECK_AT] = min(nodes, counters[NODES] + POLL_EVERY)
        counters[STOPPED] = counters[INTERRUPTED]
    if work.has_solver:
        exact = solve_root(rules, static, work, -limit, limit, work.settings[GUIDED]) * POINTS
        found = int64(work.line[0] != NO_MOVE)
    else:
        exact = search_widely(rules, static, work, int64(0), int64(MAX_PLY))
        found = int64(0) if counters[STOPPED] else _keep_line(work)
    if counters[STOPPED]:
        return score, reached, length
    return exact, int64(MAX_PLY), found


@jit(_FOUND(RULES, STATIC, WORK, int64, int64))
def think(
    rules: Rules, static: Scoring, work: Work, depth: int, exact_from: int
) -> tuple[int, int, int]:
    """Find the move at stack[0]: exactly from `exact_from` remaining on, else by `deepen`.

    Returns
    -------
    (score in points, depth, length of work.line); an exact score has depth MAX_PLY.
    """
    if exact_from > 0 and rules.plies_left(position_at(work, 0)) <= min(exact_from, MAX_PLY - 1):
        widest = int64(work.static_limit // POINTS + 1)
        return _solve_within_budget(rules, static, work, depth, widest)
    return deepen(rules, static, work, depth)


@jit(_FOUND(RULES, SCORING, MEMORY, int64, int64))
def think_at_root(
    rules: Rules, evaluation: Scoring, memory: Memory, depth: int, exact_from: int
) -> tuple[int, int, int]:
    """Call `think` from Python."""
    return think(rules, static_of(evaluation), work_of(memory), depth, exact_from)


@jit(int64(RULES, SCORING, MEMORY, int64, int64, int64))
def solve_at_root(
    rules: Rules, evaluation: Scoring, memory: Memory, alpha: int, beta: int, guided: int
) -> int:
    """Call `solve_root` from Python."""
    return solve_root(rules, static_of(evaluation), work_of(memory), alpha, beta, guided)


@jit(types.void(RULES, SCORING, MEMORY, int64, types.Array(int32, 1, "C")))
def score_moves_at_root(
    rules: Rules, scoring: Scoring, memory: Memory, depth: int, scores: Any
) -> None:
    """Fill `scores` with the points of each legal move of stack[0], in the game's order.

    Searched to `depth`, or exactly where that is MAX_PLY and the game has a solver.
    """
    static, work = static_of(scoring), work_of(memory)
    n = rules.legal_moves(position_at(work, 0), moves_at(work, 0))
    widest, guided = int64(work.static_limit // POINTS + 1), work.settings[GUIDED]
    for i in range(n):
        move = int64(moves_at(work, 0)[i])
        if depth == MAX_PLY and work.has_solver:
            turn = rules.play(position_at(work, 0), move, position_at(work, 1))
            score = _solve(rules, static, work, int64(1), -widest, widest, guided) * POINTS
            scores[i] = score if turn & SAME else -score
        else:
            scores[i] = score_of_move(rules, static, work, move, depth)
