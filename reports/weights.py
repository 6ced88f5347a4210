"""Weights of linear models as tables and boards, before a fit and after it.

Features' numbers that stand for squares of the board, such as piece-square tables.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.displayable import NOTHING, Picture, Table, rounded, with_error
from samuel.games.game import Game
from samuel.models import game_for
from samuel.models.export import model_weights
from samuel.models.saved.card import read_card
from samuel.models.weights import (
    HALF_WIDTH,
    INTERVALS,
    OF_PENALTY,
    WeightFit,
    Weights,
    penalty_note,
)
from samuel.reports.boards import boards_figure, others_figure, stages_of
from samuel.reports.html import write_page
from samuel.reports.views import View


def square_tables(columns: Sequence[str], game: Game) -> dict[str, NDArray[np.int64]]:
    """Return which of some columns stand for squares, by what is common to their names."""
    if game.board is None:
        return {}
    squares = {name: k for k, name in enumerate(game.squares)}
    found: dict[str, NDArray[np.int64]] = {}
    for place, column in enumerate(columns):
        table, _, square = column.rpartition("_")
        if square in squares:
            found.setdefault(table, np.full(len(squares), -1))[squares[square]] = place
    tables = {name: places for name, places in found.items() if np.sum(places >= 0) > 1}
    for places in tables.values():
        for image in game.symmetries:
            places[:] = np.where(places < 0, places[image], places)
    return tables


_MOST_CHANGED = 15


def write_weights(path: Path | str, model: Path | str, game: Game | str | None = None) -> Path:
    """Write the weights of a linear model as an HTML page, tables of squares as boards.

    Weights before the fit and intervals are shown of models of Texel's method.
    """
    rules = game_for(game, str(model))
    weights = model_weights(str(model), rules)
    card = {} if weights.fit is None else read_card(Path(model))
    return write_page(path, weights_view(weights, Path(model).resolve().name, card))


def weights_view(weights: Weights, name: str, card: dict[str, Any]) -> View:
    """Return the weights of a linear model, and the losses that its card has."""
    lines = [_about(weights, name), losses_said(card, weights.game.scores.unit)]
    return View(f"Weights of {name}", lines, weights_parts(weights))


def _about(weights: Weights, name: str) -> str:
    game, knots = weights.game, sorted(weights.knots.tolist(), reverse=True)
    said = (
        f"{len(weights.columns):,} weights of {name}, a linear evaluator of "
        f"{game.name.replace('_', ' ')}, in {game.scores.unit}. A score is the sum of features, "
        "each times its weight."
    )
    if len(knots) > 1:
        stages = ", ".join(map(str, knots))
        said += f" Weights are blended between stages, at {stages} ({game.left_unit})."
    return said


def weights_parts(weights: Weights) -> list[Table | Picture]:
    """Return the largest changes, tables of squares as boards, the others, and all weights."""
    tables, title = square_tables(weights.columns, weights.game), "Tables of squares"
    found: list[Table | Picture] = []
    if weights.fit is not None:
        found.append(short_table(weights, weights.fit))
    found += [
        Picture(title, functools.partial(boards_figure, weights, of), (), name.replace("_", " "))
        for name, of in tables.items()
    ]
    on_squares = np.concatenate([[-1], *tables.values()])
    if len(np.setdiff1d(np.arange(len(weights.columns)), on_squares)):
        others = functools.partial(others_figure, weights, on_squares)
        note = "Bars are 95 % intervals; those that are the penalty's are grey."
        found.append(Picture("Other weights", others, [note] * (weights.fit is not None)))
    return [*found, whole_table(weights)]


def short_table(weights: Weights, fit: WeightFit) -> Table:
    """Return the means of tables of squares, and of the other weights those that changed most."""
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
    title = f"The largest changes among {len(weights.columns):,} weights"
    notes = [*_notes(fit), "All weights: samuel models FOLDER --report FILE.html"]
    return Table(title, ["weight", *_headings(weights)], rows, notes)


def whole_table(weights: Weights) -> Table:
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
    return Table(
        "All weights", ["weight", *_headings(weights)], rows, _notes(weights.fit), detail=True
    )


def _notes(fit: WeightFit | None) -> list[str]:
    if fit is None:
        return []
    return [note for note in (INTERVALS, penalty_note(fit.of_penalty, fit.errors)) if note]


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
