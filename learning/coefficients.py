"""Terms of another program's evaluation, tuned from a table of their coefficients.

A program that is no part of this package writes a row for each position: how often each of its
terms counts there (White's less Black's), and the result or a score. Its evaluation is the sum of
coefficients times values; Texel's method fits the values (models/tapered.py).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from samuel.errors import UserError, one_line, unknown
from samuel.files import whole
from samuel.models.tapered import Rows, best_scale, descend
from samuel.options import Argument, Range, public

SCALE = 174.0
"""Centipawns per logit where no values are given to fit it to: 400 / ln 10, as Elo has it."""
MOST_PHASE = 24
_MOST_TERMS = 20_000
_RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
_MAX_ITER, _TOL = 30, 1e-8
_LARGEST = 1e6


@dataclass(frozen=True)
class TunedTerms:
    """Values of terms, as fitted.

    Attributes
    ----------
    terms
        Names of the terms, in the order of the table's columns.
    values, errors, start
        Fitted values, their standard errors and the values before, float64 (terms, stages): one
        stage, or where the table has a phase the end of the game and the middle game.
    scale
        Units of score per logit (K).
    first_loss, loss
        Mean cross-entropy on the held-out rows, before and after.
    rows
        Number of rows that the fit read.
    """

    terms: tuple[str, ...]
    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    start: NDArray[np.float64]
    scale: float
    first_loss: float
    loss: float
    rows: int

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the stages."""
        return ("value",) if self.values.shape[1] == 1 else ("end", "middle")

    def table(self) -> pd.DataFrame:
        """Return a row for each term: values before and after, and errors.

        Returns
        -------
        pandas.DataFrame
            Columns `term`, and for each stage its value, error and start.
        """
        columns: dict[str, Any] = {"term": self.terms}
        for k, stage in enumerate(self.stages):
            columns[stage] = self.values[:, k]
            columns[f"{stage}_error"] = self.errors[:, k]
            columns[f"{stage}_start"] = self.start[:, k]
        return pd.DataFrame(columns)

    def header(self) -> str:
        """Return a header in C: an array of whole numbers, in the order of the table.

        Returns
        -------
        str
            Text of the header.
        """
        n, stages = self.values.shape
        lines = ["#pragma once", "#include <stdint.h>", ""]
        lines += [f"/* {', '.join(self.stages)} of each term */"]
        lines += [f"static const int32_t terms[{n}][{stages}] = {{"]
        for name, numbers in zip(self.terms, self.values, strict=True):
            told = ", ".join(str(round(float(number))) for number in numbers)
            lines.append(f"    {{{told}}}, /* {_plain(name)} */")
        return "\n".join([*lines, "};"]) + "\n"


def _plain(name: str) -> str:
    return name.replace("*/", "").replace("\n", " ")


@public
def tune_coefficients(
    path: Annotated[Path | str, Argument()],
    *,
    start: Path | str | None = None,
    result: str = "result",
    score: str = "",
    phase: str = "",
    blend: Annotated[float, Range(0.0, 1.0)] = 0.0,
    alpha: Annotated[float, Range(0.0)] = 1e-9,
    scale: Annotated[float | None, Range(1e-6)] = None,
    held_out: Annotated[float, Range(0.0, 0.9)] = 0.1,
    seed: int = 0,
    out: Path | str | None = None,
) -> TunedTerms:
    r"""Tune the terms of another program from a CSV of coefficients.

    A row is a position: a coefficient for each term, and a result or a score, for one and the same
    side. The scale is fitted first where the terms have values to start from.

    Parameters
    ----------
    path
        CSV or Parquet file. All columns but those named below are terms.
    start
        CSV file of present values: columns term and value, or term, end and middle. By default 0.
    result
        Column of results: 1, 0.5 and 0, or 1-0, 1/2-1/2 and 0-1.
    score
        Column of scores in the program's unit. Empty for none.
    phase
        Column of the phase, from 24 (middle game) to 0: each term is then tapered between two
        values. Empty for one value.
    blend
        Weight of the score in the target; the result has the rest.
    alpha
        Penalty on the squares of changes, for each row.
    scale
        Units of score per logit. By default it is fitted to the values at the start, or 174.
    held_out
        Share of rows to measure on.
    seed
        Seed of the choice of these rows.
    out
        File for the values: a table (.csv), or a header in C (.h).

    Returns
    -------
    TunedTerms
        Values with errors, in the order of the columns.

    Raises
    ------
    UserError
        A file cannot be read or written, a column is missing, or holds no numbers.

    Examples
    --------
    >>> import samuel
    >>> from pathlib import Path
    >>> rows = "pawns,knights,result\n1,0,1\n-1,0,0\n0,1,1\n0,-1,0.5\n1,-1,0\n"
    >>> _ = Path("terms.csv").write_text(rows * 20)
    >>> tuned = samuel.tune_coefficients("terms.csv", alpha=1e-6)
    >>> tuned.terms
    ('pawns', 'knights')
    """
    frame = _read(Path(path))
    for name in filter(None, ("" if score else result, score, phase)):
        if name not in frame:
            raise unknown("column", name, list(frame.columns), of=Path(path).name)
    terms = [name for name in frame.columns if name not in (result, score, phase)]
    if not 1 <= len(terms) <= _MOST_TERMS:
        raise UserError(f"{path} must have from 1 to {_MOST_TERMS:,} terms (got {len(terms)})")
    coefficients = _numbers(frame, terms, path).astype(np.float32)
    stages = 2 if phase else 1
    begin = _start_values(start, terms, stages)
    shares = np.ones((len(frame), 1), np.float32)
    if phase:
        share = np.clip(_numbers(frame, [phase], path)[:, 0] / MOST_PHASE, 0, 1)
        shares = np.column_stack([1 - share, share]).astype(np.float32)
    results = _results(frame, result, path) if result in frame else np.full(len(frame), np.nan)
    scores = _numbers(frame, [score], path)[:, 0] if score else np.full(len(frame), np.nan)

    known = _wins(results, scores, blend, scale or SCALE)
    usable = np.flatnonzero(~np.isnan(known))
    if len(usable) < 2:
        raise UserError(f"{path} has fewer than two rows with a result or a score")
    chosen = np.random.default_rng(seed).permutation(usable)
    aside = int(held_out * len(usable))
    held, fitted = np.sort(chosen[:aside]), np.sort(chosen[aside:])

    def rows_of(some: NDArray[np.int64]) -> Rows:
        columns = coefficients[some]
        even = np.full(len(some), 1 / len(some))
        nothing = np.zeros(len(some), np.float32)
        return Rows(lambda part: columns[part], shares[some], nothing, known[some], even)

    rows = rows_of(fitted)
    k = scale or best_scale(rows, begin, SCALE)
    found = descend(rows, begin, k, alpha, _MAX_ITER, _TOL)
    measured = rows_of(held) if len(held) else rows
    before, after = (measured.loss(values, values, k, 0.0)[0] for values in (begin, found.weights))
    values = found.weights.T, found.errors.T, begin.T
    tuned = TunedTerms(tuple(terms), *values, k, before, after, len(fitted))
    if out is not None:
        _write(tuned, Path(out))
    return tuned


