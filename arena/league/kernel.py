"""League games inside one kernel: both sides look one ply ahead and now and then move at random."""

from __future__ import annotations

import math
from typing import Any

from numba import float32, float64, int64, types

from samuel.games.evaluator import EVALUATION, Evaluation
from samuel.games.interface import ROW, RULES, SAME, Rules
from samuel.games.playing import (
    GAME_STATE,
    GameState,
    advance,
    begin,
    is_over,
    mover,
    result_of,
    throw,
)
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at
from samuel.kernels.random import below, seed_stream, uniform
from samuel.kernels.records import to_pointers


@jit
def _score_of(rules: Rules, static: Evaluation, child: Pointer, turn: int) -> float:
    """Return the score of a move for who made it, from the position it leads to, dice unthrown."""
    if rules.is_terminal(child):
        score = rules.utility(child)
    else:
        score = static.evaluate(child, static.integers, static.floats)
    return score if turn & SAME else -score


@jit
def best_move(rules: Rules, static: Evaluation, state: GameState, n: int) -> int:
    """Return the best of the n moves listed, drawn uniformly among those that score the same."""
    best, ties, choice = float32(-math.inf), 0, int64(state.moves[0])
    for i in range(n):
        turn = rules.play(state.position, int64(state.moves[i]), state.child)
        score = float32(_score_of(rules, static, state.child, turn))
        if score > best:
            best, ties = score, 0
        if score == best:
            ties += 1
            if below(state.stream, ties) == 0:
                choice = int64(state.moves[i])
    return choice


@jit
def _play_game(
    rules: Rules,
    first: Evaluation,
    second: Evaluation,
    epsilon: float,
    state: GameState,
) -> float:
    """Play to the end; return the result for the side that began."""
    throw(rules, state)
    while not is_over(rules, state):
        static = first if mover(state) == 0 else second
        n = rules.legal_moves(state.position, state.moves)
        if uniform(state.stream) < epsilon:
            move = int64(state.moves[below(state.stream, n)])
        else:
            move = best_move(rules, static, state, n)
        advance(rules, state, move)
        throw(rules, state)
    return result_of(rules, state)


@jit(
    types.void(
        *(RULES, EVALUATION, EVALUATION, float64, ROW, GAME_STATE, int64, int64),
        *(types.Array(int64, 1, "C"), types.Array(float32, 2, "C")),
    )
)
def play_league_pairs(
    rules: Rules,
    evaluation_a: Evaluation,
    evaluation_b: Evaluation,
    epsilon: float,
    start: Any,
    arrays: GameState,
    seed: int,
    first: int,
    counters: Any,
    results: Any,
) -> None:
    """Play pairs number `first` and on of `seed`, A to move first and then B.

    Fills in `results` (n, 2), the results for A in the game's unit. Both games of a pair draw from
    the same stream, (seed, number of the pair). The kernel ends early where counters[INTERRUPTED]
    is set.
    """
    a, b, state = to_pointers(evaluation_a), to_pointers(evaluation_b), to_pointers(arrays)
    for i in range(results.shape[0]):
        for game in range(2):
            if counters[budget.INTERRUPTED]:
                return
            seed_stream(state.stream, seed, first + i)
            begin(rules, state, at(start, 0), int64(0))
            one, other, sign = (a, b, 1) if game == 0 else (b, a, -1)
            results[i, game] = sign * _play_game(rules, one, other, epsilon, state)
