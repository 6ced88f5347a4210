"""`samuel models export` and `samuel models import`: models for, and of, other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from samuel.cli.common import busy, emit, game_and_evaluators, replacing_model
from samuel.cli.options import subcommand
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
    from samuel.common.files import require_file
    from samuel.models.export import export_model

    rules, (name,) = game_and_evaluators(game, model)
    require_file(out)
    with busy("writing"):
        size = export_model(name, rules, format, Path(out))
    content = {"model": model, "format": format, "out": out, "bytes": size}

    emit(content, json)


@subcommand(doing="importing")
def import_(
    *,
    path: Annotated[str, Argument()],
    out: str,
    activation: str = "screlu",
    json: bool = False,
) -> None:
    """Import a network of chess that bullet has trained as a model.

    The file is a quantised.bin of a network with 768 inputs, two halves and one output.

    Example: samuel models import quantised.bin --out runs/net

    Parameters
    ----------
    path
        File to import.
    out
        Folder of the model.
    activation
        Activation that the network was trained with: screlu or crelu.
    """
    from samuel.models import save
    from samuel.models.bullet_file import read_bullet

    with busy("reading"), replacing_model(out):
        network = read_bullet(path, activation)  # type: ignore[arg-type]
        save(out, network, name=Path(out).name, card={"imported": Path(path).name})
    units, activation = [768, network.units, 1], network.activation
    content = {"model": out, "game": network.game, "units": units, "activation": activation}
    emit(content, json)
