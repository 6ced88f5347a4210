"""A match: who is stronger, by how much, and how it came."""

from __future__ import annotations

import functools

from samuel.arena.results import MatchResult
from samuel.arena.sprt_evaluation import SprtEvaluation
from samuel.common.displayable import Picture, Table
from samuel.common.errors import UserError
from samuel.common.units import share
from samuel.reports.match.games import game_pictures
from samuel.reports.match.pictures import llr_figure, pair_figure, result_figure, score_figure
from samuel.reports.match.tables import (
    STRENGTH,
    about_match,
    match_table,
    player_table,
    sprt_table,
    strength_table,
    verdict,
)
from samuel.reports.views import View


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
