"""Static evaluation of many positions at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numba import float32, types
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.catalog import game_named
from samuel.games.evaluator import EVALUATION, Evaluation, Evaluator
from samuel.games.game import Game
from samuel.games.rows import possible_rows
from samuel.games.rules import ROWS, RULES, Rules
from samuel.games.words import PositionsLike
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.kernels.records import to_pointers


@jit(types.void(RULES, EVALUATION, ROWS, float32[::1]))
def _scores(rules: Rules, evaluation: Evaluation, positions: Any, scores: Any) -> None:
    static = to_pointers(evaluation)
    for i in range(positions.shape[0]):
        position = at(positions, i)
        if rules.is_terminal(position):
            scores[i] = rules.utility(position)
        else:
            scores[i] = static.evaluate(position, static.integers, static.floats)


def evaluate(
    evaluator: Evaluator | Path | str, game: Game | str, positions: PositionsLike
) -> NDArray[np.float32]:
    """Evaluate positions without search; finished games score their utility.

    Parameters
    ----------
    evaluator
        Evaluator, its name, or the folder of a model.
    game
        Game, or its name.
    positions
        Positions, uint64 (n, K), or `Position` objects, one or a list.

    Returns
    -------
    NDArray[np.float32]
        Scores float32 (n,) for the side to move, in the game's unit.

    Raises
    ------
    UserError
        There is no such evaluator, it is for another game, cannot be compiled, or raises an error.
    ValueError
        The positions are of another game, impossible, or not uint64 (n, K).

    Examples
    --------
    >>> import samuel
    >>> start = samuel.Position.start("othello")
    >>> samuel.evaluate("classic", "othello", [start]).shape
    (1,)
    """
    game = game_named(game) if isinstance(game, str) else game
    if not isinstance(evaluator, Evaluator):
        from samuel.models import find_evaluator

        evaluator = find_evaluator(evaluator, game)
    evaluator.require_game(game)
    rows = possible_rows(game, positions)
    scores = np.zeros(len(rows), np.float32)
    evaluation = evaluator.evaluation()
    try:
        _scores(game.rules_of_play, evaluation, rows, scores)
    except Exception as error:  # compiled code raises what a user's function does
        raise UserError(f"{evaluator.name} raised {type(error).__name__}: {error}") from error
    evaluator.check()
    return scores + np.float32(0)  # which makes 0 of -0


def finite_scores(
    evaluator: Evaluator, game: Game, positions: PositionsLike
) -> NDArray[np.float32]:
    """Return what `evaluate` does; UserError where a score is no number that can be compared."""
    scores = evaluate(evaluator, game, positions)
    if not np.isfinite(scores).all():
        strange = scores[~np.isfinite(scores)][0]
        raise UserError(
            f"{evaluator.name} returns {strange} as the score of some positions; scores must "
            "be finite. samuel models check shows where"
        )
    return scores
