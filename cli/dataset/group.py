"""`samuel dataset`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, progress
from samuel.cli.dataset import combine as dataset_combine
from samuel.cli.dataset import files as dataset_files
from samuel.cli.dataset import relabel as dataset_relabel

app = typer.Typer(no_args_is_help=True)
app.command("merge")(dataset_combine.merge)
app.command("split")(dataset_combine.split)
app.command("dedupe")(dataset_combine.dedupe)
app.command("filter")(dataset_combine.filter_rows)
app.command("book")(dataset_combine.book)
app.command("relabel")(dataset_relabel.relabel)
app.command("reference")(dataset_relabel.reference)
app.command("import")(dataset_files.import_)
app.command("export")(dataset_files.export)


@app.callback()
def dataset() -> None:
    """Look at datasets, and make new ones of them or of files.

    Example: samuel dataset info data/gen0
    """


@app.command("info")
@command("reading")
def info(
    folder: Annotated[str, typer.Argument(help="The folder of a dataset.")],
    boards: Annotated[int, typer.Option(min=0, help="How many positions to draw.")] = 3,
    game: Annotated[
        str | None, typer.Option("--game", help="The game it should be of, to make sure.")
    ] = None,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
) -> None:
    """Show what a dataset holds: counts, plies, outcomes, a few boards.

    Example: samuel dataset info data/gen0
    """
    from samuel.games import game_named
    from samuel.selfplay import Dataset
    from samuel.selfplay.data.summary import summarize

    data = Dataset.open(folder)
    if game is not None:
        data.require_game(game_named(game))
    with progress("reading", len(data)) as advance:
        summary = summarize(data, boards, seed, progress=advance)
    content = {key: value for key, value in asdict(summary).items() if key != "samples"}
    content |= {key: data.manifest[key] for key in ("game", "settings", "complete")}
    content |= {key: data.manifest.get(key) for key in ("history", "counts")}
    content["samples"] = [
        {"position": position.text, **numbers} for position, numbers in summary.samples
    ]

    def show(console: Any) -> None:
        done = "" if data.manifest["complete"] else " (not finished: run what makes it again)"
        console.print(f"{folder}: {data.manifest['game']}{done}")
        console.print(f"settings    {_listed(data.manifest['settings'])}")
        for step in data.manifest.get("history", []):
            inputs = [made_of["name"] for made_of in step["inputs"]]
            console.print(f"made by     {step['command']} of {_first(inputs)}")
        counts = data.manifest.get("counts", {})
        if counts:
            flat = {k: v for k, v in counts.items() if not isinstance(v, dict)}
            for nested in (v for v in counts.values() if isinstance(v, dict)):
                flat |= nested
            console.print(f"counted     {_listed(flat).replace('_', ' ')}")
        console.print(f"games       {summary.games:,}")
        console.print(f"positions   {summary.positions:,}, {summary.distinct:.1%} distinct")
        if summary.weight != summary.positions:
            console.print(f"merged      from {summary.weight:,} rows")
        console.print(f"sources     {_first(f'{k} {n:,}' for k, n in summary.sources.items())}")
        console.print(f"searched    {summary.searched:.1%}")
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
            known = {name: value for name, value in numbers.items() if not math.isnan(value)}
            console.print("  ".join(f"{name} {value:g}" for name, value in known.items()))

    emit(content, json, show)


def _listed(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items() if name != "game")


def _first(names: Iterable[str], most: int = 6) -> str:
    """Return names joined by commas, and how many more there are."""
    names = list(names)
    more = len(names) - most
    return ", ".join(names[:most]) + (f", and {more:,} more" if more > 0 else "")


def _bars(console: Any, names: list[str], counts: list[int]) -> None:
    most = max([*counts, 1])
    for name, count in zip(names, counts, strict=True):
        console.print(f"{name}  {'█' * round(40 * count / most)} {count:,}", highlight=False)
