"""Contents of a fitted estimator over positions, and its speed as an evaluator.

The `scale` of a classifier is its units of score per logit.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

from samuel.features import Feature, Features, column_names, extract, features_named
from samuel.games import Position
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.rows import left_of
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.forms import learned_numbers
from samuel.models.compiled.log_odds import steps_of
from samuel.models.compiled.model import CompiledModel
from samuel.models.convert import compiled_model, game_of, predict, takes_positions
from samuel.models.evaluate import evaluate
from samuel.models.staged import Staged
from samuel.search import analyse, new_memory

_SECONDS, _REPEATS, _PROBES = 0.03, 5, 64
_SEARCH_DEPTH, _SEARCH_SECONDS = 8, 1.0


def parameter_count(estimator: Any) -> int | None:
    """Return how many numbers were learned: weights, or nodes of trees; None where unknown."""
    is_form = hasattr(estimator, "described")  # as of a saved model
    model: CompiledModel | None = estimator if is_form else compiled_model(estimator, 1.0)
    return None if model is None else learned_numbers(model)


class _Read(Features):
    """Takes the place of Features in a pipeline that is given the matrix itself."""

    def transform(self, X: Any) -> Any:
        """Return the matrix that was given."""
        return X


@dataclass(frozen=True, eq=False)
class _Stage:
    """The pipeline of one stage, and the positions that are nearest to it."""

    knot: int
    rows: NDArray[np.bool_]
    columns: list[str]
    slices: dict[str, slice]
    matrix: NDArray[np.float32]
    scores: Callable[[NDArray[np.float32]], NDArray[np.float64]]


def _pipelines(estimator: Any) -> dict[int, Any] | None:
    """Return the pipelines by the knot of their stage; None where they do not read features."""
    staged = isinstance(estimator, Staged)
    found = dict(zip(estimator.knots, estimator.stages_, strict=True)) if staged else {0: estimator}
    over_features = not takes_positions(estimator) and all(
        isinstance(steps_of(pipeline)[0], Features) for pipeline in found.values()
    )
    return found if over_features else None


def _stages(
    estimator: Any, positions: NDArray[np.uint64], scale: float | None
) -> list[_Stage] | None:
    """Return the stages of an estimator that positions come to; None where it reads no features."""
    if isinstance(estimator, FeatureModel):
        game, features = estimator.game, estimator.features
        made: dict[int, tuple[tuple[Feature, ...], Callable[[Any], NDArray[Any]]]] = {
            knot: (features, functools.partial(estimator.scores_of, block))
            for knot, block in zip(estimator.knots, estimator.blocks, strict=True)
        }
    else:
        pipelines = None if hasattr(estimator, "described") else _pipelines(estimator)
        if pipelines is None:
            return None
        game = known_game(game_of(estimator))
        made = {knot: _scores_of(pipeline, scale) for knot, pipeline in pipelines.items()}
    plies_left = left_of(game, positions)
    nearest = np.argmin(np.abs(plies_left[:, None] - np.array(list(made))), axis=1)
    return [
        _stage(knot, features, scores, positions, nearest == k)
        for k, (knot, (features, scores)) in enumerate(made.items())
    ]


def _scores_of(
    pipeline: Any, scale: float | None
) -> tuple[tuple[Feature, ...], Callable[[Any], NDArray[Any]]]:
    """Return the features that a pipeline reads, and what it makes of a matrix of their columns."""
    first, between, model = steps_of(pipeline)
    of_matrix = make_pipeline(_Read(first.features, first.game), *between, model)
    features = features_named(first.features, first.game)
    return features, lambda matrix: predict(of_matrix, matrix, scale)


def _stage(
    knot: int,
    features: tuple[Feature, ...],
    scores: Callable[[Any], NDArray[Any]],
    positions: NDArray[np.uint64],
    rows: NDArray[np.bool_],
) -> _Stage:
    slices, start = {}, 0
    for feature in features:
        slices[feature.name] = slice(start, start + len(feature.columns))
        start += len(feature.columns)
    matrix = extract(features, positions[rows])
    return _Stage(
        *(knot, rows, column_names(features), slices, matrix),
        lambda columns: scores(columns).astype(np.float64),
    )


def feature_importance(
    estimator: Any,
    positions: NDArray[np.uint64],
    outcomes: NDArray[np.float32],
    *,
    scale: float | None = None,
    seed: int = 0,
) -> pd.DataFrame | None:
    """Return how much R2 falls when a feature is shuffled among positions, at each stage."""
    stages = _stages(estimator, positions, scale)
    if stages is None:
        return None
    rng = np.random.default_rng(seed)
    return pd.DataFrame({s.knot: _lost(s, outcomes[s.rows], rng) for s in stages})


def _lost(stage: _Stage, outcomes: NDArray[np.float32], rng: np.random.Generator) -> pd.Series:
    """Return the fall of R2 for each feature of one stage."""

    def error(matrix: NDArray[np.float32]) -> float:
        return float(np.mean(np.square(stage.scores(matrix) - outcomes)))

    spread = float(np.var(outcomes)) if len(outcomes) else 0.0
    if spread == 0:
        return pd.Series(dict.fromkeys(stage.slices, 0.0))
    lost, whole = {}, error(stage.matrix)
    for name, columns in stage.slices.items():
        shuffled = stage.matrix.copy()
        shuffled[:, columns] = stage.matrix[rng.permutation(len(shuffled)), columns]
        lost[name] = (error(shuffled) - whole) / spread
    return pd.Series(lost)


def evaluation_time(evaluator: Evaluator, game: Game, positions: NDArray[np.uint64]) -> float:
    """Return the nanoseconds that one evaluation takes inside a compiled loop, on one core."""
    few = positions[:_PROBES]
    evaluate(evaluator, game, few)
    started = time.perf_counter()
    evaluate(evaluator, game, few)
    each = (time.perf_counter() - started) / len(few)
    sample = positions[: max(_PROBES, int(_SECONDS / max(each, 1e-9)))]
    best = float("inf")
    for _ in range(_REPEATS):
        started = time.perf_counter()
        evaluate(evaluator, game, sample)
        best = min(best, time.perf_counter() - started)
    return best / len(sample) * 1e9


def search_speed(evaluator: Evaluator, game: Game, positions: NDArray[np.uint64]) -> float:
    """Return the nodes a second of a search on one core, the median over `positions` (n, K)."""
    memory = new_memory(game, table_bits=18)
    starts = [Position(game, tuple(int(word) for word in row)) for row in positions]
    analyse(starts[0], evaluator, depth=1, exact_from=0, memory=memory)  # sets things up
    found = [
        analyse(
            start,
            evaluator,
            depth=_SEARCH_DEPTH,
            seconds=_SEARCH_SECONDS,
            exact_from=0,
            memory=memory,
        )
        for start in starts
    ]
    return float(np.median([one.nodes / max(one.seconds, 1e-9) for one in found]))
