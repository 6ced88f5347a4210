"""League games inside one kernel: both sides look one ply ahead and now and then move at random."""

from __future__ import annotations

import math
from typing import Any

from numba import float32, float64, int32, int64, types

from samuel.games.evaluator import EVALUATION, Evaluation, static_of
from samuel.games.interface import ROW, ROWS, RULES, Rules
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at, copy
from samuel.kernels.random import STREAM, below, seed_stream, uniform


@jit
def _score_of(rules: Rules, static: Evaluation, child: Pointer) -> float:
    """Return the score of a move for who made it, from the position it leads to."""
    if rules.is_terminal(child):
        return -rules.utility(child)
    return -static.evaluate(child, static.integers, static.floats)


@jit
def best_move(
    rules: Rules,
    static: Evaluation,
    position: Pointer,
    child: Pointer,
    moves: Pointer,
    n: int,
    stream: Any,
) -> int:
    """Return the best of n moves, drawn uniformly among those that score the same."""
    best, ties, choice = float32(-math.inf), 0, int64(moves[0])
    for i in range(n):
        rules.play(position, int64(moves[i]), child)
        score = float32(_score_of(rules, static, child))
        if score > best:
            best, ties = score, 0
        if score == best:
            ties += 1
            if below(stream, ties) == 0:
                choice = int64(moves[i])
    return choice


@jit
def _play_game(
    rules: Rules,
    first: Evaluation,
    second: Evaluation,
    epsilon: float,
    position: Pointer,
    child: Pointer,
    words: int,
    moves: Pointer,
    stream: Any,
) -> float:
    """Play from `position` to the end; return the result for the side that began."""
    sign, ply = float32(1), 0
    while not rules.is_terminal(position):
        static = first if ply & 1 == 0 else second
        n = rules.legal_moves(position, moves)
        if uniform(stream) < epsilon:
            move = int64(moves[below(stream, n)])
        else:
            move = best_move(rules, static, position, child, moves, n, stream)
        rules.play(position, move, child)
        copy(position, child, words)
        sign, ply = -sign, ply + 1
    return sign * rules.utility(position)


@jit(
    types.void(
        *(RULES, EVALUATION, EVALUATION, float64, ROW, ROWS, types.Array(int32, 1, "C")),
        *(STREAM, int64, int64, types.Array(int64, 1, "C"), types.Array(float32, 2, "C")),
    )
)
def play_league_pairs(
    rules: Rules,
    evaluation_a: Evaluation,
    evaluation_b: Evaluation,
    epsilon: float,
    start: Any,
    boards: Any,
    moves: Any,
    stream: Any,
    seed: int,
    first: int,
    counters: Any,
    results: Any,
) -> None:
    """Play pairs number `first` and on of `seed`, A to move first and then B.

    Fills in `results` (n, 2), the results for A in the game's unit. Both games of a pair draw from
    the same stream, (seed, number of the pair). `boards` (2, K) and `moves` (max_moves,) are
    room to work in; the kernel ends early where counters[INTERRUPTED] is set.
    """
    a, b, words = static_of(evaluation_a), static_of(evaluation_b), start.shape[0]
    position, child, listed = at(boards, 0), at(boards, 1), at(moves, 0)
    for i in range(results.shape[0]):
        for game in range(2):
            if counters[budget.INTERRUPTED]:
                return
            seed_stream(stream, seed, first + i)
            copy(position, at(start, 0), words)
            one, other, sign = (a, b, 1) if game == 0 else (b, a, -1)
            result = _play_game(rules, one, other, epsilon, position, child, words, listed, stream)
            results[i, game] = sign * result
