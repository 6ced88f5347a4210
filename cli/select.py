"""`samuel select` and `samuel try`: which features help, and whether one of yours does."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import Jobs, busy, emit, keeping_games, summary
from samuel.cli.options import Given, subcommand
from samuel.common.options import Argument

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.selection.selection import Selection
    from samuel.learning.trying import Tried

_NOT_FOR_FITS = ("method", "most", "rows")
_FIGURES = {"r2": "R2", "mae": "error", "log_loss": "log loss"}


@subcommand(
    "samuel.learning.selection.selection:select_features",
    doing="selecting features",
    without=("candidates", "parameters"),
)
def run(
    given: Given,
    *,
    dataset: Annotated[str, Argument()],
    features: str | None = None,
    report: str | None = None,
    plugin: list[str] | None = None,
    json: bool = False,
) -> None:
    """Run `samuel select`.

    Example: samuel select data/gen0 --report runs/features.html

    Example: samuel select data/gen0 --method l1 --features mobility,stability,corners --most 2

    Parameters
    ----------
    features
        Features to choose from, joined by commas. By default all but squares.
    """
    from samuel.learning.fitting.split import Split
    from samuel.learning.selection.selection import select_features

    fits = {name: value for name, value in given.items() if name not in _NOT_FOR_FITS}
    with busy("reading") as say:
        asked = {name: given.pop(name) for name in ("held_out", "seed", "game") if name in given}
        split = Split.of(dataset, **asked)
        selection = select_features(split, candidates=features, progress=say, **given)
    train = _train_command(dataset, fits, plugin, selection)
    if report is not None:
        from samuel.reports.selection import write_selection

        write_selection(report, selection, split, train)
    content = {
        "method": selection.method,
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
    for name, value in given.items():
        words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
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
        title=f"{selection.method}, squared error on {selection.rows:,} training and "
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


@subcommand("samuel.learning.trying:try_file", doing="trying")
def try_(given: Given, *, jobs: Jobs = -1, json: bool = False) -> None:
    """Run `samuel try`.

    Example: samuel try examples/custom_feature.py

    Example: samuel try examples/custom_evaluator.py --pairs 100
    """
    from samuel.learning.trying import OUT, try_file

    out = given.get("out", OUT)
    with keeping_games(out), busy("reading") as say:
        tried = try_file(jobs=jobs, progress=say, **given)
    content = {"tried": [one.as_dict() for one in tried], "out": out}
    emit(content, json, lambda console: _show_tried(tried, out, console))


def _show_tried(tried: list[Tried], out: str, console: Console) -> None:
    for one in tried:
        if one.metrics:
            rows = {
                f"{name} {one.name}": ", ".join(
                    f"{words} {figures[key]:.4f}"  # type: ignore[literal-required]
                    for key, words in _FIGURES.items()
                    if figures[key] is not None  # type: ignore[literal-required]
                )
                for name, figures in one.metrics.items()
            }
            console.print(summary(f"On {one.metrics['with']['rows']:,} held-out positions", rows))
    console.print(f"games, models and matches are saved in {out}")
    for one in tried:
        console.print(one.sentence, markup=False, soft_wrap=True)
