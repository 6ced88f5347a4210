"""The options that say what is fitted, and to which rows: FitOptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli.options import Built, names_in, range_in

if TYPE_CHECKING:
    from samuel.learning.fitting.options import FitOptions

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
        "exact=X, X where the score is exact; rare=X, n^-X for a position that comes n times; "
        "close=X, 1 / (1 + (t / X)^2) for a target of t."
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
    str | None,
    typer.Option(
        help="Names of features, joined by commas, in place of the default ones; +NAME, or "
        "+NAME,NAME, adds to these. samuel models lists them."
    ),
]
StagesOption = Annotated[
    int | None, typer.Option(min=1, help="Stages to divide the game into; 1 for none.")
]
HeldOutOption = Annotated[float, typer.Option(help="Share of games to hold out and judge by.")]
DatasetGameOption = Annotated[
    str | None, typer.Option("--game", help="The game the dataset should be of, to make sure.")
]


def fitting_of(
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
) -> FitOptions:
    """Return the FitOptions that the options ask for."""
    from samuel.learning.fitting.options import FitOptions, weights_in

    return FitOptions(
        target=target,
        blend=blend,
        td_lambda=trace,
        weights=weights_in(weight or ""),
        dedupe=dedupe,
        augment=augment,
        plies=range_in(plies, "--plies"),
        remaining=range_in(remaining, "--remaining"),
        features=names_in(features),
        stages=stages,
    )


def target_of(
    target: TargetOption = "blend", blend: BlendOption = 0.5, stages: StagesOption = None
) -> FitOptions:
    """Return the FitOptions of a command that chooses features or shapes itself, from all rows."""
    return fitting_of(target, blend, stages=stages)


FittingOptions = Annotated["FitOptions", Built(fitting_of)]
TargetOptions = Annotated["FitOptions", Built(target_of)]
