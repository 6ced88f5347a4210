"""`samuel learn` alone: a run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, on_cluster, print_table, progress, say_what_is_kept
from samuel.cli.progress import say

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.generations.loop import Doing
    from samuel.learning.generations.run import LogEntry, Run
    from samuel.learning.generations.settings import Settings

_SHOWN = ("gen.", "played by", "games", "rows", "R2", "promoted", "time")
"""Columns of the table of generations that a terminal has room for."""
_STEPS = {"play": "self-play", "train": "training", "teach": "learning", "gate": "gate"}


def given_of(
    game: Annotated[
        str | None,
        typer.Option(help="The game: a name, or a Python file that registers one; or othello."),
    ] = None,
    first: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="The evaluator to start from: by default the game's own, or zero.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=(1 << 32) - 1, help="Seed of every random choice.")
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Games a generation.")] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Plies of search in self-play.")] = None,
    explore: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of random moves in self-play.")
    ] = None,
    exact_from: Annotated[
        int | None, typer.Option(min=0, help="Self-play solves from this many squares left on.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="generations, fitted to games; the method that chooses moves there, such as uct; "
            "or how to learn while playing: tdlambda, tdleaf, rootstrap, treestrap, "
            "treestrap-minimax, samuel or rote."
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(help="Who learns while playing: the share of an error a step takes away."),
    ] = None,
    coherent: Annotated[
        bool | None,
        typer.Option(
            "--coherent/--equal-steps", help="Whether a weight's steps fall as they contradict."
        ),
    ] = None,
    wins: Annotated[
        bool | None, typer.Option("--wins/--scores", help="tdlambda, tdleaf: learn who wins.")
    ] = None,
    series: Annotated[
        int | None, typer.Option(help="samuel: the series of his tests, 1 or 2.")
    ] = None,
    terms: Annotated[
        str | None,
        typer.Option(help="samuel: features, or single numbers of them, joined by commas."),
    ] = None,
    active: Annotated[
        int | None, typer.Option(min=1, help="samuel: how many terms are in use at a time.")
    ] = None,
    leading: Annotated[
        float | None, typer.Option(help="samuel: what the leading weight is worth.")
    ] = None,
    opponent: Annotated[
        str | None, typer.Option(help="Whom the learner meets: self, earlier or an evaluator.")
    ] = None,
    capacity: Annotated[
        int | None, typer.Option(min=1, help="rote: the most positions that are remembered.")
    ] = None,
    age_limit: Annotated[
        int | None,
        typer.Option(min=2, help="rote: merges without use until a position is forgotten."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="What is fitted: a recipe, or FILE.py:function.")
    ] = None,
    last: Annotated[
        int | None, typer.Option(min=1, help="Learn from the games of so many generations.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="What is learned: outcome, score, exact, blend or td.")
    ] = None,
    blend: Annotated[
        float | None, typer.Option(min=0, max=1, help="Weight of the score in a blend.")
    ] = None,
    trace: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Lambda of td: 0 the score alone, 1 the outcome alone."),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(help="How much rows count, as samuel train has it, such as close=20."),
    ] = None,
    sprt: Annotated[
        str | None, typer.Option(help="Elo that the gate tells apart, such as 0,10.")
    ] = None,
    gate_pairs: Annotated[
        int | None, typer.Option(min=0, help="Most pairs of the gate; 0: none, all are promoted.")
    ] = None,
    match_depth: Annotated[
        int | None, typer.Option(min=1, help="Plies of search in all matches.")
    ] = None,
    curve_pairs: Annotated[
        int | None,
        typer.Option(min=0, help="Pairs of each generation against each yardstick; 0: no curve."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(help="Yardsticks besides the first evaluator, joined by commas; or classic."),
    ] = None,
) -> dict[str, Any]:
    """Return the settings that are given, by their names."""
    return {name: value for name, value in locals().items() if value is not None}


SettingOptions = Annotated[dict[str, Any], options.Built(given_of)]


@command("learning")
def run(
    out: Annotated[str | None, typer.Option(help="Folder of the run.")] = None,
    generations: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many in all; by default as many as last time, or the game's."
        ),
    ] = None,
    settings: Annotated[
        str | None,
        typer.Option(help="A TOML file of settings, which the options below take the place of."),
    ] = None,
    show_settings: Annotated[
        bool,
        typer.Option("--show-settings", help="Print the settings (TOML), and do nothing."),
    ] = False,
    *,
    given: SettingOptions,
    jobs: options.JobsOption = -1,
    cluster: options.ClusterOption = None,
    json: options.JsonOption = False,
) -> None:
    """Learn by self-play: play with the best, fit a candidate, test it, promote it, and again.

    The candidate plays the best so far until a sequential test decides; if it is stronger it takes
    its place. Interrupted, even killed, the same command goes on where it stopped, as does one with
    nothing but the folder (and --plugin); more --generations go on from the best. report.html there
    has the curve, best/ the best model.

    Example: samuel learn --generations 3 --out runs/learn

    samuel learn --out runs/learn --generations 5

    samuel learn --from classic --model logistello --games 40000 --last 3 --out runs/long

    samuel learn --game connect_four --show-settings > four.toml
    """
    chosen = _settings(out, settings, given)
    if show_settings:
        from dataclasses import asdict

        from samuel.learning.generations.settings import settings_text

        emit({"settings": asdict(chosen)}, json, lambda _: print(settings_text(chosen), end=""))
        return
    if out is None:
        raise typer.BadParameter("name the folder of the run", param_hint="--out")
    from samuel.learning.generations.loop import learn
    from samuel.reports.generations.page import write_generations

    try:
        with on_cluster(cluster), shown() as show:
            found = learn(
                out,
                chosen,
                generations=generations,
                jobs=jobs,
                progress=show,
                draw=write_generations,
            )
    except KeyboardInterrupt:
        say_what_is_kept(out)
        raise
    emit(content_of(found), json, lambda console: show_run(found, console))


def _settings(out: str | None, path: str | None, options: dict[str, Any]) -> Settings:
    """Return the settings: the options before the file, or else the run in the folder."""
    from dataclasses import asdict

    from samuel.learning.generations.folder import settings_in
    from samuel.learning.generations.settings import Settings
    from samuel.text_files import read_toml

    asked = asked_of(options)
    values: dict[str, Any] = {}
    if path is not None:
        values = read_toml(path)
        Settings.of(values, path)
    elif out is not None and (begun := settings_in(out)) is not None:
        values = asdict(begun)
    return Settings.of(values | asked, path or "the command").filled()


def asked_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that options name, by fields; the code that they name is run."""
    from dataclasses import asdict

    from samuel.arena import Sprt
    from samuel.learning.generations.settings import Settings

    values = dict(options)
    if "sprt" in values:
        test = Sprt.parse(values["sprt"])
        values["sprt"] = [test.elo0, test.elo1]
    for name in {"against", "terms"} & values.keys():
        values[name] = [n.strip() for n in values[name].split(",") if n.strip()]
    named = asdict(Settings.of(values, "the command").named())  # a run may be of the game in it
    return {name: named[name] for name in values}


