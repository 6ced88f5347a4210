"""Weights of linear models as tables, for the terminal and for pages: before a fit and after it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.units import rounded
from samuel.features.squares import square_tables
from samuel.models.weights import OF_PENALTY, WeightFit, Weights
from samuel.reports.tables import NOTHING, TextTable, with_error

HALF_WIDTH = 1.96
"""Half the width of a 95 % interval, in standard errors."""
_MOST_CHANGED = 15


def stages_of(weights: Weights) -> list[int]:
    """Return the stages' numbers from the start of the game on."""
    return np.argsort(-weights.knots, kind="stable").tolist()


def short_table(weights: Weights, fit: WeightFit) -> TextTable:
    """Return the means of tables of squares, and of the other weights those that changed most.

    A change is measured in standard errors. Values after the fit have half the width of their 95 %
    interval behind them.
    """
    tables = square_tables(weights.columns, weights.game)
    on_squares = set(np.concatenate([[-1], *tables.values()]).tolist())
    changes = np.abs(weights.weights - fit.start) / np.where(fit.errors > 0, fit.errors, np.inf)
    most = np.nan_to_num(changes).max(axis=0)
    ranked = [k for k in np.argsort(-most, kind="stable") if most[k] > 0 and k not in on_squares]
    rows = [
        [f"{name}, mean of {len(chosen)}", *_cells(weights, fit, chosen)]
        for name, places in tables.items()
        if np.isfinite(fit.errors[:, chosen := np.unique(places[places >= 0])]).any()
    ]
    rows += [
        [weights.columns[k], *_cells(weights, fit, np.array([k]))]
        for k in sorted(ranked[:_MOST_CHANGED])
    ]
    return TextTable(["weight", *_headings(weights)], rows)


def whole_table(weights: Weights) -> TextTable:
    """Return a row for each weight, before and after the fit where that is known."""
    places = (np.array([k]) for k in range(len(weights.columns)))
    rows = [
        [name, *_cells(weights, weights.fit, place)]
        for name, place in zip(weights.columns, places, strict=True)
    ]
    if weights.intercept.any():
        firsts = [_text(float(weights.intercept[k])) for k in stages_of(weights)]
        padded = firsts if weights.fit is None else [c for one in firsts for c in (NOTHING, one)]
        rows.insert(0, ["intercept", *padded])
    return TextTable(["weight", *_headings(weights)], rows)


def _headings(weights: Weights) -> list[str]:
    knots = [int(weights.knots[k]) for k in stages_of(weights)]
    if weights.fit is None:
        return [f"at {knot}" for knot in knots]
    return [f"at {knot}, {when}" for knot in knots for when in ("before", "after")]


def _cells(weights: Weights, fit: WeightFit | None, chosen: NDArray[np.int64]) -> list[str]:
    """Return the cells of a weight, or of the mean of several, at each stage."""
    cells = []
    for stage in stages_of(weights):
        after = float(weights.weights[stage, chosen].mean())
        if fit is None:
            cells.append(_text(after))
            continue
        cells.append(_text(float(fit.start[stage, chosen].mean())))
        error = float(fit.errors[stage, chosen[0]]) if len(chosen) == 1 else math.nan
        mark = f" {OF_PENALTY}" if fit.of_penalty[stage, chosen[0]] else ""
        told = f"{with_error(after, HALF_WIDTH * error)}{mark}" if error > 0 else _text(after)
        cells.append(told)
    return cells


def _text(number: float) -> str:
    return rounded(number) if abs(number) >= 1 else f"{number:z.2f}"


def losses_said(card: dict[str, Any], unit: str) -> str:
    """Return a sentence on the losses that the card of a model tells; "" where it tells none."""
    loss, scale = card.get("loss"), card.get("logit_scale")
    if not (isinstance(loss, dict) and isinstance(scale, float)):
        return ""
    before, after = (loss.get(when) for when in ("before", "after"))
    if not (isinstance(before, float) and isinstance(after, float)):
        return ""
    said = (
        f"Cross-entropy on held-out positions: {before:.5f} before, {after:.5f} after "
        f"({rounded(scale)} {unit} per logit)."
    )
    more = " It rose: there are too few positions for so many weights." if after > before else ""
    return said + more
