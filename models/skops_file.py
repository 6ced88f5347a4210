"""Estimators as bytes, by way of skops: what comes back is built from trusted types alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import skops.io

from samuel.errors import UserError
from samuel.models.estimator_checks import UnsoundError, built

TRUSTED = (
    "samuel.features.pattern_transformer.Patterns",
    "samuel.features.shapes.PatternSet",
    "samuel.features.shapes.Shape",
    "samuel.features.terms.CountTable",
    "samuel.features.terms.Terms",
    "samuel.features.transformer.Features",
    "samuel.models.corrected.Corrected",
    "samuel.models.pattern_estimators.PatternClassifier",
    "samuel.models.pattern_estimators.PatternRegressor",
    "samuel.models.pattern_network_fit.PatternNetwork",
    "samuel.models.staged.Staged",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
    "sklearn.tree._tree.Tree",
)
"""Types that an estimator may hold besides those that skops knows to be harmless."""


def estimator_bytes(estimator: Any) -> bytes:
    """Return a fitted estimator as the content of a file.

    Raises
    ------
    UserError
        It holds something that skops cannot write, or not read again.
    """
    try:
        content = bytes(skops.io.dumps(estimator))
        # what cannot be found by its name, a lambda say, is written and fails to come back
        skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))
    except Exception as error:
        raise UserError(
            f"{type(estimator).__name__} cannot be saved: skops finds no form for it that can be "
            f"read again ({error}); define functions and classes at the top of a module"
        ) from error
    return content


def read_estimator(
    content: bytes, path: str, trusted: Sequence[str] = (), versions: Any = None
) -> Any:
    """Return the estimator that `estimator_bytes` wrote.

    Parameters
    ----------
    content
        The bytes.
    path
        What errors call the file.
    trusted
        Names of types that may be built besides TRUSTED and those of skops.
    versions
        The packages it was written with, for errors.

    Raises
    ------
    UserError
        It is damaged, or holds a type that is not trusted.
    """
    allowed = {*TRUSTED, *trusted}
    try:
        strange = sorted(set(skops.io.get_untrusted_types(data=content)) - allowed)
    except Exception as error:
        raise UserError(
            f"{path} is damaged: it holds no estimator ({error}); train the model again"
        ) from error
    if strange:
        raise UserError(
            f"{path} holds the type {strange[0]}, which is not known to be safe; where you trust "
            f"whoever made the file, load it with trusted={strange}"
        )
    try:
        return built(content, sorted(allowed))
    except UnsoundError as error:
        raise UserError(f"{path} is damaged: {error}; train the model again") from None
    except Exception as error:
        raise UserError(
            f"{path} cannot be read with the packages installed here ({error}); "
            f"it was written with {versions}"
        ) from error
