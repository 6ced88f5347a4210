"""Pictures of curves, matplotlib Figures that nothing else holds on to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from samuel.learning.comparison.comparison import Compared
from samuel.reports.style import (
    COURSE,
    INK,
    NEGATIVE,
    NEUTRAL,
    POSITIVE,
    legend,
    line_style,
    plain_axis,
    single_axis,
)

BANDS = 3
"""Number of models, the best, that show their intervals: more bands hide each other."""


def calibration_figure(models: Sequence[Compared], axis: Axes | None = None) -> Figure:
    """Return mean result against predicted probability of winning, a line a model."""
    figure, axis = single_axis(axis=axis)
    axis.plot([0, 1], [0, 1], color=NEUTRAL, linewidth=1, linestyle=(0, (4, 4)))
    for number, model in enumerate(models):
        bins = model.metrics["calibration"]
        axis.plot(
            [b["predicted"] for b in bins],
            [b["observed"] for b in bins],
            **line_style(number),
            label=model.name,
        )
    axis.set_xlabel("predicted probability of winning")
    axis.set_ylabel("mean result")
    axis.set_xlim(0, 1)
    axis.set_ylim(0, 1)
    axis.set_aspect("equal")
    legend(axis, len(models))
    return figure


def stage_error_figure(models: Sequence[Compared], unit: str, axis: Axes | None = None) -> Figure:
    """Return the mean absolute error by stage, a line a model, from the opening to the end."""
    tables = {}
    for model in models:
        stages = pd.DataFrame(model.as_dict()["stages"])
        middles = (stages["least"] + stages["most"]) / 2
        tables[model.name] = stages.set_axis(middles)[["mae", "mae_low", "mae_high"]]
    figure, axis = _error_curves(tables, unit, axis)
    axis.invert_xaxis()
    axis.set_xlabel("left until the end of the game")
    return figure


def mobility_error_figure(tables: Mapping[str, pd.DataFrame], unit: str) -> Figure:
    """Return the mean absolute error by mobility, a line a model."""
    figure, axis = _error_curves({n: t.set_index("mobility") for n, t in tables.items()}, unit)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlabel("legal moves of the side to move")
    return figure


def _error_curves(
    tables: Mapping[str, pd.DataFrame], unit: str, axis: Axes | None = None
) -> tuple[Figure, Axes]:
    """Draw the column mae of each table over its index, with a band for the interval of some."""
    figure, axis = single_axis(axis=axis)
    for number, (name, table) in enumerate(tables.items()):
        style = line_style(number)
        axis.plot(table.index, table["mae"], **style, label=name)
        if number < BANDS:
            low, high = (table[key].astype(float) for key in ("mae_low", "mae_high"))
            axis.fill_between(table.index, low, high, color=style["color"], alpha=0.13, linewidth=0)
    axis.set_ylabel(f"mean absolute error ({unit})")
    legend(axis, len(tables))
    return figure, axis


def dependence_figure(dependence: pd.DataFrame, unit: str) -> Figure | None:
    """Return the score against each number (learning.selection.introspect.partial_dependence).

    A panel a number, a line a stage; None where there is nothing to show.
    """
    numbers = list(dict.fromkeys(dependence["number"]))
    if not numbers:
        return None
    stages = sorted(dependence["stage"].unique(), reverse=True)
    columns = min(3, len(numbers))
    rows = -(-len(numbers) // columns)
    figure = Figure(figsize=(2.9 * columns + 1.3, 2.0 * rows + 0.3))
    figure.set_layout_engine("constrained")
    axes = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    for axis, name in zip(axes, numbers, strict=False):
        plain_axis(axis, grid="both")
        axis.set_xlabel(name.replace("_", " "), fontsize=9)
        for place, stage in enumerate(stages):
            chosen = (dependence["number"] == name) & (dependence["stage"] == stage)
            axis.plot(
                dependence.loc[chosen, "value"],
                dependence.loc[chosen, "score"],
                color=COURSE(place / max(1, len(stages) - 1)),
                linewidth=1.8,
                marker="o",
                markersize=2.5,
                label=f"{stage} left",
            )
    for axis in axes[len(numbers) :]:
        axis.remove()
    figure.supylabel(f"mean score ({unit})", color=INK, fontsize=9)
    if len(stages) > 1:
        lines, labels = axes[0].get_legend_handles_labels()
        figure.legend(
            lines, labels, frameon=False, labelcolor=INK, fontsize=9, loc="outside right center"
        )
    return figure


def outcome_figure(
    outcomes: ArrayLike, unit: str, max_utility: float, axis: Axes | None = None
) -> Figure:
    """Return a histogram of how games end, for the side to move."""
    outcomes = np.asarray(outcomes, np.float64)
    step = 2.0 if max_utility > 8 else max_utility / 5
    edges = np.arange(-max_utility - step / 2, max_utility + step, step)
    counts, _ = np.histogram(outcomes, edges)
    middles = (edges[1:] + edges[:-1]) / 2
    figure, axis = single_axis(height=3.0, axis=axis)
    colours = np.select([middles < -step / 4, middles > step / 4], [NEGATIVE, POSITIVE], NEUTRAL)
    axis.bar(middles, 100 * counts / max(len(outcomes), 1), width=0.9 * step, color=colours)
    axis.set_xlabel(f"outcome for the side to move ({unit})")
    axis.set_ylabel("positions (%)")
    return figure
