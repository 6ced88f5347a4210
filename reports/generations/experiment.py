"""Algorithms of learning side by side, as tables and curves."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from samuel.common.displayable import Picture, Table, duration, with_interval
from samuel.learning.generations.experiment_result import Experiment
from samuel.learning.generations.run import REPORT
from samuel.reports.style import legend, line_style, plain_axis
from samuel.reports.tournament import standings_table
from samuel.reports.views import View

_STRENGTH = "Strength"
_ABOUT_CURVES = (
    "Each line is the mean over the seeds; the band reaches from the weakest to the strongest "
    "seed. Time is the time of self-play and training (and of the gate matches, where an algorithm "
    "has a gate), without the measuring matches."
)


def experiment_view(found: Experiment) -> View:
    """Return the strength that algorithms reach, by games and by time, and their runs."""
    options = next(iter(found.runs.values())).options
    rounds = max(found.result.ratings.games) // 2
    about = (
        f"{options.game.replace('_', ' ')}, Elo at depth {options.gate.match_depth}, relative to "
        f"{found.result.ratings.anchor}. All players met in one tournament of up to {rounds:,} "
        "game pairs each."
    )
    runs: list[list[str | Path]] = [
        [run.folder / REPORT, f"{algorithm}, seed {seed}", _best(run.best)]
        for (algorithm, seed), run in found.runs.items()
    ]
    parts: list[Table | Picture] = [
        Picture(_STRENGTH, functools.partial(experiment_figure, found), [_ABOUT_CURVES]),
        experiment_table(found),
        Table("Runs", ["page", "run", "best"], runs, detail=True),
        replace(standings_table(found.result.ratings), title="All players", detail=True),
    ]
    return View("Algorithms of learning", [about], parts)


def experiment_table(found: Experiment) -> Table:
    """Return the algorithms, the strongest first: what their last generations are worth."""
    rows = [
        [
            row["algorithm"],
            str(row["seeds"]),
            f"{row['games']:,}",
            duration(row["seconds"]),
            with_interval(row["elo"], row["low"], row["high"], level=""),
            *(f"{row[key]:+z,.0f}" for key in ("weakest", "strongest")),
        ]
        for row in found.table().to_dict("records")
    ]
    return Table(
        _STRENGTH, ["algorithm", "seeds", "games", "time", "Elo", "weakest", "strongest"], rows
    )


def experiment_figure(found: Experiment) -> Figure:
    """Return Elo by games, and by the time that they took, a line an algorithm with a band."""
    frame = found.frame()
    frame["minutes"] = frame.seconds / 60
    figure = Figure(figsize=(9.5, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for axis, by in ((left, "games"), (right, "minutes")):
        plain_axis(axis, grid="both")
        axis.set_xlabel(by)
        for number, algorithm in enumerate(found.algorithms):
            _draw(axis, frame[frame.algorithm == algorithm], by, line_style(number), algorithm)
    left.set_ylabel(f"Elo, relative to {found.result.ratings.anchor}")
    lines = left.get_legend_handles_labels()[0]
    place = {"loc": "outside upper left", "ncols": min(4, len(lines))}
    legend(figure, len(lines), handles=lines, **place)
    return figure


def _best(model: str) -> str | Path:
    """Return the best model of a run, a link where it is a folder."""
    return Path(model) if Path(model).exists() else model


def _draw(axis: Axes, of: pd.DataFrame, by: str, style: dict[str, Any], algorithm: str) -> None:
    """Draw an algorithm: the mean of its seeds, from the weakest to the strongest."""
    grouped = of.groupby("generation")
    counts = grouped.size()
    whole = counts.index[counts == counts.max()]  # as far as all seeds came
    x, elo = grouped[by].mean()[whole], grouped.elo
    axis.plot(x, elo.mean()[whole], **style, label=algorithm)
    axis.fill_between(
        x, elo.min()[whole], elo.max()[whole], color=style["color"], alpha=0.15, linewidth=0
    )
