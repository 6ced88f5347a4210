"""`Features`: positions in, a matrix out, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from features.feature import column_names, extract, features_named
from games.catalog import game_named


class Features(TransformerMixin, BaseEstimator):
    """Reads features off positions.

    The input is an array of positions, uint64 (n, K), each row from its side to move; the output
    a float32 matrix, one column a number.

    Parameters
    ----------
    features
        names of features of the game, in the order of the columns.
    game
        the name of the game.

    Attributes
    ----------
    n_features_in_
        K, the words of a position.
    """

    def __init__(
        self,
        features: Sequence[str] = ("square_classes", "mobility", "stability"),
        game: str = "othello",
    ) -> None:
        self.features = features
        self.game = game

    def fit(self, X: ArrayLike, y: Any = None) -> Features:
        """Check the names and the shape; there is nothing to learn."""
        features_named(self.features, self.game)
        self.n_features_in_ = self._positions(X).shape[1]
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the matrix (n, columns)."""
        check_is_fitted(self)
        return extract(features_named(self.features, self.game), self._positions(X))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns."""
        names = column_names(features_named(self.features, self.game))
        return np.asarray(names, dtype=object)

    def _positions(self, X: ArrayLike) -> NDArray[np.uint64]:
        positions = np.asarray(X)
        words = game_named(self.game).words
        if positions.ndim != 2 or positions.shape[1] != words:
            raise ValueError(
                f"positions of {self.game} are an array (n, {words}) of uint64, "
                f"not one of shape {positions.shape}"
            )
        if positions.dtype.kind not in "ui":
            raise ValueError(f"positions are uint64 words, not {positions.dtype}")
        return positions.astype(np.uint64, copy=False)
