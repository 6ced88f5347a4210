"""`samuel grow`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit, print_table, replacing_model
from samuel.cli.options.fitting import DatasetGameOption, HeldOutOption, TargetOptions

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.growth.growth import Growth, Judged

SHAPES = "shapes.txt"
"""The file of the shapes, in the folder of the model."""


@command("growing")
def run(
    dataset: Annotated[str, typer.Argument(help="Folder that samuel selfplay wrote.")],
    out: Annotated[str, typer.Option(help=f"Folder for the model, and for {SHAPES}.")],
    weights: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Configurations of all shapes at most, at each stage, before symmetries fold "
            "them; by default the weights of tuples2 after that (264 in Othello).",
        ),
    ] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Add so many shapes at most.")] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="Add shapes for so long at most.")
    ] = None,
    rows: Annotated[
        int, typer.Option(min=100, help="Positions to fit to while shapes are added, at most.")
    ] = 300_000,
    report: options.PageOption = None,
    *,
    fitting: TargetOptions,
    held_out: HeldOutOption = 0.2,
    game: DatasetGameOption = None,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = 1,
    json: options.JsonOption = False,
) -> None:
    """Grow patterns from single squares, a square at a time, each where it explains most.

    Ctrl-C while shapes are added ends that, and those found so far are taken; once more, and they
    are compared with no further set.

    Example: samuel grow data/gen0 --out runs/grown --report runs/grown.html

    samuel grow data/gen0 --weights 10000 --seconds 600 --out runs/large

    samuel match runs/grown classic
    """
    from pathlib import Path

    from samuel.files import whole
    from samuel.learning.fitting.split import Split
    from samuel.learning.growth.growth import grow, shapes_text
    from samuel.learning.training import _about
    from samuel.models.saved.saving import require_room, save

    folder = Path(out)
    require_room(folder)
    with busy("reading") as say:
        split = Split.of(dataset, held_out=held_out, seed=seed, game=game)
        growth = grow(
            split,
            fitting=fitting,
            budget=weights,
            steps=steps,
            seconds=seconds,
            rows=rows,
            n_jobs=jobs,
            progress=say,
        )
        say("saving")
        shapes = growth.grown.patterns.shapes
        card = {
            "recipe": "grow",
            "unit": split.game.unit,
            "target": fitting.target,
            "blend": fitting.blend,
            "stages": growth.stages,
            "seed": seed,
            "held_out": held_out,
            "data": _about(split),
            "rows": growth.rows,
            "metrics": growth.grown.metrics,
        }
        with replacing_model(out):
            save(folder, growth.grown.estimator, name=folder.name, card=card)
        with whole(folder / SHAPES) as partial:
            about = f"grown by samuel grow from {growth.rows:,} positions of {split.game.name}"
            partial.write_text(shapes_text(shapes, about), encoding="utf-8")
        if report is not None:
            say("drawing")
            from samuel.reports.growth import write_growth

            write_growth(report, growth, split)
    content = {
        "out": out,
        "file": str(folder / SHAPES),
        "report": report,
        "grown": _judged(growth.grown),
        "references": [_judged(judged) for judged in growth.references],
        "shapes": [vars(shape) for shape in shapes],
        "steps": [asdict(step) for step in growth.steps],
        "budget": growth.budget,
        "stages": growth.stages,
        "rows": growth.rows,
        "ended": growth.ended,
        "seconds": round(growth.seconds, 3),
    }
    emit(content, json, lambda console: _show(growth, out, report, console))


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "name": judged.name,
        "shapes": len(judged.patterns.shapes),
        "configurations": judged.patterns.size,
        "weights": judged.patterns.n_weights,
        "instances": len(judged.patterns.instances),
        "aside_r2": judged.aside_r2,
        "metrics": judged.metrics,
    }


def _show(growth: Growth, out: str, report: str | None, console: Console) -> None:
    from samuel.reports.growth import set_table, step_table, verdict

    print_table("Steps, R2 on training games set aside", step_table(growth), console, words=3)
    print_table("On held-out games", set_table(growth), console)
    console.print(verdict(growth))
    console.print(f"saved in {out}, the shapes in {out}/{SHAPES}")
    if report is not None:
        console.print(f"report: {report}")
