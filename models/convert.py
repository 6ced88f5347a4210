"""From fitted scikit-learn pipelines to evaluators that the search runs.

Scalers are folded into the parameters, so the search pays nothing for them. Models without
a compiled form go to `samuel.models.compiled.slow`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from samuel.common.errors import UserError
from samuel.features import Features, Patterns, column_names, features_named
from samuel.features.terms import PatternTerms
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator, derived
from samuel.models.compiled.features import FeatureModel, linear_block
from samuel.models.compiled.log_odds import (
    decision_factor,
    log_odds,
    require_fitted,
    require_order,
    require_scale,
    require_win_or_loss,
    steps_of,
    unwrapped,
)
from samuel.models.compiled.model import CompiledModel
from samuel.models.compiled.slow import slow_evaluator
from samuel.models.staged import Staged

_SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
_NETWORKS = ("sklearn.neural_network._multilayer_perceptron", "samuel.models.sparse_network")
"""Modules of the networks; a class of a user's that is derived from one is in another."""
_REMEDY = (
    "scale the features (StandardScaler) and targets, or fit in smaller steps or fewer numbers"
)
"""Advice where a fitted model has numbers that no search can run."""


def compile_model(
    estimator: Any, name: str, *, scale: float | None = None, origin: str = ""
) -> Evaluator:
    """Compile a fitted estimator to an evaluator.

    Parameters
    ----------
    estimator
        Fitted Pipeline that starts with Features or Patterns, fitted Staged, or estimator over
        positions (PatternRegressor, PatternNetwork, ...). A classifier has the classes 0 and 1; 1
        is a win of the side to move.
    name
        Name in reports.
    scale
        Score per logit of a classifier.
    origin
        Source of the model, in words.

    Returns
    -------
    Evaluator
        Compiled, or, where the estimator has no compiled form, one that calls scikit-learn at
        every position and warns once (`SlowEvaluatorWarning`).

    Raises
    ------
    UserError
        The estimator is no such pipeline, predicts more than one number, has other classes, has
        numbers that are not finite or too large, or is too large.

    Examples
    --------
    >>> import samuel
    >>> trained = samuel.train("data/games", "ridge")
    >>> samuel.compile_model(trained.estimator, "mine")
    Evaluator('mine', tic_tac_toe)
    """
    model = compiled_model(estimator, scale)
    if model is not None:
        return replace(model.evaluator(name, origin), source=model)
    return _slow(estimator, scale, name, origin)


def _slow(estimator: Any, scale: float | None, name: str = "", origin: str = "") -> Evaluator:
    def score(positions: NDArray[np.uint64]) -> NDArray[np.float32]:
        return predict(estimator, positions, scale)

    made = slow_evaluator(score, name, game_of(estimator), title_of(estimator), origin)
    return derived(made, _slow, estimator, scale)


