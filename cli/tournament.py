"""`samuel tournament`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import Jobs, print_table
from samuel.cli.events import Engines, Players, is_event, play_event, players_of
from samuel.cli.options import Given, subcommand
from samuel.cli.progress import Pace, time_left
from samuel.common.units import rounded

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.arena.ratings import Games, Ratings
    from samuel.arena.standings import TournamentResult

_MOST_WITH_COUNTS = 5
"""Players of a cross table that has room for wins, draws and losses on a terminal."""


@subcommand("samuel.arena.tournament:tournament", doing="playing", without=("players",))
def run(
    given: Given,
    *,
    players: Players = None,
    engine: Engines = None,
    report: str | None = None,
    jobs: Jobs = -1,
    cluster: str | None = None,
    json: bool = False,
) -> None:
    """Run `samuel tournament`.

    Ratings are Elo with 95 % intervals. The mean rating, or the rating of the anchor, is 0.

    Example: samuel tournament classic wpc runs/ridge --depth 4 --pairs 50 --out runs/cross

    Example: samuel tournament runs/new classic wpc --kind gauntlet --engine "gtp:gtp-rhino"

    Example: samuel tournament runs/cross --report cross.html

    Parameters
    ----------
    players
        Evaluators: names, or folders of models. The folder of a tournament shows its ratings.
    engine
        Engine of another program, such as "gtp:COMMAND"; `samuel match --help` has more.
    """
    asked = given.pop("game", None)
    _, who = players_of(players, engine, asked)
    from samuel.arena.tournament import tournament

    pace = Pace()

    play_event(
        lambda follow: tournament(who, game=asked, jobs=jobs, progress=follow, **given),
        title=given.get("kind", "round-robin"),
        so_far=lambda result, of: _how_far(result, of, pace),
        show_result=lambda result, _: lambda console: _show(result, console),
        out=given.get("out", next(filter(is_event, who), None)),
        cluster=cluster,
        report=report,
        json=json,
    )


def _show(result: TournamentResult, console: Console) -> None:
    """Print the ratings, and what was played."""
    _show_ratings(result.ratings, result.games, console)
    console.print(result.about)


def _how_far(result: TournamentResult, of: int, pace: Pace) -> str:
    done = 2 * len(result.pairs)
    rate = pace.rate(done)
    left = time_left(2 * of - done, rate)
    points, name = max(zip(result.points, result.names, strict=True))
    return (
        f"{done} of {2 * of} games, {rate:.1f} per second, {left or 'unknown'} left; "
        f"{name} leads with {rounded(points, 12)} points"
    )


def _show_ratings(ratings: Ratings, games: Games, console: Console) -> None:
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
