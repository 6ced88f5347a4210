"""Methods of learning side by side, as a table, curves and a page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from samuel.learning.generations.experiment import Experiment
from samuel.learning.generations.run import REPORT
from samuel.reports.generations.tables import duration
from samuel.reports.html import as_html, figure_html, part, section, write_html
from samuel.reports.style import INK, line_style, plain_axis
from samuel.reports.tables import TextTable, cell
from samuel.reports.tournament import standings_table

_SIZE = (9.5, 4.4)
"""Inches."""


def write_experiment(found: Experiment, path: Path | str | None = None) -> Path:
    """Write an experiment as an HTML page, `report.html` in its folder by default.

    Raises
    ------
    UserError
        It cannot be written.
    """
    path = found.folder / REPORT if path is None else Path(path)
    options = next(iter(found.runs.values())).options
    rounds = max(found.result.ratings.games) // 2
    parts = [
        section(
            "Strength",
            figure_html(experiment_figure(found), "Elo by games and by time")
            + as_html(experiment_table(found), words=1),
            f"{options.game.replace('_', ' ')}, Elo at depth {options.gate.match_depth}, "
            f"relative to {found.result.ratings.anchor}. All players met in one Swiss "
            f"tournament of up to {rounds:,} game pairs each. Each line is the mean over the "
            "seeds; the band reaches from the weakest to the strongest seed. Time is the "
            "time of self-play and training (and of the gate matches, where a method has a "
            "gate), without the measuring matches. ",
        ),
        section("Runs", _links(found, path.parent)),
        section("All players", as_html(standings_table(found.result.ratings), words=2)),
    ]
    return write_html(path, "Methods of learning", parts)


def experiment_table(found: Experiment) -> TextTable:
    """Return the methods, the strongest first: what their last generations are worth."""
    headings = ["method", "seeds", "games", "time", "Elo", "95 % interval", "weakest", "strongest"]
    rows = []
    for row in found.table().to_dict("records"):
        low, high = cell("elo", row["low"]), cell("elo", row["high"])
        rows.append(
            [
                row["method"],
                str(row["seeds"]),
                f"{row['games']:,}",
                duration(row["seconds"]),
                cell("elo", row["elo"]),
                f"{low} to {high}",
                *(cell("elo", row[key]) for key in ("weakest", "strongest")),
            ]
        )
    return TextTable(headings, rows)


def experiment_figure(found: Experiment) -> Figure:
    """Return Elo by games, and by the time that they took, a line a method with a band."""
    frame = found.frame()
    frame["minutes"] = frame.seconds / 60
    figure = Figure(figsize=_SIZE)
    figure.set_layout_engine("constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for axis, by in ((left, "games"), (right, "minutes")):
        plain_axis(axis, grid="both")
        axis.set_xlabel(by)
        for number, method in enumerate(found.methods):
            _draw(axis, frame[frame.method == method], by, line_style(number), method)
    left.set_ylabel(f"Elo, relative to {found.result.ratings.anchor}")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(
        *(handles, labels),
        loc="outside upper left",
        ncols=min(4, len(labels)),
        frameon=False,
        labelcolor=INK,
        fontsize=9,
    )
    return figure


def _draw(axis: Axes, of: pd.DataFrame, by: str, style: dict[str, Any], method: str) -> None:
    """Draw a method: the mean of its seeds, from the weakest to the strongest."""
    grouped = of.groupby("generation")
    counts = grouped.size()
    whole = counts.index[counts == counts.max()]  # as far as all seeds came
    x, elo = grouped[by].mean()[whole], grouped.elo
    axis.plot(x, elo.mean()[whole], **style, label=method)
    axis.fill_between(
        x, elo.min()[whole], elo.max()[whole], color=style["color"], alpha=0.15, linewidth=0
    )


def _links(found: Experiment, base: Path) -> Markup:
    """Return a list of the runs with links relative to the page."""
    items = []
    for (method, seed), run in found.runs.items():
        best = os.path.relpath(run.best, base) if Path(run.best).exists() else run.best
        link = part("link", os.path.relpath(run.folder / REPORT, base), f"{method}, seed {seed}")
        items.append(link + f": best {best}")
    return part("items", items)
