"""Linear models that learn: over features, and over patterns.

The score is a sum of weights, each times its part, and the parts are the gradient. Between two
stages the weights of both count, each by its share.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import float32, int16, int32, int64
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import Pipeline, make_pipeline

from samuel.features import Features, column_names, extract, extractor, features_named
from samuel.features.pattern_index import byte_table, filling, lanes_of, middles
from samuel.features.shapes import PatternSet, Shapes, pattern_set
from samuel.features.terms import Stages, even_knots
from samuel.games.feature import Feature
from samuel.games.game import Game
from samuel.games.rules import EVALUATE
from samuel.kernels.laid_out import laid_out, reading
from samuel.kernels.pointers import Pointer, compose, compose_closure, view
from samuel.kernels.records import allocate, array, number, record, room
from samuel.models.patterns.estimators import PatternRegressor
from samuel.models.staged import Staged, set_weights
from samuel.models.trainable.model import GRADIENT, Learned, TrainableModel, dot, learned

_LEAST = 1e-6
"""No column is taken to vary less: one that never did has no effect."""


def _evaluate_of(gradient: Any) -> Any:
    """Return the evaluation of a linear form."""

    def evaluate(position: Pointer, integers: Pointer, floats: Pointer) -> float:
        its = learned(integers, floats)
        places, parts = its.places, its.parts
        n = gradient(position, integers, floats, places, parts)
        return float32(dot(its.weights, places, parts, n))

    return compose_closure(evaluate, EVALUATE)


@record
class _OfStages(Learned):
    """A linear model with stages that learns."""

    knots: Any = array(int32, ("counts",), "for each count of squares left, the first of two knots")
    shares: Any = array(float32, ("counts",), "what that counts; what is missing to 1, the next")


@record
class _OfFeatures(_OfStages):
    """A linear model over features that learns."""

    scale: Any = array(float32, ("columns",), "what each number is multiplied by")


_FEATURES = """
def gradient(position, integers, floats, places, parts):
    its = of_features(integers, floats)
    scale = its.scale
    extract(position, parts)
    left = min(max(int64(game_left(view(position, {words}))), 0), {most})
    place, share, n = its.knots[left] * {size}, its.shares[left], {size}
    for k in range({columns}):
        parts[k] *= scale[k]
    parts[{columns}] = ONE
    for k in range(n):
        places[k] = int32(place + k)
    if share == ONE:
        return int64(n)
    for k in range(n):
        places[n + k], parts[n + k] = int32(place + n + k), (ONE - share) * parts[k]
        parts[k] *= share
    return int64(2 * n)
