"""Pictures of models. Each function returns a matplotlib Figure, which nothing else holds on to.

Ink in `INK` stands for the colour of the surrounding text, which a page may set; everything else
is readable on light and dark ground.
"""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from games.abi import Game
from learning import Metrics

INK = "#010203"
COLOURS = ("#2f7ed8", "#e8743b", "#2a9d6f", "#c04bb0", "#c9a227", "#7a6fd0", "#d64550", "#6b8e9e")
POSITIVE, NEGATIVE = "#c8503c", "#3f7fbf"
_FAINT, _STYLES = "#88888855", ("-", "--", ":")
_SQUARE_FEATURES = ("squares_", "square_classes_")


def square_weights(weights: pd.DataFrame, game: Game) -> pd.DataFrame | None:
    """Return the weight of each square (rows) at each stage (columns).

    Weights of Othello's classes of squares stand on every square of the class. None where the
    model knows no squares.
    """
    parts = []
    for name, bit in game.squares:
        rows = [f"squares_{name}"]
        if game.name == "othello":
            from features.othello import CLASSES, class_of

            rows.append(f"square_classes_{CLASSES[class_of(bit)]}")
        known = [row for row in rows if row in weights.index]
        if not known:
            return None
        parts.append(weights.loc[known].sum().rename(name))
    return pd.DataFrame(parts) if parts else None


def board_figure(weights: pd.DataFrame, game: Game) -> Figure | None:
    """Return the board with its squares' weights, once for each stage, from opening to end.

    Parameters
    ----------
    weights
        Of a linear model (learning.linear_weights).
    game
        Its game.
    """
    by_square = square_weights(weights, game)
    if by_square is None or game.shape is None:
        return None
    rows, columns = game.shape
    stages = sorted(by_square.columns, reverse=True)
    limit = float(np.abs(by_square.to_numpy()).max()) or 1.0
    figure = Figure(figsize=(2.75 * len(stages) + 0.9, 2.75 * rows / columns + 0.75))
    figure.set_layout_engine("constrained")
    axes = figure.subplots(1, len(stages), squeeze=False)[0]
    for axis, stage in zip(axes, stages, strict=True):
        values = by_square[stage].to_numpy().reshape(rows, columns)
        image = _board(axis, values, limit)
        _label_squares(axis, game)
        if len(stages) > 1:
            axis.set_title(f"{stage} squares left", color=INK, fontsize=10)
    bar = figure.colorbar(image, ax=list(axes), shrink=0.9, aspect=25, pad=0.01)
    bar.set_label(f"{game.unit} a stone", color=INK, fontsize=9)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=INK, labelsize=8)
    return figure


