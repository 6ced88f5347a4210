"""Static evaluation of many positions at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numba import float32, types
from numpy.typing import ArrayLike, NDArray

from samuel.games.catalog import game_named
from samuel.games.evaluator import EVALUATION, Evaluation, Evaluator, static_of
from samuel.games.interface import ROWS, RULES, Game, Rules
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at


@jit(types.void(RULES, EVALUATION, ROWS, types.Array(float32, 1, "C")))
def _scores(rules: Rules, evaluation: Evaluation, positions: Any, scores: Any) -> None:
    static = static_of(evaluation)
    for i in range(positions.shape[0]):
        position = at(positions, i)
        if rules.is_terminal(position):
            scores[i] = rules.utility(position)
        else:
            scores[i] = static.evaluate(position, static.integers, static.floats)


def evaluate(
    evaluator: Evaluator | Path | str, game: Game | str, positions: ArrayLike
) -> NDArray[np.float32]:
    """Return the static evaluation of positions (n, K), finished ones by their utility.

    The scores (n,) are for the side to move, in the game's unit. Evaluator and game may be given
    by name, an evaluator by its model folder.
    """
    game = game_named(game) if isinstance(game, str) else game
    if not isinstance(evaluator, Evaluator):
        from samuel.models import load_evaluator

        evaluator = load_evaluator(evaluator, game)
    evaluator.require_game(game)
    rows = game.rows(positions)
    scores = np.zeros(len(rows), np.float32)
    _scores(game.rules_of_play, evaluator.evaluation(), rows, scores)
    evaluator.check()
    return scores
