"""`samuel learn` alone: a run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from samuel.cli.common import Jobs, emit, keeping_games, on_cluster, progress, show
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.cli.progress import say
from samuel.common.displayable import counted, llr_between

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.generations.loop import StepProgress
    from samuel.learning.generations.run import LogEntry, Run
    from samuel.learning.options import LearnOptions

_STEPS = {"play": "self-play", "train": "training", "teach": "learning", "gate": "gate"}


@subcommand("samuel.learning.generations.loop:learn", doing="learning", without=("options", "draw"))
def run(
    given: Given,
    *,
    out: str | None = None,
    settings: str | None = None,
    show_settings: bool = False,
    jobs: Jobs = -1,
    cluster: str | None = None,
    json: bool = False,
) -> None:
    """Run `samuel learn`.

    Options that you do not give have the game's own values; --show-settings prints them.

    After an interruption, the same command or samuel learn --out FOLDER (with --plugin, if it was
    given) continues. A larger --generations continues from the best model. The folder has
    report.html with the learning curve, and best/ with the best model.

    Example: samuel learn --generations 3 --out runs/learn

    Example: samuel learn --out runs/learn --generations 5

    Example: samuel learn --from classic --model logistello --games 40000 --last 3 --out runs/long

    Example: samuel learn --game connect_four --show-settings > four.toml

    Example: samuel learn --settings connect_four/learned/recipe-1.toml --seed 2 --out runs/four

    Parameters
    ----------
    out
        Folder of the run. Required without --show-settings.
    settings
        TOML file of settings, or a recipe that ships with samuel (samuel models NAME lists them).
        Options on the command line override them.
    show_settings
        Print the settings as TOML and exit.
    """
    if out is None and not show_settings:
        raise MisuseError("give the folder of the run with --out")
    from samuel.learning.generations.settings import options_text, require_effect

    typed = given.pop("generations", None)
    chosen, generations = _options(out, settings, given)
    require_effect(given, [chosen])
    if out is None or show_settings:
        content = {"settings": chosen.flat()}
        emit(content, json, lambda _: print(options_text(chosen), end=""))
        return
    from samuel.learning.generations.loop import learn
    from samuel.reports.generations.run import write_generations

    with keeping_games(out), on_cluster(cluster), _shown() as follow:
        found = learn(
            out,
            chosen,
            generations=typed or generations,
            jobs=jobs,
            progress=follow,
            draw=write_generations,
        )
    emit(_content(found), json, lambda console: _show_run(found, console))


def _options(out: str | None, path: str | None, given: Given) -> tuple[LearnOptions, int | None]:
    """Return the options, typed ones first, and the number of generations in the file."""
    from samuel.common.errors import require_number
    from samuel.common.public import typed_fields
    from samuel.common.text_files import read_toml
    from samuel.learning.generations.folder import options_in
    from samuel.learning.generations.log import MOST_GENERATIONS
    from samuel.learning.generations.settings import asked_of, checked
    from samuel.learning.options import LearnOptions
    from samuel.models.named import settings_path

    asked, generations = asked_of(given), None
    if path is not None:
        values = read_toml(settings_path(path))
        generations = values.pop("generations", None)
        require_number("generations", generations, 1, MOST_GENERATIONS)
        LearnOptions.of(values, path)  # it says which file is wrong
        asked = typed_fields(LearnOptions, values) | asked
    elif out is not None and (begun := options_in(out)) is not None:
        return checked(begun.but(asked)), None
    return checked(LearnOptions(**asked)), generations


@contextlib.contextmanager
def _shown() -> Iterator[Any]:
    """Show what a run is doing; the function yielded takes the progress."""
    with bar_by_bar() as (at, ended):

        def show(doing: StepProgress) -> None:
            if doing.entry is not None:
                ended(line_of(doing.entry))
                return
            what = f"generation {doing.generation} of {doing.generations}: "
            at(what + title_of(doing.step), doing.total, doing.done, doing.note, doing.at_most)

        yield show


@contextlib.contextmanager
def bar_by_bar() -> Iterator[Any]:
    """Show a bar for the step under way, and a line for each that has ended.

    Two functions are yielded: `at(what, total, done, note, at_most)` and `ended(line)`.
    """
    bar = contextlib.ExitStack()
    current: list[Any] = [None, None]

    def at(what: str, total: int | None, done: int, note: str, at_most: bool = False) -> None:
        if current[0] != (what, total):
            bar.close()
            current[:] = [(what, total), bar.enter_context(progress(what, total, at_most))]
        current[1](done, note)

    def ended(line: str) -> None:
        bar.close()
        current[:] = [None, None]
        say(line)

    with bar:
        yield at, ended


def title_of(step: str) -> str:
    """Return what a step is called."""
    return _STEPS.get(step, step)


def line_of(entry: LogEntry) -> str:
    """Return a finished step in a line."""
    from samuel.common.displayable import duration
    from samuel.reports.generations.tables import score_text

    step, figures = entry["step"], ""
    if step == "play":
        figures = f"{counted(entry['games'], 'game')} by {entry['player']}"
        figures += f", {counted(entry['positions'], 'position')}"
    elif step == "teach":
        figures = f"{counted(entry['games'], 'game')} against {entry['player']}"
    elif step == "train":
        figures = f"fitted to {entry['rows']:,} rows, R2 {entry['r2'] or 0:z.3f}"
        figures += f", {entry['begun']}" if "begun" in entry else ""
    else:
        figures = f"{counted(entry['games'], 'game')}, {score_text(entry)}"
    if step == "gate":
        said = "promoted" if entry["promoted"] else "not promoted"
        llr = llr_between(*(entry["sprt"][key] for key in ("llr", "lower", "upper")))
        figures += f", LLR {llr}: {said}"
    time = duration(entry["seconds"])
    return f"generation {entry['generation']}, {title_of(step)}: {figures} ({time})"


def _content(run: Run) -> dict[str, Any]:
    from samuel.learning.generations.run import REPORT

    rows = run.frame().astype(object)
    return {
        "out": str(run.folder),
        "generations": run.generations,
        "best": run.best,
        "best_generation": run.best_generation,
        "report": str(run.folder / REPORT),
        "log": run.frame().where(rows.notna(), None).to_dict("records"),
    }


def _show_run(run: Run, console: Console) -> None:
    from samuel.games.catalog import known_game
    from samuel.games.plugins import options_of_loaded_plugins
    from samuel.learning.generations.run import BEST, REPORT
    from samuel.models import usual_opponent

    show(run, console)
    console.print(f"best: {run.best}; report: {run.folder / REPORT}")
    if run.best_generation:
        folder, other = run.folder / BEST, usual_opponent(known_game(run.options.game))
        best = folder if folder.exists() else run.best
        command = f"samuel match {best} {other}{options_of_loaded_plugins()}"
        console.print(f"for a narrower interval play more games: {command}", soft_wrap=True)
