"""Columns of positions as the lines of a file tell them, and the numbers in texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samuel.selfplay.data.lines import Lines

_RESULTS = {
    **dict.fromkeys(("1-0", "1.0", "1", "w", "win"), 1.0),
    **dict.fromkeys(("0-1", "0.0", "0", "b", "loss"), 0.0),
    **dict.fromkeys(("1/2-1/2", "1/2", "0.5", ".5", "d", "draw"), 0.5),
}
_FAR = 1e9


@dataclass(frozen=True)
class Columns:
    """Columns of n positions as the lines of a file tell them; None where they tell nothing.

    Attributes
    ----------
    position
        texts (n,), null where a line is not in the format; lines that do not count are left out.
    lines
        int64 (n,), their numbers.
    score, result
        float64 (n,), NaN where unknown: scores as the file has them, results from 0 (lost) to 1.
    outcome
        float64 (n,), results in the game's unit.
    move
        texts (n,).
    ply
        int64 (n,).
    is_own
        whether scores and outcomes are those of a dataset: for the mover, in the game's unit.
    """

    position: pa.Array
    lines: NDArray[np.int64]
    score: NDArray[np.float64] | None = None
    result: NDArray[np.float64] | None = None
    outcome: NDArray[np.float64] | None = None
    move: pa.Array | None = None
    ply: NDArray[np.int64] | None = None
    is_own: bool = False


def numbers_in(texts: pa.Array) -> NDArray[np.float64]:
    """Return the numbers in texts; NaN where there is none, or one beyond any score."""
    plain = pc.if_else(pc.match_substring_regex(texts, r"^[-+]?\d{1,9}(\.\d*)?$"), texts, None)
    plain = pc.utf8_ltrim(plain, "+")
    numbers = pc.cast(plain, pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
    return np.where(np.abs(numbers) < _FAR, numbers, np.nan)


def results_in(texts: pa.Array) -> NDArray[np.float64]:
    """Return results from 0 to 1 as texts tell them; NaN where they tell none."""
    coded = pc.utf8_lower(texts).dictionary_encode()
    known = [_result_of(text) for text in coded.dictionary.to_pylist()]
    codes = coded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    return np.array([*known, np.nan])[codes]


def _result_of(text: str) -> float:
    if text in _RESULTS:
        return _RESULTS[text]
    try:
        number = float(text[:20])
    except ValueError:
        return np.nan
    return number if 0 <= number <= 1 else np.nan


def that_count(lines: Lines) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return the lines that are neither empty nor comments, and their numbers."""
    counts = pc.invert(pc.match_substring_regex(lines.texts, "^(#|$)"))
    places = np.flatnonzero(counts.to_numpy(zero_copy_only=False))
    return lines.texts.filter(counts), places + lines.first
