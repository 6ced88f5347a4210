"""A match: who is stronger, by how much, and how it came."""

from __future__ import annotations

import functools

from samuel.arena.results import MatchResult
from samuel.common.displayable import Picture, Table
from samuel.common.errors import UserError
from samuel.reports.match.games import game_pictures
from samuel.reports.match.pictures import llr_figure, pair_figure, result_figure, score_figure
from samuel.reports.match.tables import (
    STRENGTH,
    about_match,
    match_table,
    player_table,
    sprt_table,
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
