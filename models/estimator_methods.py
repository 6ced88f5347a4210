"""Base of estimators over positions: one `fit`, scores, log-odds, and a fit that continues.

Parameters, rows and the numbers of a fit are checked here: unusable ones are refused.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, Self, TypeAlias

import numpy as np
from joblib import effective_n_jobs, parallel_config
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from samuel.features.extraction import positions_in
from samuel.models.evaluate import evaluate

SCALE = "divide the targets, or the weights, by a constant"
"""Advice where a fit leaves the range of float32."""


def require_settings(model: Any, whole: Mapping[str, int], real: Mapping[str, float]) -> None:
    """Raise ValueError unless parameters are whole or finite numbers, each at least its least."""
    for name, low in whole.items():
        value = getattr(model, name)
        if isinstance(value, bool) or not (isinstance(value, Integral) and int(value) >= low):
            raise ValueError(f"{name} must be an integer, at least {low} (got {value!r:.60})")
    for name, least in real.items():
        value = getattr(model, name)
        if not (isinstance(value, Real) and least <= float(value) < math.inf):
            raise ValueError(f"{name} must be a number, at least {least} (got {value!r:.60})")


def threads_of(n_jobs: Any) -> int:
    """Return the number of threads that `n_jobs` of an estimator means here."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral)):
        raise ValueError(f"n_jobs must be an integer or None (got {n_jobs!r:.60})")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; -1 uses all cores")
    with parallel_config(backend="threading"):
        return int(effective_n_jobs(n_jobs))


def weights_of(sample_weight: ArrayLike | None, rows: Any, dtype: DTypeLike) -> NDArray[Any]:
    """Return the weights (n,) of rows, 1 where there are none."""
    given = 1.0 if sample_weight is None else sample_weight
    if isinstance(given, Real):
        given = np.full(rows.shape[0], given)
    found: NDArray[Any] = check_array(
        given, dtype=dtype, order="C", ensure_2d=False, input_name="sample_weight"
    )
    if found.shape != (rows.shape[0],):
        raise ValueError(
            f"sample_weight must be an array ({rows.shape[0]},), one for each row "
            f"(got one of shape {found.shape})"
        )
    if (found < 0).any() or not found.any():
        raise ValueError("sample_weight must be at least 0, and above zero for some row")
    return found


def require_finite(fitted: Iterable[Any], remedy: str) -> None:
    """Raise ValueError unless all that a fit found, arrays and numbers, is finite."""
    if not all(np.isfinite(part).all() for part in fitted):
        raise ValueError(f"the fit exceeds the range of float32: {remedy}")


FitRows: TypeAlias = tuple[NDArray[np.uint64], NDArray[Any], NDArray[Any]]
"""Positions (n, K), targets (n,) and weights (n,)."""


def checked_rows(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    game: str,
    dtype: DTypeLike = np.float32,
) -> FitRows:
    """Return the rows of a fit, the weights of the type `dtype`."""
    positions, targets = positions_in(X, game), np.asarray(y)
    if targets.ndim != 1:
        raise ValueError(f"targets must be an array (n,) (got shape {targets.shape})")
    check_consistent_length(positions, targets)
    if not len(targets):
        raise ValueError("there are no rows to fit to")
    numbers = targets
    if targets.dtype == object:
        with contextlib.suppress(TypeError, ValueError):  # names of classes are no numbers
            numbers = targets.astype(np.float64)
    if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
        raise ValueError("a target is not finite")
    if numbers.dtype.kind == "f" and np.abs(numbers).max() > np.finfo(np.float32).max:
        raise ValueError(f"a target is too large for float32: {SCALE}")
    return positions, targets, weights_of(sample_weight, positions, dtype)


class ScoreRegressor(RegressorMixin):
    """Base of regressors; `_scores` returns the scores (n,)."""

    _scores: Callable[[ArrayLike], NDArray[np.float32]]

    def predict(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the scores float32 (n,) of positions uint64 (n, K), for the side to move."""
        check_is_fitted(self)
        return self._scores(X)


class LogOdds:
    """Base of estimators of two classes; `_scores` returns the log-odds (n,) of the second."""

    classes_: NDArray[Any]
    _scores: Callable[[ArrayLike], NDArray[Any]]

    def decision_function(self, X: ArrayLike) -> NDArray[Any]:
        """Return the log-odds (n,) that the side to move wins, in positions uint64 (n, K)."""
        return self._scores(X)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return probabilities float64 (n, 2) in the order of `classes_`, of positions (n, K)."""
        p = expit(self._scores(X).astype(np.float64))
        return np.column_stack([1 - p, p])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the more probable class (n,) of each of positions uint64 (n, K)."""
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
        self._fit_rows((positions, self._targets(targets), weights), groups)
        return self

    def compiled(self, factor: float = 1.0) -> Any:
        """Return the form that the search runs, its scores multiplied by `factor`."""
        raise NotImplementedError

    def _scores(self, X: ArrayLike) -> NDArray[np.float32]:
        form = self.compiled()
        return evaluate(form.evaluator("fitted"), form.game, positions_in(X, form.game.name))

    def _check(self) -> None:
        """Raise ValueError or UserError where a parameter cannot be used."""

    def _set_classes(self, y: ArrayLike) -> None:
        """Set the classes of a classifier."""

    def _targets(self, y: NDArray[Any]) -> NDArray[Any]:
        return y
