"""Positions in, a matrix out: `Features` and `Patterns` as scikit-learn transformers.

`Positions` hands positions on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, vstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from samuel.features.extraction import extract, positions_in
from samuel.features.pattern_index import INDEX, fill_numbers, index_of
from samuel.features.shapes import Shapes, pattern_set
from samuel.features.terms import Stages, even_knots
from samuel.games.catalog import known_game
from samuel.games.feature import column_names, features_named
from samuel.games.rows import left_of
from samuel.games.rules import ROWS
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at

_ROWS_AT_ONCE = 65_536
"""Rows of a sparse matrix that are dense at a time."""


class _OfPositions(TransformerMixin, BaseEstimator, ABC):
    """Base of transformers that read named numbers off positions."""

    game: str

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Check the parameters and the shape of positions uint64 (n, K); nothing is learned."""
        self._check()
        self.n_features_in_ = positions_in(X, self.game).shape[1]
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float32] | csr_array:
        """Return the numbers float32 (n, columns) of positions (n, K); sparse if most are 0."""
        check_is_fitted(self)
        return self._matrix(positions_in(X, self.game))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns; `input_features`, from scikit-learn, is ignored."""
        return np.asarray(self._names(), dtype=object)

    @abstractmethod
    def _check(self) -> None:
        """Check the parameters."""

    @abstractmethod
    def _matrix(self, rows: NDArray[np.uint64]) -> NDArray[np.float32] | csr_array:
        """Return the matrix of positions (n, K)."""

    @abstractmethod
    def _names(self) -> Sequence[str]:
        """Return the names of the columns."""


@dataclass(eq=False, repr=False)
class Features(_OfPositions):
    """Transformer from positions to a matrix of features.

    The input is an array of positions, uint64 (n, K), each row from its side to move. The output is
    a float32 matrix with one column per number.

    Parameters
    ----------
    features
        Names of features of the game, in the order of the columns.
    game
        Name of the game.
    sparse
        Return a CSR matrix. It needs less memory if most columns are 0.

    Attributes
    ----------
    n_features_in_
        K, the words of a position.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> samuel.Features(["squares"], "tic_tac_toe").fit_transform(data.positions).shape[1]
    9
    """

    features: Sequence[str] = ("square_classes", "mobility", "stability")
    game: str = "othello"
    _: KW_ONLY
    sparse: bool = False

    def _check(self) -> None:
        features_named(self.features, self.game)

    def _matrix(self, rows: NDArray[np.uint64]) -> NDArray[np.float32] | csr_array:
        features = features_named(self.features, self.game)
        if not self.sparse:
            return extract(features, rows)
        starts = range(0, max(len(rows), 1), _ROWS_AT_ONCE)
        parts = [_compressed(extract(features, rows[at : at + _ROWS_AT_ONCE])) for at in starts]
        return vstack(parts, format="csr")

    def _names(self) -> list[str]:
        return column_names(features_named(self.features, self.game))


def _compressed(values: NDArray[np.float32]) -> csr_array:
    """Return a matrix in CSR form; scipy's own way takes several times as long."""
    starts = np.append(0, np.cumsum(np.count_nonzero(values, axis=1))).astype(np.int32)
    columns, kept = np.zeros(starts[-1], np.int32), np.zeros(starts[-1], np.float32)
    _keep(values, columns, kept)
    return csr_array((kept, columns, starts), shape=values.shape)


@jit(types.void(float32[:, ::1], int32[::1], float32[::1]))
def _keep(values: Any, columns: Any, kept: Any) -> None:
    """List the columns that are not 0, row by row, and what they hold."""
    n = 0
    for i in range(values.shape[0]):
        for column in range(values.shape[1]):
            if values[i, column] != 0:
                columns[n], kept[n] = column, values[i, column]
                n += 1


