"""Methods of classifiers over positions whose score is the log-odds of a win."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import ClassifierMixin


class LogOddsClassifier(ClassifierMixin):
    """Base of classifiers of two classes; `_scores` returns the log-odds (n,) of the second."""

    classes_: NDArray[Any]
    _scores: Callable[[ArrayLike], NDArray[np.float32]]

    def decision_function(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the log-odds (n,) of the second class.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[np.float32]
            Log-odds float32 (n,) that the side to move wins.
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