def _board(axis: Axes, values: NDArray[Any], limit: float) -> Any:
    norm = TwoSlopeNorm(0, -limit, limit)
    image = axis.imshow(values, cmap="RdBu_r", norm=norm)
    for (row, column), value in np.ndenumerate(values):
        red, green, blue, _ = colormaps["RdBu_r"](norm(value))
        dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
        text = f"{value:.1f}" if limit >= 1 else f"{value:.2f}".replace("0.", ".")
        axis.text(
            column, row, text.replace("-0.0", "0.0") if limit >= 1 else text,
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
    names = [name for name, _ in game.squares]
    axis.set_xticks(range(columns), [name[0] for name in names[:columns]])
    axis.set_yticks(range(rows), [name[1:] for name in names[::columns]])
    axis.tick_params(which="both", length=0, colors=INK, labelsize=8)
    for spine in axis.spines.values():
        spine.set_visible(False)


def weight_figure(weights: pd.DataFrame, unit: str) -> Figure | None:
    """Return the weights of all but squares as bars, a panel a stage; see board_figure."""
    on_squares = weights.index.str.startswith(_SQUARE_FEATURES)
    rest = weights[~on_squares]
    if rest.empty:
        return None
    return _bars(rest, f"{unit} for one more")


def importance_figure(importance: pd.DataFrame) -> Figure:
    """Return the importance of features (learning.feature_importance) as bars."""
    order = importance.mean(axis=1).sort_values(ascending=False).index
    return _bars(importance.loc[order], "fall of R2 when shuffled")


def _bars(table: pd.DataFrame, label: str) -> Figure:
    """Return horizontal bars, one a row, in one panel a column, the opening first."""
    stages = sorted(table.columns, reverse=True)
    width = 1.6 + 2.0 * max(len(stages), 2)
    figure = Figure(figsize=(width, 0.24 * len(table) + 1.0))
    figure.set_layout_engine("constrained")
    axes = figure.subplots(1, len(stages), sharex=True, sharey=True, squeeze=False)[0]
    for axis, stage in zip(axes, stages, strict=True):
        values = table[stage].to_numpy()
        axis.barh(
            range(len(table)), values, height=0.7, color=np.where(values < 0, NEGATIVE, POSITIVE)
        )
        axis.axvline(0, color="#888888", linewidth=0.8)
        _plain(axis, grid="x")
        if len(stages) > 1:
            axis.set_title(f"{stage} squares left", color=INK, fontsize=10)
    axes[0].set_yticks(range(len(table)), [str(name).replace("_", " ") for name in table.index])
    axes[0].invert_yaxis()
    figure.supxlabel(label, color=INK, fontsize=9)
    return figure


def calibration_figure(metrics: dict[str, Metrics]) -> Figure:
    """Return mean result against predicted probability of winning, a line a model."""
    figure, axis = _single()
    axis.plot([0, 1], [0, 1], color="#888888", linewidth=1, linestyle=(0, (4, 4)))
    for number, (name, measured) in enumerate(metrics.items()):
        bins = measured["calibration"]
        axis.plot(
            [b["predicted"] for b in bins],
            [b["observed"] for b in bins],
            **_line(number),
            label=name,
        )
    axis.set_xlabel("predicted probability of winning")
    axis.set_ylabel("mean result")
    axis.set_xlim(0, 1)
    axis.set_ylim(0, 1)
    axis.set_aspect("equal")
    _legend(axis, len(metrics))
    return figure


def error_figure(metrics: dict[str, Metrics], unit: str) -> Figure:
    """Return the mean absolute error by stage, a line a model, from the opening to the end."""
    figure, axis = _single()
    for number, (name, measured) in enumerate(metrics.items()):
        stages = measured["stages"]
        middles = [(s["least"] + s["most"]) / 2 for s in stages]
        axis.plot(middles, [s["mae"] for s in stages], **_line(number), label=name)
    axis.invert_xaxis()
    axis.set_ylim(bottom=0)
    axis.set_xlabel("squares left")
    axis.set_ylabel(f"mean absolute error ({unit})")
    _legend(axis, len(metrics))
    return figure


def outcome_figure(outcomes: ArrayLike, unit: str, max_utility: float) -> Figure:
    """Return a histogram of how games end, for the side to move."""
    outcomes = np.asarray(outcomes, np.float64)
    step = 2.0 if max_utility > 8 else max_utility / 5
    edges = np.arange(-max_utility - step / 2, max_utility + step, step)
    counts, _ = np.histogram(outcomes, edges)
    middles = (edges[1:] + edges[:-1]) / 2
    figure, axis = _single(height=3.0)
    colours = np.select([middles < -step / 4, middles > step / 4], [NEGATIVE, POSITIVE], "#888888")
    axis.bar(middles, 100 * counts / max(len(outcomes), 1), width=0.9 * step, color=colours)
    axis.set_xlabel(f"outcome for the side to move ({unit})")
    axis.set_ylabel("positions (%)")
    return figure


def _single(height: float = 4.4) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(7.0, height))
    figure.set_layout_engine("constrained")
    axis = figure.subplots()
    _plain(axis, grid="both")
    return figure, axis


def _plain(axis: Axes, grid: Any) -> None:
    axis.grid(axis=grid, color=_FAINT, linewidth=0.7)
    axis.set_axisbelow(True)
    axis.set_facecolor("none")
    axis.tick_params(colors=INK, labelsize=9, length=0)
    axis.xaxis.label.set_color(INK)
    axis.yaxis.label.set_color(INK)
    for spine in axis.spines.values():
        spine.set_visible(False)


def _line(number: int) -> dict[str, Any]:
    style = _STYLES[number // len(COLOURS) % len(_STYLES)]
    colour = COLOURS[number % len(COLOURS)]
    return {"color": colour, "linestyle": style, "marker": "o", "markersize": 3.5, "linewidth": 1.6}


def _legend(axis: Axes, lines: int) -> None:
    if lines:
        axis.legend(
            frameon=False, labelcolor=INK, fontsize=9, loc="center left", bbox_to_anchor=(1.01, 0.5)
        )


def svg_of(figure: Figure) -> str:
    """Return a figure as an SVG element for a page; INK becomes the colour of the page's text."""
    file = io.StringIO()
    with rc_context({"svg.hashsalt": "samuel"}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text)  # a page knows what SVG is
    return text.replace(INK, "currentColor").strip()
