"""`samuel dataset relabel`."""

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
