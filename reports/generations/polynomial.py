"""Course of Samuel's polynomial: its weights game by game, as he drew them, and its terms."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from samuel.common.displayable import NOTHING, Table, counted
from samuel.learning.samuel.learner import Event, Generalizer
from samuel.learning.samuel.polynomial import TOP_POWER
from samuel.reports.style import NEUTRAL, legend, line_style, single_axis

POLYNOMIAL = "The polynomial"
_LINES, _LISTED = 6, 12
_MOST_POINTS = 300
"""Most games of a line: more than the eye can tell apart."""


def polynomial_figure(learner: Generalizer, axis: Axes | None = None) -> Figure:
    """Return the weights of the leading terms by game, as signed powers of two."""
    outcomes = learner.outcomes()
    shown = np.unique(np.linspace(0, learner.games - 1, _MOST_POINTS).astype(int))
    figure, axis = single_axis(axis=axis)
    terms = _leading(learner, _LINES)
    for number, term in enumerate(terms):
        powers = outcomes.powers[shown, term].astype(float)
        heights = np.where(outcomes.active[shown, term] == 1, powers, np.nan)
        style = line_style(number) | {"marker": "", "linewidth": 1.3}
        axis.plot(shown + 1, heights, **style, label=learner.terms.names[term])
    axis.axhline(0, color=NEUTRAL, linewidth=1)
    ticks = [-TOP_POWER - 1, -10, 0, 10, TOP_POWER + 1]
    axis.set_yticks(ticks, [_weight_text(tick) for tick in ticks])
    axis.set_ylabel("weight")
    axis.set_xlabel("games")
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend(axis, len(terms))
    return figure


def _leading(learner: Generalizer, count: int) -> list[int]:
    """Return the terms in use with the greatest correlations, the greatest first."""
    in_use = learner.alpha.in_use
    sizes = np.abs(learner.alpha.correlation[in_use])
    return [int(term) for term in in_use[np.argsort(-sizes, kind="stable")][:count]]


def _weight_text(noted: int) -> str:
    """Return a weight as people read it: its sign times 1 + its power of 2, as noted."""
    if noted == 0:
        return "0"
    return f"{'-' if noted < 0 else '+'}2^{abs(noted) - 1}"


def polynomial_table(learner: Generalizer) -> Table:
    """Return the leading terms as Samuel lists them in appendix C."""
    alpha = learner.alpha
    signs, powers = alpha.powers()
    rows = [
        [
            learner.terms.names[term],
            f"{abs(alpha.correlation[term]):.2f}",
            {1: "+", -1: "-"}.get(int(signs[term]), NOTHING),
            str(powers[term]) if signs[term] else NOTHING,
            f"{alpha.adjusted[term]:,}",
        ]
        for term in _leading(learner, _LISTED)
    ]
    columns = ["term", "correlation", "sign", "power of 2", "times adjusted"]
    note = "The columns are those of appendix C in Samuel's paper."
    return Table(POLYNOMIAL, columns, rows, [polynomial_text(learner), note])


def polynomial_text(learner: Generalizer) -> str:
    """Return what happened, in a sentence."""
    events = learner.outcomes().events
    won, lost = int((events[:, 0] > 0).sum()), int((events[:, 0] < 0).sum())
    taken, jolts = (int((events[:, 1] == kind).sum()) for kind in (Event.TAKEN_OVER, Event.JOLTED))
    return (
        f"In {learner.games:,} games Alpha won or was ahead in {won:,} and lost {lost:,}. "
        f"Beta took over Alpha's weights {counted(taken, 'time')}; Alpha was jolted "
        f"{counted(jolts, 'time')}. Corrections: {int(events[:, 2].sum()):,}. Terms moved to the "
        f"reserve: {learner.alpha.replaced:,}."
    )
