"""Linear models that learn: over features, and over patterns.

The score is a sum of weights, each times its part, and the parts are the gradient. Between two
stages the weights of both count, each by its share.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import float32, int32, int64
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import Pipeline, make_pipeline

from samuel.features import Features, column_names, extract, extractor, features_named
from samuel.features.pattern_index import (
    as_halves,
    byte_table,
    fill_kinds,
    fill_two,
    is_plain,
    lanes_of,
    middles,
)
from samuel.features.shapes import PatternSet, Shapes, pattern_set
from samuel.features.stages import Stages, even_knots
from samuel.games.feature import Feature
from samuel.games.interface import EVALUATE, Game
from samuel.kernels.compose import compose, compose_closure
from samuel.kernels.pointers import Pointer, offset, view
from samuel.models.forms.staged import Staged
from samuel.models.live.live import GRADIENT, HEADER, PARTS, PLACES, WEIGHTS, Live, arrays, dot
from samuel.models.patterns.estimators import PatternRegressor

_SIZE, _KNOTS = range(HEADER, HEADER + 2)
"""Integers: the weights of a stage; from there on, for each count of squares left, its knot."""
_LEAST = 1e-6
"""No column is taken to vary less: one that never did has no effect."""


def _evaluate_of(gradient: Any) -> Any:
    """Return the evaluation of a linear form."""

    def evaluate(position: Pointer, integers: Pointer, floats: Pointer) -> float:
        places = offset(integers, int64(integers[PLACES]))
        parts = offset(floats, int64(integers[PARTS]))
        n = gradient(position, integers, floats, places, parts)
        return float32(dot(offset(floats, int64(integers[WEIGHTS])), places, parts, n))

    return compose_closure(evaluate, EVALUATE)


_FEATURES = """
def gradient(position, integers, floats, places, parts):
    extract(position, parts)
    left = min(max(int64(game_left(view(position, {words}))), 0), {most})
    place, share, n = integers[KNOTS + left] * {size}, floats[{columns} + left], {size}
    for k in range({columns}):
        parts[k] *= floats[k]
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
    """Return the evaluation and the gradient over features."""
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
        "KNOTS": _KNOTS,
    }
    gradient = compose("gradient", source, parts, GRADIENT)
    return _evaluate_of(gradient), gradient


def live_features(
    names: Sequence[str],
    game: Game,
    positions: NDArray[np.uint64],
    knots: Sequence[int] = (0,),
) -> Live:
    """Return a linear model over features, all weights 0, that learns.

    Parameters
    ----------
    names
        the features.
    positions
        (n, K), such as may come up: each column is divided by how much it varies there, so that a
        step changes the score by as much whatever a feature counts in.
    knots
        the stages, counts of squares left, ascending.
    """
    features = features_named(names, game.name)
    scale = 1 / np.maximum(extract(features, positions).std(axis=0, dtype=np.float64), _LEAST)
    scale[scale == 1 / _LEAST] = 0
    size, stages = len(scale) + 1, Stages.of(knots, game.most_left)
    evaluate, gradient = _over_features(features, game)
    integers, floats = arrays(
        np.concatenate([[size], stages.knot]),
        np.concatenate([scale, stages.share]),
        np.zeros(len(knots) * size),
        2 * size,
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

    return Live(game, evaluate, gradient, integers, floats, 2 * size, estimator)


def linear_pipeline(
    names: Sequence[str], game: Game, weights: NDArray[np.float64], intercept: float = 0.0
) -> Pipeline:
    """Return a fitted linear model with weights (n,), one of each number of the features."""
    model, n = LinearRegression(), len(weights)
    model.coef_, model.intercept_, model.n_features_in_ = weights, intercept, n
    model.rank_, model.singular_ = n, np.ones(n)
    return make_pipeline(Features(list(names), game.name).fit([game.start]), model)


_PATTERNS = """
def gradient(position, integers, floats, places, parts):
    left = min(max(int64(game_left(view(position, {words}))), 0), {most})
    place, share = integers[KNOTS + left] * integers[SIZE], floats[left]
    numbers, table = as_halves(floats, {numbers_at}), as_halves(integers, {table_at})
    {fill}
    for k in range({n}):
        cell = integers[{middles_at} + k] + int64(numbers[k])
        places[k], parts[k] = int32(place + integers[{weights_at} + cell]), share
    if share == ONE:
        return int64({n})
    for k in range({n}):
        places[{n} + k], parts[{n} + k] = places[k] + integers[SIZE], ONE - share
    return int64({twice})
"""
_FILL_TWO = "fill_two(table, {lanes}, position[0], position[1], numbers)"
_FILL_KINDS = "fill_kinds(table, {lanes}, STEPS, {kinds}, {each}, position, numbers)"


@functools.lru_cache(maxsize=64)
def _over_patterns(patterns: PatternSet, game: Game) -> tuple[Any, Any]:
    """Return the evaluation and the gradient over patterns."""
    lanes, board, n = lanes_of(patterns), patterns.board, len(patterns.instances)
    middles_at = _KNOTS + game.most_left + 1
    fill = (_FILL_TWO if is_plain(board) else _FILL_KINDS).format(
        lanes=lanes, kinds=len(board.kept), each=board.words_each
    )
    source = _PATTERNS.format(
        words=game.words,
        most=game.most_left,
        numbers_at=2 * (game.most_left + 1),
        table_at=2 * (middles_at + n + len(patterns.weight_of)),
        middles_at=middles_at,
        weights_at=middles_at + n,
        fill=fill,
        n=n,
        twice=2 * n,
    )
    parts = {
        "game_left": game.left,
        "view": view,
        "as_halves": as_halves,
        "fill_two": fill_two,
        "fill_kinds": fill_kinds,
        "STEPS": board.steps,
        "int32": int32,
        "int64": int64,
        "ONE": np.float32(1),
        "KNOTS": _KNOTS,
        "SIZE": _SIZE,
    }
    gradient = compose("gradient", source, parts, GRADIENT)
    return _evaluate_of(gradient), gradient


def live_patterns(shapes: Shapes, game: Game, stages: int = 1) -> Live:
    """Return a linear model of patterns, all weights 0, that learns."""
    patterns, knots = pattern_set(shapes, game), even_knots(stages, game.most_left)
    shares, table = Stages.of(knots, game.most_left), byte_table(patterns).ravel()
    evaluate, gradient = _over_patterns(patterns, game)
    size, most = patterns.n_weights, 2 * len(patterns.instances)
    halves = np.append(table, np.zeros(len(table) % 2, np.int16)).view(np.int32)
    integers, floats = arrays(
        np.concatenate([[size], shares.knot, middles(patterns), patterns.weight_of, halves]),
        np.concatenate([shares.share, np.zeros(lanes_of(patterns) // 2)]),
        np.zeros(stages * size),
        most,
    )

    def estimator(weights: NDArray[np.float64]) -> Any:
        model = PatternRegressor(shapes, game.name, stages=stages, fit_intercept=False)
        model.fit([game.start], [0.0])
        model.coef_ = weights.reshape(stages, size).astype(np.float32)
        return model

    return Live(game, evaluate, gradient, integers, floats, most, estimator)
