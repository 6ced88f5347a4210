"""`samuel dataset merge`, `split`, `dedupe`, `book` and `filter`."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, progress
from samuel.cli.dataset.common import (
    FolderArgument,
    OutOption,
    dataset_in,
    emit_made,
    holds,
    numbers_of,
)


@command("merging")
def merge(
    folders: Annotated[list[str], typer.Argument(help="The folders of datasets of one game.")],
    out: OutOption,
    json: options.JsonOption = False,
) -> None:
    """Put datasets together; their games are numbered on, their sources stay.

    Example: samuel dataset merge data/gen0 data/gen1 --out data/both
    """
    from samuel.selfplay import merge

    began = time.perf_counter()
    datasets = [dataset_in(folder) for folder in folders]
    with progress("merging", sum(map(len, datasets))) as advance:
        merged = merge(datasets, out, progress=advance)
    emit_made(merged, began, json)


@command("splitting")
def split(
    folder: FolderArgument,
    out_a: Annotated[str, typer.Option(help="Folder of the larger side.")],
    out_b: Annotated[str, typer.Option(help="Folder of the side that gets the share.")],
    share: Annotated[float, typer.Option(help="Share of the games for the second side.")] = 0.2,
    distinct: Annotated[
        bool,
        typer.Option(
            "--distinct", help="Leave out of the second side what positions the first has."
        ),
    ] = False,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
) -> None:
    """Divide a dataset by games, each with all its rows.

    Two games may have positions in common, early ones above all, so what was fitted to the first
    side has seen some of the second. --distinct leaves those out, up to symmetry. samuel train
    and compare do so of themselves: the games that they hold out are fair judges.

    Example: samuel dataset split data/gen0 --out-a data/most --out-b data/tenth --share 0.1

    samuel dataset split data/gen0 --out-a data/train --out-b data/test --distinct
    """
    from samuel.selfplay import split

    began, data = time.perf_counter(), dataset_in(folder)
    with progress("splitting", 3 * len(data)) as advance:
        a, b = split(
            data, out_a, out_b, share=share, seed=seed, distinct=distinct, progress=advance
        )
    counts = b.manifest["counts"]
    content = {
        "a": {**numbers_of(a), "out": out_a},
        "b": {**numbers_of(b), "out": out_b},
        **counts,
        "seconds": round(time.perf_counter() - began, 3),
    }
    if distinct:
        common = f"{counts['left_out']:,} positions of the second side left out: the first has them"
    else:
        common = f"{counts['shared']:,} positions of the second side are in the first, too"
    emit(content, json, lambda console: console.print(f"{holds(a)}\n{holds(b)}\n{common}"))


@command("merging repeated positions")
def dedupe(
    folder: FolderArgument,
    out: OutOption,
    json: options.JsonOption = False,
) -> None:
    """Merge the rows of each position, up to symmetry, into one; labels are averaged.

    Outcomes are averaged where they are clean; an exact score wins over others, a deeper search
    over a shallower one. The column weight says how many rows were merged.

    Example: samuel dataset dedupe data/gen0 --out data/distinct
    """
    from samuel.selfplay import dedupe

    began, data = time.perf_counter(), dataset_in(folder)
    with progress("merging positions", 2 * len(data)) as advance:
        merged = dedupe(data, out, progress=advance)
    lacking = merged.manifest["counts"]["without_outcome"]
    more = f", of {len(data):,} rows; {lacking:,} without a clean outcome"
    emit_made(merged, began, json, more)


@command("looking at what could have been played")
def book(
    folder: FolderArgument,
    out: OutOption,
    json: options.JsonOption = False,
) -> None:
    """Teach by moves: make of each position those after its legal moves, told by what was played.

    The outcome is 1 for who made the move of the game and -1 of the others, which together weigh
    as much. A model trained on that rates moves as the players of the games would have.

    Example: samuel dataset book data/wthor --out data/book
    """
    from samuel.selfplay import book

    began, data = time.perf_counter(), dataset_in(folder)
    with progress("looking at what could have been played", len(data)) as advance:
        made = book(data, out, progress=advance)
    counts = made.manifest["counts"]
    more = (
        f"; what could be played in {counts['positions']:,} of {len(data):,}, those with a choice"
    )
    emit_made(made, began, json, more)


@command("filtering")
def filter_rows(
    folder: FolderArgument,
    out: OutOption,
    plies: Annotated[str | None, typer.Option(help="Plies played, from A to B: A-B.")] = None,
    remaining: Annotated[
        str | None, typer.Option(help="Squares remaining, from A to B: A-B.")
    ] = None,
    exact_only: Annotated[bool, typer.Option("--exact-only", help="Only exact scores.")] = False,
    clean_only: Annotated[
        bool, typer.Option("--clean-only", help="Only where no exploratory move comes after.")
    ] = False,
    max_score: Annotated[
        float | None, typer.Option(min=0, help="Only scores from -X to X; none but known ones.")
    ] = None,
    min_depth: Annotated[
        int | None, typer.Option(min=0, help="Only searches so deep, and exact scores.")
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """Keep the rows that fulfil all conditions given.

    Example: samuel dataset filter data/gen0 --plies 8-40 --max-score 30 --out data/middle
    """
    from samuel.selfplay import filter_rows

    began, data = time.perf_counter(), dataset_in(folder)
    with progress("filtering", len(data)) as advance:
        left = filter_rows(
            data,
            out,
            plies=options.range_in(plies, "--plies"),
            remaining=options.range_in(remaining, "--remaining"),
            exact_only=exact_only,
            clean_only=clean_only,
            max_score=max_score,
            min_depth=min_depth,
            progress=advance,
        )
    emit_made(left, began, json, f", {len(left) / len(data):.1%} of {len(data):,}")
