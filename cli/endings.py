"""`samuel models endings`."""

from __future__ import annotations

import importlib
import time
from typing import Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit


@command("solving")
def run(
    out: Annotated[str, typer.Option("--out", help="The file to write.")],
    pieces: Annotated[
        int,
        typer.Option(min=2, help="Of both sides together; each takes 30 times longer."),
    ] = 4,
    game: options.GameOption = None,
    json: options.JsonOption = False,
) -> None:
    """Solve all positions with few pieces, from the end backwards, into a file.

    An evaluator knows them where its name is followed by a plus sign and the file.

    Example: samuel models endings --game checkers --pieces 4 --out checkers.endings
    """
    from samuel.errors import UserError
    from samuel.games import game_named

    rules = game_named(game or "checkers")
    if not rules.defaults.endings_in:
        raise UserError(f"no endings of {rules.name} are solved; checkers has some")
    endings = importlib.import_module(rules.defaults.endings_in)
    if pieces > endings.MOST_PIECES:
        raise UserError(f"{pieces} pieces are too many; at most {endings.MOST_PIECES} are solved")
    began = time.perf_counter()
    with busy("solving") as say:
        tables = endings.solve(
            pieces,
            lambda material, plies: say(f"solving {sum(material)} pieces, {plies} plies to play"),
        )
        endings.save(tables, out)
    content = {
        "pieces": pieces,
        "positions": int((tables.values != endings.IMPOSSIBLE).sum()),
        "seconds": round(time.perf_counter() - began, 3),
        "out": out,
    }
    emit(
        content,
        json,
        lambda console: console.print(
            f"{content['positions']:,} positions solved in {out} ({content['seconds']:.1f} s)"
        ),
    )
