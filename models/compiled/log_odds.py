"""Parts of scikit-learn pipelines over positions, and classifiers as log-odds."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, SGDClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from samuel.common.errors import UserError
from samuel.features import Features, Patterns, Positions
from samuel.models.compiled.model import SMALLEST_PROBABILITY

FIRST_STEPS = (Features, Patterns, Positions)
"""The transformers that a pipeline over positions may start with."""
_DECIDE_BY_LOG_ODDS = (
    LinearDiscriminantAnalysis,
    LogisticRegression,
    LogisticRegressionCV,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
)


def steps_of(pipeline: Any) -> tuple[Any, list[Any], Any]:
    """Return the first step, the steps between, and the final estimator of a pipeline."""
    steps = list(_flat(pipeline))
    if len(steps) < 2 or not isinstance(steps[0], FIRST_STEPS):
        raise UserError(
            "a model must be a pipeline whose first step is Features or Patterns and whose "
            "last is an estimator, such as make_pipeline(Features(...), Ridge()) (got "
            f"{type(pipeline).__name__}); for an estimator fitted to data.X of "
            "samuel.training_data, give make_pipeline(data.reader, model)"
        )
    return steps[0], steps[1:-1], steps[-1]


def is_search(estimator: Any) -> bool:
    """Return whether an estimator searches for parameters of another, as GridSearchCV does."""
    return all(hasattr(estimator, name) for name in ("estimator", "refit", "error_score"))


def unwrapped(estimator: Any) -> Any:
    """Return what a search of scikit-learn's found, before its fit what it starts from."""
    while is_search(estimator):
        if not estimator.refit:
            raise UserError(
                f"{type(estimator).__name__} has refit=False, so it has no fitted model; "
                "use refit=True"
            )
        estimator = getattr(estimator, "best_estimator_", estimator.estimator)
    return estimator


def first_step(estimator: Any) -> Any:
    """Return what an estimator gives its input to, through pipelines and searches."""
    return next(_flat(estimator), None)


def _flat(step: Any) -> Iterator[Any]:
    step = unwrapped(step)
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            yield from _flat(inner)
    elif step is not None and step != "passthrough":
        yield step


def require_order(estimator: Any) -> None:
    """Raise UserError where a step was fitted to columns in another order than they come in."""
    if not isinstance(estimator, Pipeline):
        return
    for before, after in zip(estimator.steps, estimator.steps[1:], strict=False):
        fitted_to = getattr(after[1], "feature_names_in_", None)
        if fitted_to is None or not isinstance(before[1], Features):
            continue
        given = list(before[1].get_feature_names_out())
        if list(fitted_to) != given:
            raise UserError(
                f"{type(after[1]).__name__} was fitted to the columns {', '.join(fitted_to[:3])}, "
                f"..., and {type(before[1]).__name__} gives {', '.join(given[:3])}, ...; fit it to "
                "the columns in that order"
            )


def require_fitted(estimator: Any) -> None:
    """Raise UserError where scikit-learn's check, or a trace of a fit, finds none."""
    learner = unwrapped(estimator)
    while isinstance(learner, Pipeline) and learner.steps:
        learner = learner.steps[-1][1]
    if not isinstance(learner, BaseEstimator):
        return
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        # an estimator of a user's own may keep what it found under names without an underscore
        is_usual = type(learner).__module__.partition(".")[0] in ("sklearn", "samuel")
        if is_usual or vars(learner).keys() <= learner.get_params(deep=False).keys():
            raise UserError(
                f"{type(learner).__name__} is not fitted; fit it first: estimator.fit(positions, "
                "targets), or let samuel.train fit it"
            ) from None


def require_win_or_loss(classifier: Any) -> None:
    """Raise UserError unless the classes are 0 and 1, or False and True."""
    if not is_classifier(classifier):
        return
    classes = np.asarray(classifier.classes_)
    if classes.dtype.kind not in "biuf" or classes.tolist() != [0, 1]:
        raise UserError(
            "a classifier must have the classes 0 and 1 (False and True), 1 where the side "
            f"to move wins (got {', '.join(map(str, classes.tolist()))})"
        )


def require_scale(classifier: Any, scale: float | None) -> float:
    """Return units of score per logit: `scale` for a classifier, 1 for a regressor."""
    if not is_classifier(classifier):
        return 1.0
    if scale is None:
        raise UserError("a classifier needs a scale: the units of score per logit")
    return float(scale)


def decision_factor(model: Any) -> float | None:
    """Return what `decision_function` is multiplied by to be log-odds; None where it is not."""
    if isinstance(model, _DECIDE_BY_LOG_ODDS):
        # exponential loss is least where the decision is half the log-odds
        return 2.0 if getattr(model, "loss", None) == "exponential" else 1.0
    is_logistic = isinstance(model, SGDClassifier) and getattr(model, "loss", "") == "log_loss"
    is_sole = hasattr(model, "decision_function") and not hasattr(model, "predict_proba")
    return 1.0 if is_logistic or is_sole else None


def log_odds(pipeline: Any, positions: ArrayLike) -> NDArray[np.float64]:
    """Return the log-odds (n,) of class 1, through scikit-learn."""
    features, between, model = steps_of(pipeline)
    require_win_or_loss(model)
    X = features.transform(positions)
    for step in between:
        X = step.transform(X)
    if hasattr(model, "booster_") or hasattr(model, "get_booster"):
        from samuel.models.compiled.boosters import margins

        return margins(model, X)
    factor = decision_factor(model)
    if factor is not None:
        return factor * np.asarray(model.decision_function(X), np.float64)
    if isinstance(model, MLPClassifier):
        model = copy.copy(model)
        model.out_activation_ = "identity"
        return np.asarray(model.predict_proba(X), np.float64)[:, 1]
    if not hasattr(model, "predict_proba"):
        raise UserError(
            f"{type(model).__name__} predicts a class without a probability; choose a "
            "classifier with predict_proba or decision_function, such as LogisticRegression"
        )
    p = np.asarray(model.predict_proba(X), np.float64)[:, 1]
    p = np.clip(p, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    return np.log(p / (1 - p))
