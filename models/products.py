"""Sums of products of sparse rows, the Hessian of a fit to features of which most are 0."""

from __future__ import annotations

from typing import Any

from numba import float32, float64, int64, types

from samuel.kernels.jit import jit

_FLOATS, _TABLE = types.Array(float32, 2, "C"), types.Array(float64, 2, "C")
_ROW, _PLACES = types.Array(float64, 1, "C"), types.Array(int64, 1, "C")


@jit(types.void(_FLOATS, _FLOATS, _ROW, _PLACES, _ROW, _TABLE))
def add_products(
    columns: Any, shares: Any, curve: Any, places: Any, values: Any, found: Any
) -> None:
    """Add the upper triangle of the sum of curve x x' over rows to a matrix (S F, S F).

    Parameters
    ----------
    columns
        float32 (n, F), what the stages read; time goes with the square of those that are not 0.
    shares
        float32 (n, S), how much of each stage counts: x is each share times each column.
    curve
        float64 (n,).
    places, values
        int64 and float64 (S F,), room.
    found
        float64 (S F, S F), the matrix.
    """
    width = columns.shape[1]
    for row in range(columns.shape[0]):
        n = 0
        for stage in range(shares.shape[1]):
            share = float64(shares[row, stage])
            if share != 0.0:
                for column in range(width):
                    if columns[row, column] != 0.0:
                        places[n] = stage * width + column
                        values[n] = share * float64(columns[row, column])
                        n += 1
        for i in range(n):
            factor = curve[row] * values[i]
            line = found[places[i]]
            for k in range(i, n):
                line[places[k]] += factor * values[k]
