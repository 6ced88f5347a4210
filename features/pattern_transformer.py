"""`Patterns`: positions in, a sparse matrix out, as a scikit-learn transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from samuel.features.pattern_index import INDEX, fill_numbers, index_of
from samuel.features.positions import positions_in
from samuel.features.shapes import Shapes, pattern_set
from samuel.features.stages import Stages, even_knots
from samuel.games.catalog import known_game
from samuel.games.interface import ROWS
from samuel.games.rows import left_of
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at

_I32 = types.Array(int32, 1, "C")


class Patterns(TransformerMixin, BaseEstimator):
    """One column a weight of patterns and knot: how often a position has it, times its share.

    The input is an array of positions, uint64 (n, K); the output a float32 sparse matrix in CSR
    form (n, knots * weights), the weights of the first knot first. A linear model behind it is a
    linear model of patterns, and runs as one inside the search.

    Parameters
    ----------
    shapes
        The name of a set of shapes, a file of shapes, or a list (features.shapes.pattern_set).
    stages
        Knots, spread evenly over the squares left.

    Attributes
    ----------
    knots_
        Counts of squares left, ascending.
    n_features_in_
        K, the words of a position.
    """

    def __init__(
        self, shapes: Shapes = "tuples2", game: str = "othello", *, stages: int = 1
    ) -> None:
        self.shapes = shapes
        self.game = game
        self.stages = stages

    def fit(self, X: ArrayLike, y: Any = None) -> Patterns:
        """Check the shapes; there is nothing to learn."""
        self.patterns_ = pattern_set(self.shapes, self.game)
        self.knots_ = even_knots(self.stages, known_game(self.game).most_left)
        self.n_features_in_ = positions_in(X, self.game).shape[1]
        return self

    def transform(self, X: ArrayLike) -> csr_array:
        """Return the matrix."""
        check_is_fitted(self)
        positions, game, patterns = (
            positions_in(X, self.game),
            known_game(self.game),
            self.patterns_,
        )
        stages = Stages.of(self.knots_, game.most_left)
        left = np.clip(left_of(game, positions), 0, game.most_left)
        n, each = len(positions), 2 * len(patterns.instances)
        indices, data = np.zeros(n * each, np.int32), np.zeros(n * each, np.float32)
        _fill(
            *(positions, stages.knot[left], stages.share[left], len(self.knots_)),
            *(index_of(patterns), patterns.weight_of, patterns.n_weights),
            *(indices, data),
        )
        shape = (n, len(self.knots_) * patterns.n_weights)
        matrix = csr_array((data, indices, np.arange(0, n * each + 1, each)), shape=shape)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return matrix

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns: the shape, what it holds, and the knot."""
        check_is_fitted(self)
        names = np.empty(self.patterns_.n_weights, object)
        for number, shape in enumerate(self.patterns_.shapes):
            contents = self.patterns_.contents(number)
            weights = self.patterns_.weight_of[slice(*self.patterns_.starts[number : number + 2])]
            for weight, held in zip(weights[::-1], contents[::-1], strict=True):
                names[weight] = f"{shape.name} {held}"
        if len(self.knots_) == 1:
            return names
        return np.array([f"{name} at {knot}" for knot in self.knots_ for name in names], object)


@jit(
    types.void(
        *(ROWS, types.Array(int64, 1, "C"), types.Array(float64, 1, "C"), int64),
        *(INDEX, _I32, int64),
        *(_I32, types.Array(float32, 1, "C")),
    )
)
def _fill(
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
