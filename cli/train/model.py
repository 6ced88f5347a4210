"""`samuel train`."""

from __future__ import annotations

from typing import Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit, replacing_model
from samuel.cli.options.fitting import DatasetGameOption, FittingOptions, HeldOutOption
from samuel.options import as_written


@command("training")
def run(
    dataset: Annotated[str, typer.Argument(help="Folder that samuel selfplay wrote.")],
    out: Annotated[str, typer.Option(help="Folder for the model.")],
    model: Annotated[
        str, typer.Option(help="A recipe (samuel models), or FILE.py:function of your own.")
    ] = "ridge",
    *,
    fitting: FittingOptions,
    tune: Annotated[
        bool, typer.Option("--tune", help="Search for the best settings of the recipe first.")
    ] = False,
    trials: Annotated[
        int | None, typer.Option(min=1, help="Settings to try; 20 where no minutes are given.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="How long to try settings.")
    ] = None,
    stream: Annotated[
        bool,
        typer.Option(
            "--stream",
            help="Read the games anew at each pass, for data that does not fit in memory; models "
            "of patterns alone.",
        ),
    ] = False,
    held_out: HeldOutOption = 0.2,
    name: Annotated[str | None, typer.Option(help="What reports call the model.")] = None,
    game: DatasetGameOption = None,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
) -> None:
    """Fit an evaluator to a dataset, measure it on held-out games, and save it.

    Ctrl-C while settings are tried ends that, and the best so far are taken.

    Example: samuel train data/gen0 --model ridge --out runs/ridge

    samuel train data/gen0 --target td --trace 0.8 --out runs/td

    samuel train data/gen0 --weight late=1,exact=2,rare=0.5 --out runs/weighted

    samuel train data/gen0 --dedupe --augment --plies 10-50 --remaining 4-50 --out runs/some

    samuel train data/gen0 --tune --trials 30 --out runs/tuned

    samuel train data/gen0 --model boosting --tune --minutes 5 --out runs/boosting

    samuel train data/large --model logistello --stream --out runs/large
    """
    from samuel.cli.train.tables import show
    from samuel.errors import UserError

    if not tune and (trials is not None or minutes is not None):
        raise UserError("--trials and --minutes are for --tune")
    from samuel.learning.fitting.tuning import TRIALS
    from samuel.learning.training import train

    with replacing_model(out), busy("reading") as say:
        trained = train(
            dataset,
            model,
            fitting,
            trials=TRIALS if tune and minutes is None and trials is None else trials,
            minutes=minutes,
            stream=stream,
            held_out=held_out,
            seed=seed,
            game=game,
            out=out,
            name=name,
            progress=say,
        )
    content = {
        "model": trained.name,
        "out": out,
        "reads": trained.reads,
        "rows": trained.rows,
        "seconds": round(trained.seconds, 3),
        "fitting": as_written(trained.fitting),
        "metrics": trained.metrics,
        "baseline": trained.baseline,
        "tuning": trained.tuning and trained.tuning.as_dict(),
    }
    emit(content, json, lambda console: show(trained, console))
