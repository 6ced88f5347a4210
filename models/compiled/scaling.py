"""scikit-learn's scalers, folded into the parameters of the model behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from samuel.games.feature import LARGEST_FEATURE

SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)


def affine(scalers: Sequence[Any], columns: int) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return factors and terms (columns,) such that scaling is `factor * x + term`.

    None where a scaler clips, which no factor does.
    """
    factor, term = np.ones(columns), np.zeros(columns)
    for scaler in scalers:
        if getattr(scaler, "clip", False):
            return None
        one, zero = _factor_and_term(scaler)
        factor, term = factor * one, term * one + zero
    return factor, term


def _factor_and_term(scaler: Any) -> tuple[Any, Any]:
    if isinstance(scaler, MinMaxScaler):
        return scaler.scale_, scaler.min_
    centre = getattr(scaler, "center_", getattr(scaler, "mean_", None))
    if not getattr(scaler, "with_mean", True):
        centre = None
    scale = 1.0 if scaler.scale_ is None else scaler.scale_
    return 1.0 / scale, 0.0 if centre is None else -centre / scale


def thresholds_before(
    scalers: Sequence[Any],
    columns: int,
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
    dtype: Any,
) -> NDArray[np.float32]:
    """Return for each threshold on a scaled column the same threshold on the column itself.

    It is the largest float32 that goes left (`dtype(scaled) <= threshold`) in the arithmetic of
    the scalers themselves, which rounds but never turns an order round: found by bisection over
    the float32 numbers, all thresholds at once.
    """
    pairs = np.empty(len(feature), np.complex128)  # sorted by real part first, and fast
    pairs.real, pairs.imag = feature, threshold
    pairs, inverse = np.unique(pairs, return_inverse=True)
    column = pairs.real.astype(np.int64)
    row = np.arange(len(pairs)) - np.searchsorted(column, column)
    limits = np.zeros((int(row.max(initial=0)) + 1, columns))
    limits[row, column] = pairs.imag
    # scaling a number of this size does not overflow
    most = int(np.array(LARGEST_FEATURE, np.float32).view(np.int32))
    low, high = np.full(limits.shape, -most), np.full(limits.shape, most)
    while (low < high).any():
        middle = (low + high + 1) // 2
        X = _float_of_rank(middle)
        for scaler in scalers:
            X = scaler.transform(X)
        left = X.astype(dtype, copy=False) <= limits
        low, high = np.where(left, middle, low), np.where(left, high, middle - 1)
    return np.asarray(_float_of_rank(low)[row, column][inverse])


def _float_of_rank(rank: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the float32 numbers in their order: rank 0 is 0, the next is the smallest above."""
    bits = rank.astype(np.int32)
    bits ^= (bits >> 31) & 0x7FFFFFFF  # a negative number's bits fall as it rises
    floats: NDArray[np.float32] = bits.view(np.float32)
    return floats
