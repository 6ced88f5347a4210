"""Scores of positions without search, but for the noisy moves beyond its depth."""

from __future__ import annotations

from typing import Any

from numba import int64

from samuel.common.errors import UserError
from samuel.games.draws import GOES_ON
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.rules import NO_MOVE, Row
from samuel.kernels.budget import NODES, STOPPED
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.search.alphabeta.context import thaw
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.options import SearchOptions
from samuel.search.alphabeta.stack import score_by_past
from samuel.search.limits import start_limits
from samuel.search.method import SEARCHER
from samuel.search.score import INFINITY, SCORE_UNIT, shift_proven

MOST_POSITIONS = 5_000_000
"""Positions after noisy moves that a `Scorer` looks at: a few seconds."""


class TooManyPositionsError(UserError):
    """Noisy moves lead to more positions than a `Scorer` may look at."""


class Scorer:
    """Scores positions by an evaluator and plain quiescence search."""

    def __init__(
        self, game: Game, evaluator: Evaluator, most_positions: int = MOST_POSITIONS
    ) -> None:
        evaluator.require_game(game)
        self.game, self._evaluator, self.most_positions = game, evaluator, most_positions
        self.most = round(game.scores.max_utility * SCORE_UNIT)
        method = AlphaBeta(SearchOptions.none())
        self._memory = method.new_memory(game, 0, 0)
        self._searcher = method.searcher(game, evaluator, self._memory, only_quiescence=True)
        start_limits(self._memory, most_positions, None)

    @property
    def looked_at(self) -> int:
        """Number of positions after noisy moves that were looked at."""
        return int(self._memory.counters[NODES])

    def score(self, row: Row, ply: int, move: int = NO_MOVE, end: int = GOES_ON) -> int:
        """Return the score of a position `ply` plies from the root, which its past may end."""
        self._memory.positions[0], self._memory.moved[0] = row, move
        points = _score(self._searcher, ply, end)
        self._evaluator.check()
        if self._memory.counters[STOPPED]:
            raise TooManyPositionsError(
                f"captures beyond the depth lead to more than {self.most_positions:,} positions in "
                f"{self.game.name}; choose a smaller depth, another position or another evaluator"
            )
        return int(points)


@jit(int64(SEARCHER, int64, int64))
def _score(searcher: Any, ply: int, end: int) -> int:
    """Return the score of the position at the root, as if it stood `ply` plies below."""
    context = at(searcher, 0)
    _, _, parts, stack = thaw(context)
    if end != GOES_ON:
        return score_by_past(stack, end, ply)
    widest = int64(INFINITY)
    points = parts.quiesce(context, int64(0), int64(0), -widest, widest)
    return shift_proven(points, -ply, stack.proven)
