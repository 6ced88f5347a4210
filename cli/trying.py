"""`samuel try`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import busy, emit, keeping_games, summary
from samuel.cli.players import Jobs
from samuel.cli.subcommands import Given, subcommand

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.trying import Tried

_FIGURES = {"r2": "R2", "mae": "error", "log_loss": "log loss"}


@subcommand("samuel.learning.trying:try_file", doing="trying")
def run(given: Given, *, jobs: Jobs = -1, json: bool = False) -> None:
    """Run `samuel try`.

    Example: samuel try examples/custom_feature.py

    Example: samuel try examples/custom_evaluator.py --pairs 100
    """
    from samuel.learning.trying import OUT, try_file

    out = given.get("out", OUT)
    with keeping_games(out), busy("reading") as say:
        tried = try_file(jobs=jobs, progress=say, **given)
    content = {"tried": [one.as_dict() for one in tried], "out": out}
    emit(content, json, lambda console: _show(tried, out, console))


def _show(tried: list[Tried], out: str, console: Console) -> None:
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
    console.print(f"games, models and matches are in {out}")
    for one in tried:
        console.print(one.sentence, markup=False, soft_wrap=True)
