"""`samuel select` and `samuel try`: which features help, and whether one of yours does."""

from __future__ import annotations

import functools
import shlex
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import Jobs, busy, emit, keeping_games, print_table, show, write_report
from samuel.cli.options import Given, subcommand
from samuel.cli.typed import flag_of
from samuel.common.displayable import Table, cell
from samuel.common.options import Argument, keyword_typed
from samuel.common.public import options_of

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.selection.selection import Selection
    from samuel.learning.trying import Tried
    from samuel.reports.views import View

_NOT_FOR_FITS = ("ranking", "most", "rows")
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

    Example: samuel select data/gen0 --ranking l1 --features mobility,stability,corners --most 2

    Parameters
    ----------
    features
        Features to choose from, joined by commas. By default all except `squares`.
    """
    from samuel.learning.fitting.split import Split
    from samuel.learning.selection.selection import select_features

    fits = {name: value for name, value in given.items() if name not in _NOT_FOR_FITS}
    with busy("reading") as say:
        asked = {name: given.pop(name) for name in ("held_out", "seed", "game") if name in given}
        split = Split.of(dataset, **asked)
        selection = select_features(split, candidates=features, progress=say, **given)
    train = _train_command(dataset, fits, plugin, selection)
    view = _view(selection, train)
    write_report(report, view)
    content = {
        "ranking": selection.ranking,
        "rows": selection.rows,
        "held_out_rows": selection.held_out_rows,
        "recommended": selection.recommended,
        "table": selection.table.reset_index().to_dict("records"),
        "default": selection.default,
        "constant": selection.constant,
        "report": report,
        "command": train,
    }

    emit(content, json, functools.partial(show, view, report=report))


def _train_command(
    dataset: str, given: dict[str, Any], plugin: list[str] | None, selection: Selection
) -> str:
    """Return the command that fits a model to the recommended features on the same split."""
    from samuel.learning.training import train

    options, words = options_of(train), ["samuel", "train", dataset, "--model", "ridge"]
    for name, value in given.items():
        flag = flag_of(keyword_typed(options[name]))
        words += [flag, *([] if value is True else [str(value)])]
    for file in plugin or []:
        words += ["--plugin", file]
    words += ["--features", ",".join(selection.recommended), "--out", "runs/selected"]
    return shlex.join(words)


def _view(selection: Selection, train: str) -> View:
    """Return a selection, and the command that fits a model to the recommended features."""
    from samuel.reports.selection import selection_view
    from samuel.reports.views import folded

    view = selection_view(selection)
    return view._replace(parts=[*view.parts, Table("Recommended", notes=[folded(train)])])


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
            rows = [
                [f"{name} {one.name}", *(cell(key, figures.get(key)) for key in _FIGURES)]
                for name, figures in one.metrics.items()
            ]
            title = f"On {one.metrics['with']['rows']:,} held-out positions"
            print_table(Table(title, ["", *_FIGURES.values()], rows), console)
    console.print(f"games, models and matches are saved in {out}")
    for one in tried:
        console.print(one.sentence, markup=False, soft_wrap=True)
