"""`samuel compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.common import JsonOption, PluginOption, SeedOption, command, emit, prepare, progress
from cli.train import (
    BlendOption,
    DatasetGameOption,
    FeaturesOption,
    HeldOutOption,
    StagesOption,
    TargetOption,
    names_in,
)

if TYPE_CHECKING:
    from rich.console import Console

    from reports import Comparison

_HEADINGS = "model", "R2", "error", "log loss", "Brier", "rank", "ns", "size", "fit s"


@command
def run(
    dataset: Annotated[str, typer.Argument(help="Folder that samuel selfplay wrote.")],
    models: Annotated[
        str,
        typer.Option(
            help="Joined by commas: recipes and FILE.py:function, which are trained; folders of "
            "models and hand-made evaluators, which are only measured."
        ),
    ] = "ridge,logistic,boosting,mlp,classic",
    report: Annotated[
        str | None, typer.Option(help="Write a page with pictures (HTML) to this file.")
    ] = None,
    target: TargetOption = "blend",
    blend: BlendOption = 0.5,
    features: FeaturesOption = None,
    stages: StagesOption = None,
    held_out: HeldOutOption = 0.2,
    game: DatasetGameOption = None,
    seed: SeedOption = 0,
    plugin: PluginOption = None,
    json: JsonOption = False,
) -> None:
    """Compare models on the same held-out games, the best first.

    Example: samuel compare data/gen0 --models ridge,mlp,classic --report runs/compare.html
    """
    prepare(plugin)
    from reports import compare, write_page

    names = names_in(models) or []
    begun: list[str] = []
    with progress("compare", len(names)) as advance:

        def show_progress(model: str) -> None:
            advance(len(begun), model)
            begun.append(model)

        comparison = compare(
            dataset,
            names,
            target=target,
            blend=blend,
            features=names_in(features),
            stages=stages,
            held_out=held_out,
            seed=seed,
            game=game,
            progress=show_progress,
        )
    if report is not None:
        write_page(report, comparison)
    rows = [m.row | {"rows": m.metrics["rows"], "note": m.note} for m in comparison.models]
    content: dict[str, Any] = {"models": rows, "report": report}
    emit(content, json, lambda console: _show(comparison, report, console))


def _show(comparison: Comparison, report: str | None, console: Console) -> None:
    from rich.table import Table

    from reports.page import model_table

    _, rows = model_table(comparison)
    unit = comparison.split.game.unit
    table = Table(title=f"{len(comparison.split.held_out):,} held-out positions (error in {unit})")
    for number, label in enumerate(_HEADINGS):
        table.add_column(label, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for model in comparison.models:
        if model.note:
            console.print(f"{model.name}: {model.note}")
    if report is not None:
        console.print(f"report: {report}")
