"""Ratings, as `tournament` and `pool` show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import print_table

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.arena.rating import Games, Ratings

_MOST_WITH_COUNTS = 5
"""Players of a cross table that has room for wins, draws and losses on a terminal."""


def show_ratings(ratings: Ratings, games: Games, console: Console) -> None:
    """Print ratings, and who did how well against whom."""
    from samuel.reports.tournament import cross_table, remarks, standings_table

    print_table("Ratings", standings_table(ratings), console, words=2)
    cross = cross_table(ratings, games)
    who, found = slice(0, 2), slice(6, None)  # the rest stands above
    is_short = len(cross.rows) > _MOST_WITH_COUNTS
    scores = [
        row[who] + [_share_alone(cell) if is_short else cell for cell in row[found]]
        for row in cross.rows
    ]
    short = cross._replace(headings=cross.headings[who] + cross.headings[found], rows=scores)
    print_table("Cross table", short, console, words=2)
    for remark in remarks(ratings):
        console.print(remark)


def _share_alone(cell: str) -> str:
    """Return the share of the points in a cell of the cross table, without decimals."""
    share = cell.split("\n")[0]
    return f"{float(share.rstrip('%')):.0f}%" if share.endswith("%") else share