def _read(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise UserError(f"file {path} does not exist")
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        return pd.read_csv(path)
    except (ValueError, OSError, pd.errors.ParserError, UnicodeError) as error:
        raise UserError(f"{path} is not a table of coefficients ({one_line(error)})") from None


def _numbers(frame: pd.DataFrame, names: Sequence[str], path: Path | str) -> NDArray[np.float64]:
    """Return columns of numbers (n, len(names)).

    Raises
    ------
    UserError
        One holds something else, or a number that is far too large.
    """
    found = np.zeros((len(frame), len(names)))
    for k, name in enumerate(names):
        numbers = pd.to_numeric(frame[name], errors="coerce").to_numpy(np.float64)
        wrong = ~(np.abs(numbers) < _LARGEST)
        if wrong.any():
            line = int(np.argmax(wrong)) + 2
            raise UserError(
                f"column {name!r} of {path} must hold numbers below {_LARGEST:,.0f} in size "
                f"(line {line} has {frame[name].iloc[line - 2]!r})"
            )
        found[:, k] = numbers
    return found


def _results(frame: pd.DataFrame, name: str, path: Path | str) -> NDArray[np.float64]:
    told = frame[name].map(lambda value: _RESULTS.get(str(value).strip(), value))
    results = pd.to_numeric(told, errors="coerce").to_numpy(np.float64)
    if (results > 1).any() or (results < 0).any() or np.isnan(results).all():
        raise UserError(f"column {name!r} of {path} must hold results: 1, 0.5 or 0")
    return results


def _wins(
    results: NDArray[np.float64], scores: NDArray[np.float64], blend: float, scale: float
) -> NDArray[np.float64]:
    """Return targets: results, probabilities that scores mean, or a blend where both are known."""
    told = expit(scores / scale)
    blended = blend * told + (1 - blend) * results
    return np.where(np.isnan(results), told, np.where(np.isnan(told), results, blended))


def _start_values(
    path: Path | str | None, terms: Sequence[str], stages: int
) -> NDArray[np.float64]:
    """Return the values to start from (stages, terms)."""
    begin = np.zeros((stages, len(terms)))
    if path is None:
        return begin
    frame = _read(Path(path))
    columns = ["value"] if "value" in frame else ["end", "middle"]
    for name in ("term", *columns):
        if name not in frame:
            raise unknown("column", name, list(frame.columns), of=Path(path).name)
    if len(columns) > stages:
        raise UserError(f"{path} has two values a term; name the column of the phase (--phase)")
    for term in frame["term"].astype(str):
        if term not in terms:
            raise unknown("term", term, terms, of=Path(path).name)
    values = _numbers(frame, columns, path)
    by_term = dict(zip(frame["term"].astype(str), values, strict=True))
    for k, term in enumerate(terms):
        if term in by_term:
            begin[:, k] = np.resize(by_term[term], stages)
    return begin


def _write(tuned: TunedTerms, out: Path) -> None:
    if out.suffix == ".h":
        text = tuned.header()
    else:
        file = io.StringIO()
        tuned.table().to_csv(file, index=False, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
        text = file.getvalue()
    with whole(out) as partial:
        partial.write_text(text, encoding="utf-8")
