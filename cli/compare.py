"""`samuel compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, print_table, progress
from samuel.cli.options.fitting import DatasetGameOption, FittingOptions, HeldOutOption
from samuel.options import as_written

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.comparison import Comparison
    from samuel.search import Limits

_LABELS = {
    "model": "model",
    "log_loss": "log loss",
    "behind": "behind best",
    "r2": "R2",
    "mae": "error",
    "rank_correlation": "rank",
    "nanoseconds": "ns",
    "nodes_per_second": "nodes/s",
    "parameters": "params",
    "bytes": "in memory",
    "seconds": "fit s",
}
_QUALITY = ("log_loss", "behind", "r2", "mae", "rank_correlation")


@command("comparing")
def run(
    dataset: Annotated[str, typer.Argument(help="Folder of a dataset.")],
    models: Annotated[
        str,
        typer.Option(
            help="Joined by commas: recipes and FILE.py:function, which are trained; folders of "
            "models and hand-made evaluators, which are only measured."
        ),
    ] = "ridge,logistic,boosting,mlp,classic",
    report: options.PageOption = None,
    matches: Annotated[
        int,
        typer.Option(
            min=0, max=1_000_000, help="Pairs of games of each model against an opponent."
        ),
    ] = 0,
    against: Annotated[
        str | None,
        typer.Option(help="The opponent of --matches; classic, or zero where there is none."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, help="Play at this depth; 4 where no time is given.")
    ] = None,
    milliseconds: Annotated[
        float | None,
        typer.Option(
            "--ms", min=0.01, help="Play at this time a move; with --depth, a match at each."
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            help="A reference set (samuel dataset reference) to hold each model against: the share "
            "of variance left unexplained, the error, and slopes, which are 1 on the true scale."
        ),
    ] = None,
    *,
    fitting: FittingOptions,
    held_out: HeldOutOption = 0.2,
    game: DatasetGameOption = None,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = -1,
    json: options.JsonOption = False,
) -> None:
    """Compare models on the same held-out games, the best first.

    Example: samuel compare data/gen0 --models ridge,mlp,classic --report runs/compare.html

    samuel compare data/gen0 --models ridge,boosting --matches 100 --depth 4 --ms 20
    """
    from samuel.learning.comparison import compare
    from samuel.reports import write_page

    if against is not None and not matches:
        raise typer.BadParameter("an opponent is for --matches: say how many pairs of games")
    names = options.names_in(models) or []
    steps = len(names) * (2 if matches else 1)
    with progress("compare", steps) as advance:
        comparison = compare(
            dataset,
            names,
            fitting,
            held_out=held_out,
            seed=seed,
            game=game,
            matches=matches,
            against=against,
            limits=_limits(depth, milliseconds),
            reference=reference,
            jobs=jobs,
            progress=advance,
        )
        if report is not None:
            write_page(report, comparison, progress=lambda doing: advance(steps, doing))
    content = {
        "models": [model.as_dict() for model in comparison.models],
        "tied": comparison.tied,
        "opponent": comparison.opponent,
        "held_out": len(comparison.split.held_out),
        "held_out_games": comparison.resampling.games,
        "fitting": as_written(fitting),
        "report": report,
    }
    emit(content, json, lambda console: _show(comparison, report, console))


def _limits(depth: int | None, milliseconds: float | None) -> list[Limits]:
    """Return a set of limits for each that is given."""
    from samuel.search import Limits

    found = [] if depth is None else [Limits(depth=depth)]
    if milliseconds is not None:
        found.append(Limits(seconds=milliseconds / 1000))
    return found or [Limits()]


def _show(comparison: Comparison, report: str | None, console: Console) -> None:
    from samuel.reports.comparison.tables import (
        COST,
        REFERENCE_FIGURES,
        cost_table,
        quality_table,
        reference_table,
        verdict,
    )

    unit = comparison.split.game.unit
    title = (
        f"{len(comparison.split.held_out):,} positions of {comparison.resampling.games:,} held-out "
        f"games (error in {unit}, \u00b1: 95 %)"
    )
    print_table(title, quality_table(comparison, _QUALITY, _LABELS), console)
    console.print(verdict(comparison))
    print_table("Cost, on one core", cost_table(comparison, COST, _LABELS), console)
    if comparison.models[0].errors:
        for figure, what in REFERENCE_FIGURES.items():
            title = f"Against the reference set, all stages: {what}"
            title += f" ({unit})" if figure == "error" else ""
            print_table(title, reference_table(comparison.models, figure), console)
    for model in comparison.models:
        if model.note:
            console.print(f"{model.name}: {model.note}")
    if report is not None:
        console.print(f"report: {report}")
