"""Tables of coefficients of another program's terms: CSV and Parquet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import DTypeLike, NDArray

from samuel.common.errors import UserError, one_line, plain_name, unknown
from samuel.common.text_files import most_unpacked, open_text, too_large
from samuel.selfplay.data.positions.columns import no_result, result_of

MIDDLE, END = "_mg", "_eg"
"""Endings of the two columns of a term whose coefficients differ by stage."""
MOST_PHASE = 24
"""Phase of the start of a game of chess."""
_LARGEST, _BYTES = 1e6, 4
"""Least size of a number that is refused, and bytes of a number in memory."""


def read_table(path: Path, words: Collection[str] = ()) -> pd.DataFrame:
    """Return a table; `words` are columns that may hold others than numbers."""
    if not path.is_file():
        raise UserError(f"file {path} does not exist")
    try:
        table = _of_parquet(path) if path.suffix == ".parquet" else _of_text(path, words)
        table.columns = pd.Index([plain_name(str(name)) for name in table.columns])
        _require_distinct(table.columns)
        return table
    except (ValueError, OSError, pa.ArrowException, pd.errors.ParserError) as error:
        raise UserError(f"{path} is not a table of coefficients ({one_line(error)})") from None


def _require_distinct(names: Iterable[Any]) -> None:
    """Raise ValueError where two columns have one name."""
    again = next((name for name, n in Counter(map(str, names)).items() if n > 1), None)
    if again is not None:
        raise ValueError(f"two columns are called {again!r}")


def _of_text(path: Path, words: Collection[str]) -> pd.DataFrame:
    """Return the table of a CSV file, which may be packed."""
    most = most_unpacked(path.stat().st_size)
    with open_text(path, most) as stream:
        first = pd.read_csv(stream, nrows=1, header=None, dtype=str).iloc[0]
    _require_distinct(first.dropna())
    try:  # a fourth of the memory
        with open_text(path, most) as stream:
            kinds = dict.fromkeys(first.dropna()[~first.dropna().isin(list(words))], np.float32)
            return pd.read_csv(stream, dtype=kinds)
    except ValueError:
        with open_text(path, most) as stream:
            return pd.read_csv(stream)


def _of_parquet(path: Path) -> pd.DataFrame:
    """Return the table of a Parquet file, whose footer is read first."""
    footer = pq.read_metadata(path)
    schema = footer.schema.to_arrow_schema()
    _require_distinct(schema.names)
    wordy = [
        f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)
    ]
    for one in schema:
        kind = one.type.value_type if pa.types.is_dictionary(one.type) else one.type
        if pa.types.is_nested(kind):
            raise ValueError(f"column {one.name!r} contains {kind}")
    groups = (footer.row_group(k).total_byte_size for k in range(footer.num_row_groups))
    needed = max(sum(groups), _BYTES * footer.num_rows * footer.num_columns)
    if needed > most_unpacked(path.stat().st_size):
        raise too_large(path)
    with pq.ParquetFile(path, metadata=footer, read_dictionary=wordy) as file:
        return file.read().to_pandas()


def stage_columns(names: Sequence[str], tapered: bool) -> dict[str, tuple[int, ...]]:
    """Return for each term the columns of its stages: the end, then the middle game.

    Columns NAME_mg and NAME_eg are one term where there are stages; else all columns are terms.
    """
    if not tapered:
        return {name: (k,) for k, name in enumerate(names)}
    places = {name: k for k, name in enumerate(names)}
    found: dict[str, tuple[int, ...]] = {}
    for k, name in enumerate(names):
        term = name[: -len(END)] if name.endswith((END, MIDDLE)) else name
        both = places.get(term + END), places.get(term + MIDDLE)
        if term in places or None in both:
            found[name] = (k, k)
        else:
            found[term] = both  # type: ignore[assignment]
    return found


def numbers_of(
    frame: pd.DataFrame, names: Sequence[str], path: Path | str, kind: DTypeLike = np.float64
) -> NDArray[Any]:
    """Return columns of numbers (n, len(names))."""
    found = np.zeros((len(frame), len(names)), kind)
    for k, name in enumerate(names):
        numbers = pd.to_numeric(frame[name], errors="coerce").to_numpy(np.float64)
        wrong = ~(np.abs(numbers) < _LARGEST)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise UserError(
                f"column {name!r} of {path} must hold numbers below {_LARGEST:,.0f} in size "
                f"(line {row + 2} has {str(frame[name].iloc[row])!r:.60})"
            )
        found[:, k] = numbers
    return found


def results_of(frame: pd.DataFrame, name: str, path: Path | str) -> NDArray[np.float64]:
    """Return results from 0 to 1, NaN where there is none; UserError where they are others."""
    codes, values = pd.factorize(frame[name])
    texts = [str(value).strip().lower() for value in values]
    known = [result_of(text, graded=True) for text in texts]
    for code in (k for k, result in enumerate(known) if result is None):
        line = int(np.argmax(codes == code)) + 2
        raise UserError(f"column {name!r} of {path}, line {line}: {no_result(texts[code])}")
    results = np.array([*known, np.nan], np.float64)[codes]
    if np.isnan(results).all():
        raise UserError(f"column {name!r} of {path} must hold results: 1, 0.5 or 0")
    return results


def phases_of(frame: pd.DataFrame, name: str, path: Path | str) -> NDArray[np.float64]:
    """Return the share of the middle game (n,); UserError where phases are of another scale."""
    phases = numbers_of(frame, [name], path)[:, 0]
    most = phases.max()
    if phases.min() < 0 or most > MOST_PHASE:
        row = int(np.argmax((phases < 0) | (phases > MOST_PHASE)))
        raise UserError(
            f"column {name!r} of {path} must be from {MOST_PHASE} (middle game) to 0 (line "
            f"{row + 2} has {phases[row]:g}); multiply phases by {MOST_PHASE} / (phase at the "
            f"start), and set larger ones to {MOST_PHASE}"
        )
    if most <= 1 and (phases % 1).any():
        raise UserError(
            f"column {name!r} of {path} must be from {MOST_PHASE} (middle game) to 0, and seems to "
            f"be from 1 to 0 (its largest is {most:g}); multiply phases by {MOST_PHASE}"
        )
    return phases / MOST_PHASE


def start_values(path: Path | str | None, terms: Sequence[str], stages: int) -> NDArray[np.float64]:
    """Return the values to start from (stages, terms)."""
    begin = np.zeros((stages, len(terms)))
    given = np.zeros_like(begin, bool)
    if path is None:
        return begin
    frame = read_table(Path(path), ["term"])
    columns = ["value"] if "value" in frame else ["end", "middle"]
    for name in ("term", *columns):
        if name not in frame:
            raise unknown("column", name, list(frame.columns), of=Path(path).name)
    if len(columns) > stages:
        raise UserError(f"{path} has two values per term; name the column of the phase (--phase)")
    places: dict[str, tuple[Any, int]] = {term: (slice(None), k) for k, term in enumerate(terms)}
    if stages > 1 and len(columns) == 1:
        for k, term in enumerate(terms):
            places |= {term + END: (0, k), term + MIDDLE: (1, k)}
    values = numbers_of(frame, columns, path)
    for term, value in zip(frame["term"].astype(str).map(plain_name), values, strict=True):
        if term not in places:
            raise unknown("term", term, terms, of=Path(path).name)
        where, k = places[term]
        if given[where, k].any():
            raise UserError(f"{path} gives term {term!r} twice; leave one line of it")
        given[where, k] = True
        begin[where, k] = np.resize(value, stages)[where]
    return begin
