"""`samuel board`."""

from __future__ import annotations

import sys
import webbrowser
from typing import Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, game_and_evaluators
from samuel.cli.progress import silent
from samuel.extras import extra


@command("serving the board")
def run(
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            help="Of models, datasets, matches and learning runs to choose from, or of several."
        ),
    ] = None,
    evaluator: Annotated[
        list[str] | None,
        typer.Option("--evaluator", help="A further evaluator to choose; repeatable."),
    ] = None,
    game: options.GameOption = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")] = 8765,
    host_name: Annotated[
        list[str] | None,
        typer.Option(
            help="Host and port of a forwarded port, as the browser shows them; repeatable."
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    json: options.JsonOption = False,
) -> None:
    """Play, analyse, and look at data and runs in a browser, on this machine alone.

    It needs the extra web of samuel-learning (docs/board.md).

    Example: samuel board

    Example: samuel board runs data --game checkers

    Example: samuel board --no-browser --host-name localhost:9000
    """
    named = evaluator or []
    rules, _ = game_and_evaluators(game, *named)
    serve = extra("samuel.web.server", "the board", of="web").serve
    from samuel.web.shelf import Shelf

    def say(address: str) -> None:
        about = {"address": address, "game": rules.name, "folders": folders or []}
        emit(about, json, lambda _: print(f"open {address}\nCtrl-C ends it"))
        sys.stdout.flush()
        if browser and not json:
            webbrowser.open(address)

    with silent():
        serve(Shelf(folders or [], named, rules), port, say, host_name or [])
