"""What an evaluation that learns while it plays begins as: a recipe's model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.games.playing import random_positions
from samuel.learning.fitting.recipes import default_features, shapes_of, stage_knots
from samuel.learning.online.learner import Learner
from samuel.learning.options import LearnOptions
from samuel.models.evaluate import evaluate
from samuel.models.trainable.linear import trainable_features, trainable_patterns
from samuel.models.trainable.model import TrainableModel
from samuel.models.trainable.network import trainable_network

_POSITIONS, _SHOWN, _PASSES = 500, 10_000, 6
"""By how many steps are measured, and by how many, how often, an evaluation is imitated."""
_PATTERN_STAGES = 11
_NETWORKS, _LINEAR = ("network",), ("linear", "ridge", "sgd")


def begin_learning(options: LearnOptions, first: Evaluator | None = None) -> Learner:
    """Return a learner that has played no game.

    Parameters
    ----------
    options
        Its `model` is a set of shapes; linear, ridge or sgd, which are one here: linear over the
        features that recipes read; or network, with 80 hidden units.
    first
        What it begins as, as near as it can come at positions of random play; with all weights 0,
        a network with random ones, where None.

    Raises
    ------
    UserError
        There is no such model, or it cannot learn while it plays.
    """
    game, seed = options.rules, options.seed
    positions = random_positions(game, _POSITIONS, seed)
    trainable = _live(options.model, game, positions, options.fit.stages, seed)
    learner = Learner(trainable, options, positions)
    if first is not None:
        shown = random_positions(game, _SHOWN, seed + 1)
        learner.imitate(shown, evaluate(first, game, shown), _PASSES)
    return learner


def _live(
    model: str, game: Game, positions: NDArray[np.uint64], stages: int | None, seed: int
) -> TrainableModel:
    shapes = shapes_of(model, game)
    if shapes is not None and not shapes[1]:
        usual = min(_PATTERN_STAGES, game.most_left + 1)
        return trainable_patterns(shapes[0], game, usual if stages is None else stages)
    names = default_features(game)
    if names and model in _LINEAR:
        return trainable_features(names, game, positions, stage_knots(game, stages))
    if names and model in _NETWORKS:
        return trainable_network(names, game, positions, random=np.random.default_rng(seed))
    raise UserError(
        f"{model} cannot learn while it plays {game.name}: take a set of shapes"
        + (", ridge or network" if names else "")
    )
