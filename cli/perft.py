"""`samuel perft`."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit
from samuel.cli.common import progress as show_progress


@command("counting")
def run(
    depth: Annotated[
        int, typer.Option(min=1, help="Plies; a pass is a ply, what chance brings is none.")
    ] = 9,
    position: Annotated[
        str | None, typer.Option("--position", help="Count from here; the start by default.")
    ] = None,
    game: options.GameOption = None,
    divide: Annotated[bool, typer.Option("--divide", help="Count for each move.")] = False,
    json: options.JsonOption = False,
) -> None:
    """Count the leaves of the full game tree: the test of every rule book.

    Each game counts as its community does: in Othello a game that ends before the depth is a leaf,
    in all other games only sequences of exactly that many plies are.

    Example: samuel perft --depth 9 --divide
    """
    from samuel.games import Position, game_named
    from samuel.games.perft import divide as leaves_by_move
    from samuel.games.perft import perft

    rules = game_named(game or "othello")
    place = Position.start(rules) if position is None else Position.parse(position, rules)
    leaves_by_move(place, 1)  # compiles, or loads, what is timed
    began = time.perf_counter()
    with show_progress("perft", len(place.outcomes() or place.legal_moves()) or 1) as advance:
        counts = leaves_by_move(place, depth, advance)
    leaves = sum(counts.values()) if counts else perft(place, depth)
    content: dict[str, Any] = {"leaves": leaves, "seconds": round(time.perf_counter() - began, 4)}
    if divide:
        content["moves"] = counts

    def show(console: Any) -> None:
        if divide:
            for move, count in counts.items():
                console.print(f"{move:>5}  {count:,}")
        console.print(f"{leaves:,} leaves in {content['seconds']:.2f} s")

    emit(content, json, show)
