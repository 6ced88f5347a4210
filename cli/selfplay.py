"""`samuel selfplay`."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, game_and_evaluators, on_cluster, progress, say_what_is_kept
from samuel.cli.progress import Pace
from samuel.kernels.waiting import compiling


@command("self-play")
def run(
    out: Annotated[str, typer.Option("--out", help="Folder of the dataset.")],
    evaluator: options.EvaluatorOption = None,
    game: options.GameOption = None,
    depth: Annotated[
        int | None,
        typer.Option(min=1, help="Plies of search a move; by default 4, fewer with dice."),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Games in all.")] = 2000,
    seed: options.SeedOption = 0,
    nodes: Annotated[int | None, typer.Option(min=1, help="About so many nodes a move.")] = None,
    exact_from: options.ExactOption = None,
    opening_plies: Annotated[
        int | None, typer.Option(min=0, help="Random moves at the start, not recorded.")
    ] = None,
    explore: Annotated[
        float, typer.Option(min=0, max=1, help="Share of random moves in the game.")
    ] = 0.0,
    temperature: Annotated[
        float, typer.Option(min=0, help="Draw moves by exp(score / temperature).")
    ] = 0.0,
    method: options.MethodOption = "alphabeta",
    jobs: options.JobsOption = -1,
    cluster: options.ClusterOption = None,
    json: options.JsonOption = False,
) -> None:
    """Play games and keep their positions with what they led to.

    Interrupted, the same command goes on where it stopped, and ends with the same rows.

    Example: samuel selfplay --evaluator classic --depth 4 --games 2000 --seed 1 --out data/gen0
    """
    rules, (player,) = game_and_evaluators(game, evaluator)
    from samuel.selfplay import SelfplayPlan, generate

    plan = SelfplayPlan(
        game=rules.name,
        evaluator=player,
        depth=depth or rules.defaults.depth,
        seed=seed,
        nodes=nodes,
        exact_from=exact_from,
        opening_plies=opening_plies,
        epsilon=explore,
        temperature=temperature,
        method=method,
    )
    began, compiled = time.perf_counter(), compiling.seconds
    pace = Pace()
    try:
        with on_cluster(cluster), progress("self-play", games) as advance:

            def show_progress(done: int, rows: int) -> None:
                advance(done, f"{rows:,} positions, {pace.rate(done):,.0f} games/s")

            dataset = generate(plan, games, out, jobs=jobs, progress=show_progress)
    except KeyboardInterrupt:
        say_what_is_kept(out)
        raise
    content: dict[str, Any] = {
        "games": dataset.games,
        "positions": len(dataset),
        "seconds": round(time.perf_counter() - began - (compiling.seconds - compiled), 3),
        "out": out,
    }
    emit(
        content,
        json,
        lambda console: console.print(
            f"{dataset.games:,} games, {len(dataset):,} positions in {out}"
            f" ({content['seconds']:.1f} s)"
        ),
    )
