"""`samuel train`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.common import JsonOption, PluginOption, SeedOption, busy, command, emit, prepare

if TYPE_CHECKING:
    from rich.console import Console

    from train import Trained

TargetOption = Annotated[
    str, typer.Option(help="What to learn: outcome, score (of the search), or a blend of both.")
]
BlendOption = Annotated[float, typer.Option(min=0, max=1, help="Weight of the score in a blend.")]
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
    features: FeaturesOption = None,
    stages: StagesOption = None,
    held_out: HeldOutOption = 0.2,
    name: Annotated[str | None, typer.Option(help="What reports call the model.")] = None,
    game: DatasetGameOption = None,
    seed: SeedOption = 0,
    plugin: PluginOption = None,
    json: JsonOption = False,
) -> None:
    """Fit an evaluator to a dataset, measure it on held-out games, and save it.

    Example: samuel train data/gen0 --model ridge --out runs/ridge
    """
    prepare(plugin)
    from train import train

    with busy("reading") as say:
        trained = train(
            dataset,
            model,
            target=target,
            blend=blend,
            features=names_in(features),
            stages=stages,
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
        "metrics": trained.metrics,
        "baseline": trained.baseline,
    }
    emit(content, json, lambda console: _show(trained, console))


def names_in(text: str | None) -> list[str] | None:
    """Return the names of a list joined by commas; None for None."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _show(trained: Trained, console: Console) -> None:
    from rich.table import Table

    unit = trained.card["unit"]
    maker = trained.card["data"]["settings"]["evaluator"]
    table = Table(title=f"{trained.name} on {trained.metrics['rows']:,} held-out positions")
    labels = {
        "r2": "R2",
        "mae": f"error ({unit})",
        "log_loss": "log loss",
        "brier": "Brier",
        "rank_correlation": "rank",
    }
    table.add_column("")
    for label in labels.values():
        table.add_column(label, justify="right")
    rows: dict[str, Any] = {trained.name: trained.metrics}
    if trained.baseline is not None:
        rows[f"{maker}, which played"] = trained.baseline
    for name, metrics in rows.items():
        table.add_row(name, *(_number(metrics[key]) for key in labels))
    for stage in reversed(trained.metrics["stages"]):
        squares = f"  {stage['least']} to {stage['most']} left"
        table.add_row(squares, *(_number(stage[key]) for key in labels))  # type: ignore[literal-required]
    console.print(table)
    console.print(
        f"fitted to {trained.rows:,} positions in {trained.seconds:.1f} s; saved in {trained.out}"
    )
    console.print("All figures are against the outcomes of held-out games, whatever the target.")
    if trained.baseline and trained.baseline["log_loss"] < trained.metrics["log_loss"]:
        console.print(f"It predicts worse than {maker}, which played: more games may help.")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
