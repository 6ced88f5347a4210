"""`samuel models import`."""

from __future__ import annotations

from typing import Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit, replacing_model
from samuel.errors import UserError


@command("importing")
def run(
    file: Annotated[str, typer.Argument(help="A file of ONNX with a small network.")],
    features: Annotated[
        str, typer.Option(help="What it reads, in its order, joined by commas; see samuel models.")
    ],
    out: Annotated[str, typer.Option("--out", help="The model's folder.")],
    game: Annotated[str, typer.Option("--game", help="The game: a name, or a Python file.")] = (
        "othello"
    ),
    scale: Annotated[
        float | None,
        typer.Option(help="Of a network that ends in a sigmoid: units of score per logit."),
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """Make a model of a network that another program has trained.

    Its input is what `samuel.features.extract` returns for those features; its output the score of
    the side to move, in the game's unit, or, where it ends in a sigmoid, whether that side wins.

    Example: samuel models import net.onnx --features square_colours,mobility --out runs/net
    """
    from pathlib import Path

    from samuel.games import game_named
    from samuel.models import save
    from samuel.models.onnx_file import read_network

    rules = game_named(game)
    with busy("reading"), replacing_model(out):
        network = read_network(file, options.names_in(features) or [], rules)
        model = network[-1]
        if hasattr(model, "classes_") and scale is None:
            raise UserError(
                f"{file} ends in a sigmoid: say with --scale how many units of score a logit is "
                "worth, such as --scale 8"
            )
        about = {"imported": Path(file).name}
        save(out, network, name=Path(out).name, scale=scale, card=about)
    units = [len(weights) for weights in model.coefs_] + [1]
    content = {"model": out, "game": rules.name, "units": units, "activation": model.activation}
    said = f"{out}: a network of {' - '.join(map(str, units))} units, {model.activation}"
    emit(content, json, lambda console: console.print(said))
