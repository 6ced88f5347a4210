"""`Corrected`: a model, and a second one for what the first leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from errors import UserError
from models.sums import SumForm


class Corrected(MetaEstimatorMixin, RegressorMixin, BaseEstimator):
    """The sum of two regressors over positions, the second fitted to the residuals of the first.

    A linear model of patterns knows where stones stand; a small nonlinear one over a few features
    can tell when that is worth more or less. The residuals are those of rows that the first was
    fitted to, which it knows too well: the second should be small, or strongly regularised.

    Parameters
    ----------
    estimator
        The first, such as a PatternRegressor.
    correction
        The second, such as a pipeline that starts with Features.

    Attributes
    ----------
    estimator_, correction_
        The fitted ones.
    n_features_in_
        K, the words of a position.
    """

    def __init__(self, estimator: Any, correction: Any) -> None:
        self.estimator = estimator
        self.correction = correction

    @property
    def game(self) -> str:
        """The name of the game."""
        from models.convert import game_of

        return game_of(getattr(self, "estimator_", self.estimator))

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Corrected:
        """Fit to positions (n, K) and targets (n,), which may be weighted."""
        target = np.asarray(y, np.float32)
        self.estimator_ = _fitted(self.estimator, X, target, sample_weight)
        residual = target - np.ravel(self.estimator_.predict(X))
        self.correction_ = _fitted(self.correction, X, residual, sample_weight)
        self.n_features_in_ = np.asarray(X).shape[1]
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the sums of both predictions (n,)."""
        check_is_fitted(self)
        total = np.ravel(self.estimator_.predict(X)) + np.ravel(self.correction_.predict(X))
        return total.astype(np.float32)

    def form(self, factor: float = 1.0) -> SumForm:
        """Return the compiled form.

        Raises
        ------
        UserError
            One of the two has none.
        """
        from models.convert import compiled_model

        if factor != 1.0:
            raise UserError("Corrected is a regressor: its scores have no other scale")
        parts = [compiled_model(part) for part in (self.estimator_, self.correction_)]
        if None in parts:
            raise UserError("both parts of Corrected need a compiled form, and one has none")
        return SumForm(tuple(part for part in parts if part is not None))


def _fitted(estimator: Any, X: ArrayLike, y: Any, sample_weight: ArrayLike | None) -> Any:
    """Return a fitted copy, weighted where it takes weights."""
    name, last = "", estimator
    if isinstance(estimator, Pipeline):
        name, last = f"{estimator.steps[-1][0]}__", estimator.steps[-1][1]
    takes_weights = sample_weight is not None and has_fit_parameter(last, "sample_weight")
    extra = {f"{name}sample_weight": sample_weight} if takes_weights else {}
    return clone(estimator).fit(X, y, **extra)
