"""`samuel pool`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, game_and_evaluators, keeping_games, on_cluster
from samuel.cli.options.playing import (
    AdjudicateOption,
    AnchorOption,
    EnginesOption,
    MillisecondsOption,
    NodesOption,
    OpeningPliesOption,
    OpeningsOption,
    PatienceOption,
    PlayersArgument,
    RatingsPageOption,
)
from samuel.cli.progress import live
from samuel.cli.ratings import show_ratings

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.arena.pool import Added, Pool
    from samuel.arena.rating import Ratings

app = typer.Typer(
    help="Keep players rated against each other, and add new ones with few games.\n\n"
    "Example: samuel pool add runs/pool classic wpc runs/ridge --depth 4",
    no_args_is_help=True,
)
FolderArgument = Annotated[str, typer.Argument(help="Of the pool.")]
_UNKNOWN = 1000
"""Half the width of an interval, in Elo, that says nothing."""


@app.command("add")
@command("rating players")
def add(
    folder: FolderArgument,
    players: PlayersArgument = None,
    engine: EnginesOption = None,
    name: Annotated[str | None, typer.Option(help="What the pool calls a single player.")] = None,
    goal: Annotated[
        float | None,
        typer.Option(min=1, help="Half the width of the rating's interval, in Elo; 15 by default."),
    ] = None,
    most_pairs: Annotated[
        int | None,
        typer.Option(min=1, help="Of games, at which to stop in any case; 5000 by default."),
    ] = None,
    game: options.GameOption = None,
    depth: Annotated[
        int | None, typer.Option(min=1, help="Of a new pool: plies a move; 4, or fewer with dice.")
    ] = None,
    nodes: NodesOption = None,
    milliseconds: MillisecondsOption = None,
    method: Annotated[
        str | None, typer.Option(help="Of a new pool: how moves are chosen; as of a match.")
    ] = None,
    openings: OpeningsOption = None,
    opening_plies: OpeningPliesOption = None,
    exact_from: options.ExactOption = None,
    adjudicate: AdjudicateOption = None,
    patience: PatienceOption = None,
    report: RatingsPageOption = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=(1 << 32) - 1, help="Of a new pool: of every random choice; 0 by default."
        ),
    ] = None,
    jobs: options.JobsOption = -1,
    cluster: options.ClusterOption = None,
    json: options.JsonOption = False,
) -> None:
    """Add players to a pool, each with the games that its rating takes.

    The first players make the pool, and its terms: depth, nodes, time, openings, game, seed, when
    games are adjudicated (0, never, by default), the patience with engines (60 by default). Later
    ones need not repeat them. Interrupted, the same command goes on where it stopped.

    Example: samuel pool add runs/pool classic wpc runs/ridge --depth 4
    """
    from samuel.arena.engines import is_engine
    from samuel.arena.pool import POOL
    from samuel.arena.pool import add as add_to
    from samuel.arena.rating import GOAL, MOST_RATING_PAIRS
    from samuel.models import evaluator_names

    who = [*(players or ()), *(engine or ())]
    if not who:
        raise typer.BadParameter(
            "name the folder of the pool and a player to add: an evaluator, or an engine with "
            "--engine"
        )
    rules, _ = game_and_evaluators(game, *who)
    is_new = not (Path(folder) / POOL).exists()
    if is_new and (folder in evaluator_names(rules) or is_engine(folder)):
        raise typer.BadParameter(f"{folder} is a player: name the folder of the pool first")
    is_asked = game is not None or is_new
    with keeping_games(folder), on_cluster(cluster), live("pool") as show:
        pool = add_to(
            folder,
            who,
            name=name,
            goal=GOAL if goal is None else goal,
            most_pairs=MOST_RATING_PAIRS if most_pairs is None else most_pairs,
            jobs=jobs,
            progress=lambda added: show(lambda: _so_far(added), lambda: _so_far(added)),
            game=rules.name if is_asked else None,
            depth=depth,
            nodes=nodes,
            seconds=None if milliseconds is None else milliseconds / 1000,
            method=method,
            exact_from=exact_from,
            adjudicate_from=adjudicate,
            patience=patience,
            openings=openings,
            opening_plies=opening_plies,
            seed=seed,
        )
    _tell(pool, None, report, json)


def _so_far(added: Added) -> str:
    width = "?" if added.half_width > _UNKNOWN else f"{added.half_width:.0f}"
    return f"{added.name}: {added.games} games, +- {width} Elo of {added.goal:g}"


@app.command("remove")
@command("removing")
def remove(
    folder: FolderArgument,
    name: Annotated[str, typer.Argument(help="What the pool calls the player.")],
    json: options.JsonOption = False,
) -> None:
    """Take a player out of a pool, with all its games.

    Example: samuel pool remove runs/pool wpc
    """
    from samuel.arena.pool import remove as remove_from

    _tell(remove_from(folder, name), None, None, json)


@app.command("show")
@command("rating players")
def show_pool(
    folder: FolderArgument,
    anchor: AnchorOption = None,
    report: RatingsPageOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show the ratings and the cross table of a pool.

    Example: samuel pool show runs/pool --anchor classic --report runs/pool.html
    """
    from samuel.arena.pool import Pool

    _tell(Pool.open(folder), anchor, report, json)


def _tell(pool: Pool, anchor: str | None, report: str | None, json: bool) -> None:
    """Print the ratings of a pool, and write them as a page where one is asked for."""
    ratings = pool.ratings(anchor)
    if report is not None:
        from samuel.reports.tournament import write_tournament_page

        write_tournament_page(report, ratings, pool.games, title="Rating pool")
    emit(pool.as_dict(anchor), json, lambda console: _show(pool, ratings, console))


def _show(pool: Pool, ratings: Ratings, console: Console) -> None:
    if len(pool.entries) > 1:
        show_ratings(ratings, pool.games, console)
    else:
        console.print(f"{pool.names[0]}: {ratings.elo[0]:+z.0f} Elo; it has nobody to meet yet")
    unrated = [entry.name for entry in pool.entries if not entry.rated]
    if unrated:
        console.print(f"Not rated to the end: {', '.join(unrated)}.")
