"""`samuel select`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit
from samuel.cli.options.fitting import DatasetGameOption, HeldOutOption, TargetOptions

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.selection.selection import Selection


@command("selecting features")
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
    report: options.PageOption = None,
    *,
    fitting: TargetOptions,
    held_out: HeldOutOption = 0.2,
    game: DatasetGameOption = None,
    seed: options.SeedOption = 0,
    plugin: options.PluginOption = None,
    json: options.JsonOption = False,
) -> None:
    """Rank the features of a game by what they add, and say how many are worth having.

    Example: samuel select data/gen0 --report runs/features.html

    samuel select data/gen0 --method l1 --features mobility,stability,corners,regions --most 3
    """
    from samuel.learning.fitting.split import Split
    from samuel.learning.selection.selection import select_features

    with busy("reading") as say:
        split = Split.of(dataset, held_out=held_out, seed=seed, game=game)
        selection = select_features(
            split,
            method,
            candidates=options.names_in(features),
            fitting=fitting,
            most=most,
            rows=rows,
            progress=say,
        )
    given = {
        "--target": (fitting.target, "blend"),
        "--blend": (fitting.blend, 0.5),
        "--stages": (fitting.stages, None),
        "--held-out": (held_out, 0.2),
        "--seed": (seed, 0),
    }
    train = _train_command(dataset, given, plugin, selection)
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
    dataset: str, given: dict[str, Any], plugin: list[str] | None, selection: Selection
) -> str:
    """Return the command that fits a model to the recommended features on the same split."""
    words = ["samuel", "train", dataset, "--model", "ridge"]
    for option, (value, default) in given.items():
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
