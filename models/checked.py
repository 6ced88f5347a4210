"""Checks of what an estimator is given and of what its fit found; unusable numbers are refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.utils import check_array


def require_settings(model: Any, whole: Mapping[str, int], real: Mapping[str, float]) -> None:
    """Raise ValueError unless parameters are whole or finite numbers, each at least its least."""
    for name, low in whole.items():
        value = getattr(model, name)
        if isinstance(value, bool) or not (isinstance(value, Integral) and int(value) >= low):
            raise ValueError(f"{name} must be a whole number, at least {low} (got {value!r:.60})")
    for name, least in real.items():
        value = getattr(model, name)
        if not (isinstance(value, Real) and least <= float(value) < math.inf):
            raise ValueError(f"{name} must be a number, at least {least} (got {value!r:.60})")


def weights_of(sample_weight: ArrayLike | None, rows: Any, dtype: DTypeLike) -> NDArray[Any]:
    """Return the weights (n,) of rows, 1 where there are none.

    Raises
    ------
    ValueError
        One is negative or not finite, all are 0, or there are not as many as rows.
    """
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
    """Raise ValueError unless all that a fit found, arrays and numbers, is finite.

    Parameters
    ----------
    remedy
        What a person may do: "lower learning_rate".
    """
    if not all(np.isfinite(part).all() for part in fitted):
        raise ValueError(f"the fit exceeds the range of float32: {remedy}")
