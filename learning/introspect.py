"""What is inside a fitted estimator, and how fast it is as an evaluator."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

from features import Features, column_names, features_named
from games.abi import Evaluator, Game
from games.catalog import game_named
from models.convert import compiled_model, game_of, predict
from models.evaluate import evaluate, remaining_of
from models.log_odds import steps_of
from models.staged import Staged

_SECONDS, _REPEATS, _PROBES = 0.03, 5, 64


def parameter_count(estimator: Any) -> int | None:
    """Return how many numbers were learned: weights, or nodes of trees; None where unknown."""
    model = compiled_model(estimator, 1.0)
    if model is None:
        return None
    if model.kind == "trees":
        return int(sum(block.integers[1] for block in model.blocks))
    return int(sum(len(block.floats) for block in model.blocks))


def linear_weights(estimator: Any, scale: float | None = None) -> pd.DataFrame | None:
    """Return the weights of a linear model, in units of score for one unit of each feature.

    Parameters
    ----------
    estimator
        A fitted estimator over positions.
    scale
        Of a classifier: units of score per logit.

    Returns
    -------
    pandas.DataFrame or None
        One column for each stage, named by its remaining squares; one row for each number of
        the features, and `intercept`. None where the model is not linear.
    """
    model = compiled_model(estimator, scale)
    if model is None or model.kind != "linear":
        return None
    index = ["intercept", *column_names(model.features)]
    return pd.DataFrame(
        {k: b.floats for k, b in zip(model.knots, model.blocks, strict=True)}, index=index
    )


class _Read(Features):
    """Takes the place of Features in a pipeline that is given the matrix itself."""

    def transform(self, X: Any) -> Any:
        """Return the matrix that was given."""
        return X


def feature_importance(
    estimator: Any,
    positions: NDArray[np.uint64],
    outcomes: NDArray[np.float32],
    *,
    scale: float | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Return how much R2 falls when a feature is shuffled among positions, at each stage.

    The numbers of one feature are shuffled together, as they say one thing.

    Parameters
    ----------
    estimator
        A fitted estimator over positions.
    positions, outcomes
        Positions (n, K) that the estimator was not fitted to, and their outcomes (n,).
    scale
        Of a classifier: units of score per logit.
    seed
        Of the shuffles.

    Returns
    -------
    pandas.DataFrame
        One column for each stage, named by its remaining squares; one row for each feature.
    """
    knots, pipelines = [0], [estimator]
    if isinstance(estimator, Staged):
        knots, pipelines = list(estimator.knots), estimator.stages_
    remaining = remaining_of(game_named(game_of(estimator)), positions)
    nearest = np.argmin(np.abs(remaining[:, None] - np.array(knots)), axis=1)
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            knot: _lost(pipeline, positions[nearest == k], outcomes[nearest == k], scale, rng)
            for k, (knot, pipeline) in enumerate(zip(knots, pipelines, strict=True))
        }
    )


def _lost(
    pipeline: Any,
    positions: NDArray[np.uint64],
    outcomes: NDArray[np.float32],
    scale: float | None,
    rng: np.random.Generator,
) -> pd.Series:
    """Return the fall of R2 for each feature of one pipeline."""
    features, between, model = steps_of(pipeline)
    reader = _Read(features.features, features.game)
    of_matrix = make_pipeline(reader, *between, model)

    def error(matrix: NDArray[np.float32]) -> float:
        scores = predict(of_matrix, matrix, scale).astype(np.float64)
        return float(np.mean(np.square(scores - outcomes)))

    lost, start = {}, 0
    spread = float(np.var(outcomes)) if len(outcomes) else 0.0
    if spread == 0:
        return pd.Series(dict.fromkeys(features.features, 0.0))
    matrix = features.transform(positions)
    whole = error(matrix)
    for feature in features_named(features.features, features.game):
        columns = slice(start, start + len(feature.columns))
        shuffled = matrix.copy()
        shuffled[:, columns] = matrix[rng.permutation(len(matrix)), columns]
        lost[feature.name] = (error(shuffled) - whole) / spread
        start = columns.stop
    return pd.Series(lost)


def evaluation_time(evaluator: Evaluator, game: Game, positions: NDArray[np.uint64]) -> float:
    """Return the nanoseconds that one evaluation takes inside a compiled loop, on one core.

    The best of some runs over `positions` (n, K); fewer positions where the evaluator is slow.
    """
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
