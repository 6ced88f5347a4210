"""Findings on the labels and patterns of a dataset, of which a fit warns."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.common.displayable import with_unit
from samuel.features import Patterns
from samuel.features.terms import Stages, even_knots
from samuel.games.drawing import side_names
from samuel.games.game import Game
from samuel.games.rows import left_of
from samuel.learning.fitting.split import Split
from samuel.models.compiled.log_odds import first_step
from samuel.selfplay.data.dataset import clean_outcomes

_FEW, _MOST_RARE = 4, 0.5
"""Rows below which a weight is hardly known, and the share of positions with one that is usual."""
MOST_ROWS, _FEWEST_ROWS, _AT_ONCE = 1 << 22, 20_000, 1 << 16
"""Rows that are read, rows from which `train` counts patterns, and rows whose patterns are."""


def warn_of_data(estimator: Any, split: Split) -> None:
    """Warn of labels that look wrong, and of patterns that are rare, before a fit."""
    findings = [*label_findings(split.frame, split.game)]
    if split.batch_rows is None and _FEWEST_ROWS <= len(split.frame) <= MOST_ROWS:
        findings.append(pattern_finding(estimator, split.game, split.positions[split.train]))
    for one in findings:
        if one.warning:
            warnings.warn(f"{one.check} ({one.figure}): {one.warning}", stacklevel=3)


def pattern_finding(estimator: Any, game: Game, words: NDArray[np.uint64]) -> Finding:
    """Return how many positions have patterns that few rows of their stage have."""
    found = estimator if hasattr(estimator, "shapes") else first_step(estimator)
    if not hasattr(found, "shapes"):
        return Finding("rare patterns", "not checked: no patterns (--model)")
    knots = even_knots(found.stages, game.most_left)
    left = np.clip(left_of(game, words), 0, game.most_left)
    stage = Stages.of(knots, game.most_left).hats(left).argmax(1)
    reader, stages, total = Patterns(found.shapes, game.name).fit(words[:1]), [], 0
    for number in np.unique(stage).tolist():
        rows = words[stage == number]
        seen, rare, touched = _rare(reader, rows)
        total += touched
        shares = {"rare": rare / seen, "positions": touched / len(rows)}
        stages.append({"left": knots[number], "rows": len(rows), "patterns": seen, **shares})
    share = total / len(words)
    figure = f"{100 * share:.0f} % of positions have one seen fewer than {_FEW} times"
    warning = "Their weights are hardly known: add games, or use fewer stages or smaller shapes."
    return Finding("rare patterns", figure, warning if share > _MOST_RARE else "", tuple(stages))


def _rare(reader: Patterns, rows: NDArray[np.uint64]) -> tuple[int, int, int]:
    """Return the numbers of patterns seen, of rare ones, and of rows that have a rare one."""
    parts = [rows[k : k + _AT_ONCE] for k in range(0, len(rows), _AT_ONCE)]
    counts: Any = 0
    for matrix in map(reader.transform, parts):
        counts = counts + np.bincount(matrix.indices, minlength=matrix.shape[1])
    rare = (counts > 0) & (counts < _FEW)
    touched = (
        np.logical_or.reduceat(rare[matrix.indices], matrix.indptr[:-1]).sum()
        for matrix in map(reader.transform, parts)
    )
    return int((counts > 0).sum()), int(rare.sum()), int(sum(touched))


_MANY, _GAMES = 500, 20
"""Rows of a side, and games, from which they are compared."""
_SURE, _LOWER = 5.0, 0.3
"""Standard errors between the correlations of two sides, and the share of the other's that the
lower one has at most, where they differ clearly."""
_SMALL, _LARGE = 3e-4, 0.4
"""Usual sizes of scores, as shares of the largest utility."""


@dataclass(frozen=True)
class Finding:
    """A check of a dataset: its figure, and what is wrong, if anything, with rows that have it."""

    check: str
    figure: str
    warning: str = ""
    rows: tuple[dict[str, Any], ...] = ()


def label_findings(frame: pd.DataFrame, game: Game) -> Iterator[Finding]:
    """Yield what the labels of rows show; the frame has LABEL_COLUMNS."""
    known = frame[clean_outcomes(frame) & frame["score"].notna() & ~frame["exact"]]
    yield _results(frame)
    yield _size(known["score"].to_numpy(np.float32), game)
    yield _sides(known, game)


def first_results(frame: pd.DataFrame) -> NDArray[np.float32]:
    """Return the outcomes of rows for the first player; NaN where there is none."""
    return np.where(frame["side"] == 0, 1, -1) * frame["outcome"].to_numpy(np.float32)


def _results(frame: pd.DataFrame) -> Finding:
    results, counts = np.unique(first_results(frame.dropna(subset="outcome")), return_counts=True)
    if not len(results):
        return Finding("results", "none")
    games, only = frame["game_id"].nunique(), len(results) == 1
    most = f"{100 * counts.max() / counts.sum():.0f} % of rows have the commonest"
    warning = f"All {games:,} games have one result, so outcomes teach nothing; add other games."
    return Finding("results", most, warning if only and games >= _GAMES else "")


def _size(scores: NDArray[np.float32], game: Game) -> Finding:
    if len(scores) < _MANY:
        return Finding("size of scores", f"only {len(scores):,} scores with an outcome")
    median, most = float(np.median(np.abs(scores))), game.scores.max_utility
    is_odd = 0 < median < _SMALL * most or (game.scores.unit != "result" and median > _LARGE * most)
    usual = f"{_SMALL * most:g} to {_LARGE * most:g}"
    warning = (
        f"The median is usually {usual}: the unit may be another; import again with --score-unit."
    )
    figure = f"median {median:.3g}{with_unit(game.scores.unit)}"
    return Finding("size of scores", figure, warning if is_odd else "")


def _sides(known: pd.DataFrame, game: Game) -> Finding:
    """Compare the correlation of scores with outcomes for both sides to move."""
    found, errors = [], []
    for side in (0, 1):
        pair = known.loc[known["side"] == side, ["score", "outcome"]].to_numpy(np.float64).T
        if pair.shape[1] < _MANY or (pair.std(1) == 0).any():
            return Finding("scores by side", "too few different scores and outcomes")
        found.append(float(np.corrcoef(pair)[0, 1]))
        errors.append(1 / (pair.shape[1] - 3))  # of Fisher's z
    z = np.arctanh(np.clip(found, -0.999, 0.999))
    names, worse = side_names(game), int(np.argmin(z))
    figure = ", ".join(f"{name} {r:+z.2f}" for name, r in zip(names, found, strict=True))
    warning = ""
    if max(z) < -_SURE * np.sqrt(max(errors)):
        warning = "Scores contradict the outcomes of both sides; change the sign of the scores."
    elif np.ptp(z) > _SURE * np.sqrt(sum(errors)) and found[worse] < _LOWER * max(found):
        warning = (
            f"Scores of {names[worse]} contradict the outcomes; import again with --scores-for "
            "mover (with first, if mover was given)."
        )
    return Finding("scores by side", f"correlation with outcomes: {figure}", warning)
