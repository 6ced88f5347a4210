"""Evaluators made by hand: where learning starts from, and what it must beat.

They are linear models whose weights somebody chose (games.defaults.Handmade), in the same compiled
form as learned ones; and two for every game that know nothing of it, `zero` and `random`.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
from numba import float32, int64

from samuel.features import column_names, features_named
from samuel.features.terms import even_knots
from samuel.games.evaluator import Evaluator, zero_evaluator
from samuel.games.interface import Game, Row
from samuel.kernels.bits import ZERO, mix
from samuel.kernels.jit import jit
from samuel.models.compiled.compiled import linear_block
from samuel.models.compiled.kinds import FeatureModel
from samuel.models.probcut import shipped_probcut

_TO_24_BITS, _HALF_OF_24_BITS = np.uint64(40), np.float32(1 << 23)
"""A number of 24 bits is one in single precision."""


@jit
def _at_random(position: Row, integers: Any, floats: Any) -> float:
    """Return a number in [-1, 1) that the position's words decide; integers[0] is how many."""
    key = ZERO
    for k in range(integers[0]):
        key = mix(key, position[k])
    return float32(int64(key >> _TO_24_BITS)) / _HALF_OF_24_BITS - float32(1)


def handmade_names(game: Game) -> dict[str, str]:
    """Return the hand-made evaluators of a game, each with a line about it; the usual one first."""
    about = {name: made.about for name, made in game.defaults.evaluators.items()}
    return about | {
        "zero": "0 everywhere: the search sees finished games alone",
        "random": "a number drawn for each position: at depth 1 random moves, or a win at once",
    }


@functools.lru_cache(maxsize=32)
def handmade(name: str, game: Game) -> Evaluator:
    """Return a hand-made evaluator, one of `handmade_names`."""
    if name == "zero":
        return zero_evaluator(game)
    if name == "random":
        words = np.array([game.words], np.int32)
        return Evaluator("random", game.name, _at_random, game.words, words)
    form = handmade_model(name, game)
    assert form is not None
    evaluator = form.evaluator(name, "hand-made")
    return replace(evaluator, probcut=shipped_probcut(evaluator))


def handmade_model(name: str, game: Game) -> FeatureModel | None:
    """Return the linear model of a hand-made evaluator; None for those that know nothing."""
    made = game.defaults.evaluators.get(name)
    if made is None:
        return None
    features = features_named(made.features, game.name)
    weights = [made.weights[column] for column in column_names(features)]
    blocks = tuple(linear_block(of_stage) for of_stage in np.transpose(weights))
    return FeatureModel("linear", game, features, blocks, even_knots(len(blocks), game.most_left))
