"""A match: who is stronger, by how much, and how it came.

Pictures of a match: its course, its pairs and its results.

Games of a match that are worth looking at, as rows of boards.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from samuel.arena.results import MatchResult
from samuel.arena.sprt_evaluation import SprtEvaluation
from samuel.arena.statistics import statistics_of
from samuel.common.displayable import Picture, Table, share, with_unit
from samuel.common.errors import UserError
from samuel.games.drawing import side_names
from samuel.games.position import Position
from samuel.games.transcripts import transcript
from samuel.reports.curves import outcome_figure
from samuel.reports.match.tables import (
    STRENGTH,
    about_match,
    match_table,
    player_table,
    sprt_table,
    strength_table,
    verdict,
)
from samuel.reports.scenes import boards_html
from samuel.reports.style import INK, NEGATIVE, NEUTRAL, PALETTE, POSITIVE, single_axis
from samuel.reports.views import View

_GAMES, _BOARDS = 5, 6
_ENDS = {
    "played": "played to the end",
    "solved": "solved from ply {ply}",
    "time": "out of time at ply {ply}",
    "agreed": "agreed by both sides' scores at ply {ply}",
}


class GameToSee(NamedTuple):
    """A game worth looking at: why, the place of its pair, and which of the two it is."""

    why: str
    place: int
    turn: int


def games_to_see(result: MatchResult) -> list[GameToSee]:
    """Return games worth looking at: faults, clear wins and losses of A, and close games."""
    games = [
        (place, turn, game)
        for place, pair in enumerate(result.pairs)
        for turn, game in enumerate(pair)
    ]
    # a fault says nothing of how the game stood
    clear = sorted(
        (x for x in games if x[2].fault is None), key=lambda x: (-abs(x[2].result), len(x[2].moves))
    )
    ranked = [
        [
            GameToSee(f"Forfeited by {(result.a, result.b)[game.fault]}", place, turn)
            for place, turn, game in games
            if game.fault is not None
        ],
        [
            GameToSee(f"One of the clearest wins of {result.a}", *x[:2])
            for x in clear
            if x[2].result > 0
        ],
        [
            GameToSee(f"One of the clearest wins of {result.b}", *x[:2])
            for x in clear
            if x[2].result < 0
        ],
        [GameToSee("One of the closest games", *x[:2]) for x in reversed(clear)],
    ]
    distinct: dict[tuple[int, int], GameToSee] = {}
    for entry in (one for row in zip_longest(*ranked) for one in row if one is not None):
        distinct.setdefault((entry.place, entry.turn), entry)
    return list(distinct.values())[:_GAMES]


def game_pictures(result: MatchResult) -> list[Picture]:
    """Return games to look at: boards, with who played, how it ended, and the moves."""
    return [_picture(result, entry) for entry in games_to_see(result)]


def _picture(result: MatchResult, entry: GameToSee) -> Picture:
    game = result.pairs[entry.place][entry.turn]
    start, moves = game.begin(result.game), game.line
    return Picture(
        "Games to look at",
        lambda: boards_html(boards_of(start, moves, len(game.opening))),
        [_about(result, entry), transcript(start, moves)],
        entry.why,
        detail=True,
    )


def _about(result: MatchResult, entry: GameToSee) -> str:
    """Return who played a game, and how it ended; its number is that of `samuel games`."""
    game, names = result.pairs[entry.place][entry.turn], (result.a, result.b)
    sides, first = side_names(result.game), game.first
    end = _ENDS.get(game.ending, "{ending} at ply {ply}")
    end = end.format(ending=game.ending, ply=len(game.opening) + game.decided)
    note = f" ({game.note})" if game.note else ""
    return (
        f"Game {2 * entry.place + entry.turn + 1}: "
        f"{names[first]} ({sides[0]}) against {names[1 - first]} ({sides[1]}), {game.result:+zg} "
        f"for {result.a}; {end}{note}."
    )


def boards_of(start: Position, moves: Sequence[int], opening: int) -> dict[str, Position]:
    """Return positions of a game by their captions, evenly spaced from its opening to its end."""
    positions = [start]
    for move in moves:
        positions.append(positions[-1].play(move))
    boards = {}
    for ply in np.linspace(opening, len(moves), _BOARDS).round().astype(int).tolist():
        where = {len(moves): "at the end, ", opening: "after the opening, "}.get(ply, "")
        boards[f"{where}ply {ply}"] = positions[ply]  # a short game has fewer positions
    return boards


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


def result_figure(result: MatchResult, axis: Axes | None = None) -> Figure:
    """Return a histogram of how games ended for A."""
    game = result.game
    figure, axis = single_axis(height=3.0, axis=axis)
    outcome_figure(result.results.ravel(), game.scores.unit, game.scores.max_utility, axis)
    axis.set_xlabel(f"result of a game for {result.a}{with_unit(game.scores.unit, ' ({})')}")
    axis.set_ylabel("games (%)")
    axis.grid(axis="x", visible=False)
    return figure


def match_view(result: MatchResult) -> View:
    """Return a match with its figures, its course and games to look at."""
    if not len(result.pairs):
        raise UserError("no game pair was finished, so there is nothing to show")
    parts: list[Table | Picture] = [
        match_table(result),
        Picture(STRENGTH, functools.partial(pair_figure, result)),
    ]
    if result.sprt is not None and result.state is not None:
        table = sprt_table(result.sprt, result.state, result.names)
        parts += [table, Picture(table.title, functools.partial(llr_figure, result))]
    parts += [
        Picture(
            "The score as the pairs came in",
            functools.partial(score_figure, result),
            ["The band is the 95 % interval of a match of that length."],
        ),
        player_table(result),
        Picture("How games ended", functools.partial(result_figure, result)),
        *game_pictures(result),
    ]
    return View(f"{result.a} against {result.b}", [about_match(result), verdict(result)], parts)


_NEAR = 0.2
"""Largest difference of the expected error rates from those of the test, as a share of them."""


def sprt_view(found: SprtEvaluation) -> View:
    """Return where a test stands, with the figures of its games, or its expected length."""
    if found.state is None or found.statistics is None:
        return View("Sequential test", (), [_forecast_table(found)])
    strength = strength_table(found.statistics, found.names[0], 1)
    table = sprt_table(found.test, found.state, found.names)
    return View("Sequential test", (), [table, strength])


def _forecast_table(found: SprtEvaluation) -> Table:
    test, expected = found.test, found.expected
    note = f"Assumed: {100 * found.draw_ratio:g} % draws; the two games of a pair are independent"
    first, last = expected[0].pass_probability, expected[-1].pass_probability
    if max(abs(first / test.alpha - 1), abs((1 - last) / test.beta - 1)) > _NEAR:
        note += (
            f". The table is only approximate, because few pairs decide the test: the real chances "
            f"of accepting H1 are about {share(test.alpha)} and {share(1 - test.beta)}"
        )
    columns = [f"true difference ({test.unit})", "P(H1 accepted)", "mean pairs", "mean games"]
    rows = [
        [f"{one.elo:g}", share(one.pass_probability), f"{one.pairs:,.0f}", f"{one.games:,.0f}"]
        for one in expected
    ]
    return Table(f"Expected length: {test}", columns, rows, [f"{note}."])
