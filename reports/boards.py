"""Weights as pictures: tables of squares as boards, other weights as points with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from samuel.games.game import Game
from samuel.models.weights import HALF_WIDTH, Weights
from samuel.reports.style import INK, NEUTRAL, PALETTE, legend, plain_axis

_ACROSS = 4
"""Boards in a row."""
_MOST_BARS = 80
_FULL = 98
"""Share of the squares, in percent, whose colours differ; those beyond have the last colour."""


def stages_of(weights: Weights) -> list[int]:
    """Return the stages' numbers from the start of the game on."""
    return np.argsort(-weights.knots, kind="stable").tolist()


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
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(down, across, squeeze=False)
    digits = 2 if max(abs(low), abs(high)) < 10 else 1
    for axis, (title, values) in zip(axes.ravel(), boards, strict=False):
        image = _draw_board(axis, values, game, limit, centre, digits)
        axis.set_title(title, color=INK, fontsize=10)
    for axis in axes.ravel()[len(boards) :]:
        axis.set_visible(False)
    _add_scale(figure, axes, image, game.scores.unit)
    return figure


def _title(stage: str, when: str) -> str:
    return f"{stage}, {when}" if stage else when


def others_figure(weights: Weights, on_squares: NDArray[np.int64]) -> Figure:
    """Return the weights that stand for no square as points with intervals, a panel a stage."""
    fit = weights.fit
    chosen = np.setdiff1d(np.arange(len(weights.columns)), on_squares)
    if fit is not None:
        chosen = chosen[np.isfinite(fit.errors[:, chosen]).all(axis=0)]
    sizes = np.abs(weights.weights[:, chosen]).max(axis=0, initial=0)
    chosen = np.sort(chosen[np.argsort(-sizes, kind="stable")[:_MOST_BARS]])
    stages = stages_of(weights)
    size = (3.2 + 3.0 * max(len(stages), 2), 0.24 * len(chosen) + 1.0)
    figure = Figure(figsize=size, layout="constrained")
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
    figure.supxlabel(f"{weights.game.scores.unit} per unit of the feature", color=INK, fontsize=9)
    return figure


def _add_scale(figure: Figure, axes: Any, image: Any, label: str) -> None:
    """Add the scale of colours of some boards beside them."""
    bar = figure.colorbar(image, ax=axes.ravel().tolist(), shrink=0.9, aspect=25, pad=0.01)
    bar.set_label(label, color=INK, fontsize=9)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=INK, labelsize=8)


def _draw_board(
    axis: Axes, values: NDArray[np.float64], game: Game, limit: float, centre: float, digits: int
) -> Any:
    """Draw a board with a number on each square, and return its image."""
    assert game.board is not None
    board = values.reshape(game.board.shape).copy()
    board.ravel()[list(game.board.unused)] = np.nan
    image = _board(axis, board, limit, centre, digits)
    _label_squares(axis, game)
    return image


def _board(axis: Axes, values: NDArray[Any], limit: float, centre: float, digits: int) -> Any:
    norm = TwoSlopeNorm(centre, centre - limit, centre + limit)
    below_one = limit + abs(centre) < 1
    image = axis.imshow(values, cmap="RdBu_r", norm=norm)
    for (row, column), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        red, green, blue, _ = colormaps["RdBu_r"](norm(value))
        dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
        text = f"{value:z.{digits}f}"
        text = text.replace("0.", ".") if below_one else text
        axis.text(
            column, row, text,
            ha="center", va="center", fontsize=7.5, color="white" if dark else "black",
        )  # fmt: skip
    axis.set_xticks(np.arange(-0.5, values.shape[1]), minor=True)
    axis.set_yticks(np.arange(-0.5, values.shape[0]), minor=True)
    axis.grid(which="minor", color="#88888866", linewidth=0.6)
    return image


def _label_squares(axis: Axes, game: Game) -> None:
    """Label files and ranks as the names of the squares have them."""
    assert game.shape is not None
    rows, columns = game.shape
    names = game.squares
    axis.set_xticks(range(columns), [name[0] for name in names[:columns]])
    axis.set_yticks(range(rows), [name[1:] for name in names[::columns]])
    axis.tick_params(which="both", length=0, colors=INK, labelsize=8)
    for spine in axis.spines.values():
        spine.set_visible(False)
