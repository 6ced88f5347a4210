"""`samuel train`."""

from __future__ import annotations

from samuel.cli.common import busy, emit, replacing_model
from samuel.cli.subcommands import Given, subcommand
from samuel.options import as_written


@subcommand("samuel.learning.training:train", doing="training")
def run(given: Given, *, out: str, tune: bool = False, json: bool = False) -> None:
    """Run `samuel train`.

    Ctrl-C while settings are tried ends that, and the best so far are taken.

    Example: samuel train data/gen0 --model ridge --out runs/ridge

    Example: samuel train data/gen0 --target td --lambda 0.8 --out runs/td

    Example: samuel train data/gen0 --weight late=1,exact=2,rare=0.5 --out runs/weighted

    Example: samuel train data/gen0 --dedupe --augment --plies 10-50 --remaining 4-50 --out X

    Example: samuel train data/gen0 --tune --trials 30 --out runs/tuned

    Example: samuel train data/gen0 --model boosting --tune --minutes 5 --out runs/boosting

    Example: samuel train data/large --model logistello --stream --out runs/large

    Parameters
    ----------
    out
        Folder for the model.
    tune
        Search for the best settings of the recipe first: 20, or for --trials, or for --minutes.
    """
    from samuel.cli.train.tables import show
    from samuel.errors import UserError

    if tune and not given.keys() & {"trials", "minutes"}:
        from samuel.learning.fitting.tuning import TRIALS

        given["trials"] = TRIALS
    elif not tune and given.keys() & {"trials", "minutes"}:
        raise UserError("--trials and --minutes are for --tune")
    from samuel.learning.training import train

    with replacing_model(out), busy("reading") as say:
        trained = train(out=out, progress=say, **given)
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
