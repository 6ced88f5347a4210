"""`samuel learn compare`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
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
    --game accepts several games, joined by commas.

    After an interruption, the same command or samuel learn compare --out FOLDER continues.

    Example: samuel learn compare --algorithms rootstrap,treestrap --from zero --out runs/compared

    Example: samuel learn compare --algorithms generations,treestrap --minutes 20 --out runs/minutes

    Example: samuel learn compare --settings algorithms.toml --out runs/rates

    Example: samuel learn compare --game othello,chess --minutes 20 --out runs/games

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
    from samuel.learning.generations.experiment import experiment, planned
    from samuel.learning.generations.run import REPORT
    from samuel.reports.generations.experiment import experiments_view
    from samuel.reports.generations.run import write_generations
    from samuel.reports.html import write_page

    asked = {
        **{"seeds": seeds, "generations": generations, "minutes": minutes},
        **{"pairs": pairs, "rounds": rounds},
    }
    plans = _plans(Path(out), algorithms, settings, given, asked)
    for keep in (False, True):  # so that --out finds all games, if none is refused
        for one in plans:
            planned(*one, keep=keep)
    found = []
    with keeping_games(out), on_cluster(cluster), _shown() as follow:
        for one in plans:
            found.append(experiment(*one, jobs=jobs, progress=follow, draw=write_generations))
    reports = [write_page(one.folder / REPORT, one) for one in found]
    several = len(found) > 1
    shown = experiments_view(found) if several else found[0]
    report = write_page(Path(out) / REPORT, shown) if several else reports[0]

    contents = [
        one.as_dict() | {"report": str(page)} for one, page in zip(found, reports, strict=True)
    ]
    whole = {"out": out, "games": contents, "report": str(report)} if several else contents[0]
    emit(whole, json, functools.partial(show, shown, report=report))


def _plans(
    out: Path, algorithms: str | None, settings: str | None, given: Given, asked: Mapping[str, Any]
) -> list[tuple[Path, dict[str, LearnOptions], Plan]]:
    """Return the experiments, one a game: the folder, the algorithms, and the plan."""
    from samuel.learning.generations.experiment import PLAN, Plan, plan_in

    wanted = {name: value for name, value in asked.items() if value is not None}
    if algorithms is None and settings is None and not given:
        begun = [out / PLAN] if (out / PLAN).exists() else sorted(out.glob(f"*/{PLAN}"))
        plans = []
        for folder in (path.parent for path in begun):
            chosen, plan = plan_in(folder)
            plans.append((folder, chosen, plan.but(wanted)))
        if plans:
            return plans
    games = list(dict.fromkeys(names_in(given.get("game") or "")))
    if len(games) < 2:
        return [(out, _algorithms(algorithms, settings, given), Plan(**wanted))]
    by_game = [_algorithms(algorithms, settings, given | {"game": game}) for game in games]
    return [(out / next(iter(of.values())).game, of, Plan(**wanted)) for of in by_game]


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
