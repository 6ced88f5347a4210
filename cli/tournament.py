"""`samuel tournament`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import Engines, Jobs, Players, emit, keeping_games, on_cluster, players_of
from samuel.cli.progress import Pace, live, time_left
from samuel.cli.ratings import show_ratings
from samuel.cli.subcommands import Given, subcommand

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

    Ratings are Elo with 95 % intervals, relative to the mean of the players or to an anchor.

    Example: samuel tournament classic wpc runs/ridge --depth 4 --pairs 50 --report cross.html

    Example: samuel tournament runs/new classic wpc --kind gauntlet --engine "gtp:gtp-rhino"

    Parameters
    ----------
    players
        Evaluators by name (your own with --plugin), or folders of models.
    engine
        Outside engine as a player, such as "gtp:COMMAND" (samuel match --help); repeatable.
    """
    rules, who = players_of(players, engine, given.pop("game", None))
    from samuel.arena import tournament

    kind = given.get("kind", "round-robin")
    pace = Pace()
    so_far: list[TournamentResult] = []

    def follow(result: TournamentResult, of: int) -> None:
        so_far[:] = [result]
        how_far = _how_far(result, of, pace)
        show(lambda: _so_far(result, how_far), lambda: how_far)

    with keeping_games(given.get("out")):
        try:
            with on_cluster(cluster), live(kind) as show:
                result = tournament(who, game=rules, jobs=jobs, progress=follow, **given)
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
