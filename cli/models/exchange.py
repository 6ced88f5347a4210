"""`samuel models export` and `samuel models import`: models for, and of, other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import busy, emit, game_and_evaluators, replacing_model
from samuel.cli.subcommands import MisuseError, subcommand
from samuel.common.options import Argument, Text, names_in

if TYPE_CHECKING:
    from samuel.games import Game

_IMPORTED = {"onnx": "othello", "bullet": "chess"}
"""Formats of files that are imported, and the game of each unless another is given."""

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

    def show(console: Any) -> None:
        console.print(f"{out}: {model} for {rules.name}, {size:,} bytes")
        if format == "c" and size > _LONG:
            console.print(
                "include the file in one source file only: compiling it needs minutes and gigabytes"
            )

    emit(content, json, show)


@subcommand(doing="importing")
def import_(
    *,
    path: Annotated[str, Argument()],
    out: str,
    format: str = "onnx",
    features: Annotated[list[str] | None, Text(names_in, "square_colours,mobility")] = None,
    activation: str | None = None,
    game: str | None = None,
    scale: float | None = None,
    json: bool = False,
) -> None:
    """Import a network that another program has trained as a model.

    The input of a network in ONNX has the columns that `samuel.features.extract` returns. Its
    output is the score of the side to move in the game's unit. If it ends in a sigmoid, the output
    is the probability that this side wins.

    A quantised.bin of bullet (--format bullet) is a network of chess with 768 inputs, two halves
    and one output.

    Example: samuel models import net.onnx --features square_colours,mobility --out runs/net

    Example: samuel models import quantised.bin --format bullet --out runs/net

    Parameters
    ----------
    path
        File to import.
    out
        Folder of the model.
    format
        Format of the file: onnx, or bullet (quantised.bin).
    features
        Features that a network in ONNX reads, joined by commas, in its order. Their columns are its
        inputs.
    activation
        Activation of a network of bullet: screlu (the default) or crelu.
    scale
        Score per logit, for a network in ONNX that ends in a sigmoid.
    game
        Game: a name, or a Python file that registers one. Default: othello, and chess with
        --format bullet.
    """
    from samuel.models import save

    rules = _game_of(format, game, features, activation, scale)
    with busy("reading"), replacing_model(out):
        if format == "bullet":
            from samuel.models.bullet_file import read_bullet

            network: Any = read_bullet(path, activation or "screlu")  # type: ignore[arg-type]
            units, activation = [768, network.units, 1], network.activation
        else:
            network = _of_onnx(path, features or [], rules, scale)
            units = [len(weights) for weights in network[-1].coefs_] + [1]
            activation = network[-1].activation
        about = {"imported": Path(path).name}
        save(out, network, name=Path(out).name, scale=scale, card=about)
    content = {"model": out, "game": rules.name, "units": units, "activation": activation}
    said = f"{out}: a network of {' - '.join(map(str, units))} units, {activation}"
    emit(content, json, lambda console: console.print(said))


def _game_of(
    format: str,
    game: str | None,
    features: list[str] | None,
    activation: str | None,
    scale: float | None,
) -> Game:
    """Return the game of a file to import; refuse options that a format does not have."""
    from samuel.common.errors import unknown
    from samuel.games import game_named

    if format not in _IMPORTED:
        raise unknown("format", format, _IMPORTED)
    others: dict[str, Any] = {"activation": activation}
    if format == "bullet":
        others = {"features": features, "scale": scale}
    for name, given in others.items():
        if given is not None:
            raise MisuseError(f"--{name} has no effect with --format {format}; leave it out")
    if format == "onnx" and not features:
        raise MisuseError("--features is missing: the features that the network reads")
    rules = game_named(game or _IMPORTED[format])
    if format == "bullet" and rules.name != _IMPORTED[format]:
        raise MisuseError(f"--format bullet is for chess, not for {rules.name}; leave out --game")
    return rules


def _of_onnx(path: str, features: list[str], game: Game, scale: float | None) -> Any:
    """Return the fitted network of a file of ONNX."""
    from samuel.common.errors import UserError
    from samuel.models.onnx_file import read_network

    network = read_network(path, features, game)
    if hasattr(network[-1], "classes_") and scale is None:
        raise UserError(
            f"{path} ends in a sigmoid: give --scale, the units of score per logit, such as "
            "--scale 8"
        )
    return network
