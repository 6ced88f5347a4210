"""Pictures of curves, matplotlib Figures that nothing else holds on to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from samuel.learning.comparison.comparison import Compared
from samuel.learning.fitting.metrics import CalibrationBin
from samuel.reports.style import NEGATIVE, NEUTRAL, POSITIVE, legend, line_style, single_axis

BANDS = 3
"""Number of models, the best, that show their intervals: more bands hide each other."""


def calibration_figure(
    found: Mapping[str, Sequence[CalibrationBin]], axis: Axes | None = None
) -> Figure:
    """Return what came against the predicted probability, a line for each name."""
    figure, axis = single_axis(axis=axis)
    axis.plot([0, 1], [0, 1], color=NEUTRAL, linewidth=1, linestyle=(0, (4, 4)))
    for number, (name, bins) in enumerate(found.items()):
        axis.plot(
            [b["predicted"] for b in bins],
            [b["observed"] for b in bins],
            **line_style(number),
            label=name,
        )
    axis.set_xlabel("predicted probability")
    axis.set_ylabel("mean result")
    axis.set_xlim(0, 1)
    axis.set_ylim(0, 1)
    axis.set_aspect("equal")
    legend(axis, len(found))
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
