"""The kernel of signature tables (models/signature_tables.py)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float32, int32, int64
from numpy.typing import NDArray

from samuel.kernels.jit import jit
from samuel.kernels.laid_out import from_flat
from samuel.kernels.pointers import Pointer, offset
from samuel.kernels.records import array, record
from samuel.models.compiled.model import LARGEST_SCORE

GROUPS, TERMS = 6, 4
RANGES = (3, 3, 3, 5)
CUTS = sum(RANGES) - TERMS
PLACES = 3 * 3 * 3 * 5
OF_MIDDLE, TOP = 5, 15
MIDDLE = OF_MIDDLE**3


@record
class Signatures(NamedTuple):
    """The parameters of signature tables."""

    columns: Any = array(int32, (GROUPS, TERMS), "the columns of each group's terms")
    first: Any = array(int32, (GROUPS, PLACES), "the range, 0 to 4, of a group's signatures")
    second: Any = array(int32, (2, MIDDLE), "the range, 0 to 14, of a table's signatures")
    cuts: Any = array(
        float32,
        (GROUPS, CUTS),
        "the ends of the ranges of a group's terms: two of each of three, then four",
    )
    scores: Any = array(float32, (TOP * TOP,), "of the signatures of the last table")


@jit
def signatures(values: Pointer, scratch: Pointer, its: Signatures) -> float:
    """Return the score of the last table."""
    columns, first, second, ends = its.columns, its.first, its.second, its.cuts
    last, unit = int64(0), int64(1)
    for table in range(2):
        said, step = int64(0), int64(1)
        for third in range(GROUPS // 2):
            group = table * (GROUPS // 2) + third
            cuts, place, part = offset(ends, group * CUTS), int64(0), int64(1)
            for term in range(TERMS):
                value, ranges = values[columns[group * TERMS + term]], 3 if term < 3 else 5
                for k in range(ranges - 1):
                    if value > cuts[k]:
                        place += part
                cuts, part = offset(cuts, ranges - 1), part * ranges
            said += step * int64(first[group * PLACES + place])
            step *= OF_MIDDLE
        last += unit * int64(second[table * MIDDLE + said])
        unit *= TOP
    return its.scores[last]


def index_of(values: NDArray[np.float32], cuts: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the signatures (n, 6) of values (n, 6, 4), with the ends of ranges (6, 10)."""
    place, part, first = np.zeros(values.shape[:2], np.int64), 1, 0
    for term, ranges in enumerate(RANGES):
        ends = cuts[:, first : first + ranges - 1]
        place += part * (values[:, :, term, None] > ends).sum(axis=2)
        part, first = part * ranges, first + ranges - 1
    return place


def signatures_block(model: Any, factor: float) -> Signatures:
    """Return the block of fitted SignatureTables, its scores multiplied."""
    integers = (model.columns_, model.first_, model.second_)
    floats = (model.cuts_, factor * model.third_)
    flat = [np.concatenate([np.ravel(part) for part in row]) for row in (integers, floats)]
    return from_flat(Signatures, flat[0].astype(np.int32), flat[1].astype(np.float32))


def signatures_are_sound(block: Signatures, columns: int) -> bool:
    """Return whether the kernel stays within the columns and gives finite scores."""
    parts = (block.columns, columns), (block.first, OF_MIDDLE), (block.second, TOP)
    return bool(
        all(part.min() >= 0 and part.max() < most for part, most in parts)
        and all(np.abs(part).max() < LARGEST_SCORE for part in (block.cuts, block.scores))
    )  # nor is NaN
