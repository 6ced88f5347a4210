"""Elo by generation as a picture."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from samuel.arena.statistics import elo_of_score, score_of_elo
from samuel.learning.generations.log import AGAINST, GATING
from samuel.learning.generations.run import FIRST, LogEntry, Run, baselines_of
from samuel.reports.generations.tables import baseline_title
from samuel.reports.style import INK, NEUTRAL, legend, line_style, single_axis

_SCORES = (0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999)
_SHIFT = 0.035
"""Distance of the intervals of two baselines, in generations."""


def curve_figure(run: Run, axis: Axes | None = None) -> Figure | None:
    """Return Elo by generation against each baseline, with 95 % intervals; None without any."""
    curves = {name: _points(run, name) for name in baselines_of(run.options)}
    curves = {name: points for name, points in curves.items() if points}
    if not curves:
        return None
    figure, axis = single_axis(axis=axis)
    axis.axhline(0, color=NEUTRAL, linewidth=1, linestyle=(0, (4, 4)), zorder=0)
    for number, (name, points) in enumerate(curves.items()):
        shift = (number - (len(curves) - 1) / 2) * _SHIFT
        _draw_curve(axis, run, points, shift, line_style(number), baseline_title(name, run))
    _label_axes(axis, run.options.gate.match_depth)
    legend(axis, len(curves), loc="lower left", bbox_to_anchor=(0, 1), ncols=len(curves))
    return figure


def _points(run: Run, name: str) -> list[tuple[int, LogEntry]]:
    """Return the generations and their matches against a baseline."""
    found = [(e["generation"], e) for e in run.log if e["step"] == f"{AGAINST} {name}"]
    even = {"score": 0.5, "elo": 0.0, "elo_low": 0.0, "elo_high": 0.0}
    return [(0, even), *found] if name == FIRST and found else found


def _draw_curve(
    axis: Axes,
    run: Run,
    points: list[tuple[int, LogEntry]],
    shift: float,
    style: dict[str, Any],
    baseline: str,
) -> None:
    """Draw the generations against one baseline: a mark each, a line through the promoted."""
    taken = [
        (generation + shift, match["elo"])
        for generation, match in points
        if match["elo"] is not None and not _is_refused(run, generation)
    ]
    places, heights = ([point[k] for point in taken] for k in (0, 1))
    axis.plot(places, heights, **style | {"marker": ""}, label=f"against {baseline}")
    for generation, match in points:
        face = "none" if _is_refused(run, generation) else style["color"]
        mark = {"color": style["color"], "markerfacecolor": face}
        if match["elo"] is None:
            _draw_bound(axis, generation + shift, match, mark)
        else:
            _draw_estimate(axis, generation + shift, match, mark)


def _draw_bound(axis: Axes, place: float, match: LogEntry, mark: dict[str, Any]) -> None:
    """Draw a match that was won or lost in all games: a triangle on the end of its interval."""
    won = match["score"] > 0.5
    height = match["elo_low" if won else "elo_high"]
    shape = "^" if won else "v"
    axis.plot([place], [height], marker=shape, markersize=8, **mark)


def _draw_estimate(axis: Axes, place: float, match: LogEntry, mark: dict[str, Any]) -> None:
    """Draw a match: its interval, an arrow where that has no end, and a dot."""
    height, colour = match["elo"], mark["color"]
    for key, sign in (("elo_low", -1), ("elo_high", 1)):
        end = match[key]
        if end is not None:
            axis.plot([place, place], [height, end], color=colour, linewidth=1.2, alpha=0.7)
        else:
            axis.annotate(
                "",
                (place, height),
                (0, 26 * sign),
                textcoords="offset points",
                arrowprops={"arrowstyle": "<-", "color": colour, "shrinkA": 0, "shrinkB": 3},
                annotation_clip=False,
            )
    axis.plot([place], [height], marker="o", markersize=6, **mark)


def _is_refused(run: Run, generation: int) -> bool:
    gate = run.of(generation).get(GATING)
    return gate is not None and not gate["promoted"]


def _label_axes(axis: Axes, depth: int | None) -> None:
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axis.set_xlabel("generation")
    axis.set_ylabel(f"Elo at depth {depth}")
    axis.margins(y=0.12)  # for arrows
    low, high = axis.get_ylim()
    axis.set_ylim(min(low, -60), max(high, 60))
    _add_scores(axis)


def _add_scores(axis: Axes) -> None:
    """Say on the right what the Elo differences are as scores."""
    other = axis.secondary_yaxis("right")
    low, high = axis.get_ylim()
    shown = [s for s in _SCORES if low <= elo_of_score(s) <= high]
    other.set_yticks([elo_of_score(score) for score in shown])
    other.yaxis.set_major_formatter(
        FuncFormatter(lambda elo, _: f"{100 * score_of_elo(elo):.3g} %")
    )
    other.set_ylabel("score", color=INK)
    other.tick_params(colors=INK, labelsize=9, length=0)
    other.spines["right"].set_visible(False)
