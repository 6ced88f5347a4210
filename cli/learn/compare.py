"""`samuel learn compare`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import Jobs, emit, on_cluster, print_table, say_what_is_kept
from samuel.cli.learn.run import bar_by_bar, line_of, title_of
from samuel.cli.subcommands import Given, subcommand
from samuel.options import Range, names_in

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.generations.experiment import Experiment, Learning
    from samuel.learning.options import LearnOptions

_METHODS = "tdlambda,tdleaf,rootstrap,treestrap"


@subcommand("samuel.learning.generations.loop:learn", doing="learning", without=("options", "draw"))
def run(
    given: Given,
    *,
    out: str,
    methods: str | None = None,
    settings: str | None = None,
    seeds: Annotated[int | None, Range(1)] = None,
    generations: Annotated[int | None, Range(1)] = None,
    minutes: Annotated[float | None, Range(0.0)] = None,
    pairs: Annotated[int | None, Range(1)] = None,
    rounds: Annotated[int | None, Range(1)] = None,
    jobs: Jobs = -1,
    cluster: str | None = None,
    json: bool = False,
) -> None:
    """Compare learning methods: equal budgets, several seeds each, one common rating.

    Each run is a `samuel learn` in its own folder below --out, without a gate unless --gate-pairs
    is given. At the end all generations of all runs, and their first evaluator, play a Swiss
    tournament. report.html shows the curves of Elo.

    After an interruption run the same command again, or samuel learn compare --out FOLDER: it
    continues.

    Example: samuel learn compare --methods rootstrap,treestrap --from zero --out runs/methods

    Example: samuel learn compare --methods generations,treestrap --minutes 20 --out runs/minutes

    Example: samuel learn compare --settings methods.toml --out runs/rates

    Parameters
    ----------
    out
        Folder of the comparison and its runs.
    methods
        Learning methods, joined by commas. Default: tdlambda,tdleaf,rootstrap,treestrap.
    settings
        TOML file: settings of all methods, and a table [methods.NAME] for one method.
    seeds
        Number of runs of each method. Default: 3.
    generations
        Number of generations of each run. Default: 3.
    minutes
        Learning time of each run in minutes, in place of generations.
    pairs
        Number of game pairs of two players in the final tournament. Default: 16.
    rounds
        Number of opponents of each player in the final tournament.
    """
    from samuel.learning.generations.experiment import experiment, plan_in
    from samuel.reports.generations.experiment import write_experiment
    from samuel.reports.generations.page import write_generations

    asked = {
        **{"seeds": seeds, "generations": generations, "minutes": minutes},
        **{"pairs": pairs, "rounds": rounds},
    }
    wanted: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    begun = plan_in(out) if methods is None and settings is None and not given else None
    if begun is not None:
        from samuel.learning.options import LearnOptions

        chosen = {name: LearnOptions.of(values, out) for name, values in begun["ways"].items()}
        wanted = {name: begun[name] for name in asked} | wanted  # type: ignore[literal-required]
    else:
        chosen = _methods(methods, settings, given)
    try:
        with on_cluster(cluster), _shown() as show:
            found = experiment(
                out, chosen, jobs=jobs, progress=show, draw=write_generations, **wanted
            )
    except KeyboardInterrupt:
        say_what_is_kept(out)
        raise
    report = write_experiment(found)

    def tell(console: Console) -> None:
        from samuel.reports.generations.experiment import experiment_table

        print_table("Methods", experiment_table(found), console, words=1)
        console.print(f"report: {report}")

    emit(_content(found, str(report)), json, tell)


def _methods(names: str | None, path: str | None, given: Given) -> dict[str, LearnOptions]:
    """Return the methods: those named, and those of a file."""
    from samuel.errors import UserError
    from samuel.learning.generations.experiment import methods_of
    from samuel.learning.generations.settings import asked_of
    from samuel.learning.options import LearnOptions
    from samuel.options import typed_fields
    from samuel.text_files import read_toml

    values = {} if path is None else read_toml(path)
    before = values.pop("ways", {})  # as methods were called
    own = values.pop("methods", before)
    if not isinstance(own, dict) or not all(isinstance(table, dict) for table in own.values()):
        raise UserError(f"{path}: write each method as a table, such as [methods.slow]")
    if names is not None or not own:
        own = own | {name: {"method": name} for name in names_in(names or _METHODS)}
    try:
        shared = typed_fields(LearnOptions, values)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    return methods_of(shared | asked_of(given), own, path or "the command")


@contextlib.contextmanager
def _shown() -> Iterator[Any]:
    """Show which run is doing what."""
    with bar_by_bar() as (at, ended):

        def show(learning: Learning) -> None:
            doing = learning.doing
            if doing is None:
                at("tournament", learning.total, learning.done, "")
            elif doing.entry is not None:
                ended(f"{learning.name}: {line_of(doing.entry)}")
            else:
                whose = f"{learning.name} (run {learning.run} of {learning.runs})"
                what = f"{whose}: generation {doing.generation}: {title_of(doing.step)}"
                at(what, doing.total, doing.done, doing.note, doing.at_most)

        yield show


def _content(found: Experiment, report: str) -> dict[str, Any]:
    return found.as_dict() | {"report": report}
