"""Pictures of weights, matplotlib Figures that nothing else holds on to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from samuel.features.squares import square_tables
from samuel.games.feature import square_columns
from samuel.games.game import Game
from samuel.reports.style import INK, NEGATIVE, NEUTRAL, POSITIVE, plain_axis

_SQUARE_TABLES = ("squares", "square_classes")
_SQUARE_FEATURES = tuple(f"{name}_" for name in _SQUARE_TABLES)


def square_weights(weights: pd.DataFrame, game: Game) -> pd.DataFrame | None:
    """Return the weight of each square (rows) at each stage (columns), kind after kind of pieces.

    Weights of classes of squares, which symmetries make the same, stand on every square of the
    class. None where the model knows no squares.
    """
    parts = []
    for square, name in enumerate(square_columns(game) if game.board else ()):
        rows = {f"squares_{name}"}
        if square < len(game.squares):
            rows |= {f"square_classes_{game.squares[k]}" for k in game.symmetries[:, square]}
        known = [row for row in weights.index if row in rows]
        if not known:
            return None
        parts.append(weights.loc[known].sum().rename(name))
    return pd.DataFrame(parts) if parts else None


def _tables(weights: pd.DataFrame, game: Game) -> dict[str, pd.DataFrame]:
    """Return the weights of squares by table: kinds of pieces, and tables of other features."""
    by_square = square_weights(weights, game)
    found: dict[str, pd.DataFrame] = {}
    if by_square is not None and game.board is not None:
        kinds, n = game.board.pieces, len(game.squares)
        for k, signs in enumerate(kinds):
            title = signs[0] if len(kinds) > 1 else ""
            found[title] = by_square.iloc[k * n : (k + 1) * n]
    columns = list(map(str, weights.index))
    for name, places in square_tables(columns, game).items():
        if not name.startswith(_SQUARE_TABLES):
            table = weights.iloc[places].astype(np.float64).reset_index(drop=True)
            table.loc[places < 0] = np.nan
            found[name.replace("_", " ")] = table
    return found


def board_figure(weights: pd.DataFrame, game: Game) -> Figure | None:
    """Return the board with its squares' weights, once for each stage, from opening to end.

    Each kind of pieces, and each table of squares of another feature, has a row of boards.
    """
    tables = _tables(weights, game)
    if not tables or game.board is None:
        return None
    rows, columns = game.board.shape
    stages = sorted(weights.columns, reverse=True)
    limit = float(np.nanmax(np.abs(np.concatenate(list(tables.values()))))) or 1.0
    high = 2.75 * rows / columns * len(tables)
    figure = Figure(figsize=(2.75 * len(stages) + 0.9, high + 0.75))
    figure.set_layout_engine("constrained")
    axes = figure.subplots(len(tables), len(stages), squeeze=False)
    for row, (name, table) in zip(axes, tables.items(), strict=True):
        for axis, stage in zip(row, stages, strict=True):
            image = draw_board(axis, table[stage].to_numpy(np.float64), game, limit)
            of_stage = [f"{stage} {game.left_unit}"] if len(stages) > 1 else []
            title = ", ".join([name] * bool(name) + of_stage)
            axis.set_title(title, color=INK, fontsize=10)
    add_scale(figure, axes, image, f"{game.unit} per stone")
    return figure


def add_scale(figure: Figure, axes: Any, image: Any, label: str) -> None:
    """Add the scale of colours of some boards beside them."""
    bar = figure.colorbar(image, ax=axes.ravel().tolist(), shrink=0.9, aspect=25, pad=0.01)
    bar.set_label(label, color=INK, fontsize=9)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=INK, labelsize=8)


def draw_board(
    axis: Axes,
    values: NDArray[np.float64],
    game: Game,
    limit: float,
    centre: float = 0.0,
    digits: int | None = None,
) -> Any:
    """Draw a board with a number on each square, and return its image."""
    assert game.board is not None
    board = values.reshape(game.board.shape).copy()
    board.ravel()[list(game.board.unused)] = np.nan
    image = _board(axis, board, limit, centre, digits)
    _label_squares(axis, game)
    return image


def _board(
    axis: Axes, values: NDArray[Any], limit: float, centre: float, digits: int | None
) -> Any:
    norm = TwoSlopeNorm(centre, centre - limit, centre + limit)
    below_one = limit + abs(centre) < 1
    digits = (2 if below_one else 1) if digits is None else digits
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


def weight_figure(weights: pd.DataFrame, game: Game) -> Figure | None:
    """Return the weights of all but squares as bars, a panel a stage; see board_figure."""
    tables = square_tables(list(map(str, weights.index)), game)
    on_squares = weights.index.str.startswith(_SQUARE_FEATURES)
    for places in tables.values():
        on_squares[places[places >= 0]] = True
    rest = weights[~on_squares]
    if rest.empty:
        return None
    return _bars(rest, f"{game.unit} per unit of the feature")


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
        axis.axvline(0, color=NEUTRAL, linewidth=0.8)
        plain_axis(axis, grid="x")
        if len(stages) > 1:
            axis.set_title(f"{stage} left", color=INK, fontsize=10)
    axes[0].set_yticks(range(len(table)), [str(name).replace("_", " ") for name in table.index])
    axes[0].invert_yaxis()
    figure.supxlabel(label, color=INK, fontsize=9)
    return figure
