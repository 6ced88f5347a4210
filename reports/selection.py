"""A selection of features as a table, a picture and a page that needs nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from samuel.common.units import rounded
from samuel.learning.fitting.split import Split
from samuel.learning.selection.selection import Selection
from samuel.reports.html import as_html, figure_html, lead, part, section, write_html
from samuel.reports.style import NEUTRAL, legend, line_style, single_axis
from samuel.reports.tables import NOTHING, TextTable, with_error

SCORE_NAMES = {
    "sequential": "decrease of the error",
    "l1": "penalty at entry",
    "permutation": "loss of R2 when shuffled",
}
_CURVES = {"cv_error": "training games, cross-validated", "error": "held-out games"}


def selection_table(selection: Selection) -> TextTable:
    """Return the ranking as text, the default features last; a star marks those recommended."""
    headings = ["feature", "n", "error", "behind", "held out", "R2", "columns"]
    headings += [SCORE_NAMES[selection.method]]
    default = pd.Series(selection.default | {"feature": "default"})
    rows = []
    for number, row in [*selection.table.iterrows(), (default["features"], default)]:
        star = "*" if row["feature"] in selection.recommended else ""
        errors = [with_error(row[key], row[f"{key}_se"]) for key in ("cv_error", "behind", "error")]
        cells = [row["feature"], f"{number:.0f}{star}", *errors, f"{row['r2']:.4f}"]
        own = (f"{row['columns']}", rounded(row["score"])) if "score" in row else (NOTHING, NOTHING)
        rows.append([*cells, *own])
    return TextTable(headings, rows)


def selection_figure(selection: Selection, unit: str) -> Figure:
    """Return the errors against the number of features, each with its standard error as a band."""
    figure, axis = single_axis()
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
    axis.set_ylabel(f"squared error of the target ({unit}\u00b2)")
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


def write_selection(path: Path | str, selection: Selection, split: Split, command: str) -> Path:
    """Write a selection as an HTML page, whole or not at all.

    `split` is what it was chosen on, `command` fits a model to the recommended features.
    """
    chosen = (
        f"{split.game.name.replace('_', ' ')}, {split.dataset.folder.name}: features were "
        f"chosen on {selection.rows:,} training positions by the method {selection.method} "
        f"and evaluated on {selection.held_out_rows:,} positions of held-out games."
    )
    folded = command.replace(" --", " \\\n  --")  # an option a line
    figure = selection_figure(selection, split.game.unit)
    parts = [
        lead(chosen),
        section("Recommended", part("preformatted", folded), verdict(selection)),
        section(
            "Error by number of features",
            figure_html(figure, "Error by number of features"),
            "Error of a staged linear model with the first features of the ranking. The "
            "bands are standard errors, with games as independent units. Training positions "
            "before a random move have no outcome, but held-out positions do, so the two "
            "curves differ in level.",
        ),
        section(
            "Ranking",
            as_html(selection_table(selection)),
            "Each row is the model with the features down to this row; a star marks the "
            "recommended features. Errors are squared errors with standard errors: on "
            "training games by cross-validation, and on held-out games. Behind is the "
            "difference to the error of the best row, with the standard error of that "
            "difference. It is more precise than the errors, because all rows err on the "
            "same games.",
        ),
    ]
    return write_html(path, "Features", parts)