"""


@functools.lru_cache(maxsize=64)
def _over_features(features: tuple[Feature, ...], game: Game) -> tuple[Any, Any]:
    columns = len(column_names(features))
    source = _FEATURES.format(
        words=game.words, most=game.most_left, columns=columns, size=columns + 1
    )
    parts = {
        "extract": extractor(features),
        "game_left": game.left,
        "view": view,
        "int32": int32,
        "int64": int64,
        "ONE": np.float32(1),
        "of_features": reading(_OfFeatures),
    }
    gradient = compose("gradient", source, parts, GRADIENT)
    return _evaluate_of(gradient), gradient


def trainable_features(
    names: Sequence[str], game: Game, positions: NDArray[np.uint64], knots: Sequence[int] = (0,)
) -> TrainableModel:
    """Return a linear model over features, all weights 0, that learns."""
    features = features_named(names, game.name)
    scale = 1 / np.maximum(extract(features, positions).std(axis=0, dtype=np.float64), _LEAST)
    scale[scale == 1 / _LEAST] = 0
    size, stages = len(scale) + 1, Stages.of(knots, game.most_left)
    evaluate, gradient = _over_features(features, game)
    its = allocate(
        _OfFeatures,
        {"size": len(knots) * size, "most": 2 * size},
        **_of_stages(stages),
        scale=scale.astype(np.float32),
    )

    def estimator(weights: NDArray[np.float64]) -> Any:
        fitted = []
        for stage in weights.reshape(len(knots), size):
            fitted.append(linear_pipeline(names, game, stage[:-1] * scale, float(stage[-1])))
        if len(fitted) == 1:
            return fitted[0]
        staged = Staged(make_pipeline(Features(list(names), game.name), LinearRegression()), knots)
        staged.game, staged.stages_, staged.n_features_in_ = game.name, fitted, game.words
        return staged

    return TrainableModel(game, evaluate, gradient, *laid_out(its), estimator)


def _of_stages(stages: Stages) -> dict[str, NDArray[Any]]:
    return {"knots": stages.knot.astype(np.int32), "shares": stages.share.astype(np.float32)}


def linear_pipeline(
    names: Sequence[str], game: Game, weights: NDArray[np.float64], intercept: float = 0.0
) -> Pipeline:
    """Return a fitted linear model with weights (n,), one of each number of the features."""
    made = make_pipeline(Features(list(names), game.name), LinearRegression())
    return set_weights(made, weights, intercept)


@record
class _OfPatterns(_OfStages):
    stage_size: int = number("weights per stage")
    middles: Any = array(int32, ("instances",), "as `middles` (features.pattern_index)")
    weight_of: Any = array(int32, ("configurations",), "of each, its weight in a stage")
    table: Any = array(int16, ("bytes * 256", "lanes"), "as `byte_table`")
    numbers: Any = room(int16, ("lanes",), "what the instances hold")


_PATTERNS = """
def gradient(position, integers, floats, places, parts):
    its = of_patterns(integers, floats)
    left = min(max(int64(game_left(view(position, {words}))), 0), {most})
    size, middle, weight_of = its.stage_size, its.middles, its.weight_of
    place, share, numbers, table = its.knots[left] * size, its.shares[left], its.numbers, its.table
    {fill}
    for k in range({n}):
        cell = middle[k] + int64(numbers[k])
        places[k], parts[k] = int32(place + weight_of[cell]), share
    if share == ONE:
        return int64({n})
    for k in range({n}):
        places[{n} + k], parts[{n} + k] = int32(places[k] + size), ONE - share
    return int64({twice})
"""


@functools.lru_cache(maxsize=64)
def _over_patterns(patterns: PatternSet, game: Game) -> tuple[Any, Any]:
    (fill, filled_by), n = filling(patterns), len(patterns.instances)
    source = _PATTERNS.format(words=game.words, most=game.most_left, fill=fill, n=n, twice=2 * n)
    parts = filled_by | {
        "game_left": game.left,
        "view": view,
        "of_patterns": reading(_OfPatterns),
        "int32": int32,
        "int64": int64,
        "ONE": np.float32(1),
    }
    gradient = compose("gradient", source, parts, GRADIENT)
    return _evaluate_of(gradient), gradient


def trainable_patterns(shapes: Shapes, game: Game, stages: int = 1) -> TrainableModel:
    """Return a linear model of patterns, all weights 0, that learns."""
    patterns, knots = pattern_set(shapes, game), even_knots(stages, game.most_left)
    evaluate, gradient = _over_patterns(patterns, game)
    size, most = patterns.n_weights, 2 * len(patterns.instances)
    its = allocate(
        _OfPatterns,
        {"size": stages * size, "most": most, "lanes": lanes_of(patterns)},
        **_of_stages(Stages.of(knots, game.most_left)),
        stage_size=size,
        middles=middles(patterns),
        weight_of=patterns.weight_of.astype(np.int32),
        table=byte_table(patterns),
    )

    def estimator(weights: NDArray[np.float64]) -> Any:
        model = PatternRegressor(shapes, game.name, stages=stages, fit_intercept=False)
        model.fit([game.start], [0.0])
        model.coef_ = weights.reshape(stages, size).astype(np.float32)
        return model

    return TrainableModel(game, evaluate, gradient, *laid_out(its), estimator)
