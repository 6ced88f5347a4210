"""`samuel dataset import` and `export`."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit, progress
from samuel.cli.dataset.common import FolderArgument, OutOption, dataset_in


@command("importing")
def import_(
    files: Annotated[list[str], typer.Argument(help="Files of games.")],
    out: OutOption,
    format: Annotated[
        str, typer.Option(help="transcripts, or one of the game's own (wthor, ggf, pdn, psq).")
    ] = "auto",
    game: options.GameOption = None,
    json: options.JsonOption = False,
) -> None:
    """Make a dataset of games from files: one transcript a line, or in the game's own format.

    Othello has WTHOR and GGF, checkers PDN, five in a row psq.

    Every move is checked by the rules, forced passes are put in. What is left out is counted.
    Nothing is searched: samuel dataset relabel adds scores.

    Example: samuel dataset import WTH_2014.wtb --out data/wthor
    """
    from samuel.selfplay import import_games

    began = time.perf_counter()
    with busy("reading") as say:
        imported = import_games(
            files,
            out,
            game=game or "othello",
            format=format,
            progress=lambda games, rows: say(f"{games:,} games, {rows:,} positions"),
        )
    content = {
        **imported.manifest["counts"],
        "positions": len(imported),
        "seconds": round(time.perf_counter() - began, 3),
        "out": out,
    }
    first = content["first_left_out"]
    left_out = [
        f"{n:,} {reason} (first: {first[reason]})" for reason, n in content["left_out"].items()
    ]
    emit(
        content,
        json,
        lambda console: console.print(
            f"{content['imported']:,} of {content['games']:,} games, {len(imported):,} positions "
            f"in {out} ({content['seconds']:.1f} s)\nleft out: {', '.join(left_out) or 'none'}"
        ),
    )


@command("exporting")
def export(
    folder: FolderArgument,
    out: Annotated[str, typer.Option("--out", help="The file to write.")],
    format: Annotated[
        str,
        typer.Option(help="csv: positions; transcripts, or the game's own, as for import: games."),
    ] = "csv",
    json: options.JsonOption = False,
) -> None:
    """Write a dataset to a file: positions as CSV, or whole games.

    Example: samuel dataset export data/gen0 --format transcripts --out games.txt
    """
    from samuel.selfplay import export

    began, data = time.perf_counter(), dataset_in(folder)
    with progress("writing", len(data)) as advance:
        left_out = export(data, out, format, progress=advance)
    is_csv = format == "csv"
    content = {
        "format": format,
        "positions" if is_csv else "games": len(data) if is_csv else data.games - left_out,
        **({} if is_csv else {"left_out": left_out}),
        "seconds": round(time.perf_counter() - began, 3),
        "out": out,
    }
    what = f"{len(data):,} positions" if is_csv else f"{data.games - left_out:,} games"
    note = (
        f"; {left_out:,} games left out: rows are missing, or they start elsewhere"
        if left_out
        else ""
    )
    emit(content, json, lambda console: console.print(f"{what} in {out}{note}"))
