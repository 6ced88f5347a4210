"""Methods that estimators over positions share: scores, log-odds, and a fit that continues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from samuel.features.extraction import positions_in
from samuel.models.evaluate import evaluate


class CompiledScores:
    """Base of estimators whose scores are those of their compiled form."""

    compiled: Callable[[], Any]

    def _scores(self, X: ArrayLike) -> NDArray[np.float32]:
        form = self.compiled()
        return evaluate(form.evaluator("fitted"), form.game, positions_in(X, form.game.name))


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
    """Base of classifiers of two classes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class WarmStart:
    """Base of estimators whose fit continues after it was saved.

    `_fitted_arrays` returns the arrays of a fit, and `_restore` takes them.
    """

    _fitted_arrays: Callable[[], dict[str, NDArray[Any]]]
    _restore: Callable[[Any, Mapping[str, NDArray[Any]]], None]

    def warm_start_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `start_from` needs besides the compiled form.

        Returns
        -------
        dict[str, NDArray[Any]]
            Arrays by name.
        """
        check_is_fitted(self)
        return self._fitted_arrays()

    def start_from(self, form: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore an earlier fit from the arrays of `warm_start_arrays`.

        Parameters
        ----------
        form
            Compiled form of the earlier fit.
        arrays
            Arrays that `warm_start_arrays` returned.

        Raises
        ------
        ValueError
            The arrays are not from `warm_start_arrays`, or do not fit the form.
        """
        self._restore(form, arrays)