@dataclass(eq=False, repr=False)
class Positions(TransformerMixin, BaseEstimator):
    """Hands positions on as they are, to an estimator that reads features of them inside.

    `VotingRegressor([("a", make_pipeline(Features(...), Ridge())), ...])` is one of these.
    """

    game: str = "othello"

    def fit(self, X: ArrayLike, y: Any = None) -> Positions:
        """Check the shape."""
        self.n_features_in_ = positions_in(X, self.game).shape[1]
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.uint64]:
        """Return the positions (n, K)."""
        check_is_fitted(self)
        return positions_in(X, self.game)


@dataclass(eq=False, repr=False)
class Patterns(_OfPositions):
    """Transformer from positions to counts of pattern configurations.

    The input is an array of positions, uint64 (n, K). The output is a sparse float32 matrix in CSR
    form, (n, knots * weights), with the weights of the first knot first: the number of times that a
    position has a configuration, times the share of the knot. A linear model after it is a linear
    model of patterns, and the search runs it as one.

    Parameters
    ----------
    shapes
        The name of a set of shapes, a file of shapes, or a list (features.shapes.pattern_set).
    game
        Name of the game.
    stages
        Knots, spread evenly over the squares left.

    Attributes
    ----------
    knots_
        Counts of squares left, ascending.
    n_features_in_
        K, the words of a position.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> samuel.Patterns([["a1", "b1", "c1"]], "tic_tac_toe").fit_transform(data.positions).shape[1]
    18
    """

    shapes: Shapes = "tuples2"
    game: str = "othello"
    _: KW_ONLY
    stages: int = 1

    def _check(self) -> None:
        self.patterns_ = pattern_set(self.shapes, self.game)
        self.knots_ = even_knots(self.stages, known_game(self.game).most_left)

    def _matrix(self, rows: NDArray[np.uint64]) -> csr_array:
        game, patterns = known_game(self.game), self.patterns_
        stages = Stages.of(self.knots_, game.most_left)
        left = np.clip(left_of(game, rows), 0, game.most_left)
        n, each = len(rows), 2 * len(patterns.instances)
        indices, data = np.zeros(n * each, np.int32), np.zeros(n * each, np.float32)
        _fill_patterns(
            *(rows, stages.knot[left], stages.share[left], len(self.knots_)),
            *(index_of(patterns), patterns.weight_of, patterns.n_weights),
            *(indices, data),
        )
        shape = (n, len(self.knots_) * patterns.n_weights)
        matrix = csr_array((data, indices, np.arange(0, n * each + 1, each)), shape=shape)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return matrix

    def _names(self) -> list[str]:
        check_is_fitted(self)
        names = np.empty(self.patterns_.n_weights, object)
        for number, shape in enumerate(self.patterns_.shapes):
            contents = self.patterns_.contents(number)
            weights = self.patterns_.weight_of[slice(*self.patterns_.starts[number : number + 2])]
            for weight, held in zip(weights[::-1], contents[::-1], strict=True):
                names[weight] = f"{shape.name} {held}"
        if len(self.knots_) == 1:
            return list(names)
        return [f"{name} at {knot}" for knot in self.knots_ for name in names]


@jit(
    types.void(
        *(ROWS, int64[::1], float64[::1], int64),
        *(INDEX, int32[::1], int64),
        *(int32[::1], float32[::1]),
    )
)
def _fill_patterns(
    positions: Any,
    knot: Any,
    share: Any,
    knots: int,
    index: Any,
    weight_of: Any,
    n_weights: int,
    indices: Any,
    data: Any,
) -> None:
    """Fill in two entries an instance: of the knot below and of the one above."""
    numbers, middle = index.numbers, index.middle
    place = 0
    for i in range(positions.shape[0]):
        fill_numbers(index, at(positions, i))
        above = min(knot[i] + 1, knots - 1)
        for j in range(middle.shape[0]):
            weight = weight_of[middle[j] + numbers[j]]
            indices[place] = knot[i] * n_weights + weight
            data[place] = share[i]
            indices[place + 1] = above * n_weights + weight
            data[place + 1] = 1.0 - share[i]
            place += 2
