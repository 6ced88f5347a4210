"""`samuel pool`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.arena_common import (
    AdjudicateOption,
    EnginesOption,
    OpeningPliesOption,
    OpeningsOption,
    PatienceOption,
    live,
    show_ratings,
)
from cli.common import (
    ClusterOption,
    ExactOption,
    GameOption,
    JobsOption,
    JsonOption,
    PluginOption,
    SeedOption,
    command,
    emit,
    game_and_evaluators,
    on_cluster,
    prepare,
)

if TYPE_CHECKING:
    from arena.pool import Added, Pool

app = typer.Typer(
    help="Keep players rated against each other, and add new ones with few games.",
    no_args_is_help=True,
)
FolderArgument = Annotated[str, typer.Argument(help="Of the pool.")]
AnchorOption = Annotated[
    str | None, typer.Option(help="A player whose rating is to be 0; by default the mean is.")
]


@app.command("add")
@command
def add(
    folder: FolderArgument,
    players: Annotated[
        list[str] | None, typer.Argument(help="Models of the package, or folders.")
    ] = None,
    engine: EnginesOption = None,
    name: Annotated[str | None, typer.Option(help="What the pool calls a single player.")] = None,
    goal: Annotated[
        float, typer.Option(min=1, help="Half the width of the rating's interval, in Elo.")
    ] = 15.0,
    most_pairs: Annotated[
        int, typer.Option(min=1, help="Of games, at which to stop in any case.")
    ] = 5000,
    game: GameOption = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Of a new pool: plies a move.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Of a new pool: nodes a move.")] = None,
    milliseconds: Annotated[
        float | None, typer.Option("--ms", min=0.01, help="Of a new pool: time a move.")
    ] = None,
    openings: OpeningsOption = None,
    opening_plies: OpeningPliesOption = None,
    exact_from: ExactOption = None,
    adjudicate: AdjudicateOption = 0,
    patience: PatienceOption = 60.0,
    report: Annotated[str | None, typer.Option(help="An HTML page with tables and plot.")] = None,
    seed: SeedOption = 0,
    jobs: JobsOption = -1,
    cluster: ClusterOption = None,
    plugin: PluginOption = None,
    json: JsonOption = False,
) -> None:
    """Add players to a pool, each with the games that its rating takes.

    The first players make the pool, and its terms: depth, openings, game. Interrupted, the same
    command goes on where it stopped.

    Example: samuel pool add runs/pool classic wpc runs/ridge --depth 4
    """
    prepare(plugin)
    from arena.pool import add as add_to
    from arena.pool_folder import POOL, Settings
    from errors import UserError
    from files import require_file

    who = [*(players or ()), *(engine or ())]
    if not who:
        raise typer.BadParameter("name a player to add: an evaluator, or an engine with --engine")
    if name is not None and len(who) > 1:
        raise UserError("one name is for one player; add them one at a time to name them")
    if report is not None:
        require_file(report)
    unlimited = depth is None and nodes is None and milliseconds is None
    settings = Settings(
        game=game_and_evaluators(game, *who)[0].name,
        depth=4 if unlimited else depth,
        nodes=nodes,
        seconds=None if milliseconds is None else milliseconds / 1000,
        exact_from=exact_from,
        adjudicate_from=adjudicate,
        patience=patience,
        openings=openings,
        opening_plies=opening_plies,
        seed=seed,
    )
    as_it_was = settings == Settings(game=settings.game)
    from pathlib import Path

    is_there = (Path(folder) / POOL).exists()
    with on_cluster(cluster), live() as show:

        def follow(added: Added) -> None:
            show(
                lambda: (
                    f"{added.name}: {added.games} games, +- {added.half_width:.0f} Elo of {goal:g}"
                )
            )

        for one in who:
            pool = add_to(
                folder,
                one,
                name=name,
                settings=None if is_there and as_it_was else settings,
                goal=goal,
                most_pairs=most_pairs,
                jobs=jobs,
                progress=follow,
            )
    _report(pool, None, report)
    emit(pool.as_dict(), json, lambda console: show_ratings(pool.ratings(), pool.games, console))


@app.command("show")
@command
def show_pool(
    folder: FolderArgument,
    anchor: AnchorOption = None,
    report: Annotated[str | None, typer.Option(help="An HTML page with tables and plot.")] = None,
    plugin: PluginOption = None,
    json: JsonOption = False,
) -> None:
    """Show the ratings and the cross table of a pool.

    Example: samuel pool show runs/pool --anchor classic --report runs/pool.html
    """
    prepare(plugin)
    from arena.pool import Pool
    from files import require_file

    if report is not None:
        require_file(report)
    pool = Pool.open(folder)
    _report(pool, anchor, report)
    emit(
        pool.as_dict(anchor),
        json,
        lambda console: show_ratings(pool.ratings(anchor), pool.games, console),
    )


def _report(pool: Pool, anchor: str | None, path: str | None) -> None:
    if path is not None:
        from reports.tournament import write_tournament_page

        write_tournament_page(path, pool.ratings(anchor), pool.games, title="Rating pool")
