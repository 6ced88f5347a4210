"""Pictures of a match: its course, its pairs and its results."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from samuel.arena.results import MatchResult
from samuel.arena.statistics import statistics_of
from samuel.common.units import with_unit
from samuel.reports.curves import outcome_figure
from samuel.reports.style import INK, NEGATIVE, NEUTRAL, PALETTE, POSITIVE, single_axis

_MOST_POINTS = 1000
"""Most points of a curve: more than the eye can tell apart."""
_POINTS_OF_A_PAIR = ("0", "\u00bd", "1", "1\u00bd", "2")
_EARLY = 0.1
"""The share of the pairs whose wide intervals may be cut off at the edge of the picture."""


def course(result: MatchResult) -> pd.DataFrame:
    """Return where a match stood after its pairs, or after 1,000 of them, evenly spaced.

    Columns: `pairs`, how many; `score` of A with `score_low` and `score_high` (95 %); `llr` of the
    sequential test, or NaN where there is none.
    """
    kinds = 2 + np.sign(result.results).sum(axis=1).astype(int)
    counts = np.cumsum(np.eye(5, dtype=np.int64)[kinds], axis=0)
    n = len(counts)
    rows = []
    for pairs in np.unique(np.linspace(1, n, min(n, _MOST_POINTS)).round().astype(int)):
        so_far = counts[pairs - 1]
        found = statistics_of(so_far)
        llr = np.nan if result.sprt is None else result.sprt.llr(so_far)
        rows.append((pairs, found.score, found.score_low, found.score_high, llr))
    return pd.DataFrame(rows, columns=["pairs", "score", "score_low", "score_high", "llr"])


def score_figure(result: MatchResult, axis: Axes | None = None) -> Figure:
    """Return the score of A so far, with its 95 % band, over the pairs."""
    points = course(result)
    figure, axis = single_axis(height=3.2, axis=axis)
    axis.axhline(0.5, color=NEUTRAL, linewidth=1, linestyle=(0, (4, 4)))
    low, high = points["score_low"], points["score_high"]
    axis.fill_between(points["pairs"], low, high, color=PALETTE[0], alpha=0.16, linewidth=0)
    _draw_course(axis, points, "score")
    late = points["pairs"] >= _EARLY * points["pairs"].max()
    axis.set_ylim(
        max(-0.02, min(0.45, low[late].min() - 0.02)), min(1.02, max(0.55, high[late].max() + 0.02))
    )
    axis.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axis.set_ylabel(f"score of {result.a} so far")
    return figure


def llr_figure(result: MatchResult, axis: Axes | None = None) -> Figure:
    """Return the LLR of a sequential test over the pairs, between its bounds."""
    state, points = result.state, course(result)
    assert state is not None
    figure, axis = single_axis(height=3.2, axis=axis)
    axis.axhline(0, color=NEUTRAL, linewidth=1, linestyle=(0, (4, 4)))
    for bound, name, colour in ((state.upper, "H1", POSITIVE), (state.lower, "H0", NEGATIVE)):
        axis.axhline(bound, color=colour, linewidth=1.4)
        axis.annotate(
            f"{name} at {bound:.2f}", (1.01, bound), color=colour,
            xycoords=("axes fraction", "data"), fontsize=9, va="center",
        )  # fmt: skip
    _draw_course(axis, points, "llr")
    margin = 0.08 * (state.upper - state.lower)
    axis.set_ylim(
        min(state.lower, points["llr"].min()) - margin,
        max(state.upper, points["llr"].max()) + margin,
    )
    axis.set_ylabel("log-likelihood ratio")
    return figure


def _draw_course(axis: Axes, points: pd.DataFrame, name: str) -> None:
    """Draw a column of the course as a line, and a dot where the match has come to."""
    end = points.iloc[-1]
    axis.plot(points["pairs"], points[name], color=PALETTE[0], linewidth=1.6)
    axis.plot(end["pairs"], end[name], "o", color=PALETTE[0], markersize=5)
    axis.set_xlim(0, end["pairs"] * 1.01)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlabel("pairs")


def pair_figure(result: MatchResult, axis: Axes | None = None) -> Figure:
    """Return the numbers of pairs by the points of A in them."""
    counts = result.statistics.pentanomial or ()
    figure, axis = single_axis(height=2.2, axis=axis)
    colours = (NEGATIVE, NEGATIVE, NEUTRAL, POSITIVE, POSITIVE)
    bars = axis.bar(range(5), counts, width=0.7, color=colours)
    axis.bar_label(bars, [f"{count:,}" for count in counts], color=INK, fontsize=9, padding=2)
    axis.set_xticks(range(5), _POINTS_OF_A_PAIR)
    axis.grid(axis="x", visible=False)
    axis.margins(y=0.15)
    axis.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=4))
    axis.set_xlabel(f"points of {result.a} in the two games of a pair")
    axis.set_ylabel("pairs")
    return figure


def result_figure(result: MatchResult) -> Figure:
    """Return a histogram of how games ended for A."""
    game = result.game
    figure = outcome_figure(result.results.ravel(), game.scores.unit, game.scores.max_utility)
    axis = figure.axes[0]
    axis.set_xlabel(f"result of a game for {result.a}{with_unit(game.scores.unit, ' ({})')}")
    axis.set_ylabel("games (%)")
    axis.grid(axis="x", visible=False)
    return figure
