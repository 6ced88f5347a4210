"""Scores of positions without search, but for the noisy moves beyond its depth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64

from samuel.common.errors import UserError
from samuel.games.evaluator import EVALUATION, STATIC, Evaluator
from samuel.games.game import Game
from samuel.games.rules import NO_MOVE, ROWS, RULES, SAME, Row
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, INTS, WORDS, at, offset
from samuel.kernels.records import to_pointers
from samuel.search.alphabeta.ordering import bring_best
from samuel.search.score import (
    INFINITY,
    PLIES,
    SCORE_UNIT,
    from_past,
    limits,
    static_score,
)

MOST_POSITIONS = 5_000_000
"""Positions after noisy moves that a `Scorer` looks at: a few seconds."""
_WORDS, _WIDTH, _PROVEN, _LIMIT, _LEFT = range(5)
"""Places in `numbers`: words and moves of a row, `limits`, and positions that may be looked at."""


class TooManyPositionsError(UserError):
    """Noisy moves lead to more positions than a `Scorer` may look at."""


class Scorer:
    """Scores positions by an evaluator; with those after noisy moves, `most_positions`."""

    def __init__(self, game: Game, evaluator: Evaluator, most_positions: int | None = None) -> None:
        self.most_positions = MOST_POSITIONS if most_positions is None else most_positions
        evaluator.require_game(game)
        self.game, self._evaluator = game, evaluator
        self._evaluation = evaluator.evaluation()
        self.most = round(game.scores.max_utility * SCORE_UNIT)
        self._rows = np.zeros((PLIES, game.words), np.uint64)
        self._moves, self._hints = np.zeros((2, PLIES, game.max_moves), np.int32)
        self._numbers = np.array([game.words, game.max_moves, *limits(game), self.most_positions])

    @property
    def looked_at(self) -> int:
        """Number of positions looked at."""
        return self.most_positions - int(self._numbers[_LEFT])

    def score(self, row: Row, ply: int, move: int = NO_MOVE) -> int:
        """Return the score of a position `ply` plies from the root, in points."""
        self._rows[0] = row
        points = _score(
            *(self.game.rules_of_play, self._evaluation),
            *(self._rows, self._moves, self._hints, self._numbers, ply, move),
        )
        self._evaluator.check()
        if self._numbers[_LEFT] < 0:
            raise TooManyPositionsError(
                f"captures beyond the depth lead to more than {self.most_positions:,} positions in "
                f"{self.game.name}; choose a smaller depth, another position or another evaluator"
            )
        return int(points)

    def score_by_past(self, end: int, ply: int) -> int:
        """Return the score of a position `ply` plies from the root that its past has ended."""
        proven, static_limit = self._numbers[_PROVEN], self._numbers[_LIMIT]
        return int(_score_by_past(end, ply, proven, static_limit))


@jit(int64(int64, int64, int64, int64))
def _score_by_past(end: int, ply: int, proven: int, static_limit: int) -> int:
    return from_past(end, ply, proven, static_limit)


@jit(int64(RULES, STATIC, WORDS, INTS, INTS, COUNTS, int64, int64, int64, int64, int64))
def _quiet_score(
    rules: Any,
    static: Any,
    position: Any,
    moves: Any,
    hints: Any,
    numbers: Any,
    ply: int,
    last: int,
    beyond: int,
    alpha: int,
    beta: int,
) -> int:
    """Return the score after all noisy moves, or a bound beyond the window (fail-soft)."""
    numbers[_LEFT] -= 1
    proven, limit = numbers[_PROVEN], numbers[_LIMIT]
    is_last = ply >= PLIES - 2 or numbers[_LEFT] < 0
    over = is_last or rules.is_terminal(position)
    n = int64(0) if over else rules.noisy(position, last, beyond, moves)
    best = int64(-INFINITY)
    if n >= 0:
        best = static_score(rules, static, position, ply, proven, limit)
    n = abs(n)
    if n == 0 or best >= beta:
        return best
    rules.order(position, moves, n, hints)
    child, width = offset(position, numbers[_WORDS]), numbers[_WIDTH]
    more, after = offset(moves, width), offset(hints, width)
    for i in range(n):
        move = bring_best(moves, hints, i, n)
        turn = rules.play(position, move, child)
        low, high = max(alpha, best), beta
        if not turn & SAME:
            low, high = -high, -low
        score = _quiet_score(
            rules, static, child, more, after, numbers, ply + 1, move, beyond + 1, low, high
        )
        best = max(best, score if turn & SAME else -score)
        if best >= beta:
            break
    return best


@jit(
    int64(
        *(RULES, EVALUATION, ROWS, int32[:, ::1], int32[:, ::1], int64[::1]),
        *(int64, int64),
    )
)
def _score(
    rules: Any,
    evaluation: Any,
    rows: Any,
    moves: Any,
    hints: Any,
    numbers: Any,
    ply: int,
    move: int,
) -> int:
    """Return the score of the position in the first of `rows`; the others are room."""
    static, beyond, widest = to_pointers(evaluation), int64(0), int64(INFINITY)
    room = at(rows, 0), at(moves, 0), at(hints, 0), at(numbers, 0)
    return _quiet_score(rules, static, *room, ply, move, beyond, -widest, widest)
