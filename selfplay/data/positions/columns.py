"""Columns of positions as the lines of a file tell them, and the numbers in texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.games.records import DASH
from samuel.selfplay.data.lines import Lines

_NONE = ("", "*", "-", "?", "nan", "na", "n/a", "none", "(none)", "null", "unknown")
_RESULTS = {
    **dict.fromkeys(("1-0", "w", "win", "white"), 1.0),
    **dict.fromkeys(("0-1", "b", "loss", "black"), 0.0),
    **dict.fromkeys(("1/2-1/2", "1/2", "d", "draw"), 0.5),
    **dict.fromkeys(_NONE, np.nan),
}
_NUMBER = r"^[-+]?(?:\d{1,9}(?:\.\d{0,40})?|\.\d{1,40})(?:e[-+]?\d{1,2})?$"
_FAR = 1e9


class Numbers(NamedTuple):
    """Numbers in texts."""

    values: NDArray[np.float64]  # float64 (n,), NaN where a text has none
    # bool (n,), whether a text is neither a number below 1e9 in size nor a word for none
    unclear: NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """Columns of n positions as the lines of a file tell them; None where they tell nothing."""

    # texts (n,), null where a line is not in the format; lines that do not count are left out
    position: pa.Array
    lines: NDArray[np.int64]  # int64 (n,), their numbers
    score: Numbers | None = None  # numbers (n,) as the file has them
    result: NDArray[np.float64] | None = None  # float64 (n,), from 0 (lost) to 1; NaN where unknown
    outcome: Numbers | None = None  # numbers (n,), results in the game's unit
    mate: Numbers | None = None  # numbers (n,), moves to mate instead of a score, of the same side
    depth: Numbers | None = None  # numbers (n,), plies of the search behind the score
    move: pa.Array | None = None  # texts (n,)
    ply: Numbers | None = None  # numbers (n,)
    game: pa.Array | None = None  # texts (n,), name of the position's game; null where it has none
    # whether scores and outcomes are those of a dataset: for the mover, in the game's unit
    is_own: bool = False


def numbers_in(texts: pa.Array) -> Numbers:
    """Return the numbers in texts."""
    told = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    told = pc.replace_substring_regex(told, f"^[{DASH}]", "-")
    is_number = pc.match_substring_regex(told, _NUMBER)
    plain = pc.utf8_ltrim(pc.if_else(is_number, told, None), "+")
    values = pc.cast(plain, pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
    values = np.where(np.abs(values) < _FAR, values, np.nan)
    is_none = pc.is_in(told, pa.array([*_NONE, None])).to_numpy(zero_copy_only=False)
    return Numbers(values, np.isnan(values) & ~is_none)


def at_least_0(numbers: Numbers) -> Numbers:
    """Return numbers that count something; 0 where there is none, or one below."""
    return numbers._replace(values=np.maximum(np.nan_to_num(numbers.values), 0))


def results_in(
    texts: pa.Array,
    lines: NDArray[np.int64],
    path: Path,
    game: Game,
    *,
    signed: bool = False,
    place: str = "line",
) -> NDArray[np.float64]:
    """Return results from 0 to 1 of texts; NaN where there is none."""
    coded = pc.utf8_lower(pc.utf8_trim_whitespace(texts)).dictionary_encode()
    graded = not game.scores.scale and not signed
    known = [result_of(text, signed, graded) for text in coded.dictionary.to_pylist()]
    codes = coded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    for code in (k for k, value in enumerate(known) if value is None):
        line, text = lines[int(np.argmax(codes == code))], coded.dictionary[code].as_py()
        raise UserError(f"{path}, {place} {line}: {no_result(text, signed)}")
    return np.array([*known, np.nan], np.float64)[codes]


def result_of(text: str, signed: bool = False, graded: bool = False) -> float | None:
    """Return the result of a text in lower case, NaN for an unknown one; None for another text."""
    if text in _RESULTS:
        return _RESULTS[text]
    try:
        number = float(text[:20])
    except ValueError:
        return None
    share = (number + 1) / 2 if signed else number
    return share if share in (0, 0.5, 1) or (graded and 0 <= share <= 1) else None


def no_result(text: str, signed: bool = False) -> str:
    """Return a sentence on a text that is no result, and how to convert it."""
    if signed:
        known, how = "1, 0, -1 for the side to move", "results from 0 to 1 by 2 * result - 1"
    else:
        known, how = "1, 0.5, 0 or 1-0, 1/2-1/2, 0-1", "results from -1 to 1 by (result + 1) / 2"
        if not text.startswith("-"):
            how = "others to numbers from 0 (loss) to 1 (win)"
    return f"{text[:40]!r} is no result ({known}); convert {how}"


def that_count(lines: Lines) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return the lines that are neither empty nor comments, and their numbers."""
    counts = pc.invert(pc.match_substring_regex(lines.texts, "^(#|$)"))
    places = np.flatnonzero(counts.to_numpy(zero_copy_only=False))
    return lines.texts.filter(counts), places + lines.first
