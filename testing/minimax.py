"""The plain minimax that every search is compared with, compiled so that it is quick.

Where chance is to move it is expectiminimax; as in the search, depth counts decisions, and the
dice are thrown where none is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64, types

from samuel.games import Evaluator, Position
from samuel.games.evaluator import EVALUATION, STATIC, static_of
from samuel.games.interface import ROWS, RULES, SAME
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, INTS, WORDS, at, offset
from samuel.search.score import (
    INFINITY,
    PLIES,
    POINTS,
    from_evaluation,
    from_outcomes,
    from_utility,
    limits,
)

NO_LIMIT = 1 << 40
WORDS_OF, WIDTH, PROVEN, LIMIT, CHANCES, LAST, BUDGET, SIZE = range(8)
"""Places in `numbers`: words and moves of a row, `limits` of the game, its chances, the last row,
and the positions that may still be visited."""


@jit
def _score_here(rules: Any, static: Any, position: Any, numbers: Any, ply: int, over: bool) -> int:
    if over:
        return from_utility(rules.utility(position), ply, numbers[PROVEN])
    return from_evaluation(
        static.evaluate(position, static.integers, static.floats), numbers[LIMIT]
    )


@jit(int64(RULES, STATIC, WORDS, INTS, INTS, COUNTS, int64, int64))
def _minimax(
    rules: Any,
    static: Any,
    position: Any,
    moves: Any,
    weights: Any,
    numbers: Any,
    ply: int,
    depth: int,
) -> int:
    """Return the score of a position in points; each ply has a row of moves and of weights."""
    numbers[BUDGET] -= 1
    if ply >= numbers[LAST]:
        numbers[BUDGET] = -1
    if numbers[BUDGET] < 0:
        return int64(0)
    outcomes = rules.outcomes(position, moves, weights)
    n = outcomes if outcomes > 0 else rules.legal_moves(position, moves)
    if n == 0 or (depth == 0 and outcomes == 0):
        return _score_here(rules, static, position, numbers, ply, n == 0)
    best, total = int64(-INFINITY), int64(0)
    child, width = offset(position, numbers[WORDS_OF]), numbers[WIDTH]
    more, below = offset(moves, width), offset(weights, width)
    left = depth if outcomes > 0 else depth - 1
    for i in range(n):
        turn = rules.play(position, int64(moves[i]), child)
        score = _minimax(rules, static, child, more, below, numbers, ply + 1, left)
        score = score if turn & SAME else -score
        best = max(best, score)
        if outcomes > 0:
            total += weights[i] * score
    return from_outcomes(total, numbers[CHANCES]) if outcomes > 0 else best


_ROWS_OF_MOVES = types.Array(int32, 2, "C")
_NUMBERS = types.Array(int64, 1, "C")


@jit(
    int64(RULES, EVALUATION, ROWS, _ROWS_OF_MOVES, _ROWS_OF_MOVES, _NUMBERS, int64, int64),
)
def _from_python(
    rules: Any,
    evaluation: Any,
    stack: Any,
    moves: Any,
    weights: Any,
    numbers: Any,
    ply: int,
    depth: int,
) -> int:
    static, position = static_of(evaluation), at(stack, 0)
    rows = at(moves, 0), at(weights, 0)
    return _minimax(rules, static, position, rows[0], rows[1], at(numbers, 0), ply, depth)


def minimax(
    position: Position, evaluator: Evaluator, depth: int, ply: int = 0, budget: int = NO_LIMIT
) -> float | None:
    """Return the minimax score of a position that stands `ply` plies from the root, in units.

    None where the tree holds more than `budget` positions.
    """
    game = position.game
    stack = np.zeros((PLIES, game.words), np.uint64)
    stack[0] = position.row
    moves, weights = np.zeros((2, PLIES, game.max_moves), np.int32)
    numbers = np.zeros(SIZE, np.int64)
    numbers[:BUDGET] = game.words, game.max_moves, *limits(game), game.chances, ply + PLIES - 1
    numbers[BUDGET] = budget
    points = _from_python(
        *(game.rules, evaluator.evaluation(), stack, moves, weights, numbers, ply, depth)
    )
    return None if numbers[BUDGET] < 0 else int(points) / POINTS
