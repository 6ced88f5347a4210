"""Estimators for a `Fitting`: made, and fitted with what their `fit` takes."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
from joblib import cpu_count
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from samuel.errors import UserError, unknown
from samuel.games.abi import Game
from samuel.learning.fitting import Fitting
from samuel.learning.recipes import recipe
from samuel.learning.targets import Examples
from samuel.models import Staged


def name_of(model: str) -> str:
    """Return what reports call a recipe, or a function FILE.py:function."""
    return model.rpartition(":")[2] if ".py:" in model else model


def unfitted(model: str, game: Game, fitting: Fitting, seed: int = 0) -> Any:
    """Return the estimator of a recipe with the parameters of `fitting`; see learning.recipes.

    Raises
    ------
    UserError
        There is no such recipe, feature or parameter.
    """
    estimator = recipe(model, game, fitting.features, fitting.stages, seed)
    learner = learner_of(estimator)
    known = learner.get_params()
    for name in fitting.parameters:
        if name not in known:
            raise unknown("parameter", name, known, of=type(learner).__name__)
    learner.set_params(**fitting.parameters)
    return estimator


def learner_of(estimator: Any) -> Any:
    """Return the part that learns: the last step of a pipeline, of that of each stage."""
    inner = estimator.estimator if isinstance(estimator, Staged) else estimator
    return inner.steps[-1][1] if isinstance(inner, Pipeline) else inner


def takes_weights(estimator: Any) -> bool:
    """Return whether rows can count differently in its fit."""
    return bool(has_fit_parameter(learner_of(estimator), "sample_weight"))


def fit(
    estimator: Any,
    positions: NDArray[np.uint64],
    examples: Examples,
    games: NDArray[np.int64],
    model: str,
) -> None:
    """Fit an estimator to examples.

    Its `fit` is given `sample_weight` where it takes it, and `groups`, the games of the rows, so
    that it can hold some out for itself. Without weights a draw counts as a win and a loss.

    Parameters
    ----------
    estimator
        A pipeline, a Staged, or another estimator over positions.
    positions, games
        The positions (m, K) of the examples, and the games (m,) they come from.
    model
        The recipe, for the error.

    Raises
    ------
    UserError
        It cannot be fitted to them.
    """
    target = examples.target.astype(np.int64) if is_classifier(estimator) else examples.target
    taken, prefix = estimator, ""
    if isinstance(estimator, Pipeline):
        name, taken = estimator.steps[-1]
        prefix = f"{name}__"
    given = {"sample_weight": examples.weight, "groups": games}
    details = {
        prefix + key: value
        for key, value in given.items()
        if value is not None and has_fit_parameter(taken, key)
    }
    with warnings.catch_warnings(), threadpool_limits({"openmp": _free_cores(), "blas": 1}):
        if ".py:" not in model:  # the recipes' limits on iterations are meant
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "Got `batch_size`")
        try:
            estimator.fit(positions, target, **details)
        except ValueError as error:
            raise UserError(f"{model} cannot be fitted to these positions: {error}") from error


def _free_cores() -> int:
    """Return the cores that nothing else is using, at least one.

    OpenMP's threads wait for each other in turn: where one has no core to itself, histogram
    boosting was seen to take 60 times as long. How many there are does not change what is fitted;
    of BLAS's it does in the last digits, and matrices as narrow as these need but one.
    """
    cores = int(cpu_count())
    try:
        return max(1, round(cores - os.getloadavg()[0]))
    except (AttributeError, OSError):  # a system without load averages
        return cores
