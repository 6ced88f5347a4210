"""A selection of features as a table and a picture."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from samuel.common.displayable import NOTHING, Picture, Table, rounded, with_error
from samuel.learning.selection.selection import Selection
from samuel.reports.style import NEUTRAL, legend, line_style, single_axis
from samuel.reports.views import View

_SCORE_NAMES = {
    "sequential": "decrease of the error",
    "l1": "penalty at entry",
    "permutation": "loss of R2 when shuffled",
}
_CURVES = {"cv_error": "training games, cross-validated", "error": "held-out games"}


def selection_table(selection: Selection) -> Table:
    """Return the ranking as text, the default features last; a star marks those recommended."""
    headings = ["feature", "n", "error", "behind", "held out", "R2", "columns"]
    headings += [_SCORE_NAMES[selection.ranking]]
    default = pd.Series(selection.default | {"feature": "default"})
    rows = []
    for number, row in [*selection.table.iterrows(), (default["features"], default)]:
        star = "*" if row["feature"] in selection.recommended else ""
        errors = [with_error(row[key], row[f"{key}_se"]) for key in ("cv_error", "behind", "error")]
        cells = [row["feature"], f"{number:.0f}{star}", *errors, f"{row['r2']:.4f}"]
        own = (f"{row['columns']}", rounded(row["score"])) if "score" in row else (NOTHING, NOTHING)
        rows.append([*cells, *own])
    note = (
        "Each row is the model with the features down to this row; a star marks the recommended "
        "features. Errors are squared errors with standard errors: by cross-validation on training "
        "games, and on held-out games. Behind is the difference to the error of the best row, "
        "which is more precise than the errors, because all rows err on the same games."
    )
    return Table("Ranking", headings, rows, [note])


def selection_figure(selection: Selection, axis: Axes | None = None) -> Figure:
    """Return the errors against the number of features, each with its standard error as a band."""
    figure, axis = single_axis(axis=axis)
    table = selection.table
    for number, (key, label) in enumerate(_CURVES.items()):
        style = line_style(number)
        low, high = (table[key] + sign * table[f"{key}_se"] for sign in (-1, 1))
        axis.plot(table.index, table[key], **style, label=label)
        axis.fill_between(table.index, low, high, color=style["color"], alpha=0.13, linewidth=0)
        axis.axhline(
            selection.default[key],
            color=style["color"],
            linewidth=1,
            linestyle=(0, (4, 4)),
            label=f"held-out games, the {selection.default['features']:.0f} default features",
        )
    axis.axvline(
        len(selection.recommended), color=NEUTRAL, linewidth=1, label="recommended", zorder=0
    )
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlabel("features")
    axis.set_ylabel("squared error of the target")
    legend(axis, 5)
    return figure


def verdict(selection: Selection) -> str:
    """Return what the recommended features come to, in sentences."""
    count = len(selection.recommended)
    chosen, default = selection.table.loc[count], selection.default
    best = 1 + int(np.argmin(selection.table["cv_error"]))
    text = (
        f"{count} of {len(selection.table)} features are enough: the error is within one "
        f"standard error of the best number, {best}. On held-out games R2 is "
        f"{chosen['r2']:.4f}; the {default['features']:.0f} default features have "
        f"{default['r2']:.4f}."
    )
    if selection.constant:
        text += f" Constant in this dataset: {', '.join(selection.constant)}."
    return text


def selection_view(selection: Selection) -> View:
    """Return a selection: what is enough, the errors, and the ranking."""
    about = (
        f"Features were chosen on {selection.rows:,} training positions by the ranking "
        f"{selection.ranking} and evaluated on {selection.held_out_rows:,} positions of held-out "
        "games."
    )
    picture = Picture(
        "Error by number of features",
        functools.partial(selection_figure, selection),
        [
            "Error of a staged linear model with the first features of the ranking. The bands are "
            "standard errors, with games as independent units. Training positions before a random "
            "move have no outcome, but held-out positions do, so the two curves differ in level."
        ],
    )
    return View("Features", [about, verdict(selection)], [picture, selection_table(selection)])
