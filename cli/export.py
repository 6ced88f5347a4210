"""`samuel models export`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit, game_and_evaluators

_LONG = 20_000_000
"""Bytes of a header; gcc takes 15 seconds for 31 MB, and 50 and 2.3 GB of memory for 131 MB."""


class Format(StrEnum):
    """What a model of patterns can be written as."""

    numpy = "numpy"
    c = "c"
    edax = "edax"


@command("exporting")
def run(
    model: Annotated[str, typer.Argument(help="A model of patterns: of the package, or a folder.")],
    out: Annotated[str, typer.Option("--out", help="The file.")],
    format: Annotated[
        Format,
        typer.Option(
            help="numpy: arrays (.npz); c: a header with a function that scores; edax: the weights "
            "of the Othello program Edax (eval.dat), where the shapes allow."
        ),
    ],
    game: options.GameOption = None,
    json: options.JsonOption = False,
) -> None:
    """Write a model of patterns for other programs.

    What the files hold, and how a score is made of them, stands in docs/formats.md.

    Example: samuel models export runs/edax --format edax --out eval.dat

    samuel models export learned --format c --out learned.h
    """
    from pathlib import Path

    from samuel.files import require_file
    from samuel.models.export import written

    rules, (name,) = game_and_evaluators(game, model)
    require_file(out)
    with busy("writing"):
        size = written(name, rules, format.value, Path(out))
    content = {"model": model, "format": format.value, "out": out, "bytes": size}

    def show(console: Any) -> None:
        console.print(f"{out}: {size:,} bytes")
        if format is Format.c and size > _LONG:
            console.print("include it in one file alone: a compiler takes its time, and gigabytes")

    emit(content, json, show)
