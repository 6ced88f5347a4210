"""Course of Samuel's polynomial: its weights game by game, as he drew them, and its terms."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from samuel.common.displayable import Table
from samuel.common.units import NOTHING, counted
from samuel.learning.samuel.learner import Event, GameOutcomes, Generalizer
from samuel.learning.samuel.polynomial import TOP_POWER
from samuel.reports.style import INK, NEGATIVE, NEUTRAL, POSITIVE, legend, line_style, plain_axis

POLYNOMIAL = "Samuel's polynomial"
_LINES, _LISTED = 6, 12
_COLUMNS = 300
"""No picture has more games side by side; of more, some are left out."""
_UNWEIGHTED = 0.18
"""Density of a term that is in use without a weight; a weight of 1 is drawn denser."""


def polynomial_figure(learner: Generalizer) -> Figure:
    """Return the weights of the leading terms, and of all in use, by game."""
    outcomes, names = learner.outcomes(), learner.terms.names
    shown = np.unique(np.linspace(0, learner.games - 1, _COLUMNS).astype(int))
    figure = Figure(figsize=(9.0, 4.2 + 0.17 * len(names)))
    figure.set_layout_engine("constrained")
    ratios = [3.2, 0.5, 0.17 * len(names)]
    lines, events, map_ = figure.subplots(3, 1, sharex=True, height_ratios=ratios)
    _draw_leading(lines, learner, outcomes, shown)
    _draw_events(events, outcomes)
    _draw_map(map_, outcomes, names, shown)
    map_.set_xlabel("games")
    map_.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _leading(learner: Generalizer, count: int) -> list[int]:
    """Return the terms in use with the greatest correlations, the greatest first."""
    in_use = learner.alpha.in_use
    sizes = np.abs(learner.alpha.correlation[in_use])
    return [int(term) for term in in_use[np.argsort(-sizes, kind="stable")][:count]]


def _draw_leading(
    axis: Axes, learner: Generalizer, outcomes: GameOutcomes, shown: NDArray[np.int64]
) -> None:
    plain_axis(axis, grid="y")
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
    legend(axis, len(terms))


def _draw_events(axis: Axes, outcomes: GameOutcomes) -> None:
    """Mark the games after which Beta took over, Alpha was jolted, and a term was replaced."""
    games = np.arange(1, len(outcomes.events) + 1)
    happened = (
        (outcomes.events[:, 1] == Event.TAKEN_OVER, POSITIVE),
        (outcomes.events[:, 1] == Event.JOLTED, NEGATIVE),
        (outcomes.events[:, 3] > 0, NEUTRAL),
    )
    plain_axis(axis, grid="x")
    for place, (at, colour) in enumerate(happened):
        axis.eventplot(
            games[at], lineoffsets=-place, linelengths=0.8, colors=colour, linewidths=0.7
        )
    axis.set_yticks([0, -1, -2], ["Beta takes over", "jolt", "replaced"])


def _draw_map(
    axis: Axes, outcomes: GameOutcomes, names: tuple[str, ...], shown: NDArray[np.int64]
) -> None:
    """Draw a row a term: red for a positive weight, blue for a negative, nothing in reserve."""
    powers = outcomes.powers[shown].T.astype(float)
    picture = np.zeros((*powers.shape, 4))
    for sign, colour in ((1, POSITIVE), (-1, NEGATIVE), (0, NEUTRAL)):
        picture[np.sign(powers) == sign, :3] = to_rgb(colour)
    density = _UNWEIGHTED + (1 - _UNWEIGHTED) * np.abs(powers) / (TOP_POWER + 1)
    picture[..., 3] = np.where(outcomes.active[shown].T == 1, density, 0)
    edges = (0.5, len(outcomes.events) + 0.5, len(names) - 0.5, -0.5)
    plain_axis(axis, grid="y")
    axis.imshow(picture, extent=edges, aspect="auto", interpolation="nearest")
    axis.set_yticks(range(len(names)), names)
    axis.tick_params(axis="y", labelsize=8, labelcolor=INK)


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
