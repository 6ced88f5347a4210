"""`samuel learn compare`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, on_cluster, print_table, say_what_is_kept
from samuel.cli.learn.run import SettingOptions, asked_of, bar_by_bar, line_of, title_of

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.learning.generations.contest import Contest, Learning
    from samuel.learning.generations.settings import Settings

_METHODS = "tdlambda,tdleaf,rootstrap,treestrap"


@command("learning")
def run(
    out: Annotated[str, typer.Option(help="Folder of the contest; its runs lie in it.")],
    methods: Annotated[
        str | None, typer.Option(help=f"Methods, joined by commas; by default {_METHODS}.")
    ] = None,
    settings: Annotated[
        str | None,
        typer.Option(help="A TOML file: settings of all, and a table [ways.NAME] of each way's."),
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Runs of each; by default 3.")] = None,
    generations: Annotated[
        int | None, typer.Option(min=1, help="Of --games each: points of a curve; or 3.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Learn for so long each, in place of generations.")
    ] = None,
    pairs: Annotated[
        int | None, typer.Option(min=1, help="Of games, when two meet at the end; or 16.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="How many others each meets at the end.")
    ] = None,
    *,
    given: SettingOptions,
    jobs: options.JobsOption = -1,
    cluster: options.ClusterOption = None,
    json: options.JsonOption = False,
) -> None:
    """Let several ways to learn have the same budget, several seeds each, and rate them together.

    Each run is one of samuel learn, in its own folder of --out, without a gate unless --gate-pairs
    asks for one. At the end all generations of all runs, and what they began with, meet in a Swiss
    tournament. report.html has the curves of Elo. Interrupted, even killed, the same command goes
    on where it stopped, as does one with nothing but the folder.

    Example: samuel learn compare --methods rootstrap,treestrap --from zero --out runs/ways

    samuel learn compare --methods generations,treestrap --minutes 20 --seeds 1 --out runs/minutes

    samuel learn compare --settings ways.toml --out runs/rates
    """
    from samuel.learning.generations.contest import contest, plan_in
    from samuel.reports.generations.contest import write_contest
    from samuel.reports.generations.page import write_generations

    asked = {
        **{"seeds": seeds, "generations": generations, "minutes": minutes},
        **{"pairs": pairs, "rounds": rounds},
    }
    wanted: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    begun = plan_in(out) if methods is None and settings is None and not given else None
    if begun is not None:
        from samuel.learning.generations.settings import Settings

        ways = {name: Settings.of(values, out) for name, values in begun["ways"].items()}
        wanted = {name: begun[name] for name in asked} | wanted  # type: ignore[literal-required]
    else:
        ways = _ways(methods, settings, given)
    try:
        with on_cluster(cluster), _shown() as show:
            found = contest(out, ways, jobs=jobs, progress=show, draw=write_generations, **wanted)
    except KeyboardInterrupt:
        say_what_is_kept(out)
        raise
    report = write_contest(found)

    def tell(console: Console) -> None:
        from samuel.reports.generations.contest import contest_table

        print_table("Ways to learn", contest_table(found), console, words=1)
        console.print(f"report: {report}")

    emit(_content(found, str(report)), json, tell)


def _ways(methods: str | None, path: str | None, given: dict[str, Any]) -> dict[str, Settings]:
    """Return the ways to learn: methods by name, and those of a file."""
    from samuel.errors import UserError
    from samuel.learning.generations.contest import ways_of
    from samuel.text_files import read_toml

    values = {} if path is None else read_toml(path)
    own = values.pop("ways", {})
    if not isinstance(own, dict) or not all(isinstance(table, dict) for table in own.values()):
        raise UserError(f"{path}: ways are tables, such as [ways.slow]")
    if methods is not None or not own:
        names = [name.strip() for name in (methods or _METHODS).split(",") if name.strip()]
        own = own | {name: {"method": name} for name in names}
    return ways_of(values | asked_of(given), own, path or "the command")


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


def _content(found: Contest, report: str) -> dict[str, Any]:
    return found.as_dict() | {"report": report}