@contextlib.contextmanager
def shown() -> Iterator[Any]:
    """Show what a run is doing.

    What is yielded takes that, and how lines about it begin.
    """
    with bar_by_bar() as (at, ended):
        told: list[int] = [0]

        def show(doing: Doing, whose: str = "") -> None:
            if doing.entry is not None:
                ended(whose + line_of(doing.entry))
                return
            if told[0] != doing.generation:
                told[:] = [doing.generation]
                ended(whose + time_line(doing))
            what = f"{whose}generation {doing.generation} of {doing.generations}: "
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


def time_line(doing: Doing) -> str:
    """Return a line with the time that the generation will take."""
    from samuel.reports.generations.tables import duration

    which = f"generation {doing.generation} of {doing.generations}"
    if doing.left is None:
        return f"{which}: the time is unknown until each kind of step has been done once"
    said = f"{which}: {duration(doing.left[0])} to {duration(doing.left[1])}"
    if doing.left_in_all is not None and doing.generation < doing.generations:
        least, most = map(duration, doing.left_in_all)
        said += f", {least} to {most} with all that follow"
    return f"{said}, estimated from the steps so far"


def title_of(step: str) -> str:
    """Return what a step is called."""
    return _STEPS.get(step, step)


def line_of(entry: LogEntry) -> str:
    """Return a finished step in a line."""
    from samuel.reports.generations.tables import duration, score_text

    step, figures = entry["step"], ""
    if step == "play":
        figures = f"{entry['games']:,} games by {entry['player']}, {entry['positions']:,} positions"
    elif step == "teach":
        figures = f"{entry['games']:,} games against {entry['player']}"
    elif step == "train":
        figures = f"fitted to {entry['rows']:,} rows, R2 {entry['r2'] or 0:.3f}"
        figures += f", {entry['begun']}" if "begun" in entry else ""
    else:
        figures = f"{entry['games']:,} games, {score_text(entry)}"
    if step == "gate":
        said = "promoted" if entry["promoted"] else "not promoted"
        figures += f", LLR {entry['sprt']['llr']:+.2f}: {said}"
    time = duration(entry["seconds"])
    return f"generation {entry['generation']}, {title_of(step)}: {figures} ({time})"


def content_of(run: Run) -> dict[str, Any]:
    """Return what the command prints as JSON."""
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


def show_run(run: Run, console: Console) -> None:
    """Print the tables of a run."""
    from samuel.learning.generations.run import REPORT
    from samuel.learning.generations.teaching import generalizer_of
    from samuel.reports.generations.polynomial import polynomial_table, polynomial_text
    from samuel.reports.generations.tables import generation_table, strength_table, verdict

    played = generation_table(run)
    kept = [played.headings.index(label) for label in _SHOWN]
    rows = [[row[column] for column in kept] for row in played.rows]
    print_table("Generations", played._replace(headings=list(_SHOWN), rows=rows), console, words=2)
    learner = generalizer_of(run)
    if learner is not None:
        print_table("Samuel's polynomial", polynomial_table(learner), console)
        console.print(polynomial_text(learner))
    strength = strength_table(run)
    if strength.rows:
        print_table("Strength", strength, console)
    console.print(verdict(run))
    console.print(f"best: {run.best}; report: {Path(run.folder) / REPORT}")
