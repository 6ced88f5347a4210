"""`Corrected`: a model, and a second one for what the first leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from samuel.common.errors import UserError
from samuel.models.compiled.sums import SumModel
from samuel.models.estimator_methods import ScoreRegressor


class Corrected(MetaEstimatorMixin, ScoreRegressor, BaseEstimator):
    """Sum of two regressors over positions; the second is fitted to the residuals of the first.

    A linear model of patterns knows the places of the pieces. A small nonlinear model over a few
    features can tell when they are worth more or less. The residuals are those of rows that the
    first was fitted to, so they are too small: the second should be small, or strongly regularized.

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

    Examples
    --------
    >>> import samuel
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> data = samuel.Dataset.open("data/games")
    >>> first = make_pipeline(samuel.Features(["squares"], "tic_tac_toe"), Ridge())
    >>> second = make_pipeline(samuel.Features(["open_lines"], "tic_tac_toe"), Ridge())
    >>> model = samuel.Corrected(first, second)
    >>> model = model.fit(data.positions, data.frame(["outcome"])["outcome"])
    >>> model.predict(data.positions[:2]).shape
    (2,)
    """

    def __init__(self, estimator: Any, correction: Any) -> None:
        self.estimator = estimator
        self.correction = correction

    @property
    def game(self) -> str:
        """Name of the game."""
        from samuel.models.convert import game_of

        return game_of(getattr(self, "estimator_", self.estimator))

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Corrected:
        """Fit both regressors to positions and targets, which may be weighted.

        Each gets weights and groups if its fit takes them.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.
        y
            Targets (n,).
        sample_weight
            Weights (n,); by default all are 1.
        groups
            Game of each position (n,).

        Returns
        -------
        Corrected
            The estimator itself.

        Raises
        ------
        UserError
            One of the two is no estimator.
        ValueError
            One of the two cannot be fitted to the rows.
        """
        for name in ("estimator", "correction"):
            if not hasattr(getattr(self, name), "fit") or isinstance(getattr(self, name), type):
                raise UserError(
                    f"{name} must be an estimator, such as PatternRegressor() (got "
                    f"{getattr(self, name)!r})"
                )
        target = column_or_1d(y, dtype=np.float32)
        about = {"sample_weight": sample_weight, "groups": groups}
        self.estimator_ = _fitted(self.estimator, X, target, about)
        residual = target - np.ravel(self.estimator_.predict(X))
        self.correction_ = _fitted(self.correction, X, residual, about)
        self.n_features_in_ = np.asarray(X).shape[1]
        return self

    def _scores(self, X: ArrayLike) -> NDArray[np.float32]:
        total = np.ravel(self.estimator_.predict(X)) + np.ravel(self.correction_.predict(X))
        return total.astype(np.float32)

    def compiled(self, factor: float = 1.0) -> SumModel | None:
        """Return the compiled form; None if one of the two has none.

        Parameters
        ----------
        factor
            Factor that all scores are multiplied by.

        Returns
        -------
        SumModel | None
            Form that the search runs, or None.
        """
        from samuel.models.convert import compiled_of

        check_is_fitted(self)
        parts = [compiled_of(part, factor) for part in (self.estimator_, self.correction_)]
        compiled = tuple(part for part in parts if part is not None)
        return SumModel(compiled) if len(compiled) == len(parts) else None


def _fitted(estimator: Any, X: ArrayLike, y: Any, about: dict[str, ArrayLike | None]) -> Any:
    """Return a fitted copy that was told what its fit takes of `about` the rows."""
    step, last = "", estimator
    if isinstance(estimator, Pipeline):
        step, last = f"{estimator.steps[-1][0]}__", estimator.steps[-1][1]
    taken = {
        f"{step}{name}": value
        for name, value in about.items()
        if value is not None and has_fit_parameter(last, name)
    }
    return clone(estimator).fit(X, y, **taken)
