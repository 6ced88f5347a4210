"""`samuel selfplay`."""

from __future__ import annotations

import time
from typing import Annotated, Any

from samuel.cli.common import Jobs, emit, game_and_evaluators, keeping_games, on_cluster, progress
from samuel.cli.options import Given, subcommand
from samuel.cli.progress import Pace
from samuel.common.options import Range


@subcommand("samuel.selfplay.generate:generate", doing="self-play")
def run(
    given: Given,
    *,
    evaluator: str | None = None,
    out: str,
    games: Annotated[int, Range(1, 100_000_000)] = 2000,
    jobs: Jobs = -1,
    cluster: str | None = None,
    json: bool = False,
) -> None:
    """Run `samuel selfplay`.

    Example: samuel selfplay --evaluator classic --depth 4 --games 2000 --seed 1 --out data/gen0
    """
    rules, (player,) = game_and_evaluators(given.pop("game", None), evaluator)
    from samuel.kernels.waiting import compiling
    from samuel.selfplay.generate import generate

    began, compiled = time.perf_counter(), compiling.seconds
    pace = Pace()
    with keeping_games(out), on_cluster(cluster), progress("self-play", games) as advance:

        def show_progress(done: int, rows: int) -> None:
            advance(done, f"{rows:,} positions, {pace.rate(done):,.0f} games/s")

        dataset = generate(
            games=games,
            out=out,
            game=rules.name,
            evaluator=player,
            jobs=jobs,
            progress=show_progress,
            **given,
        )
    content: dict[str, Any] = {
        "games": dataset.games,
        "positions": len(dataset),
        "seconds": round(time.perf_counter() - began - (compiling.seconds - compiled), 3),
        "out": out,
    }
    emit(content, json)
