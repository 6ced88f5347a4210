"""A match as a page that needs nothing else: who is stronger, by how much, and how it came."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
from markupsafe import Markup

from samuel.arena.results import MatchResult, adjudicated_in_words
from samuel.arena.sequential.sprt import Sprt, SprtState, claim
from samuel.common.errors import UserError
from samuel.common.units import between, counted, with_interval, with_unit
from samuel.reports.html import as_html, figure_html, joined, lead, section, write_html
from samuel.reports.match.games import game_html, games_to_see
from samuel.reports.match.pictures import (
    course,
    llr_figure,
    pair_figure,
    result_figure,
    score_figure,
)
from samuel.reports.tables import (
    MINUS,
    NOTHING,
    TextTable,
    cell,
    duration,
    probability,
    signed,
)

_SUPERIORITY = "likelihood of superiority"


def verdict(result: MatchResult) -> str:
    """Return who is stronger, and by how much, in sentences."""
    s, mean = result.statistics, result.mean
    scored = f"{result.a} scored {s.score:.1%} of the points"
    if not result.game.scale:
        unit = with_unit(result.game.unit)
        scored += f" and a mean result of {signed(mean.mean, 2)}{unit} per game"
    test, state = result.sprt, result.state
    if test is not None and state is not None:
        elo = _elo(s.elo, s.elo_low, s.elo_high)
        return f"{_decision(result, test, state)} {scored}: {elo}.{_faults(result)}"
    if s.score_low > 0.5:
        says = f"{result.a} is stronger than {result.b}."
    elif s.score_high < 0.5:
        says = f"{result.a} is weaker than {result.b}."
    else:
        says = f"These games do not show whether {result.a} or {result.b} is stronger."
    return f"{says} {scored}: {_elo(s.elo, s.elo_low, s.elo_high)}.{_faults(result)}"


def _decision(result: MatchResult, test: Sprt, state: SprtState) -> str:
    """Return what a sequential test has decided, in a sentence."""
    pairs = f"after {counted(len(result.pairs), 'pair')} of games"
    if state.decision == "continue":
        return f"The test is not decided {pairs}."
    done = "passed" if state.decision == "H1" else "failed"
    return f"{claim(test, state.decision, result.a, result.b)}: it {done} the test {pairs}."


def _faults(result: MatchResult) -> str:
    """Return who lost games without being outplayed, in sentences; nothing where nobody did."""
    return "".join(
        f" {name} forfeited {sum(faults.values()):,} of the {result.statistics.games:,} games."
        for name, faults in zip((result.a, result.b), result.faults, strict=True)
        if faults
    )


def figure_table(result: MatchResult) -> TextTable:
    """Return the figures of a match with their 95 % intervals."""
    s, mean = result.statistics, result.mean
    rows = [
        ["games won, drawn, lost", f"{s.wins:,}, {s.draws:,}, {s.losses:,}", ""],
        ["score", f"{s.score:.1%}", f"{s.score_low:.1%} to {s.score_high:.1%}"],
        ["Elo", *_elo_cells(s.elo, s.elo_low, s.elo_high)],
        ["normalized Elo", *_elo_cells(s.nelo, s.nelo_low, s.nelo_high)],
    ]
    if not result.game.scale:
        interval = f"{signed(mean.low, 2)} to {signed(mean.high, 2)}"
        unit = with_unit(result.game.unit, " ({})")
        rows.append([f"mean result{unit}", signed(mean.mean, 2), interval])
    rows.append([_SUPERIORITY, probability(s.los), ""])
    return TextTable(["", "found", "95 % interval"], rows)


def player_table(result: MatchResult) -> TextTable:
    """Return what both players spent, how they did with either colour, and their faults."""
    points = (np.sign(result.results) + 1) / 2
    first, second = points.mean(axis=0).tolist()
    rows = [
        ["score when moving first after the opening", f"{first:.1%}", f"{1 - second:.1%}"],
        ["score when moving second", f"{second:.1%}", f"{1 - first:.1%}"],
        ["time per move", *map(duration, result.seconds_per_move)],
        [
            "nodes per second",
            *(cell("nodes_per_second", n) if n else NOTHING for n in result.measured_speeds),
        ],
    ]
    a, b = result.faults
    for what in sorted({*a, *b}):
        rows.append([f"games forfeited ({what})", *(str(side.get(what, 0)) for side in (a, b))])
    return TextTable(["", result.a, result.b], rows)


def write_match_page(path: Path | str, result: MatchResult) -> Path:
    """Write a match as an HTML page, whole or not at all."""
    if not len(result.pairs):
        raise UserError("no game pair was finished, so there is nothing to show")
    points = course(result)
    parts = [
        lead(_about(result)),
        Markup("<p><strong>{}</strong></p>").format(verdict(result)),
        _figure_section(result),
        _test_section(result, points),
        section(
            "The score as the pairs came in",
            figure_html(score_figure(points, result.a), "The score over the pairs"),
            "The band is the 95 % interval of a match of that length.",
        ),
        section("The players", as_html(player_table(result))),
        section(
            "How games ended",
            figure_html(result_figure(result), "Histogram of the results"),
        ),
        section(
            "Games to look at",
            joined(game_html(result, shown) for shown in games_to_see(result)),
            "samuel games FOLDER --number N shows any of the games.",
        ),
    ]
    return write_html(path, f"{result.a} against {result.b}", parts)


def _about(result: MatchResult) -> str:
    """Return what was played, in words."""
    return (
        f"{result.game.name.replace('_', ' ').capitalize()}: {len(result.pairs):,} openings, "
        "each played twice with colours swapped. Limits per player: "
        f"{result.limits}. Openings: {result.openings}.{_adjudicated(result)}"
    )


def _adjudicated(result: MatchResult) -> str:
    """Return how many games the solver decided, in a sentence; nothing where none."""
    if not result.adjudicated:
        return ""
    games = 2 * len(result.pairs)
    said = adjudicated_in_words(result.adjudicated, games, result.adjudicate_from)
    return f" The solver adjudicated {said}."


def _figure_section(result: MatchResult) -> Markup:
    words = [
        (
            f"All figures are from the point of view of {result.a}; a draw is half a point. The "
            "two games of an opening are one observation, and intervals are computed over such "
            "pairs. Normalized Elo divides by the standard deviation of a game result, so draws "
            "do not reduce it."
        )
    ]
    if result.sprt is not None:
        words.append(
            "The figures assume a match of fixed length. A sequential test tends to stop at a "
            "lucky moment, which biases them."
        )
    picture = figure_html(pair_figure(result), "Pairs by their points")
    return section("Difference in strength", as_html(figure_table(result)) + picture, *words)


def _test_section(result: MatchResult, points: pd.DataFrame) -> Markup | str:
    test, state = result.sprt, result.state
    if test is None or state is None:
        return ""
    return section(
        "The sequential test",
        figure_html(llr_figure(points, state), "The log-likelihood ratio over the pairs"),
        f"{test}: hypothesis H0 is that {result.a} is {test.elo0:g} {test.unit} stronger, H1 "
        f"that it is {test.elo1:g} stronger. The log-likelihood ratio (LLR) compares the two "
        "after each pair; the test stops when it reaches a bound. It is now "
        f"{signed(state.llr, 2)}.",
    )


def _elo(elo: float, low: float, high: float) -> str:
    return with_interval(elo, low, high, unit=" Elo").replace("-", MINUS)


def _elo_cells(elo: float, low: float, high: float) -> list[str]:
    found = signed(elo) if math.isfinite(elo) else NOTHING
    return [found, between(low, high).replace("-", MINUS)]
