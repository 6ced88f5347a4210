"""`samuel train`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli.common import (
    JsonOption,
    PluginOption,
    SeedOption,
    busy,
    command,
    emit,
    prepare,
    range_in,
    replacing_model,
)

if TYPE_CHECKING:
    from samuel.learning.fitting.fitting import Fitting

TargetOption = Annotated[
    str,
    typer.Option(
        help="What to learn: the outcome, the score of the search, exact scores alone, a blend of "
        "score and outcome, or td: the scores that follow, averaged toward the outcome."
    ),
]
BlendOption = Annotated[float, typer.Option(min=0, max=1, help="Weight of the score in a blend.")]
TraceOption = Annotated[
    float,
    typer.Option(min=0, max=1, help="Lambda of td: 0 is the score alone, 1 the outcome alone."),
]
WeightOption = Annotated[
    str | None,
    typer.Option(
        help="How much rows count, joined by commas: late=X, rising from 1 to 1 + X over the game; "
        "exact=X, X where the score is exact; rare=X, n^-X for a position that comes n times."
    ),
]
DedupeOption = Annotated[
    bool,
    typer.Option(
        "--dedupe", help="Make positions that are the same up to symmetry one, targets averaged."
    ),
]
AugmentOption = Annotated[
    bool, typer.Option("--augment", help="Learn from every position in all its symmetric images.")
]
PliesOption = Annotated[
    str | None, typer.Option(help="Learn only from plies A-B, such as 20-40; judge by all.")
]
RemainingOption = Annotated[
    str | None, typer.Option(help="Learn only from A-B squares remaining; judge by all.")
]
FeaturesOption = Annotated[
    str | None, typer.Option(help="Names of features, joined by commas; samuel models lists them.")
]
StagesOption = Annotated[
    int | None, typer.Option(min=1, help="Stages to divide the game into; 1 for none.")
]
HeldOutOption = Annotated[float, typer.Option(help="Share of games to hold out and judge by.")]
DatasetGameOption = Annotated[
    str | None, typer.Option("--game", help="The game the dataset should be of, to make sure.")
]


@command
def run(
    dataset: Annotated[str, typer.Argument(help="Folder that samuel selfplay wrote.")],
    out: Annotated[str, typer.Option(help="Folder for the model.")],
    model: Annotated[
        str, typer.Option(help="A recipe (samuel models), or FILE.py:function of your own.")
    ] = "ridge",
    target: TargetOption = "blend",
    blend: BlendOption = 0.5,
    trace: TraceOption = 0.7,
    weight: WeightOption = None,
    dedupe: DedupeOption = False,
    augment: AugmentOption = False,
    plies: PliesOption = None,
    remaining: RemainingOption = None,
    features: FeaturesOption = None,
    stages: StagesOption = None,
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
    seed: SeedOption = 0,
    plugin: PluginOption = None,
    json: JsonOption = False,
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
    prepare(plugin)
    from samuel.cli.train_tables import show
    from samuel.errors import UserError

    if not tune and (trials is not None or minutes is not None):
        raise UserError("--trials and --minutes are for --tune")
    fitting = fitting_of(
        target, blend, trace, weight, dedupe, augment, plies, remaining, features, stages
    )
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
        "rows": trained.rows,
        "seconds": round(trained.seconds, 3),
        "fitting": vars(trained.fitting),
        "metrics": trained.metrics,
        "baseline": trained.baseline,
        "tuning": trained.tuning and trained.tuning.as_dict(),
    }
    emit(content, json, lambda console: show(trained, console))


def fitting_of(
    target: str,
    blend: float,
    trace: float,
    weight: str | None,
    dedupe: bool,
    augment: bool,
    plies: str | None,
    remaining: str | None,
    features: str | None,
    stages: int | None,
) -> Fitting:
    """Return the Fitting that the options ask for."""
    from samuel.learning.fitting.fitting import Fitting

    return Fitting(
        target=target,
        blend=blend,
        trace=trace,
        weights=_numbers(weight),
        dedupe=dedupe,
        augment=augment,
        plies=range_in(plies, "--plies"),
        remaining=range_in(remaining, "--remaining"),
        features=names_in(features),
        stages=stages,
    )


def _numbers(text: str | None) -> dict[str, float]:
    """Return the numbers of a list such as late=0.5,exact=2."""
    from samuel.errors import UserError

    pairs = [part.partition("=") for part in names_in(text) or []]
    try:
        return {name.strip(): float(number) for name, _, number in pairs}
    except ValueError:
        raise UserError(f"--weight takes a list such as late=0.5,exact=2, not {text}") from None


def names_in(text: str | None) -> list[str] | None:
    """Return the names of a list joined by commas; None for None."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]
