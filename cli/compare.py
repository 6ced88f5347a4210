"""`samuel compare`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from samuel.cli.common import Jobs, busy, emit, progress, show
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.common.options import Text, names_in

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.comparison import Comparison


@subcommand("samuel.learning.comparison:compare", doing="comparing")
def run(
    given: Given,
    *,
    models: Annotated[Sequence[str], Text(names_in, "ridge,mlp,classic")] = (
        *("ridge", "logistic", "boosting", "mlp", "classic"),
    ),
    report: str | None = None,
    jobs: Jobs = -1,
    json: bool = False,
) -> None:
    """Run `samuel compare`.

    Example: samuel compare data/gen0 --models ridge,mlp,classic --report runs/compare.html

    Example: samuel compare data/gen0 --models ridge,boosting --pairs 100 --depth 4
    """
    if "baseline" in given and not given.get("pairs"):
        raise MisuseError("--baseline needs --pairs N, the number of game pairs")
    from samuel.learning.comparison import compare
    from samuel.reports import write_page

    steps = len(models) * (2 if given.get("pairs") else 1)
    with progress("compare", steps) as advance:
        comparison = compare(models=models, jobs=jobs, progress=advance, **given)
    if report is not None:
        with busy("drawing"):
            write_page(report, comparison)
    content = {
        "models": [model.as_dict() for model in comparison.models],
        "tied": comparison.tied,
        "opponent": comparison.opponent,
        "held_out": len(comparison.split.held_out),
        "held_out_games": comparison.resampling.games,
        "fitting": comparison.fitting.flat(),
        "report": report,
    }
    emit(content, json, lambda console: _show(comparison, report, console))


def _show(comparison: Comparison, report: str | None, console: Console) -> None:
    show(comparison, console)
    if report is not None:
        console.print(f"report: {report}")
