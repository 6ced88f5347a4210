"""`samuel learn again`."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Annotated

from samuel.cli.common import Jobs, emit, on_cluster, progress, say_what_is_kept
from samuel.cli.learn.run import content_of, show_run, shown, written
from samuel.cli.subcommands import Given, MisuseError, subcommand
from samuel.common.options import Argument, Range

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.generations.recipe import ModelRecipe


@subcommand("samuel.learning.generations.loop:learn", doing="learning", without=("options", "draw"))
def run(
    given: Given,
    *,
    name: Annotated[str, Argument()] = "learned",
    out: str | None = None,
    generations: Annotated[int | None, Range(1)] = None,
    positions: Annotated[int | None, Range(0)] = None,
    show_settings: bool = False,
    jobs: Jobs = -1,
    cluster: str | None = None,
    json: bool = False,
) -> None:
    """Repeat the learning of an evaluator that comes with samuel, or vary its settings.

    The evaluator comes from one or more runs of `samuel learn`, each from the best model of the run
    before. The folder --out has run-1, run-2, ..., and best/ with the final model and its
    parameters of selective search. Othello takes hours. Options change all runs.

    If interrupted or killed, run the same command again: it continues. A run from which a later one
    has started plays no more generations.

    Example: samuel learn again --game connect_four --seed 2 --out runs/sister

    Example: samuel learn again patterns --show-settings

    Parameters
    ----------
    name
        Learned evaluator that comes with samuel.
    out
        Folder of the runs.
    generations
        Number of generations of each run, in place of the recipe's.
    positions
        Number of positions to fit ProbCut to at the end; 0 for none. By default as in the recipe.
    show_settings
        Print the settings of each run and exit.
    """
    from samuel.games import game_named
    from samuel.learning.generations.recipe import ModelRecipe, learn_again
    from samuel.learning.generations.settings import require_effect

    game = game_named(given.pop("game", "othello"))
    asked = given | ({} if generations is None else {"generations": generations})
    recipe = ModelRecipe.of(name, game).changed(asked, positions)
    numbers = range(1, len(recipe.runs) + 1)
    require_effect(given, [recipe.options_of(number)[0] for number in numbers])
    if show_settings:
        return _show_settings(recipe, name, json)
    if out is None:
        raise MisuseError("give the folder of the runs with --out")
    from samuel.reports.generations.page import write_generations

    try:
        with on_cluster(cluster), contextlib.ExitStack() as bars:
            show = bars.enter_context(shown())
            searching = functools.cache(
                lambda total: bars.enter_context(progress("searching for ProbCut", total))
            )
            found = learn_again(
                recipe,
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


def _show_settings(recipe: ModelRecipe, name: str, json: bool) -> None:
    """Show the settings of each run, and of how many generations it is."""
    from samuel.learning.generations.settings import options_text

    runs = []
    for number in range(1, len(recipe.runs) + 1):
        settings, many = recipe.options_of(number)
        runs.append((settings, recipe.game.defaults.generations if many is None else many))

    def tell(_: Console) -> None:
        for number, (settings, many) in enumerate(runs, 1):
            about = f"Run {number} of {len(runs)} of {name}, --generations {many}"
            print(options_text(settings, about))

    content = [{"generations": many, "settings": written(settings)} for settings, many in runs]
    emit({"runs": content}, json, tell)
