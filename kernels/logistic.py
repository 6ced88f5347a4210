"""The logistic function in single precision, without a call, so that loops over it are vectorized.

1 / (1 + exp(-x)): with -x log2(e) = k + r, k whole and |r| <= 1/2, 2^k is put together from its
bits, and 2^r is its Taylor series to the sixth power, which is right to 2e-7.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import float32, int32
from numba.extending import intrinsic

from samuel.kernels.jit import DISABLED, jit

_LOG2_E, _HALF, _ONE, _MOST = (np.float32(x) for x in (math.log2(math.e), 0.5, 1, 126))
_1, _2, _3, _4, _5, _6 = (np.float32(math.log(2) ** n / math.factorial(n)) for n in range(1, 7))
_BIAS, _PLACE = np.int32(127), np.int32(23)


def _as_float(_typing: Any, _bits: Any) -> Any:
    """Return the number in single precision that has these bits."""
    return float32(int32), lambda _c, b, _s, given: b.bitcast(given[0], ir.FloatType())


if DISABLED:

    def _number_of(bits: int) -> np.float32:
        """Return the number in single precision that has these bits."""
        return np.int32(bits).view(np.float32)
else:
    _number_of = intrinsic(_as_float)


@jit
def logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)) of a number in single precision; beyond 87, 0 or 1 nearly."""
    y = min(max(-_LOG2_E * x, -_MOST), _MOST)
    whole = math.floor(y + _HALF)
    r = float32(y - whole)
    series = _ONE + r * (_1 + r * (_2 + r * (_3 + r * (_4 + r * (_5 + r * _6)))))
    power = _number_of(int32((int32(whole) + _BIAS) << _PLACE))
    return _ONE / (_ONE + power * series)
