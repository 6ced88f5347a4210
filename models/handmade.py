"""Evaluators made by hand: where learning starts from, and what it must beat.

They are linear models whose weights somebody chose (games.defaults.Handmade), in the same compiled
form as learned ones; and two for every game that know nothing of it, `zero` and `random`.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numba import float32, int64

from samuel.errors import UserError, nearest, unknown
from samuel.features import column_names, features_named
from samuel.features.stages import even_knots
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game, Row
from samuel.kernels.bits import ZERO, mix
from samuel.kernels.jit import jit
from samuel.models.forms.compiled import compiled_evaluator, linear, linear_block
from samuel.models.probcut import shipped_probcut

_TO_24_BITS, _HALF_OF_24_BITS = np.uint64(40), np.float32(1 << 23)
"""A number of 24 bits is one in single precision."""


@jit
def _nothing(position: Row, integers: Any, floats: Any) -> float:
    return 0.0


@jit
def _at_random(position: Row, integers: Any, floats: Any) -> float:
    """Return a number in [-1, 1) that the position's words decide; integers[0] is how many."""
    key = ZERO
    for k in range(integers[0]):
        key = mix(key, position[k])
    return float32(int64(key >> _TO_24_BITS)) / _HALF_OF_24_BITS - float32(1)


def handmade_names(game: Game | str = "othello") -> dict[str, str]:
    """Return the hand-made evaluators of a game, each with a line about it; the usual one first."""
    rules = known_game(game) if isinstance(game, str) else game
    about = {name: made.about for name, made in rules.defaults.evaluators.items()}
    return about | {
        "zero": "0 everywhere: the search sees finished games alone",
        "random": "a number drawn for each position: at depth 1 random moves, or a win at once",
    }


def usual_evaluator(game: Game) -> str:
    """Return the name of the evaluator that is meant where none is named."""
    return next(iter(handmade_names(game)))


def no_evaluator(name: str, game: Game) -> UserError:
    """Return the error that no evaluator of a game has this name; it may have been a folder's."""
    beside: dict[str, str] = {}
    with contextlib.suppress(OSError, ValueError):
        folders = [one for one in Path(name).parent.iterdir() if (one / "model.json").is_file()]
        beside = {one.name: str(one) for one in folders}
    near = [beside[one] for one in nearest(Path(name).name, beside)]
    if len(Path(name).parts) > 1:
        hint = f"; did you mean {near[0]}?" if near else ""
        return UserError(f"there is no folder {name!r} of a model{hint}")
    known, more = [*handmade_names(game), *near], "or give the folder of any model of yours"
    return unknown("evaluator", name, known, more, of=game.name)


@functools.lru_cache(maxsize=32)
def handmade(name: str, game: Game) -> Evaluator:
    """Return a hand-made evaluator.

    Raises
    ------
    UserError
        There is none of that name for the game.
    """
    if name not in handmade_names(game):
        raise no_evaluator(name, game)
    if name == "zero":
        return Evaluator("zero", game.name, _nothing, game.words)
    if name == "random":
        words = np.array([game.words], np.int32)
        return Evaluator("random", game.name, _at_random, game.words, words)
    made = game.defaults.evaluators[name]
    features = features_named(made.features, game.name)
    weights = [made.weights[column] for column in column_names(features)]
    blocks = [linear_block(of_stage) for of_stage in np.transpose(weights)]
    knots = even_knots(len(blocks), game.most_left)
    evaluator = compiled_evaluator(name, game, features, linear, blocks, knots)
    return replace(evaluator, probcut=shipped_probcut(evaluator))
