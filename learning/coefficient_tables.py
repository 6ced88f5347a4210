"""Tables of coefficients of another program's terms: CSV, Parquet and numpy's arrays."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike, NDArray

from samuel.errors import UserError, one_line, unknown
from samuel.files import read_bytes
from samuel.models.compiled.arrays import array_in, members_in

MIDDLE, END = "_mg", "_eg"
"""Endings of the two columns of a term whose coefficients differ by stage."""
_RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
_LARGEST = 1e6
_MATRIX, _NAMES = "coefficients", "terms"


def read_table(path: Path, words: Collection[str] = ()) -> pd.DataFrame:
    """Return a table; `words` are columns that may hold others than numbers.

    Raises
    ------
    UserError
        The file is missing or no table.
    """
    if not path.is_file():
        raise UserError(f"file {path} does not exist")
    try:
        if path.suffix == ".npz":
            return _of_arrays(read_bytes(path))
        if path.suffix == ".parquet":
            table = pd.read_parquet(path)
            _require_distinct(table.columns)
            return table
        _require_distinct(pd.read_csv(path, nrows=1, header=None, dtype=str).iloc[0].dropna())
        names = [name for name in pd.read_csv(path, nrows=0) if name not in words]
        try:  # a fourth of the memory
            return pd.read_csv(path, dtype=dict.fromkeys(names, np.float32))
        except ValueError:
            return pd.read_csv(path)
    except (ValueError, OSError, pd.errors.ParserError, UnicodeError) as error:
        raise UserError(f"{path} is not a table of coefficients ({one_line(error)})") from None


def _require_distinct(names: Iterable[Any]) -> None:
    """Raise ValueError where two columns have one name."""
    again = next((name for name, n in Counter(map(str, names)).items() if n > 1), None)
    if again is not None:
        raise ValueError(f"two columns are called {again!r}")


def _of_arrays(content: bytes) -> pd.DataFrame:
    """Return the table of numpy's arrays: a matrix, names of its columns, and further columns.

    Raises
    ------
    ValueError
        They do not fit together.
    """
    members = {name.removesuffix(".npy"): member for name, member in members_in(content).items()}
    if _MATRIX not in members:
        raise ValueError(f"it has no array {_MATRIX!r}")
    matrix = array_in(members.pop(_MATRIX))
    if matrix.ndim != 2:
        raise ValueError(f"{_MATRIX!r} must have a row for each position")
    count = matrix.shape[1]
    names = _text_in(members.pop(_NAMES)) if _NAMES in members else [f"t{k}" for k in range(count)]
    if len(set(names)) != count or len(names) != count:
        raise ValueError(f"{_NAMES!r} must have a name for each column, each once")
    others = {name: array_in(member) for name, member in members.items()}
    for name, column in others.items():
        if column.shape != matrix.shape[:1] or name in names:
            raise ValueError(f"{name!r} must have a number for each position")
    return pd.concat([pd.DataFrame(matrix, columns=names), pd.DataFrame(others)], axis=1)


def _text_in(content: bytes) -> list[str]:
    """Return the words that numpy's own format holds; ValueError where it does not."""
    file, wrong = io.BytesIO(content), ValueError(f"{_NAMES!r} must be an array of words")
    try:
        np.lib.format.read_magic(file)
        shape, _, kind = np.lib.format.read_array_header_1_0(file)
        rest = content[file.tell() :]
        if kind.kind != "U" or len(shape) != 1 or shape[0] * kind.itemsize != len(rest):
            raise wrong
        return list(map(str, np.frombuffer(rest, kind)))
    except (SyntaxError, SystemError, TokenError):  # a damaged header; no characters
        raise wrong from None


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
    """Return columns of numbers (n, len(names)).

    Raises
    ------
    UserError
        One holds something else, or a number that is far too large.
    """
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
    told = frame[name].map(lambda value: _RESULTS.get(str(value).strip(), value))
    results = pd.to_numeric(told, errors="coerce").to_numpy(np.float64)
    if (results > 1).any() or (results < 0).any() or np.isnan(results).all():
        raise UserError(f"column {name!r} of {path} must hold results: 1, 0.5 or 0")
    return results


def start_values(path: Path | str | None, terms: Sequence[str], stages: int) -> NDArray[np.float64]:
    """Return the values to start from (stages, terms).

    Raises
    ------
    UserError
        The file has values of other terms or stages.
    """
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
        raise UserError(f"{path} has two values a term; name the column of the phase (--phase)")
    places: dict[str, tuple[Any, int]] = {term: (slice(None), k) for k, term in enumerate(terms)}
    if stages > 1 and len(columns) == 1:
        for k, term in enumerate(terms):
            places |= {term + END: (0, k), term + MIDDLE: (1, k)}
    values = numbers_of(frame, columns, path)
    for term, value in zip(frame["term"].astype(str), values, strict=True):
        if term not in places:
            raise unknown("term", term, terms, of=Path(path).name)
        where, k = places[term]
        if given[where, k].any():
            raise UserError(f"{path} gives term {term!r} twice; leave one line of it")
        given[where, k] = True
        begin[where, k] = np.resize(value, stages)[where]
    return begin
