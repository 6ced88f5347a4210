"""`SignatureTables`: tables of signatures in three levels, as in A. Samuel's program of 1967."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from samuel.models.checked import weights_of
from samuel.models.compiled.signatures import (
    GROUPS,
    MIDDLE,
    OF_MIDDLE,
    PLACES,
    TERMS,
    TOP,
    index_of,
)

Floats = NDArray[np.float64]


class SignatureTables(RegressorMixin, BaseEstimator):
    """Samuel's signature tables: a score that is looked up in three levels of tables.

    The 24 columns that explain most of the target alone are chosen. They form six groups of four,
    in the order of the columns. In a group, three terms are low, middle or high, and the most
    important one is in one of five ranges. This makes 135 signatures, each with the mean target of
    its rows. These means, in five ranges, make the 125 signatures of two tables over three groups
    each. Their means, in fifteen ranges, make the 225 signatures of the last table, whose mean is
    the score. Fitted to book moves (`samuel dataset book`), a mean is Samuel's (A - D) / (A + D).

    Ranges of terms have equally many rows, ranges of means equal weight. A signature without rows
    has the mean of all rows.

    A. Samuel, "Some studies in machine learning using the game of checkers", II, IBM Journal 11,
    1967. His six phases of the game are `stages`. He chose the terms and their groups by hand, and
    halved the tables of the first level by a symmetry that terms counted for each side lack.

    Attributes
    ----------
    columns_
        Columns of the groups, int64 (24,), the term of five ranges last. With fewer columns some
        stand twice.
    cuts_
        Ends of the ranges of each group, float32 (6, 10): two of each of three terms, four of the
        last.
    first_, second_
        Ranges of the means, int64 (6, 135) from 0 to 4, and (2, 125) from 0 to 14.
    third_
        Scores, float64 (225,).
    n_features_in_
        Number of columns.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.training_data("data/games", "ridge")
    >>> model = samuel.SignatureTables().fit(data.X, data.y)
    >>> model.predict(data.test.X).shape == data.test.y.shape
    True
    """

    columns_: NDArray[np.int64]
    cuts_: NDArray[np.float32]
    first_: NDArray[np.int64]
    second_: NDArray[np.int64]
    third_: Floats

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> SignatureTables:
        """Fit to rows of features and targets, which may be weighted.

        Parameters
        ----------
        X
            Rows of features (n, columns).
        y
            Targets (n,).
        sample_weight
            Weights (n,); by default all are 1.

        Returns
        -------
        SignatureTables
            The estimator itself.

        Raises
        ------
        ValueError
            A number is not finite or too large, or a weight is negative.
        """
        rows, target = validate_data(self, X, y, dtype=np.float32, y_numeric=True)
        target = target.astype(np.float64)
        weight = weights_of(sample_weight, rows, np.float64)
        self.columns_ = _telling(rows, target, weight)
        self.cuts_ = np.stack([_cuts_of(rows[:, group]) for group in _groups(self.columns_)])
        self.first_ = np.zeros((GROUPS, PLACES), np.int64)
        self.second_ = np.zeros((2, MIDDLE), np.int64)
        seen = self._signatures(rows)
        for group in range(GROUPS):
            means = _means(seen[:, group], PLACES, target, weight)
            self.first_[group] = _ranges(means, seen[:, group], weight, OF_MIDDLE)
        seen = self._second_signatures(seen)
        for table in range(2):
            means = _means(seen[:, table], MIDDLE, target, weight)
            self.second_[table] = _ranges(means, seen[:, table], weight, TOP)
        self.third_ = _means(self._last_signatures(seen), TOP * TOP, target, weight)
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Return the scores (n,) of rows (n, columns).

        Parameters
        ----------
        X
            Rows of features (n, columns).

        Returns
        -------
        Floats
            Scores (n,) for the side to move.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float32, reset=False)
        found: Floats = self.third_[
            self._last_signatures(self._second_signatures(self._signatures(rows)))
        ]
        return found

    def _signatures(self, rows: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the signatures (n, 6) of rows (n, columns)."""
        values = rows[:, self.columns_].reshape(len(rows), GROUPS, TERMS)
        return index_of(values, self.cuts_)

    def _second_signatures(self, seen: NDArray[np.int64]) -> NDArray[np.int64]:
        said = self.first_[np.arange(GROUPS), seen].reshape(len(seen), 2, GROUPS // 2)
        found: NDArray[np.int64] = said @ OF_MIDDLE ** np.arange(GROUPS // 2)
        return found

    def _last_signatures(self, seen: NDArray[np.int64]) -> NDArray[np.int64]:
        said = self.second_[np.arange(2), seen]
        return np.asarray(said[:, 0] + TOP * said[:, 1])


def _groups(columns: NDArray[np.int64]) -> NDArray[np.int64]:
    return columns.reshape(GROUPS, TERMS)


def _telling(rows: NDArray[np.float32], target: Floats, weight: Floats) -> NDArray[np.int64]:
    """Return the columns to take: in groups, of each the one that tells most last."""
    share = weight / weight.sum()
    middle = rows - (share @ rows)
    with np.errstate(invalid="ignore", divide="ignore"):
        told = np.abs((share * (target - share @ target)) @ middle) / np.sqrt(share @ middle**2)
    told = np.nan_to_num(told)
    n = GROUPS * TERMS
    chosen = np.sort(np.argsort(-told, kind="stable")[:n])
    chosen = np.resize(chosen, n).reshape(GROUPS, TERMS)
    order = np.argsort(told[chosen], axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1).ravel()


def _cuts_of(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the ends of the ranges of a group's terms: each range has as many rows."""
    found = []
    for column, ranges in zip(values.T, (3, 3, 3, 5), strict=True):
        kinds, counts = np.unique(column, return_counts=True)
        below = np.cumsum(counts)[:-1] / len(column)  # of rows at most each value but the last
        if not len(below):
            found += [kinds[0]] * (ranges - 1)
            continue
        for share in np.arange(1, ranges) / ranges:
            k = int(np.argmin(np.abs(below - share)))
            found.append((kinds[k] + kinds[k + 1]) / 2)
    return np.array(found, np.float32)


def _means(seen: NDArray[np.int64], places: int, target: Floats, weight: Floats) -> Floats:
    """Return the mean target of each signature; that of all where none was seen."""
    total = np.bincount(seen, weight, places)
    summed = np.bincount(seen, weight * target, places)
    everywhere = float(summed.sum() / total.sum())
    return np.where(total > 0, summed / np.maximum(total, 1e-300), everywhere)


def _ranges(
    means: Floats, seen: NDArray[np.int64], weight: Floats, ranges: int
) -> NDArray[np.int64]:
    """Return in which of so many ranges each mean is; the ranges weigh about the same."""
    order = np.argsort(means, kind="stable")
    total = np.bincount(seen, weight, len(means))[order]
    before = (np.cumsum(total) - total / 2) / total.sum()
    found = np.zeros(len(means), np.int64)
    found[order] = np.minimum((before * ranges).astype(np.int64), ranges - 1)
    return found
