"""`samuel grow`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import busy, emit, print_table, replacing_model
from samuel.cli.subcommands import Given, subcommand
from samuel.common.options import Argument

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.growth.growth import FittedPatterns, Growth

SHAPES = "shapes.txt"
"""The file of the shapes, in the folder of the model."""


@subcommand(
    "samuel.learning.growth.growth:grow",
    doing="growing",
    without=("weights", "dedupe", "features", "parameters"),
)
def run(
    given: Given,
    *,
    dataset: Annotated[str, Argument()],
    out: str,
    report: str | None = None,
    json: bool = False,
) -> None:
    """Run `samuel grow`.

    Example: samuel grow data/gen0 --out runs/grown --report runs/grown.html

    Example: samuel grow data/gen0 --weights 10000 --seconds 600 --out runs/large

    Example: samuel match runs/grown classic

    Parameters
    ----------
    out
        Folder for the model and shapes.txt.
    """
    from pathlib import Path

    from samuel.common.files import whole
    from samuel.learning.fitting.split import Split
    from samuel.learning.growth.growth import grow, shapes_text
    from samuel.learning.training import _about
    from samuel.models.saved.saving import require_room, save

    folder = Path(out)
    require_room(folder)
    with busy("reading") as say:
        asked = {name: given.pop(name) for name in ("held_out", "seed", "game") if name in given}
        split = Split.of(dataset, **asked)
        growth = grow(split, progress=say, **given)
        say("saving")
        shapes = growth.grown.patterns.shapes
        card = {
            "recipe": "grow",
            "unit": split.game.unit,
            "target": growth.fitting.target,
            "blend": growth.fitting.blend,
            "stages": growth.stages,
            "seed": split.seed,
            "held_out": split.share,
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
        "grown": _as_dict(growth.grown),
        "references": [_as_dict(fitted) for fitted in growth.references],
        "shapes": [vars(shape) for shape in shapes],
        "steps": [asdict(step) for step in growth.steps],
        "budget": growth.budget,
        "stages": growth.stages,
        "rows": growth.rows,
        "ended": growth.ended,
        "seconds": round(growth.seconds, 3),
    }
    emit(content, json, lambda console: _show(growth, out, report, console))


def _as_dict(fitted: FittedPatterns) -> dict[str, Any]:
    return {
        "name": fitted.name,
        "shapes": len(fitted.patterns.shapes),
        "configurations": fitted.patterns.size,
        "weights": fitted.patterns.n_weights,
        "instances": len(fitted.patterns.instances),
        "aside_r2": fitted.aside_r2,
        "metrics": fitted.metrics,
    }


def _show(growth: Growth, out: str, report: str | None, console: Console) -> None:
    from samuel.reports.growth import set_table, step_table, verdict

    print_table("Steps (R2 on validation games)", step_table(growth), console, words=3)
    print_table("On held-out games", set_table(growth), console)
    console.print(verdict(growth))
    console.print(f"saved in {out}; shapes in {out}/{SHAPES}")
    if report is not None:
        console.print(f"report: {report}")
