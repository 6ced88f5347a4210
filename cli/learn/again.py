"""`samuel learn again`."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, on_cluster, progress, say_what_is_kept
from samuel.cli.learn.run import SettingOptions, asked_of, content_of, show_run, shown

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.generations.again import Curriculum


@command("learning")
def run(
    name: Annotated[
        str, typer.Argument(help="An evaluator that was learned and comes with samuel.")
    ] = "learned",
    out: Annotated[str | None, typer.Option(help="Folder of the runs.")] = None,
    generations: Annotated[
        int | None, typer.Option(min=1, help="How many in each run, not the recipe's.")
    ] = None,
    positions: Annotated[
        int | None,
        typer.Option(min=0, help="To fit ProbCut to at the end, not the recipe's; 0: none."),
    ] = None,
    show_settings: Annotated[
        bool, typer.Option("--show-settings", help="Print each run's settings, and do nothing.")
    ] = False,
    *,
    given: SettingOptions,
    jobs: options.JobsOption = -1,
    cluster: options.ClusterOption = None,
    json: options.JsonOption = False,
) -> None:
    """Learn an evaluator that comes with samuel again, as it was learned or with settings changed.

    It was by one run of samuel learn or more, each from the best of the one before; they lie in
    --out as run-1, run-2, ..., and best/ has what they end with, with the parameters of ProbCut for
    selective search (minutes, which begin again where they were interrupted). Othello's take hours.
    What is given changes all runs; one that a later one began from plays no more generations.
    Interrupted, even killed, the same command goes on where it stopped.

    Example: samuel learn again --game connect_four --seed 2 --out runs/sister

    samuel learn again patterns --show-settings
    """
    from samuel.games import game_named
    from samuel.learning.generations.again import Curriculum, learn_again

    game = game_named(given.pop("game", "othello"))
    asked = asked_of(given) | ({} if generations is None else {"generations": generations})
    curriculum = Curriculum.of(name, game).changed(asked, positions)
    if show_settings:
        return _show_settings(curriculum, name, json)
    if out is None:
        raise typer.BadParameter("name the folder of the runs", param_hint="--out")
    from samuel.reports.generations.page import write_generations

    try:
        with on_cluster(cluster), contextlib.ExitStack() as bars:
            show = bars.enter_context(shown())
            searching = functools.cache(
                lambda total: bars.enter_context(progress("searching for ProbCut", total))
            )
            found = learn_again(
                curriculum,
                out,
                jobs=jobs,
                progress=lambda number, doing: show(doing, f"run {number}, "),
                searched=lambda done, total: searching(total)(done),
                draw=write_generations,
            )
    except KeyboardInterrupt:
        say_what_is_kept(out)
        raise
    runs_found = [content_of(run) for run in found.runs]
    content = {"out": out, "best": str(found.best), "runs": runs_found}

    def tell(console: Console) -> None:
        for run in found.runs:
            show_run(run, console)
        console.print(f"kept: {found.best}")

    emit(content, json, tell)


def _show_settings(curriculum: Curriculum, name: str, json: bool) -> None:
    """Show the settings of each run, and of how many generations it is."""
    from dataclasses import asdict

    from samuel.learning.generations.settings import settings_text

    runs = []
    for number in range(1, len(curriculum.runs) + 1):
        settings, many = curriculum.settings(number)
        runs.append((settings, curriculum.game.defaults.generations if many is None else many))

    def tell(_: Console) -> None:
        for number, (settings, many) in enumerate(runs, 1):
            about = f"Run {number} of {len(runs)} of {name}, --generations {many}"
            print(settings_text(settings, about))

    content = [{"generations": many, "settings": asdict(settings)} for settings, many in runs]
    emit({"runs": content}, json, tell)
