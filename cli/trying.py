"""`samuel try`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit, facts, keeping_games

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.trying import Tried

_FIGURES = {"r2": "R2", "mae": "error", "log_loss": "log loss"}


@command("trying")
def run(
    file: Annotated[str, typer.Argument(help="Python file with a feature or an evaluator.")],
    game: options.GameOption = None,
    data: Annotated[
        str | None,
        typer.Option(help="Dataset to fit to; by default games are played, and kept for later."),
    ] = None,
    games: Annotated[int, typer.Option(min=2, help="Games to play where there is no --data.")] = (
        5000
    ),
    model: Annotated[str, typer.Option(help="Recipe to fit (samuel models).")] = "ridge",
    pairs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1_000_000,
            help="Openings of the match, each played twice; 500, or as many as there are.",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            min=1, max=options.MOST_DEPTH, help="Plies of search in the match; the game's usual."
        ),
    ] = None,
    out: Annotated[str, typer.Option(help="Folder of the games, models and matches.")] = "runs/try",
    jobs: options.JobsOption = -1,
    seed: options.SeedOption = 0,
    json: options.JsonOption = False,
) -> None:
    """Measure what a feature or an evaluator of your own is worth.

    For a feature, two models are fitted to the same games, with it and without it, and play each
    other. An evaluator plays the game's hand-made one. The same command continues what was
    interrupted; after an edit of the file it keeps the games and plays a new match.

    Example: samuel try examples/custom_feature.py

    samuel try examples/custom_evaluator.py --pairs 100
    """
    from samuel.learning.trying import try_file

    with keeping_games(out), busy("reading") as say:
        tried = try_file(
            file,
            game=game,
            data=data,
            games=games,
            model=model,
            pairs=pairs,
            depth=depth,
            seed=seed,
            jobs=jobs,
            out=out,
            progress=say,
        )
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
            console.print(facts(f"On {one.metrics['with']['rows']:,} held-out positions", rows))
    console.print(f"games, models and matches are in {out}")
    for one in tried:
        console.print(one.sentence, markup=False, soft_wrap=True)
