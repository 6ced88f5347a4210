"""Random numbers inside kernels: streams that a seed and a number begin.

SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): the
state is one word that any 64-bit number seeds, so each game has a stream of its own and no
result depends on how the games are shared out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, uint64

from samuel.kernels.bits import ZERO, Word, high_product, mix
from samuel.kernels.jit import jit

STREAM = uint64[::1]
_STEP = np.uint64(0x9E3779B97F4A7C15)
_11 = np.uint64(11)
_TO_UNIT = 2.0**-53


@jit
def seed_stream(stream: Any, seed: int, number: int) -> None:
    """Start stream `number` of `seed` in `stream` (uint64, one word)."""
    stream[0] = mix(mix(ZERO, np.uint64(seed)), np.uint64(number))


@jit
def next_word(stream: Any) -> Word:
    """Return the next 64 random bits."""
    stream[0] += _STEP
    return mix(ZERO, stream[0])


@jit
def uniform(stream: Any) -> float:
    """Return a float64 in [0, 1)."""
    return np.float64(next_word(stream) >> _11) * _TO_UNIT


@jit
def below(stream: Any, n: int) -> int:
    """Return an integer in [0, n); the bias, under n / 2**64, is beyond notice."""
    return int64(high_product(next_word(stream), np.uint64(n)))
