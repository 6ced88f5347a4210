"""Checks of what an estimator is given and of what its fit found; unusable numbers are refused."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs, parallel_config
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length

from samuel.features.extraction import positions_in

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


def checked_rows(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    game: str,
    dtype: DTypeLike = np.float32,
) -> tuple[NDArray[np.uint64], NDArray[Any], NDArray[Any]]:
    """Return the positions (n, K), targets (n,) and weights (n,), of the type `dtype`, of a fit."""
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
