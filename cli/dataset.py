"""`samuel dataset`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from cli.common import (
    JsonOption,
    PluginOption,
    SeedOption,
    busy,
    command,
    emit,
    prepare,
)

app = typer.Typer(help="Look at datasets.", no_args_is_help=True)


@app.callback()
def dataset() -> None:
    """Look at datasets."""


@app.command("info")
@command
def info(
    folder: Annotated[str, typer.Argument(help="The folder of a dataset.")],
    boards: Annotated[int, typer.Option(min=0, help="How many positions to draw.")] = 3,
    game: Annotated[
        str | None, typer.Option("--game", help="The game it should be of, to make sure.")
    ] = None,
    seed: SeedOption = 0,
    plugin: PluginOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a dataset holds: counts, plies, outcomes, a few boards.

    Example: samuel dataset info data/gen0
    """
    prepare(plugin)
    from errors import UserError
    from games import game_named
    from selfplay import Dataset
    from selfplay.summary import summarize

    data = Dataset.open(folder)
    if game is not None and game_named(game).name != data.game.name:
        raise UserError(f"{folder} holds games of {data.game.name}, not {game_named(game).name}")
    with busy("reading"):
        summary = summarize(data, boards, seed)
    content = {key: value for key, value in asdict(summary).items() if key != "samples"}
    content |= {key: data.manifest[key] for key in ("game", "settings", "complete")}
    content["samples"] = [
        {"position": position.text, **numbers} for position, numbers in summary.samples
    ]

    def show(console: Any) -> None:
        done = "" if data.manifest["complete"] else " (not finished: run its self-play again)"
        console.print(f"{folder}: {data.manifest['game']}{done}")
        settings = ", ".join(
            f"{k} {v}" for k, v in data.manifest["settings"].items() if k != "game"
        )
        console.print(f"settings    {settings}")
        console.print(f"games       {summary.games:,}")
        console.print(f"positions   {summary.positions:,}, {summary.distinct:.1%} distinct")
        console.print(f"exact       {summary.exact:.1%}")
        console.print(f"exploratory {summary.exploratory:.1%} of moves")
        console.print(f"clean       {summary.clean:.1%} of positions have no such move after them")
        won, drawn, lost = summary.outcomes
        console.print(f"first player won {won:.1%}, drew {drawn:.1%}, lost {lost:.1%}")
        console.print(f"\noutcome for the side to move, in {data.game.unit}")
        _bars(console, [f"{edge:+7.2f} up" for edge in summary.histogram[0]], summary.histogram[1])
        console.print("\nply")
        plies = list(summary.plies.items())
        step = max(1, len(plies) // 12)
        groups = [plies[i : i + step] for i in range(0, len(plies), step)]
        names = [f"{group[0][0]:3d} to {group[-1][0]:3d}" for group in groups]
        _bars(console, names, [sum(n for _, n in group) for group in groups])
        for position, numbers in summary.samples:
            console.print(f"\n{position}", highlight=False)
            console.print("  ".join(f"{name} {value:g}" for name, value in numbers.items()))

    emit(content, json, show)


def _bars(console: Any, names: list[str], counts: list[int]) -> None:
    most = max([*counts, 1])
    for name, count in zip(names, counts, strict=True):
        console.print(f"{name}  {'█' * round(40 * count / most)} {count:,}", highlight=False)
