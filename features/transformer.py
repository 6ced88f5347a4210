"""`Features`: positions in, a matrix out, as a scikit-learn transformer; `Positions` hands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import float32, int32, types
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, vstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from samuel.features.extraction import extract
from samuel.features.positions import positions_in
from samuel.games.feature import column_names, features_named
from samuel.kernels.jit import jit

_ROWS_AT_ONCE = 65_536
"""Of a sparse matrix, so many are dense at a time."""


class Features(TransformerMixin, BaseEstimator):
    """Reads features off positions.

    The input is an array of positions, uint64 (n, K), each row from its side to move; the output
    a float32 matrix, one column a number.

    Parameters
    ----------
    features
        names of features of the game, in the order of the columns.
    sparse
        Whether the matrix is in CSR form: of columns most of which are 0, it takes a fraction of
        the memory.

    Attributes
    ----------
    n_features_in_
        K, the words of a position.
    """

    def __init__(
        self,
        features: Sequence[str] = ("square_classes", "mobility", "stability"),
        game: str = "othello",
        *,
        sparse: bool = False,
    ) -> None:
        self.features = features
        self.game = game
        self.sparse = sparse

    def fit(self, X: ArrayLike, y: Any = None) -> Features:
        """Check the names and the shape; there is nothing to learn."""
        features_named(self.features, self.game)
        self.n_features_in_ = positions_in(X, self.game).shape[1]
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float32] | csr_array:
        """Return the matrix (n, columns)."""
        check_is_fitted(self)
        features, rows = features_named(self.features, self.game), positions_in(X, self.game)
        if not self.sparse:
            return extract(features, rows)
        starts = range(0, max(len(rows), 1), _ROWS_AT_ONCE)
        parts = [_compressed(extract(features, rows[at : at + _ROWS_AT_ONCE])) for at in starts]
        return vstack(parts, format="csr")

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns."""
        names = column_names(features_named(self.features, self.game))
        return np.asarray(names, dtype=object)


def _compressed(values: NDArray[np.float32]) -> csr_array:
    """Return a matrix in CSR form; scipy's own way takes several times as long."""
    starts = np.append(0, np.cumsum(np.count_nonzero(values, axis=1))).astype(np.int32)
    columns, kept = np.zeros(starts[-1], np.int32), np.zeros(starts[-1], np.float32)
    _keep(values, columns, kept)
    return csr_array((kept, columns, starts), shape=values.shape)


@jit(
    types.void(
        types.Array(float32, 2, "C"), types.Array(int32, 1, "C"), types.Array(float32, 1, "C")
    )
)
def _keep(values: Any, columns: Any, kept: Any) -> None:
    """List the columns that are not 0, row by row, and what they hold."""
    n = 0
    for i in range(values.shape[0]):
        for column in range(values.shape[1]):
            if values[i, column] != 0:
                columns[n], kept[n] = column, values[i, column]
                n += 1


class Positions(TransformerMixin, BaseEstimator):
    """Hands positions on as they are, to an estimator that reads features of them inside.

    `VotingRegressor([("a", make_pipeline(Features(...), Ridge())), ...])` is such a one.
    """

    def __init__(self, game: str = "othello") -> None:
        self.game = game

    def fit(self, X: ArrayLike, y: Any = None) -> Positions:
        """Check the shape; there is nothing to learn."""
        self.n_features_in_ = positions_in(X, self.game).shape[1]
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.uint64]:
        """Return the positions (n, K)."""
        check_is_fitted(self)
        return positions_in(X, self.game)
