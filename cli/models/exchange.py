"""`samuel models export`, `import`, `rote` and `check`: files of models, and checks of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from samuel.cli.common import busy, emit, game_and_evaluators, replacing_model, result_command
from samuel.cli.options import Given, subcommand
from samuel.common.options import Argument


@subcommand("samuel.models.export:export_model", doing="exporting")
def export(
    *,
    model: Annotated[str, Argument()],
    out: str,
    format: str,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Run `samuel models export`.

    Example: samuel models export runs/edax --format edax --out eval.dat

    Example: samuel models export learned --format c --out learned.h

    Example: samuel models export learned --game backgammon --format onnx --out learned.onnx

    Example: samuel models export runs/nnue --format bullet --out quantised.bin

    Example: samuel models export runs/tuned --format csv --out weights.csv
    """
    from samuel.models.export import export_model

    rules, (name,) = game_and_evaluators(game, model)
    with busy("writing"):
        size = export_model(name, rules, format, Path(out))
    content = {"model": model, "format": format, "out": out, "bytes": size}

    emit(content, json)


@subcommand("samuel.models.imported:import_model", doing="importing")
def import_(given: Given, *, out: str, json: bool = False) -> None:
    """Run `samuel models import`.

    Example: samuel models import quantised.bin --out runs/net
    """
    from samuel.models.imported import import_model

    with busy("reading"), replacing_model(out):
        network = import_model(out=out, **given)
    units, activation = [768, network.units, 1], network.activation
    content = {"model": out, "game": network.game, "units": units, "activation": activation}
    emit(content, json)


rote = result_command(
    "models rote",
    "samuel.models.rote.summary:describe_store",
    "reading",
    "Example: samuel models rote runs/rote/best.rote",
)
check = result_command(
    "models check",
    "samuel.testing.check:check",
    "checking",
    "Example: samuel models check examples/custom_game.py examples/custom_feature.py",
    "Example: samuel models check --game connect_four --evaluator classic",
    "Example: samuel models check --evaluator runs/ridge",
)
