"""Terms of another program's evaluation, tuned from a table of their coefficients.

A program that is no part of this package writes a row for each position: how often each of its
terms counts there (White's less Black's), and the result or a score. Its evaluation is the sum of
coefficients times values; Texel's method fits the values (models/tapered.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from samuel.common.errors import UserError, c_comment, plain_name, unknown
from samuel.common.files import whole
from samuel.common.options import Argument, Flag, Range, Seed
from samuel.common.public import public
from samuel.learning.coefficient_tables import (
    numbers_of,
    phases_of,
    read_table,
    results_of,
    stage_columns,
    start_values,
)
from samuel.models.columns import Rows, best_scale, fit_rows
from samuel.models.newton import scale_of
from samuel.models.weights import errors_text, penalty_lines

SCALE = 174.0
"""Centipawns per logit where no values are given to fit it to: 400 / ln 10, as Elo has it."""
_ENOUGH, _LARGEST_FACTOR = 100, 50
"""Rows that have a score and a result to find the unit of scores, and the largest K in `SCALE`."""
_CENTIPAWNS = 10.0, 2000.0
"""Median sizes of scores that may be centipawns."""
_MOST_TERMS = 20_000
_MAX_ITER, _TOL = 100, 1e-8
_GROUP = "game"


@dataclass(frozen=True)
class TunedTerms:
    """Values of terms, as fitted, with their standard errors: arrays (terms, stages)."""

    terms: tuple[str, ...]
    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    start: NDArray[np.float64]
    scale: float  # units of score per logit (K)
    first_loss: float  # mean cross-entropy on the held-out rows, before and after
    loss: float
    rows: int
    held_out: int
    group: str  # column whose groups of rows were held out together; empty for single rows
    of_penalty: NDArray[np.bool_]  # where the penalty determines the value more than the rows do

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the stages."""
        return ("value",) if self.values.shape[1] == 1 else ("end", "middle")

    def table(self) -> pd.DataFrame:
        """Return a row for each term: values before and after, and errors."""
        columns: dict[str, Any] = {"term": self.terms}
        for k, stage in enumerate(self.stages):
            columns[stage] = self.values[:, k]
            columns[f"{stage}_error"] = self.errors[:, k]
            columns[f"{stage}_start"] = self.start[:, k]
            columns[f"{stage}_of_penalty"] = self.of_penalty[:, k]
        return pd.DataFrame(columns)

    def header(self) -> str:
        """Return a header in C: an array of whole numbers, in the order of the table."""
        n, stages = self.values.shape
        lines = ["#pragma once", "#include <stdint.h>", ""]
        lines += [f"/* {', '.join(self.stages)} of each term, its name and its standard errors;"]
        lines += [f"   the probability of winning is 1 / (1 + exp(-score / {self.scale:.1f}))."]
        lines += [*penalty_lines(self.of_penalty, self.errors), "*/"]
        lines += [f"static const int32_t terms[{n}][{stages}] = {{"]
        of_terms = zip(self.terms, self.values, self.errors, self.of_penalty, strict=True)
        for name, values, *about in of_terms:
            told, errors = ", ".join(f"{value:z.0f}" for value in values), errors_text(*about)
            lines.append(f"    {{{told}}}, /* {c_comment(name)} +- {errors} */")
        return "\n".join([*lines, "};"]) + "\n"