def compiled_model(estimator: Any, scale: float | None = None) -> CompiledModel | None:
    """Return the compiled form of an estimator, or None where it has none; see compile_model."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        given = " ".join(f"{estimator!r:.60}".split())
        raise UserError(f"a model is made from a fitted estimator (got {given})")
    require_fitted(estimator)
    require_order(estimator)
    require_win_or_loss(estimator)
    model = compiled_of(estimator, require_scale(estimator, scale))
    try:
        if model is not None:
            model.check()
    except ValueError as error:
        raise UserError(f"{title_of(estimator)} cannot be compiled: {error}; {_REMEDY}") from None
    return model


def compiled_of(estimator: Any, factor: float) -> CompiledModel | None:
    """Return the compiled form, sound or not, its scores multiplied; None where it has none."""
    estimator = unwrapped(estimator)
    if takes_positions(estimator):
        form: CompiledModel = estimator.compiled(factor)
        return form
    over = {Patterns: _over_patterns, Features: _over_features}
    compiled = over.get(type(steps_of(_stages_of(estimator)[0])[0]))
    return None if compiled is None else compiled(estimator, factor)


def _over_features(estimator: Any, factor: float) -> FeatureModel | None:
    """Return the form of a model that starts with Features."""
    stages = _stages_of(estimator)
    features, _, _ = steps_of(stages[0])
    made = {id(stage): _kind_and_block(stage, factor) for stage in stages}
    if None in made.values():
        return None
    kinds, blocks = zip(*(made[id(stage)] for stage in stages), strict=True)
    return FeatureModel(
        kinds[0],
        known_game(features.game),
        features_named(features.features, features.game),
        blocks,
        _knots_of(estimator),
    )


def _over_patterns(estimator: Any, factor: float) -> CompiledModel | None:
    """Return the form of a linear model that starts with Patterns, else None."""
    from samuel.models.patterns.model import PatternModel

    tables, intercepts, knots = [], [], _knots_of(estimator)
    for stage in _stages_of(estimator):
        patterns, between, model = steps_of(stage)
        columns = len(patterns.knots_) * patterns.patterns_.n_weights
        found = None if between else _linear_weights(model, columns)
        if found is None or (len(patterns.knots_) > 1 and isinstance(estimator, Staged)):
            return None
        tables.append(factor * found[0].reshape(len(patterns.knots_), -1))
        intercepts.append(factor * found[1])
    if not isinstance(estimator, Staged):
        knots = patterns.knots_
    elif len(set(intercepts)) > 1:
        # a position has one configuration of each instance: the intercept goes to a shape's
        shape, _ = patterns.patterns_.instances[0]
        share = sum(1 for number, _ in patterns.patterns_.instances if number == shape)
        chosen = patterns.patterns_.weight_of[slice(*patterns.patterns_.starts[shape : shape + 2])]
        for table, intercept in zip(tables, intercepts, strict=True):
            table[0, np.unique(chosen)] += intercept / share
        intercepts = [0.0]
    weights = np.concatenate(tables).astype(np.float32)
    return PatternModel(PatternTerms(patterns.patterns_), knots, weights, float(intercepts[0]))


def _knots_of(estimator: Any) -> tuple[int, ...]:
    return tuple(map(int, estimator.knots)) if isinstance(estimator, Staged) else (0,)


def predict(estimator: Any, positions: ArrayLike, scale: float | None = None) -> NDArray[Any]:
    """Return the scores (n,) of positions (n, K), float32, through scikit-learn.

    They are those of the compiled evaluator, in the game's unit; a classifier's are `scale`
    times its log-odds. Slow for single positions.
    """
    estimator = unwrapped(estimator)
    if is_classifier(estimator):
        factor = require_scale(estimator, scale)
        whole = isinstance(estimator, Staged) or takes_positions(estimator)
        odds = estimator.decision_function if whole else lambda X: log_odds(estimator, X)
        return np.asarray(factor * odds(positions), np.float32)
    scores = np.asarray(estimator.predict(positions), np.float32)
    if scores.size != len(scores):
        raise UserError(
            f"{title_of(estimator)} predicts {scores.shape[1]} numbers; a score is one number"
        )
    return scores.ravel()


def game_of(estimator: Any) -> str:
    """Return the name of the game that an estimator reads."""
    estimator = unwrapped(estimator)
    if takes_positions(estimator):
        return known_game(estimator.game).name
    return known_game(steps_of(_stages_of(estimator)[0])[0].game).name


def reads_of(estimator: Any) -> list[str]:
    """Return what an estimator reads: names of features, `patterns SET`, numbers in tables."""
    parts = (
        [estimator, *estimator.get_params().values()] if hasattr(estimator, "get_params") else []
    )
    found: list[str] = []
    for part in parts:
        if hasattr(part, "reads") or (hasattr(part, "features") and hasattr(part, "game")):
            found += part.reads if hasattr(part, "reads") else part.features
        elif isinstance(part, Patterns) or (takes_positions(part) and hasattr(part, "shapes")):
            own = isinstance(part.shapes, list | tuple)
            found.append(f"patterns {f'of {len(part.shapes)} shapes' if own else part.shapes}")
            for table in getattr(part, "tables", ()):
                found += [table] if isinstance(table, str) else table
    return list(dict.fromkeys(found))


def title_of(estimator: Any) -> str:
    """Return the class names of the steps that matter, for messages."""
    estimator = unwrapped(estimator)
    if takes_positions(estimator):
        return type(estimator).__name__
    _, between, model = steps_of(_stages_of(estimator)[0])
    title = " after ".join(type(step).__name__ for step in [model, *reversed(between)])
    return f"Staged {title}" if isinstance(estimator, Staged) else title


def takes_positions(estimator: Any) -> bool:
    """Return whether an estimator reads positions itself, and makes its own form."""
    return hasattr(unwrapped(estimator), "compiled")


def _stages_of(estimator: Any) -> list[Any]:
    if isinstance(estimator, Staged):
        check_is_fitted(estimator)
        return list(estimator.stages_)
    return [estimator]


def _kind_and_block(pipeline: Any, factor: float) -> tuple[str, Any] | None:
    """Return the kind and block of one pipeline; `factor` is units per logit."""
    features, scalers, model = steps_of(pipeline)
    if any(type(scaler) not in _SCALERS for scaler in scalers):
        return None
    columns = len(column_names(features_named(features.features, features.game)))
    scaling = _affine(scalers, columns)
    if scaling is not None and (found := _linear_weights(model, columns)) is not None:
        weights, intercept = found
        intercept = intercept + weights @ scaling[1]
        return "linear", linear_block(factor * weights * scaling[0], factor * intercept)
    if type(model).__module__ in _NETWORKS:
        network = None if scaling is None else _network(scaling, model, factor)
        return None if network is None else ("mlp", network)
    from samuel.models.ensembles import are_trees, ensemble_block

    ensemble = ensemble_block(scalers, model, columns, factor) if are_trees(model) else None
    return None if ensemble is None else ("trees", ensemble)


def _affine(scalers: Sequence[Any], columns: int) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return factors and terms (columns,) of `factor * x + term`; None where a scaler clips."""
    if any(getattr(scaler, "clip", False) for scaler in scalers):
        return None
    of_zero_and_one = np.repeat([[0.0], [1.0]], columns, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # they may know their columns by name
        for scaler in scalers:  # which may give data frames
            of_zero_and_one = np.asarray(scaler.transform(of_zero_and_one))
    zero, one = of_zero_and_one
    return one - zero, zero


def _linear_weights(model: Any, columns: int) -> Any | None:
    """Return weights and intercept of a model that is linear in its features, else None."""
    weights = np.ravel(np.asarray(getattr(model, "coef_", ()), np.float64))
    intercept = np.ravel(np.asarray(getattr(model, "intercept_", 0.0), np.float64))
    if len(weights) != columns or len(intercept) != 1:
        return None
    if is_classifier(model):
        return None if decision_factor(model) is None else (weights, intercept[0])
    # the predictions decide: some regressors with weights have a link or centre
    sizes = np.repeat(10.0 ** np.arange(-1, 5), 8)[:, None]
    probes = sizes * np.random.default_rng(0).normal(size=(len(sizes), columns))
    expected = probes @ weights + intercept
    if not np.isfinite(expected).all():
        return weights, intercept[0]
    least = np.finfo(np.float32).tiny  # weights below it have lost their digits
    tolerance = 1e-4 * (np.abs(probes) @ np.abs(weights) + np.abs(intercept))
    tolerance += least * (1 + np.abs(probes).sum(axis=1))
    with np.errstate(all="ignore"):  # a link may well overflow
        found = np.ravel(model.predict(probes.astype(np.float32)))
    return (weights, intercept[0]) if (np.abs(found - expected) <= tolerance).all() else None


def _network(scaling: tuple[Any, Any], model: Any, factor: float) -> Any | None:
    from samuel.models.compiled.layers import ACTIVATIONS, mlp_block

    check_is_fitted(model)
    if model.out_activation_ not in ("identity", "logistic") or model.n_outputs_ != 1:
        return None
    if model.activation not in ACTIVATIONS:
        return None
    weights = [np.asarray(w, np.float64) for w in model.coefs_]
    biases = [np.asarray(b, np.float64) for b in model.intercepts_]
    biases[0] = biases[0] + scaling[1] @ weights[0]
    weights[0] = scaling[0][:, None] * weights[0]
    biases[-1], weights[-1] = factor * biases[-1], factor * weights[-1]
    return mlp_block(weights, biases, model.activation)
