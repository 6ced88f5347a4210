"""A tuning run as a table of its parameters and a picture of each course."""

from __future__ import annotations

import functools
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from samuel.arena.tuning.tune import TuneResult
from samuel.common.displayable import Picture, Table, cell, rounded
from samuel.reports.style import NEUTRAL, PALETTE, single_axis
from samuel.reports.views import View, folded

_CLEAR = 2
"""Standard deviations from which on a change is marked."""
_COLUMNS = ("parameter", "start", "value", "change", "noise", "MIN", "MAX", "STEP")


def tuning_table(result: TuneResult) -> Table:
    """Return the value, the change and the noise of each parameter."""
    rows = []
    for row in result.as_dict()["parameters"]:
        mark = "*" if abs(row["change"]) > _CLEAR * row["noise"] > 0 else ""
        change = f"{'+' * (row['change'] > 0)}{rounded(row['change'])}{mark}"
        numbers = (cell(name, row[name]) for name in ("noise", "least", "most", "step"))
        ends = rounded(row["start"], 4), rounded(row["value"], 4)
        rows.append([row["name"], *ends, change, *numbers])
    note = (
        "Noise is the standard deviation of the change if the parameter had no effect. A star "
        "marks changes above twice the noise; the value may still be far from the best."
    )
    return Table("Parameters", _COLUMNS, rows, [note])


def course_figure(result: TuneResult, number: int, axis: Axes | None = None) -> Figure:
    """Return the value of a parameter over the games."""
    parameter, steps = result.parameters[number], result.steps
    figure, axis = single_axis(height=2.6, axis=axis)
    axis.axhline(parameter.start, color=NEUTRAL, linewidth=1, linestyle=(0, (4, 4)))
    values = [step.values[number] for step in steps]
    axis.plot([step.games for step in steps], values, color=PALETTE[0], linewidth=1.6)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlabel("games")
    axis.set_ylabel(parameter.name)
    return figure


def tuning_view(result: TuneResult) -> View:
    """Return a tuning run, and the command of a match of tuned against untuned."""
    line = f"{result.games:,} of {result.event['games']:,} games by {result.event['sampler']}."
    courses = [
        Picture("Course", functools.partial(course_figure, result, k), (), one.name)
        for k, one in enumerate(result.parameters)
    ]
    command = folded(result.command)
    if result.text == replace(result, steps=result.steps[:1]).text:
        command = "The values are those at the start; play more games."
    match = Table("Tuned values, and a match", notes=[result.text, command])
    return View("Tuning", [line], [tuning_table(result), *courses, match])
