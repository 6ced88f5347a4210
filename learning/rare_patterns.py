"""Patterns that few rows of a dataset have, and warnings of a dataset before a fit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.features import Patterns
from samuel.features.terms import Stages, even_knots
from samuel.games.game import Game
from samuel.games.rows import left_of
from samuel.learning.fitting.split import Split
from samuel.models.compiled.log_odds import first_step
from samuel.selfplay.data.checks import Finding, label_findings

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
