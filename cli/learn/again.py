"""`samuel learn again`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, on_cluster, progress, say_what_is_kept
from samuel.cli.learn.run import SettingOptions, asked_of, content_of, show_run, shown

if TYPE_CHECKING:
    from rich.console import Console


@command("learning")
def run(
    name: Annotated[
        str, typer.Argument(help="An evaluator that was learned and comes with samuel.")
    ] = "learned",
    out: Annotated[str | None, typer.Option(help="Folder of the runs.")] = None,
    generations: Annotated[
        int | None, typer.Option(min=1, help="How many in each run, not the recipe's.")
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
    """Learn an evaluator that comes with samuel again, by its recipe, or with settings changed.

    A recipe is one run of samuel learn or more, each from the best of the one before; they lie in
    --out as run-1, run-2, ..., and best/ has what they end with. Othello's take hours. What is
    given changes all runs. Interrupted, even killed, the same command goes on where it stopped.

    Example: samuel learn again --game connect_four --seed 2 --out runs/sister

    samuel learn again patterns --show-settings
    """
    from samuel.games import game_named
    from samuel.learning.generations.again import Recipe, best_of, learn_again
    from samuel.learning.generations.settings import Settings, settings_text

    game = game_named(given.pop("game", "othello"))
    times = {} if generations is None else {"generations": generations}
    recipe = Recipe.of(name, game).changed(asked_of(given) | times)
    if show_settings:
        for number, chosen in enumerate(recipe.runs, 1):
            settings = {key: value for key, value in chosen.items() if key != "generations"}
            many = chosen.get("generations", game.defaults.generations)
            about = f"Run {number} of {len(recipe.runs)} of {name}, --generations {many}"
            print(settings_text(Settings.of(settings, name).filled(), about))
        return
    if out is None:
        raise typer.BadParameter("name the folder of the runs", param_hint="--out")
    from samuel.reports.generations.page import write_generations

    try:
        with on_cluster(cluster):
            with shown() as show:
                last = learn_again(
                    recipe,
                    out,
                    jobs=jobs,
                    progress=lambda number, doing: show(doing, f"run {number}, "),
                    draw=write_generations,
                )
            if recipe.probcut is None:
                best = best_of(recipe, last, out)
            else:
                with progress("searching", recipe.probcut["count"]) as advance:
                    best = best_of(recipe, last, out, jobs=jobs, progress=advance)
    except KeyboardInterrupt:
        say_what_is_kept(out)
        raise
    content = content_of(last) | {"out": out, "best": str(best)}

    def tell(console: Console) -> None:
        show_run(last, console)
        console.print(f"the best: {best}")

    emit(content, json, tell)
