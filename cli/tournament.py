"""`samuel tournament`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samuel.cli.common import Jobs
from samuel.cli.events import Engines, Players, is_event, play_event, players_of
from samuel.cli.progress import Pace, time_left
from samuel.cli.ratings import show_ratings
from samuel.cli.subcommands import Given, subcommand
from samuel.common.units import rounded

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from samuel.arena import TournamentResult


@subcommand("samuel.arena:tournament", doing="playing", without=("players",))
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
    from samuel.arena import tournament

    pace = Pace()

    def so_far(result: TournamentResult, of: int) -> Any:
        how_far = _how_far(result, of, pace)
        return lambda: _so_far(result, how_far), lambda: how_far

    play_event(
        lambda follow: tournament(who, game=asked, jobs=jobs, progress=follow, **given),
        title=given.get("kind", "round-robin"),
        so_far=so_far,
        show_result=lambda result, _: lambda console: _show(result, console),
        out=given.get("out", next(filter(is_event, who), None)),
        cluster=cluster,
        report=report,
        json=json,
    )


def _show(result: TournamentResult, console: Console) -> None:
    """Print the ratings, and what was played."""
    show_ratings(result.ratings, result.games, console)
    console.print(result.about)


def _so_far(result: TournamentResult, how_far: str) -> RenderableType:
    """Return a table of the points so far."""
    from rich.table import Table

    table = Table(title=how_far)
    table.add_column("player", overflow="fold")
    table.add_column("points", justify="right")
    standings = sorted(zip(result.points, result.names, strict=True), reverse=True)
    for points, name in standings:
        table.add_row(name, rounded(points, 12))
    return table


def _how_far(result: TournamentResult, of: int, pace: Pace) -> str:
    done = 2 * len(result.pairs)
    rate = pace.rate(done)
    left = time_left(2 * of - done, rate)
    return f"{done} of {2 * of} games, {rate:.1f} per second, {left or 'unknown'} left"
