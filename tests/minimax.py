"""The plain minimax that every search is compared with, compiled so that it is quick."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64

from samuel.games import Evaluator, Position
from samuel.games.draws import GOES_ON, end_by_past, key_after, key_of
from samuel.games.evaluator import EVALUATION, STATIC
from samuel.games.rules import NO_MOVE, REVERSIBLE, ROW, ROWS, RULES, SAME
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, INTS, WORDS, at, offset
from samuel.kernels.records import to_pointers
from samuel.search.score import (
    INFINITY,
    MAX_PLY,
    PLIES,
    SCORE_UNIT,
    from_evaluation,
    from_outcomes,
    from_past,
    from_utility,
    limits,
)

NO_LIMIT = 1 << 40
WORDS_OF, WIDTH, PROVEN, LIMIT, CHANCES, REPETITIONS, MOST_REVERSIBLE, ROOT, LAST, BUDGET, SIZE = (
    range(11)
)
"""Places in `numbers`: words and moves of a row, `limits` of the game, its chances and its draws,
where the root's key stands in the path, the last row, and the positions that may still be visited.
"""


@jit
def _score_here(rules: Any, static: Any, position: Any, numbers: Any, ply: int, over: bool) -> int:
    if over:
        return from_utility(rules.utility(position), ply, numbers[PROVEN])
    return from_evaluation(
        static.evaluate(position, static.integers, static.floats), numbers[LIMIT]
    )


@jit(int64(RULES, STATIC, WORDS, INTS, COUNTS, int64, int64, int64))
def _quiet_score(
    rules: Any,
    static: Any,
    position: Any,
    moves: Any,
    numbers: Any,
    ply: int,
    last: int,
    beyond: int,
) -> int:
    """Return the score of a leaf after all noisy moves there (SearchRules.noisy)."""
    numbers[BUDGET] -= 1
    over = rules.is_terminal(position)
    n = int64(0) if over else rules.noisy(position, last, beyond, moves)
    best = int64(-INFINITY)
    if n >= 0 or ply >= numbers[LAST]:
        best = _score_here(rules, static, position, numbers, ply, over)
    if ply >= numbers[LAST] or numbers[BUDGET] < 0:
        return best
    child = offset(position, numbers[WORDS_OF])
    for i in range(abs(n)):
        move = int64(moves[i])
        turn = rules.play(position, move, child)
        below = offset(moves, numbers[WIDTH])
        score = _quiet_score(rules, static, child, below, numbers, ply + 1, move, beyond + 1)
        best = max(best, score if turn & SAME else -score)
    return best


@jit(int64(RULES, STATIC, WORDS, INTS, INTS, WORDS, COUNTS, int64, int64, int64, int64, int64))
def _minimax(
    rules: Any,
    static: Any,
    position: Any,
    moves: Any,
    weights: Any,
    path: Any,
    numbers: Any,
    side: int,
    reversible: int,
    ply: int,
    depth: int,
    last: int,
) -> int:
    """Return the score of a position in points; each ply has a row of moves and of weights."""
    numbers[BUDGET] -= 1
    if ply >= numbers[LAST]:
        numbers[BUDGET] = -1
    if numbers[BUDGET] < 0:
        return int64(0)
    outcomes = rules.outcomes(position, moves, weights)
    listing = rules.candidates if ply + depth < MAX_PLY else rules.legal_moves
    n = outcomes if outcomes > 0 else listing(position, moves)
    place = numbers[ROOT] + ply
    path[place] = key_of(position, numbers[WORDS_OF], side)
    recent = offset(path, place - reversible)
    end = end_by_past(recent, reversible, ply, numbers[REPETITIONS], numbers[MOST_REVERSIBLE])
    if n > 0 and end != GOES_ON:
        return from_past(end, ply, numbers[PROVEN], numbers[LIMIT])
    if n == 0 or (depth == 0 and outcomes == 0):
        return _quiet_score(rules, static, position, moves, numbers, ply, last, int64(0))
    best, total = int64(-INFINITY), int64(0)
    child, width = offset(position, numbers[WORDS_OF]), numbers[WIDTH]
    more, below = offset(moves, width), offset(weights, width)
    left = depth if outcomes > 0 else depth - 1
    for i in range(n):
        move = int64(moves[i])
        turn = rules.play(position, move, child)
        then = side if turn & SAME else 1 - side
        after = reversible + 1 if turn & REVERSIBLE else int64(0)
        path[place] = key_after(path[place], turn)
        score = _minimax(
            *(rules, static, child, more, below, path, numbers),
            *(then, after, ply + 1, left, move),
        )
        score = score if turn & SAME else -score
        best = max(best, score)
        if outcomes > 0:
            total += weights[i] * score
    return from_outcomes(total, numbers[CHANCES]) if outcomes > 0 else best


@jit(
    int64(
        *(RULES, EVALUATION, ROWS, int32[:, ::1], int32[:, ::1], ROW, int64[::1]),
        *(int64, int64, int64, int64),
    )
)
def _from_python(
    rules: Any,
    evaluation: Any,
    stack: Any,
    moves: Any,
    weights: Any,
    path: Any,
    numbers: Any,
    side: int,
    reversible: int,
    ply: int,
    depth: int,
) -> int:
    static, position = to_pointers(evaluation), at(stack, 0)
    rows = at(moves, 0), at(weights, 0), at(path, 0), at(numbers, 0)
    return _minimax(rules, static, position, *rows, side, reversible, ply, depth, int64(NO_MOVE))


def minimax(
    position: Position, evaluator: Evaluator, depth: int, ply: int = 0, budget: int = NO_LIMIT
) -> float | None:
    """Return the minimax score of a position that stands `ply` plies from the root, in units."""
    game = position.game
    stack = np.zeros((PLIES, game.words), np.uint64)
    stack[0] = position.row
    moves, weights = np.zeros((2, PLIES, game.max_moves), np.int32)
    numbers = np.zeros(SIZE, np.int64)
    path, reversible = np.zeros(game.most_reversible + PLIES, np.uint64), len(position.past)
    path[:reversible] = position.past
    numbers[:CHANCES] = game.words, game.max_moves, *limits(game)
    numbers[CHANCES:ROOT] = game.chances, game.draws.repetitions, game.most_reversible
    numbers[ROOT:] = reversible - ply, ply + PLIES - 1, budget
    points = _from_python(
        *(game.rules, evaluator.evaluation(), stack, moves, weights, path, numbers),
        *(position.side, reversible, ply, depth),
    )
    return None if numbers[BUDGET] < 0 else int(points) / SCORE_UNIT
