"""`samuel dataset relabel` and `reference`."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import game_and_evaluators, progress, say_what_is_kept
from samuel.cli.dataset.common import FolderArgument, OutOption, dataset_in, emit_made


@command("relabelling")
def relabel(
    folder: FolderArgument,
    out: OutOption,
    depth: Annotated[
        int | None,
        typer.Option(min=1, help="Plies of search a position; by default 4, fewer with dice."),
    ] = None,
    evaluator: options.EvaluatorOption = None,
    exact_from: options.ExactOption = None,
    method: options.MethodOption = "alphabeta",
    jobs: options.JobsOption = -1,
    json: options.JsonOption = False,
) -> None:
    """Search every position again, deeper or with a better evaluator; exact scores stay.

    Interrupted, the same command goes on where it stopped, and ends with the same rows.

    Example: samuel dataset relabel data/gen0 --depth 8 --evaluator runs/ridge --out data/deep
    """
    from samuel.selfplay import relabel

    began, data = time.perf_counter(), dataset_in(folder)
    _, (judge,) = game_and_evaluators(data.game.name, evaluator)
    try:
        with progress("searching", len(data)) as advance:
            labelled = relabel(
                data,
                out,
                judge,
                depth=depth or data.game.defaults.depth,
                exact_from=exact_from,
                method=method,
                jobs=jobs,
                progress=advance,
            )
    except KeyboardInterrupt:
        say_what_is_kept(out)
        raise
    emit_made(labelled, began, json)


@command("searching")
def reference(
    folder: FolderArgument,
    out: OutOption,
    depth: Annotated[int, typer.Option(min=1, help="Plies of search a position.")] = 12,
    evaluator: options.EvaluatorOption = None,
    exact_from: options.ExactOption = None,
    left: Annotated[
        str | None,
        typer.Option(
            help="At how much that is left of the games, joined by commas, such as 44,32,20; by "
            "default ten counts over most of the game."
        ),
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Positions at each.")] = 100,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = -1,
    json: options.JsonOption = False,
) -> None:
    """Draw a few positions at each stage of the games and search them deep: a yardstick.

    samuel evaluate and samuel compare say with --reference how far evaluators are from it, stage
    by stage. Each position is of a game of its own. Take the best evaluator there is, and as deep a
    search as you can wait for; interrupted, the same command goes on where it stopped.

    Example: samuel dataset reference data/others --depth 10 --exact-from 20 --out data/reference
    """
    from samuel.selfplay import reference_set
    from samuel.selfplay.reference import usual_left

    began, data = time.perf_counter(), dataset_in(folder)
    _, (judge,) = game_and_evaluators(data.game.name, evaluator)
    counts = usual_left(data.game) if left is None else options.counts_in(left, "--left")
    try:
        with progress("searching", count * len(counts)) as advance:
            made = reference_set(
                data,
                out,
                judge,
                depth=depth,
                exact_from=exact_from,
                left=counts,
                count=count,
                seed=seed,
                jobs=jobs,
                progress=advance,
            )
    except KeyboardInterrupt:
        say_what_is_kept(out)
        raise
    emit_made(made, began, json)
