"""Chances of a win, a draw and a loss: by score and progress, and their calibration."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from samuel.common.displayable import Picture, Table
from samuel.common.units import NOTHING, rounded, with_unit
from samuel.learning.fitting.metrics import CalibrationBin
from samuel.learning.wdl import WdlFit
from samuel.reports.curves import calibration_figure
from samuel.reports.style import PALETTE, legend, single_axis
from samuel.reports.views import View

_BINS, _IN_TABLE = 10, ("win", "draw")  # those of a loss are nearly those of a win
_STYLES = ("-", "--", ":")


def wdl_view(fit: WdlFit) -> View:
    """Return the chances, and how well they predict the results of held-out games."""
    line = (
        f"Fitted to {fit.rows:,} rows of {fit.games:,} games; measured on {fit.held_out:,} rows of "
        f"{fit.held_out_games:,} held-out games."
    )
    pictures = [
        Picture(
            "Chances by score",
            functools.partial(_chances_figure, fit),
            [
                "Solid: win; dashed: draw; dotted: loss, for the side to move. A colour is a "
                "progress of the game."
            ],
        ),
        Picture(
            "Calibration",
            functools.partial(calibration_figure, fit.calibration),
            ["On the diagonal the predicted chance equals the share of held-out rows."],
        ),
    ]
    return View(f"Chances in {fit.game.name}", [line], [*_tables(fit), *pictures])


def _tables(fit: WdlFit) -> list[Table]:
    unit = with_unit(fit.game.scores.unit, ", in {}")
    chances = [
        [f"{score:+g}" if score else "0", *(_shares(fit, score, x) for x in _progress(fit))]
        for score in _scores(fit)
    ]
    named = [f"progress {x:.2f}" for x in _progress(fit)]
    cells = [_calibration_cells(fit.calibration[name]) for name in _IN_TABLE]
    bins = [f"{10 * k} to {10 * k + 10}" for k in range(_BINS)]
    figures = [[name, f"{fit.brier[name]:.4f}", f"{fit.log_loss[name]:.4f}"] for name in fit.brier]
    return [
        Table(
            f"Win, draw and loss in % by score{unit}",
            ["score", *named],
            chances,
            [
                "Progress: share of the game that is gone. A negative score has the chances of its "
                "positive counterpart, exchanged."
            ],
        ),
        Table(
            "Chances and results of held-out rows, in %",
            ["chance", *(part for name in _IN_TABLE for part in (name, "observed", "rows"))],
            [[name, *one, *other] for name, one, other in zip(bins, *cells, strict=True)],
        ),
        Table(
            "Errors of the expected result",
            ["curve", "Brier", "log loss"],
            figures,
            [
                "Expected result: chance of a win plus half the chance of a draw; a draw is half a "
                f"win. Logistic: one scale, {rounded(fit.scale)} units of score per logit."
            ],
        ),
    ]


def _calibration_cells(bins: Sequence[CalibrationBin]) -> list[list[str]]:
    """Return the mean chance, the share of rows and their number, for each bin."""
    cells = [[NOTHING] * 3 for _ in range(_BINS)]
    for one in bins:
        shares = (f"{100 * share:.1f}" for share in (one["predicted"], one["observed"]))
        cells[min(int(_BINS * one["predicted"]), _BINS - 1)] = [*shares, f"{one['rows']:,}"]
    return cells


def _progress(fit: WdlFit) -> list[float]:
    """Return the ends and the middle of the progress that was fitted."""
    return np.linspace(fit.wdl.first, fit.wdl.last, 3).tolist()


def _scores(fit: WdlFit) -> list[float]:
    """Return scores from 0 to where most games are won, in round steps."""
    wide = float(fit.wdl.a.mean() + fit.wdl.b.mean())
    size = 10.0 ** np.floor(np.log10(wide))
    step = size * max(k for k in (1, 2, 5) if k * size <= wide)
    return [step * k for k in (0, 0.5, 1, 2, 4)]


def _shares(fit: WdlFit, score: float, progress: float) -> str:
    return " / ".join(f"{100 * chance:.0f}" for chance in fit.wdl(score, progress))


def _chances_figure(fit: WdlFit, axis: Axes | None = None) -> Figure:
    figure, axis = single_axis(axis=axis)
    most = _scores(fit)[-1]
    scores = np.linspace(-most, most, 201)
    for x, colour in zip(_progress(fit), PALETTE, strict=False):
        chances = fit.wdl(scores, np.full(len(scores), x))
        for k, style in enumerate(_STYLES):
            axis.plot(
                *(scores, chances[:, k]),
                color=colour,
                linestyle=style,
                label="" if k else f"{x:.2f}",
            )
    axis.set_xlabel(f"score{with_unit(fit.game.scores.unit, ' ({})')}")
    axis.set_ylabel("chance")
    legend(axis, 3)
    return figure
