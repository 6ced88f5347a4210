"""`samuel select`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli.common import JsonOption, PluginOption, SeedOption, busy, command, emit, prepare
from samuel.cli.train import (
    BlendOption,
    DatasetGameOption,
    HeldOutOption,
    StagesOption,
    TargetOption,
    names_in,
)

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.selection.selection import Selection


@command
def run(
    dataset: Annotated[str, typer.Argument(help="Folder that samuel selfplay wrote.")],
    method: Annotated[
        str,
        typer.Option(
            help="sequential: the next feature is the one with which the error on games left out "
            "falls most; l1: in the order in which the Lasso takes them; permutation: by what "
            "boosted trees lose when a feature is shuffled."
        ),
    ] = "sequential",
    features: Annotated[
        str | None,
        typer.Option(help="Features to choose from, joined by commas; all but squares by default."),
    ] = None,
    most: Annotated[int | None, typer.Option(min=1, help="Rank so many features at most.")] = None,
    rows: Annotated[
        int, typer.Option(min=100, help="Positions to choose by, and to judge by, at most.")
    ] = 300_000,
    report: Annotated[
        str | None, typer.Option(help="Write a page with pictures (HTML) to this file.")
    ] = None,
    target: TargetOption = "blend",
    blend: BlendOption = 0.5,
    stages: StagesOption = None,
    held_out: HeldOutOption = 0.2,
    game: DatasetGameOption = None,
    seed: SeedOption = 0,
    plugin: PluginOption = None,
    json: JsonOption = False,
) -> None:
    """Rank the features of a game by what they add, and say how many are worth having.

    Example: samuel select data/gen0 --report runs/features.html

    samuel select data/gen0 --method l1 --features mobility,stability,corners,regions --most 3
    """
    prepare(plugin)
    from samuel.files import require_file
    from samuel.learning.fitting.fitting import Fitting
    from samuel.learning.fitting.split import Split
    from samuel.learning.selection.selection import select_features

    if report is not None:
        require_file(report)
    with busy("reading") as say:
        split = Split.of(dataset, held_out=held_out, seed=seed, game=game)
        selection = select_features(
            split,
            method,
            candidates=names_in(features),
            fitting=Fitting(target=target, blend=blend, stages=stages),
            most=most,
            rows=rows,
            progress=say,
        )
    options = {
        "--target": (target, "blend"),
        "--blend": (blend, 0.5),
        "--stages": (stages, None),
        "--held-out": (held_out, 0.2),
        "--seed": (seed, 0),
    }
    train = _train_command(dataset, options, plugin, selection)
    if report is not None:
        from samuel.reports.selection import write_selection

        write_selection(report, selection, split, train)
    content = {
        "method": method,
        "rows": selection.rows,
        "held_out_rows": selection.held_out_rows,
        "recommended": selection.recommended,
        "table": selection.table.reset_index().to_dict("records"),
        "default": selection.default,
        "constant": selection.constant,
        "report": report,
        "command": train,
    }
    emit(content, json, lambda console: _show(selection, report, train, console))


def _train_command(
    dataset: str, options: dict[str, Any], plugin: list[str] | None, selection: Selection
) -> str:
    """Return the command that fits a model to the recommended features on the same split."""
    words = ["samuel", "train", dataset, "--model", "ridge"]
    for option, (value, default) in options.items():
        words += [option, str(value)] if value != default else []
    for file in plugin or []:
        words += ["--plugin", file]
    words += ["--features", ",".join(selection.recommended), "--out", "runs/selected"]
    return shlex.join(words)


def _show(selection: Selection, report: str | None, train: str, console: Console) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    from samuel.reports.selection import selection_table, verdict

    headings, rows = selection_table(selection)
    shown = headings.index("R2") + 1  # the rest is for the page
    table = Table(
        title=f"{selection.method}, squared errors on {selection.rows:,} training and "
        f"{selection.held_out_rows:,} held-out positions",
        box=SIMPLE,
    )
    for number, heading in enumerate(headings[:shown]):
        table.add_column(heading, justify="right" if number else "left", no_wrap=number < 2)
    for row in rows:
        table.add_row(*row[:shown], end_section=row is rows[-2])
    console.print(table)
    console.print(verdict(selection))
    if report is not None:
        console.print(f"report: {report}")
    console.print(train, soft_wrap=True)
