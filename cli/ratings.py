"""Ratings, as `tournament` shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import print_table

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.arena.rating import Games, Ratings

_MOST_WITH_COUNTS = 5
"""Players of a cross table that has room for wins, draws and losses on a terminal."""


def show_ratings(ratings: Ratings, games: Games, console: Console) -> None:
    """Print ratings and the scores of all pairings."""
    from samuel.reports.tournament import cross_table, remarks, results_alone, standings_table

    print_table("Ratings", standings_table(ratings), console, words=2)
    cross = results_alone(cross_table(ratings, games))
    if len(cross.rows) > _MOST_WITH_COUNTS:
        rows = [row[:2] + [_share_alone(cell) for cell in row[2:]] for row in cross.rows]
        cross = cross._replace(rows=rows)
    print_table("Cross table", cross, console, words=2)
    for remark in remarks(ratings):
        console.print(remark)


def _share_alone(cell: str) -> str:
    """Return the share of the points in a cell of the cross table, without decimals."""
    share = cell.split("\n")[0]
    return f"{float(share.rstrip('%')):.0f}%" if share.endswith("%") else share
