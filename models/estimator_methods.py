"""Base of estimators over positions: one `fit`, scores, log-odds, and a fit that continues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from samuel.features.extraction import positions_in
from samuel.models.checked import checked_rows
from samuel.models.evaluate import evaluate


class ScoreRegressor(RegressorMixin):
    """Base of regressors; `_scores` returns the scores (n,)."""

    _scores: Callable[[ArrayLike], NDArray[np.float32]]

    def predict(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the scores (n,) of positions (n, K), for the side to move.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[np.float32]
            Scores float32 (n,) for the side to move.
        """
        check_is_fitted(self)
        return self._scores(X)


class LogOdds:
    """Base of estimators of two classes; `_scores` returns the log-odds (n,) of the second."""

    classes_: NDArray[Any]
    _scores: Callable[[ArrayLike], NDArray[Any]]

    def decision_function(self, X: ArrayLike) -> NDArray[Any]:
        """Return the log-odds (n,) of the second class.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[Any]
            Log-odds (n,) that the side to move wins.
        """
        return self._scores(X)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities (n, 2) of the classes.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[np.float64]
            Probabilities float64 (n, 2), columns in the order of `classes_`.
        """
        p = expit(self._scores(X).astype(np.float64))
        return np.column_stack([1 - p, p])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the more probable class of each position.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[Any]
            Classes (n,).
        """
        scores = self._scores(X)  # an unfitted model has no classes
        return np.asarray(self.classes_[(scores > 0).astype(int)])


class LogOddsClassifier(LogOdds, ClassifierMixin):
    """Base of classifiers of two classes, which are fitted to 0 and 1."""

    warm_start: bool
    __sklearn_is_fitted__: Callable[[], bool]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _set_classes(self, y: ArrayLike) -> None:
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        found = np.unique(np.asarray(y))
        if len(found) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(found)}."
            )
        if len(found) < 2:
            got = "1 class" if len(found) else "none"  # scikit-learn's checks look for "1 class"
            raise ValueError(f"y must have two classes (got {got})")
        before = getattr(self, "classes_", found)
        if self.warm_start and self.__sklearn_is_fitted__() and (found != before).any():
            raise ValueError("a warm start must keep the classes")
        self.classes_ = found

    def _targets(self, y: NDArray[Any]) -> NDArray[np.float32]:
        if not np.isin(y, self.classes_).all():
            raise ValueError(f"y has classes other than {self.classes_.tolist()}")
        return (y == self.classes_[1]).astype(np.float32)


class WarmStart:
    """Base of estimators whose fit continues after it was saved.

    `_fitted_arrays` returns the arrays of a fit, and `_restore` takes them.
    """

    _fitted_arrays: Callable[[], dict[str, NDArray[Any]]]
    _restore: Callable[[Any, Mapping[str, NDArray[Any]]], None]

    def warm_start_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `start_from` needs in addition to the compiled form."""
        check_is_fitted(self)
        return self._fitted_arrays()

    def start_from(self, form: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore an earlier fit from its form and `warm_start_arrays`; ValueError for others."""
        self._restore(form, arrays)


class PositionEstimator(WarmStart, BaseEstimator):
    """Base of estimators over positions, whose fit takes positions, targets, weights and games.

    `_fit_rows` takes them checked. `_targets` returns the targets as it fits them.
    """

    game: str
    compiled: Callable[[], Any]
    _fit_rows: Callable[..., Any]
    _weight_type: Any = np.float32

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit to positions and targets, which may be weighted.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.
        y
            Targets (n,) in the game's unit. For a classifier two classes; the second in their order
            is a win of the side to move.
        sample_weight
            Weights (n,); by default all are 1.
        groups
            Games of the positions (n,). Whole games are held out, and errors of weights allow for
            rows that share a result. By default rows are independent.

        Returns
        -------
        Self
            The estimator itself.

        Raises
        ------
        UserError
            The game lacks the features, the shapes or the board.
        ValueError
            Positions, targets and weights do not fit together, or a parameter cannot be used.
        """
        self._check()
        self._set_classes(y)
        rows = checked_rows(X, y, sample_weight, self.game, self._weight_type)
        positions, targets, weights = rows
        self._fit_rows(positions, self._targets(targets), weights, groups)
        return self

    def _scores(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the scores of the compiled form."""
        form = self.compiled()
        return evaluate(form.evaluator("fitted"), form.game, positions_in(X, form.game.name))

    def _check(self) -> None:
        """Raise ValueError or UserError where a parameter cannot be used."""

    def _set_classes(self, y: ArrayLike) -> None:
        """Set the classes of a classifier."""

    def _targets(self, y: NDArray[Any]) -> NDArray[Any]:
        return y
