"""`samuel learn compare`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import Jobs, emit, keeping_games, on_cluster, show
from samuel.cli.defaults import USUAL_ALGORITHMS
from samuel.cli.learn.run import bar_by_bar, line_of, title_of
from samuel.cli.options import Given, subcommand
from samuel.common.options import Range, names_in

if TYPE_CHECKING:
    from samuel.learning.generations.experiment import Learning, Plan
    from samuel.learning.options import LearnOptions


@subcommand(
    "samuel.learning.generations.loop:learn",
    doing="learning",
    without=("options", "draw", "algorithm"),
)
def run(
    given: Given,
    *,
    out: str,
    algorithms: str | None = None,
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
    """Compare learning algorithms: equal budgets, several seeds each, one common rating.

    Each run is a `samuel learn` in its own folder below --out. At the end all generations of all
    runs, and their first evaluator, play a Swiss tournament. report.html shows the curves of Elo.

    After an interruption, the same command or samuel learn compare --out FOLDER continues.

    Example: samuel learn compare --algorithms rootstrap,treestrap --from zero --out runs/compared

    Example: samuel learn compare --algorithms generations,treestrap --minutes 20 --out runs/minutes

    Example: samuel learn compare --settings algorithms.toml --out runs/rates

    Parameters
    ----------
    out
        Folder of the comparison and its runs.
    algorithms
        Learning algorithms, joined by commas. Default: tdlambda,tdleaf,rootstrap,treestrap.
    settings
        TOML file: settings of all algorithms, and a table [algorithms.NAME] for one algorithm.
    seeds
        Number of runs of each algorithm. Default: 3.
    generations
        Number of generations of each run. Default: 3.
    minutes
        Learning time of each run in minutes, instead of generations. A started generation is
        finished; a smaller --games makes it shorter. With --jobs 1 the time is processor time,
        independent of other programs.
    pairs
        Number of game pairs per pairing of the final tournament. Default: 16.
    rounds
        Number of opponents of each player in the final tournament. Default: twice the binary
        logarithm of the number of players.
    """
    from samuel.learning.generations.experiment import experiment
    from samuel.learning.generations.run import REPORT
    from samuel.reports.generations.run import write_generations
    from samuel.reports.html import write_page

    asked = {
        **{"seeds": seeds, "generations": generations, "minutes": minutes},
        **{"pairs": pairs, "rounds": rounds},
    }
    plan = _plan(Path(out), algorithms, settings, given, asked)
    with keeping_games(out), on_cluster(cluster), _shown() as follow:
        found = experiment(out, *plan, jobs=jobs, progress=follow, draw=write_generations)
    report = write_page(found.folder / REPORT, found)
    emit(found.as_dict() | {"report": str(report)}, json, partial(show, found, report=report))


def _plan(
    out: Path, algorithms: str | None, settings: str | None, given: Given, asked: Mapping[str, Any]
) -> tuple[dict[str, LearnOptions], Plan]:
    """Return the algorithms and the plan, those of the folder if the user gives neither."""
    from samuel.learning.generations.experiment import PLAN, Plan, plan_in

    wanted = {name: value for name, value in asked.items() if value is not None}
    if algorithms is None and settings is None and not given and (out / PLAN).exists():
        chosen, plan = plan_in(out)
        return chosen, plan.but(wanted)
    return _algorithms(algorithms, settings, given), Plan(**wanted)


def _algorithms(names: str | None, path: str | None, given: Given) -> dict[str, LearnOptions]:
    """Return the algorithms: those named, and those of a file."""
    from samuel.common.errors import UserError
    from samuel.common.public import typed_fields
    from samuel.common.text_files import read_toml
    from samuel.learning.generations.experiment import algorithms_of
    from samuel.learning.generations.settings import asked_of, require_effect
    from samuel.learning.options import LearnOptions

    values = {} if path is None else read_toml(path)
    own = values.pop("algorithms", {})
    if not isinstance(own, dict) or not all(isinstance(table, dict) for table in own.values()):
        raise UserError(f"{path}: write each algorithm as a table, such as [algorithms.slow]")
    usual = "" if own else ",".join(USUAL_ALGORITHMS)
    own = own | {name: {"algorithm": name} for name in names_in(usual if names is None else names)}
    if not own:
        raise UserError("--algorithms is empty; give at least one name, or leave it out")
    try:
        shared = typed_fields(LearnOptions, values)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    found = algorithms_of(shared | asked_of(given), own, path or "the command")
    require_effect(given, found.values())
    return found


@contextlib.contextmanager
def _shown() -> Iterator[Any]:
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