@public
def tune_coefficients(
    path: Annotated[Path | str, Argument()],
    *,
    start: Annotated[Path | str | None, Flag("from")] = None,
    result: str = "result",
    score: str = "",
    phase: str = "",
    group: str = "",
    blend: Annotated[float, Range(0.0, 1.0)] = 0.0,
    alpha: Annotated[float, Range(0.0)] = 1e-9,
    scale: Annotated[float | None, Range(1e-6)] = None,
    held_out: Annotated[float, Range(0.0, 0.9)] = 0.1,
    seed: Seed = 0,
    out: Path | str | None = None,
) -> TunedTerms:
    r"""Tune the terms of another program from a CSV of coefficients.

    Each row is a position: a coefficient per term, and a result or a score. Each term's coefficient
    is White's count minus Black's; results and scores are White's. With present values, the scale
    is fitted first.

    Parameters
    ----------
    path
        CSV or Parquet file. All columns except those that options name are terms.
    start
        CSV file of present values: columns term and value, or term, end and middle. By default all
        values are 0. With a phase, a term may have two values, NAME_mg and NAME_eg.
    result
        Column of results: 1, 0.5 and 0, or 1-0, 1/2-1/2 and 0-1.
    score
        Column of scores; empty for none. The unit of scores is found from the results in the same
        rows. Without results, scores are centipawns, or in the unit of `scale`.
    phase
        Column of the phase, from 24 (middle game) to 0. Each term then has two values, and columns
        NAME_mg and NAME_eg are one term. Empty for one value per term.
    group
        Column of the game that a row is from. Rows of one game are held out together. By default
        the column `game`, if it exists; else rows are held out singly.
    blend
        Weight of the score in the target; the result has the rest.
    alpha
        Penalty on squared changes of the values, per row.
    scale
        Units of score per logit, such as 174 for centipawns and 1.74 for pawns. By default it is
        fitted to the present values, or to the scores.
    held_out
        Share of rows, or of games, to measure on.
    seed
        Seed of the choice of held-out rows.
    out
        File for the values, in the order of the columns: a table (.csv) or a header in C (.h).

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
    if out is not None and Path(out).suffix not in _CONTENTS:
        raise UserError(f"--out must end in {', '.join(_CONTENTS)} (got {out})")
    table = _Table(Path(path), *map(plain_name, (result, score, phase, group)))
    begin = start_values(start, table.terms, len(table.places))
    unit = scale or _unit_of(table.scores, table.results, blend, table.score)
    wins = _wins(table.results, table.scores, blend, unit)
    usable = np.flatnonzero(~np.isnan(wins))
    if len(usable) < 2:
        raise UserError(f"{path} has fewer than two rows with a result or a score")
    aside = _held_out(table.groups, usable, held_out, seed)
    held, fitted = usable[aside], usable[~aside]
    if table.groups is not None:
        fitted = fitted[np.argsort(table.groups[fitted], kind="stable")]
    rows, flat = table.rows(fitted, wins), begin.reshape(1, -1)
    k = scale or best_scale(rows, flat, unit)
    found = fit_rows(rows, flat, k, alpha, _MAX_ITER, _TOL)
    measured = table.rows(held, wins) if len(held) else rows
    before, after = (measured.loss(values, k)[0] for values in (flat, found.weights))
    shape = begin.shape
    tuned = TunedTerms(
        table.terms,
        found.weights.reshape(shape).T,
        found.errors.reshape(shape).T,
        begin.T,
        *(k, before, after, len(fitted), len(held)),
        "" if table.groups is None else table.group,
        found.of_penalty.reshape(shape).T,
    )
    if out is not None:
        with whole(Path(out)) as partial:
            partial.write_bytes(_CONTENTS[Path(out).suffix](tuned))
    return tuned


class _Table:
    """A table of coefficients: terms, what each row counts of them, results, scores, games."""

    def __init__(self, path: Path, result: str, score: str, phase: str, group: str) -> None:
        self.score, self.group = score, group or _GROUP
        frame = read_table(path, [result, self.group])
        for name in filter(None, ("" if score else result, score, phase, group)):
            if name not in frame:
                raise unknown("column", name, list(frame.columns), of=path.name)
        named = result, score, phase, self.group
        columns = [name for name in frame.columns if name not in named]
        if not 1 <= len(columns) <= _MOST_TERMS:
            raise UserError(
                f"{path} must have from 1 to {_MOST_TERMS:,} terms (got {len(columns)})"
            )
        self.coefficients = numbers_of(frame, columns, path, np.float32)
        of_terms = stage_columns(columns, bool(phase))
        self.terms, self.places = tuple(of_terms), np.array(list(of_terms.values())).T
        self.shares = np.ones((len(frame), 1), np.float32)
        if phase:
            share = phases_of(frame, phase, path)
            self.shares = np.column_stack([1 - share, share]).astype(np.float32)
        nothing = np.full(len(frame), np.nan)
        self.results = results_of(frame, result, path) if result in frame else nothing
        self.scores = numbers_of(frame, [score], path)[:, 0] if score else nothing
        self.groups: NDArray[np.int64] | None = None
        if self.group in frame:
            self.groups = pd.factorize(frame[self.group], use_na_sentinel=False)[0]

    def rows(self, some: NDArray[np.int64], wins: NDArray[np.float64]) -> Rows:
        """Return some rows as a fit takes them."""

        def of_stages(part: slice) -> NDArray[np.float32]:
            block, each = self.coefficients[some[part]], self.shares[some[part]]
            parts = [block[:, chosen] * each[:, [k]] for k, chosen in enumerate(self.places)]
            return np.ascontiguousarray(np.hstack(parts))

        even = np.full(len(some), 1 / len(some))
        ones, nothing = np.ones((len(some), 1), np.float32), np.zeros(len(some), np.float32)
        groups = None if self.groups is None else self.groups[some]
        return Rows(of_stages, ones, nothing, wins[some], even, groups)


def _unit_of(
    scores: NDArray[np.float64], results: NDArray[np.float64], blend: float, name: str
) -> float:
    """Return the units of score per logit, from the results of the same rows if these are known."""
    has_score, has_result = ~np.isnan(scores), ~np.isnan(results)
    both = has_score & has_result
    if not (has_score & ~has_result).any() and not (blend and both.any()):
        return SCALE  # no score is a target
    if np.count_nonzero(both) >= _ENOUGH:
        even = np.full(np.count_nonzero(both), 1 / np.count_nonzero(both))
        found = scale_of(scores[both], results[both], even, SCALE)
        if found > SCALE * _LARGEST_FACTOR:
            raise UserError(
                f"scores of column {name!r} contradict the results: both must be for the same side "
                "(or give --scale, units of score per logit)"
            )
        return found
    usual = float(np.median(np.abs(scores[has_score & (scores != 0)])))
    if not _CENTIPAWNS[0] <= usual <= _CENTIPAWNS[1]:
        raise UserError(
            f"scores of column {name!r} do not look like centipawns (median size {usual:.3g}); "
            f"give --scale, units of score per logit: {SCALE / 100:g} for pawns, {SCALE:g} for "
            "centipawns"
        )
    return SCALE


def _wins(
    results: NDArray[np.float64], scores: NDArray[np.float64], blend: float, scale: float
) -> NDArray[np.float64]:
    """Return targets: results, probabilities that scores mean, or a blend where both are known."""
    told = expit(scores / scale)
    blended = blend * told + (1 - blend) * results
    return np.where(np.isnan(results), told, np.where(np.isnan(told), results, blended))


def _held_out(
    groups: NDArray[np.int64] | None, usable: NDArray[np.int64], share: float, seed: int
) -> NDArray[np.bool_]:
    """Return which of the usable rows to measure on; rows of a group go together."""
    draw = np.random.default_rng(seed)
    if groups is None:
        return draw.permutation(len(usable)) < int(share * len(usable))
    codes = pd.factorize(groups[usable])[0]
    count = codes.max() + 1
    chosen = draw.permutation(count) < min(round(share * count), count - 1)
    return np.asarray(chosen[codes])


_CONTENTS: dict[str, Callable[[TunedTerms], bytes]] = {
    ".csv": lambda tuned: tuned.table().to_csv(index=False, lineterminator="\n").encode(),
    ".h": lambda tuned: tuned.header().encode(),
}
"""Content of a file, by the ending of its name."""
