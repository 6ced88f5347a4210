"""The plain minimax that every search is compared with, compiled so that it is quick."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64, types

from samuel.games import Evaluator, Position
from samuel.games.evaluator import EVALUATION, STATIC, static_of
from samuel.games.interface import ROWS, RULES
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, INTS, WORDS, at, offset
from samuel.search.score import INFINITY, MAX_PLY, POINTS, from_evaluation, from_utility, limits

NO_LIMIT = 1 << 40


@jit(int64(RULES, STATIC, WORDS, INTS, COUNTS, int64, int64))
def _minimax(
    rules: Any, static: Any, position: Any, moves: Any, numbers: Any, ply: int, depth: int
) -> int:
    """Return the score of a position in points; numbers: words, width, proven, limit, budget."""
    numbers[4] -= 1
    if numbers[4] < 0:
        return int64(0)
    n = rules.legal_moves(position, moves)
    if n == 0:
        return from_utility(rules.utility(position), ply, numbers[2])
    if depth == 0:
        score = static.evaluate(position, static.integers, static.floats)
        return from_evaluation(score, numbers[3])
    best = int64(-INFINITY)
    child, more = offset(position, numbers[0]), offset(moves, numbers[1])
    for i in range(n):
        rules.play(position, moves[i], child)
        best = max(best, -_minimax(rules, static, child, more, numbers, ply + 1, depth - 1))
    return best


@jit(
    int64(
        RULES,
        EVALUATION,
        ROWS,
        types.Array(int32, 2, "C"),
        types.Array(int64, 1, "C"),
        int64,
        int64,
    )
)
def _from_python(
    rules: Any, evaluation: Any, stack: Any, moves: Any, numbers: Any, ply: int, depth: int
) -> int:
    static = static_of(evaluation)
    return _minimax(rules, static, at(stack, 0), at(moves, 0), at(numbers, 0), ply, depth)


def minimax(
    position: Position, evaluator: Evaluator, depth: int, ply: int = 0, budget: int = NO_LIMIT
) -> float | None:
    """Return the minimax score of a position that stands `ply` plies from the root, in units.

    None where the tree holds more than `budget` positions.
    """
    game = position.game
    stack = np.zeros((MAX_PLY + 2, game.words), np.uint64)
    stack[0] = position.row
    moves = np.zeros((MAX_PLY + 2, game.max_moves), np.int32)
    numbers = np.array([game.words, game.max_moves, *limits(game), budget], np.int64)
    points = _from_python(game.rules, evaluator.evaluation(), stack, moves, numbers, ply, depth)
    return None if numbers[4] < 0 else int(points) / POINTS
