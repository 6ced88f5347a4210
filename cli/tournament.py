"""`samuel tournament`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, keeping_games, on_cluster
from samuel.cli.options.playing import (
    AllowanceOptions,
    AnchorOption,
    ConditionOptions,
    PlayerOptions,
    RatingsPageOption,
)
from samuel.cli.progress import Pace, live, time_left
from samuel.cli.ratings import show_ratings

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from samuel.arena import TournamentResult


@command("playing")
def run(
    *,
    players: PlayerOptions,
    kind: Annotated[str, typer.Option(help="round-robin, gauntlet or swiss.")] = "round-robin",
    pairs: Annotated[
        int, typer.Option(min=1, max=100_000, help="Of games, when two players meet.")
    ] = 50,
    rounds: Annotated[int | None, typer.Option(min=1, help="Of a Swiss.")] = None,
    champions: Annotated[
        int, typer.Option(min=1, help="Of a gauntlet: so many of the first players meet the rest.")
    ] = 1,
    allowances: AllowanceOptions,
    conditions: ConditionOptions,
    anchor: AnchorOption = None,
    report: RatingsPageOption = None,
    cluster: options.ClusterOption = None,
    json: options.JsonOption = False,
) -> None:
    """Let players meet, and rate them all from the games between them.

    Ratings are Elo with 95 % intervals, relative to the mean of the players or to an anchor.

    Example: samuel tournament classic wpc runs/ridge --depth 4 --pairs 50 --report cross.html

    Example: samuel tournament runs/new classic wpc --kind gauntlet --engine "gtp:gtp-rhino"
    """
    rules, who = players
    from samuel.arena import tournament

    pace = Pace()
    so_far: list[TournamentResult] = []

    def follow(result: TournamentResult, of: int) -> None:
        so_far[:] = [result]
        how_far = _how_far(result, of, pace)
        show(lambda: _so_far(result, how_far), lambda: how_far)

    with keeping_games(conditions["out"]):
        try:
            with on_cluster(cluster), live(kind) as show:
                result = tournament(
                    who,
                    kind=kind,
                    game=rules,
                    pairs=pairs,
                    rounds=rounds,
                    champions=champions,
                    allowance=allowances,
                    anchor=anchor,
                    progress=follow,
                    **conditions,
                )
        except KeyboardInterrupt:
            if so_far and len(so_far[0].pairs):
                found = so_far[0]
                if not json:
                    emit({}, False, lambda console: _show(found, console))
                _write_page(report, found)
            raise
    _write_page(report, result)
    emit(
        result.as_dict(),
        json,
        lambda console: _show(result, console),
    )


def _write_page(path: str | None, result: TournamentResult) -> None:
    if path is not None:
        from samuel.reports.tournament import write_tournament_page

        title = f"Tournament: {result.kind}"
        write_tournament_page(path, result.ratings, result.games, title=title, about=result.about)


def _show(result: TournamentResult, console: Console) -> None:
    """Print the ratings, and what was played."""
    show_ratings(result.ratings, result.games, console)
    console.print(result.about)


def _so_far(result: TournamentResult, how_far: str) -> RenderableType:
    """Return a table of the points so far."""
    from rich.table import Table

    table = Table(title=how_far)
    table.add_column("player")
    table.add_column("points", justify="right")
    standings = sorted(zip(result.points, result.names, strict=True), reverse=True)
    for points, name in standings:
        table.add_row(name, f"{points:g}")
    return table


def _how_far(result: TournamentResult, of: int, pace: Pace) -> str:
    done = 2 * len(result.pairs)
    rate = pace.rate(done)
    left = time_left(2 * of - done, rate)
    return f"{done} of {2 * of} games, {rate:.1f} a second, {left or 'unknown'} left"
