"""Chances of a win, a draw and a loss: by score and progress, and their calibration."""

from __future__ import annotations

import functools

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from samuel.common.displayable import Picture, Table, cell, rounded, share, with_unit
from samuel.games.wdl import Floats
from samuel.learning.wdl import WdlFit
from samuel.reports.curves import calibration_figure
from samuel.reports.style import PALETTE, legend, single_axis
from samuel.reports.views import View

_STYLES = ("-", "--", ":")


def wdl_view(fit: WdlFit) -> View:
    """Return the chances, and how well they predict the results of held-out games."""
    line = f"Fitted to {fit.rows:,} rows; measured on {fit.held_out:,} held-out rows."
    curves = Picture(
        "Chances by score",
        functools.partial(_chances_figure, fit),
        [
            "Solid: win; dashed: draw; dotted: loss, for the side to move. A colour is a "
            "progress of the game."
        ],
    )
    bins = Picture(
        "Calibration",
        functools.partial(calibration_figure, fit.calibration),
        ["On the diagonal the predicted chance equals the share of held-out rows."],
    )
    return View(f"Chances in {fit.game.name}", [line], [*_tables(fit), curves, bins])


def _tables(fit: WdlFit) -> list[Table]:
    unit = with_unit(fit.game.scores.unit, ", in {}")
    chances = [(score, fit.wdl(score, _progress(fit))) for score in _scores(fit)]
    return [
        Table(
            f"Win, draw and loss in % by score{unit}",
            ["score", *(f"progress {x:.2f}" for x in _progress(fit))],
            [
                [f"{score:g}", *("{:.0f} / {:.0f} / {:.0f}".format(*c) for c in 100 * row)]
                for score, row in chances
            ],
            [
                "Progress: share of the game that is gone. A negative score has the chances of its "
                "positive counterpart, exchanged."
            ],
        ),
        Table(
            "Chances and results of held-out rows",
            ["outcome", "chance", "observed", "rows"],
            [
                [name, share(one["predicted"]), share(one["observed"]), f"{one['rows']:,}"]
                for name in ("win", "draw")  # bins of a loss are nearly those of a win
                for one in fit.calibration[name]
            ],
        ),
        Table(
            "Errors of the expected result",
            ["curve", "log loss", "Brier"],
            [[name, *(cell(*one) for one in found.items())] for name, found in fit.errors.items()],
            [
                "Expected result: chance of a win plus half the chance of a draw; a draw is half a "
                f"win. Logistic: one scale, {rounded(fit.scale)} units of score per logit."
            ],
        ),
    ]


def _progress(fit: WdlFit) -> Floats:
    """Return the ends and the middle of the progress that was fitted."""
    return np.linspace(fit.wdl.first, fit.wdl.last, 3)


def _scores(fit: WdlFit) -> Floats:
    """Return scores from 0 to where most games are won, of two digits each."""
    wide = np.mean(fit.wdl.a) + np.mean(fit.wdl.b)
    return float(f"{wide:.1g}") * np.array([0, 0.2, 0.4, 1, 2])


def _chances_figure(fit: WdlFit, axis: Axes | None = None) -> Figure:
    figure, axis = single_axis(axis=axis)
    most = _scores(fit)[-1]
    scores = np.linspace(-most, most, 201)
    for x, colour in zip(_progress(fit), PALETTE, strict=False):
        lines = axis.plot(scores, fit.wdl(scores, x), color=colour)
        for line, style in zip(lines, _STYLES, strict=True):
            line.set(linestyle=style)
        lines[0].set_label(f"{x:.2f}")
    axis.set_xlabel(f"score{with_unit(fit.game.scores.unit, ' ({})')}")
    axis.set_ylabel("chance")
    legend(axis, 3)
    return figure
