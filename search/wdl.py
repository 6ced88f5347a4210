"""Chances of a win, a draw and a loss by the score of a search."""

from __future__ import annotations

from samuel.games.evaluator import Evaluator
from samuel.games.position import Position
from samuel.games.wdl import progress_of
from samuel.search.result import Result
from samuel.search.score import SCORE_UNIT, limits

Chances = tuple[float, float, float]


def chances_of(evaluator: Evaluator, position: Position, result: Result) -> Chances | None:
    """Return the chances for the side to move; None if the evaluator has no parameters.

    A score that is exact or proven is certain.
    """
    if evaluator.wdl is None:
        return None
    score = result.score
    if result.exact or abs(score) * SCORE_UNIT >= limits(position.game)[0]:
        return float(score > 0), float(score == 0), float(score < 0)
    progress = progress_of(position.game.left_in(position.row), position.game.most_left)
    win, draw, loss = evaluator.wdl(score, progress).tolist()
    return win, draw, loss


def per_mille(chances: Chances) -> tuple[int, int, int]:
    """Return chances in thousandths, whose sum is 1,000."""
    win = round(1000 * chances[0])
    loss = min(round(1000 * chances[2]), 1000 - win)
    return win, 1000 - win - loss, loss
