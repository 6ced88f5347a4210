"""Methods of learning side by side, as a table, curves and a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from samuel.learning.generations.experiment_result import Experiment
from samuel.learning.generations.run import REPORT
from samuel.reports.html import as_html, figure_html, part, section, write_html
from samuel.reports.style import INK, line_style, plain_axis
from samuel.reports.tables import TextTable, cell, duration
from samuel.reports.tournament import standings_table

_SIZE = (9.5, 4.4)
"""Inches."""


def write_experiment(found: Experiment) -> Path:
    """Write an experiment as an HTML page, `report.html` in its folder."""
    path = found.folder / REPORT
    options = next(iter(found.runs.values())).options
    rounds = max(found.result.ratings.games) // 2
    parts = [
        section(
            "Strength",
            figure_html(experiment_figure(found), "Elo by games and by time")
            + as_html(experiment_table(found), words=1),
            f"{title_of(found)}, Elo at depth {options.gate.match_depth}, "
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


def write_experiments(found: Sequence[Experiment], path: Path | str) -> Path:
    """Write experiments with several games as one HTML page: the curves side by side."""
    path = Path(path)
    said = (
        "Elo by the time of self-play and training, relative to what each game's runs begin with. "
        "Each line is the mean over the seeds; the band reaches from the weakest to the strongest "
        "seed. The page of a game has its players and its curves by games. "
    )
    curves = section("Strength", figure_html(experiments_figure(found), "Elo by time"), said)
    tables = [
        section(
            title_of(one),
            as_html(experiment_table(one), words=1)
            + part("link", os.path.relpath(one.folder / REPORT, path.parent), "curves and runs"),
        )
        for one in found
    ]
    return write_html(path, "Methods of learning", [curves, *tables])


def experiments_figure(found: Sequence[Experiment]) -> Figure:
    """Return Elo by time, a plot a game, in which a method has the same colour."""
    rows = -(-len(found) // 2)
    figure = Figure(figsize=(_SIZE[0], 0.3 + 3.6 * rows))
    figure.set_layout_engine("constrained")
    axes = list(figure.subplots(rows, 2, squeeze=False).flat)
    methods = dict.fromkeys(method for one in found for method in one.methods)
    numbers = {name: k for k, name in enumerate(methods)}
    for axis, one in zip(axes, found, strict=False):
        plain_axis(axis, grid="both")
        axis.set_title(title_of(one), color=INK, fontsize=10)
        axis.set_xlabel("minutes")
        axis.set_ylabel("Elo")
        frame = _with_minutes(one)
        for method in one.methods:
            style = line_style(numbers[method])
            _draw(axis, frame[frame.method == method], "minutes", style, method)
    for axis in axes[len(found) :]:
        axis.remove()
    _legend(figure, [Line2D([], [], **line_style(numbers[name]), label=name) for name in numbers])
    return figure


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
    frame = _with_minutes(found)
    figure = Figure(figsize=_SIZE)
    figure.set_layout_engine("constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for axis, by in ((left, "games"), (right, "minutes")):
        plain_axis(axis, grid="both")
        axis.set_xlabel(by)
        for number, method in enumerate(found.methods):
            _draw(axis, frame[frame.method == method], by, line_style(number), method)
    left.set_ylabel(f"Elo, relative to {found.result.ratings.anchor}")
    _legend(figure, left.get_legend_handles_labels()[0])
    return figure


def _legend(figure: Figure, lines: list[Any]) -> None:
    """Name the lines of all plots of a figure above them."""
    figure.legend(
        handles=lines,
        loc="outside upper left",
        ncols=min(4, len(lines)),
        frameon=False,
        labelcolor=INK,
        fontsize=9,
    )


def _with_minutes(found: Experiment) -> pd.DataFrame:
    frame = found.frame()
    frame["minutes"] = frame.seconds / 60
    return frame


def title_of(found: Experiment) -> str:
    """Return the name of the game, for people."""
    return next(iter(found.runs.values())).options.game.replace("_", " ")


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
