"""`samuel models export` and `samuel models import`: models for, and of, other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from samuel.cli.common import busy, emit, game_and_evaluators, replacing_model
from samuel.cli.subcommands import subcommand
from samuel.options import Argument, Text, names_in

_LONG = 20_000_000
"""Bytes of a header; gcc takes 15 seconds for 31 MB, and 50 and 2.3 GB of memory for 131 MB."""


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

    Example: samuel models export runs/nnue --format c --out nnue.h

    Example: samuel models export runs/tuned --format csv --out weights.csv
    """
    from samuel.files import require_file
    from samuel.models.export import export_model

    rules, (name,) = game_and_evaluators(game, model)
    require_file(out)
    with busy("writing"):
        size = export_model(name, rules, format, Path(out))
    content = {"model": model, "format": format, "out": out, "bytes": size}

    def show(console: Any) -> None:
        console.print(f"{out}: {model} for {rules.name}, {size:,} bytes")
        if format == "c" and size > _LONG:
            console.print(
                "include the file in one source file only: compiling it needs minutes and gigabytes"
            )

    emit(content, json, show)


@subcommand("samuel.models.onnx_file:read_network", doing="importing")
def import_(
    *,
    path: Annotated[str, Argument()],
    features: Annotated[list[str], Text(names_in, "square_colours,mobility")],
    out: str,
    game: str = "othello",
    scale: float | None = None,
    json: bool = False,
) -> None:
    """Import a network that another program has trained as a model.

    The input of the network has the columns that `samuel.features.extract` returns. Its output is
    the score of the side to move in the game's unit. If it ends in a sigmoid, the output is the
    probability that this side wins.

    Example: samuel models import net.onnx --features square_colours,mobility --out runs/net

    Parameters
    ----------
    path
        ONNX file with a small network.
    out
        Folder of the model.
    scale
        Score per logit, for a network that ends in a sigmoid.
    game
        Game: a name, or a Python file that registers one.
    """
    from samuel.errors import UserError
    from samuel.games import game_named
    from samuel.models import save
    from samuel.models.onnx_file import read_network

    rules = game_named(game)
    with busy("reading"), replacing_model(out):
        network = read_network(path, features, rules)
        model = network[-1]
        if hasattr(model, "classes_") and scale is None:
            raise UserError(
                f"{path} ends in a sigmoid: give --scale, the units of score per logit, such "
                "as --scale 8"
            )
        about = {"imported": Path(path).name}
        save(out, network, name=Path(out).name, scale=scale, card=about)
    units = [len(weights) for weights in model.coefs_] + [1]
    content = {"model": out, "game": rules.name, "units": units, "activation": model.activation}
    said = f"{out}: a network of {' - '.join(map(str, units))} units, {model.activation}"
    emit(content, json, lambda console: console.print(said))
