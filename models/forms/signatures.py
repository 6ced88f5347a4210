"""The kernel of signature tables (models/signature_tables.py).

A block's arrays:

    integers: for each of six groups of four terms, their columns; for each group the range, 0 to 4,
              of each of its 135 signatures; for each of two tables that, 0 to 14, of its 125
    floats:   for each group the ends of its terms' ranges: two of each of three terms, then four;
              the scores of the 225 signatures of the last table
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64
from numpy.typing import NDArray

from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, offset
from samuel.models.forms.compiled import LARGEST_SCORE, Block

GROUPS, TERMS = 6, 4
RANGES = (3, 3, 3, 5)
CUTS = sum(RANGES) - TERMS
PLACES = 3 * 3 * 3 * 5
OF_MIDDLE, TOP = 5, 15
MIDDLE = OF_MIDDLE**3
_COLUMNS = GROUPS * TERMS
_FIRST, _SECOND = _COLUMNS, _COLUMNS + GROUPS * PLACES
_INTEGERS = _SECOND + 2 * MIDDLE
_SCORES = GROUPS * CUTS


@jit
def signatures(values: Pointer, scratch: Pointer, integers: Pointer, floats: Pointer) -> float:
    """Return the score of the last table."""
    last, unit = int64(0), int64(1)
    for table in range(2):
        said, step = int64(0), int64(1)
        for third in range(GROUPS // 2):
            group = table * (GROUPS // 2) + third
            cuts, place, part = offset(floats, group * CUTS), int64(0), int64(1)
            for term in range(TERMS):
                value, ranges = values[integers[group * TERMS + term]], 3 if term < 3 else 5
                for k in range(ranges - 1):
                    if value > cuts[k]:
                        place += part
                cuts, part = offset(cuts, ranges - 1), part * ranges
            said += step * int64(integers[_FIRST + group * PLACES + place])
            step *= OF_MIDDLE
        last += unit * int64(integers[_SECOND + table * MIDDLE + said])
        unit *= TOP
    return floats[_SCORES + last]


def index_of(values: NDArray[np.float32], cuts: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the signatures (n, 6) of values (n, 6, 4), with the ends of ranges (6, 10)."""
    place, part, first = np.zeros(values.shape[:2], np.int64), 1, 0
    for term, ranges in enumerate(RANGES):
        ends = cuts[:, first : first + ranges - 1]
        place += part * (values[:, :, term, None] > ends).sum(axis=2)
        part, first = part * ranges, first + ranges - 1
    return place


def signatures_block(model: Any, factor: float) -> Block:
    """Return the block of fitted SignatureTables, its scores multiplied."""
    integers = [model.columns_, model.first_.ravel(), model.second_.ravel()]
    floats = [model.cuts_.ravel(), factor * model.third_]
    return Block(np.concatenate(integers).astype(np.int32), np.concatenate(floats).astype("f4"))


def signatures_are_sound(block: Block, columns: int) -> bool:
    """Return whether the kernel stays within the arrays and columns, and gives finite scores."""
    integers, floats = block.integers, block.floats
    if len(integers) != _INTEGERS or len(floats) != _SCORES + TOP * TOP:
        return False
    parts = zip(np.split(integers, [_FIRST, _SECOND]), (columns, OF_MIDDLE, TOP), strict=True)
    return bool(
        all(part.min() >= 0 and part.max() < most for part, most in parts)
        and np.isfinite(floats).all()
        and np.abs(floats).max() < LARGEST_SCORE
    )
