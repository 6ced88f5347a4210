"""Weights of a linear model as a page: tables of squares as boards, before a fit and after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure
from numpy.typing import NDArray

from samuel.features.squares import square_tables
from samuel.games.game import Game
from samuel.models import game_for
from samuel.models.export import model_weights
from samuel.models.saved.card import read_card
from samuel.models.weights import Weights, penalty_note
from samuel.reports.comparison.figures import add_scale, draw_board
from samuel.reports.html import as_html, figure_html, joined, lead, part, section, write_html
from samuel.reports.style import INK, NEUTRAL, PALETTE, legend, plain_axis
from samuel.reports.weights import HALF_WIDTH, losses_said, stages_of, whole_table

_ACROSS = 4
"""Boards in a row."""
_MOST_BARS = 80
_FULL = 98
"""Share of the squares, in percent, whose colours differ; those beyond have the last colour."""


def write_weights(path: Path | str, model: Path | str, game: Game | str | None = None) -> Path:
    """Write the weights of a linear model as an HTML page, tables of squares as boards.

    Weights before the fit and intervals are shown of models of Texel's method.
    """
    rules = game_for(game, str(model))
    weights = model_weights(str(model), rules)
    card = {} if weights.fit is None else read_card(Path(model))
    name = Path(model).resolve().name
    parts = [
        lead(*filter(None, (_about(weights, name), losses_said(card, rules.unit)))),
        *_sections(weights),
    ]
    return write_html(path, f"Weights of {name}", parts)


def _about(weights: Weights, name: str) -> str:
    game, knots = weights.game, sorted(weights.knots.tolist(), reverse=True)
    said = (
        f"{len(weights.columns):,} weights of {name}, a linear evaluator of "
        f"{game.name.replace('_', ' ')}, in {game.unit}. A score is the sum of features, each "
        "times its weight."
    )
    if len(knots) > 1:
        stages = ", ".join(map(str, knots))
        said += f" Weights are blended between stages, at {stages} ({game.left_unit})."
    if weights.fit is None:
        return said
    note = penalty_note(weights.fit.of_penalty, weights.fit.errors)
    return f"{said} Intervals are 95 % intervals. {note}".rstrip()


def _sections(weights: Weights) -> Iterator[Markup]:
    tables = square_tables(weights.columns, weights.game)
    boards = joined(
        part("titled", table.replace("_", " "), figure_html(boards_figure(weights, places), table))
        for table, places in tables.items()
    )
    if boards:
        yield section("Tables of squares", boards, _ABOUT_BOARDS)
    others = others_figure(weights, tables)
    if others is not None:
        yield section("Other weights", figure_html(others, "other weights"))
    yield section("All weights", _folded(weights))


_ABOUT_BOARDS = (
    "Each table has colours of its own. White is 0, or the middle of the table where all numbers "
    "have one sign. Squares without a number have no weight."
)


def _folded(weights: Weights) -> Markup:
    table = whole_table(weights)
    return part("folded", f"{len(table.rows):,} rows", as_html(table))


def boards_figure(weights: Weights, places: NDArray[np.int64]) -> Figure:
    """Return a table of squares as boards: for each stage after the fit, and if known before it."""
    game, fit = weights.game, weights.fit
    panels: list[tuple[str, NDArray[np.float64]]] = []
    for stage in stages_of(weights):
        at = f"{weights.knots[stage]} {game.left_unit}" if len(weights.knots) > 1 else ""
        if fit is not None:
            panels.append((_title(at, "before"), fit.start[stage]))
        after = weights.weights[stage].astype(np.float64)
        panels.append((_title(at, "after") if fit is not None else at, after))
    boards = [(title, np.where(places < 0, np.nan, row[places])) for title, row in panels]
    low, high = (float(of([b for _, b in boards])) for of in (np.nanmin, np.nanmax))
    centre = 0.0 if low <= 0 <= high else (low + high) / 2
    distances = np.abs(np.array([b for _, b in boards]) - centre)
    limit = float(np.nanpercentile(distances, _FULL)) or float(np.nanmax(distances)) or 1.0
    rows, columns = game.board.shape if game.board else (1, 1)
    down, across = -(-len(boards) // _ACROSS), min(_ACROSS, len(boards))
    side = max(2.75, 0.3 * columns)
    size = (side * across + 0.9, down * (side * rows / columns + 0.35) + 0.2)
    figure = Figure(figsize=size)
    figure.set_layout_engine("constrained")
    axes = figure.subplots(down, across, squeeze=False)
    digits = 2 if max(abs(low), abs(high)) < 10 else 1
    for axis, (title, values) in zip(axes.ravel(), boards, strict=False):
        image = draw_board(axis, values, game, limit, centre, digits)
        axis.set_title(title, color=INK, fontsize=10)
    for axis in axes.ravel()[len(boards) :]:
        axis.set_visible(False)
    add_scale(figure, axes, image, game.unit)
    return figure


def _title(stage: str, when: str) -> str:
    return f"{stage}, {when}" if stage else when


def others_figure(weights: Weights, tables: Mapping[str, NDArray[np.int64]]) -> Figure | None:
    """Return the weights that stand for no square as points with intervals, a panel a stage.

    Intervals that are the penalty's are grey. Where there are many weights, the largest are shown.
    Weights that were not fitted are left out.
    """
    fit, on_squares = weights.fit, np.unique(np.concatenate([[-1], *tables.values()]))
    chosen = np.setdiff1d(np.arange(len(weights.columns)), on_squares)
    if fit is not None:
        chosen = chosen[np.isfinite(fit.errors[:, chosen]).all(axis=0)]
    sizes = np.abs(weights.weights[:, chosen]).max(axis=0, initial=0)
    chosen = np.sort(chosen[np.argsort(-sizes, kind="stable")[:_MOST_BARS]])
    if not len(chosen):
        return None
    stages = stages_of(weights)
    figure = Figure(figsize=(3.2 + 3.0 * max(len(stages), 2), 0.24 * len(chosen) + 1.0))
    figure.set_layout_engine("constrained")
    axes = figure.subplots(1, len(stages), sharey=True, squeeze=False)[0]
    rows = np.arange(len(chosen))
    for axis, stage in zip(axes, stages, strict=True):
        if fit is not None:
            error = HALF_WIDTH * fit.errors[stage, chosen]
            before = fit.start[stage, chosen]
            colours = np.where(fit.of_penalty[stage, chosen], NEUTRAL, PALETTE[0]).tolist()
            axis.errorbar(
                weights.weights[stage, chosen], rows, xerr=error, fmt="none", ecolor=colours
            )
            axis.plot(before, rows, "o", mfc="none", mec=NEUTRAL, markersize=5, label="before")
        axis.plot(
            weights.weights[stage, chosen], rows, "o", color=PALETTE[0], markersize=4, label="after"
        )
        axis.axvline(0, color=NEUTRAL, linewidth=0.8)
        plain_axis(axis, grid="both")
        if len(stages) > 1:
            title = f"{weights.knots[stage]} {weights.game.left_unit}"
            axis.set_title(title, color=INK, fontsize=10)
    axes[0].set_yticks(rows, [weights.columns[k].replace("_", " ") for k in chosen])
    axes[0].invert_yaxis()
    if fit is not None:
        legend(axes[-1], 2)
    figure.supxlabel(f"{weights.game.unit} per unit of the feature", color=INK, fontsize=9)
    return figure
