"""What the subcommands share: options, output, progress, the manner of failing."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypeVar

import typer

from samuel.cli.interrupts import interruptible
from samuel.cli.progress import busy as busy
from samuel.cli.progress import progress as progress
from samuel.cli.progress import telling
from samuel.cli.terminal import console as console
from samuel.errors import printable
from samuel.files import plain, require_name

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.games import Game, Position
    from samuel.reports.tables import Table

P = ParamSpec("P")
R = TypeVar("R")

GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        help="The game: a name, or a Python file that registers one; by default that of the "
        "models named, or othello.",
    ),
]
EvaluatorOption = Annotated[
    str | None,
    typer.Option(
        "--evaluator",
        help="A model of the package, or the folder of one of yours; by default classic, or zero "
        "where the game has no classic.",
    ),
]
PositionOption = Annotated[
    str | None,
    typer.Option("--position", help="The position as text; the start where none is given."),
]
MovesOption = Annotated[
    str | None, typer.Option("--moves", help="A transcript from the start, such as f5d6c3.")
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, max=(1 << 32) - 1, help="Seed of every random choice.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
JobsOption = Annotated[
    int, typer.Option("--jobs", min=-1, max=1024, help="Workers; -1 for one a core.")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Let the workers of a dask cluster play: the address of its scheduler, such as "
        "tcp://host:8786 (pip install 'samuel-learning\\[dask]').",
    ),
]
PluginOption = Annotated[
    list[str] | None,
    typer.Option("--plugin", help="A Python file of yours with features or games; repeatable."),
]
ExactOption = Annotated[
    int | None,
    typer.Option(
        "--exact-from", min=0, max=999, help="Solve from this many empty squares on; 0: never."
    ),
]
_PADDING = 3
"""Beside a column of a table."""
MOST_DEPTH, MOST_NODES = 119, 1 << 62
"""The greatest limits of a search, as in samuel.search, which takes time to import."""
DOING = {
    **{"add": "rating players", "check": "checking", "compare": "comparing"},
    **{"dedupe": "merging repeated positions", "evaluate": "evaluating", "explain": "explaining"},
    **{"export": "exporting", "filter_rows": "filtering", "games": "reading games"},
    **{"grow": "growing", "gtp": "serving GTP", "import_": "importing", "info": "reading"},
    **{"league": "playing", "learn": "learning", "match": "playing", "merge": "merging"},
    **{"models": "looking for models", "nboard": "serving NBoard", "openings": "making openings"},
    **{"perft": "counting", "relabel": "relabelling", "remove": "removing"},
    **{"search": "searching", "select": "selecting features", "selfplay": "self-play"},
    **{"show_pool": "rating players", "solve": "solving", "split": "splitting"},
    **{"sprt": "calculating", "tournament": "playing", "train": "training"},
    **{"train_policy": "learning", "train_probcut": "fitting ProbCut"},
}
"""What each subcommand is doing where nothing more is known, in words for people."""
MOST_SIGMAS = 1000
"""The greatest confidence of ProbCut that a search takes."""
ProbCutOption = Annotated[
    float | None,
    typer.Option(
        "--probcut",
        min=0.01,
        max=MOST_SIGMAS,
        help="Leave out what shallow searches show, with so many sigmas of confidence, to be "
        "irrelevant (1.2, say); never where not given.",
    ),
]


def command(function: Callable[P, R]) -> Callable[P, R]:
    """Give a subcommand what all have in common.

    Numbers are finite, outputs have names; an interruption is one line and exit status 130.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in kwargs.items():
            if isinstance(value, float) and not math.isfinite(value):
                # min and max of an option let nan pass
                option = "--" + name.replace("_", "-")
                raise typer.BadParameter(f"{value} is no number to go by", param_hint=option)
        for output in (kwargs.get("out"), kwargs.get("report")):
            if isinstance(output, str):
                require_name(output)

        def work() -> R:
            with telling(DOING.get(name_of(function), "working")):
                return function(*args, **kwargs)

        return interruptible(work)

    return run


def name_of(function: Callable[..., Any]) -> str:
    """Return what a subcommand is called among these files."""
    named = function.__name__
    return function.__module__.rpartition(".")[2] if named == "run" else named


def say_what_is_kept(out: str) -> None:
    """Say, after an interruption, whether the next run of the command finds anything whole."""
    if next(Path(out).rglob("*.parquet"), None) is None:
        print(f"\nnothing is whole yet in {out}; the same command begins again", file=sys.stderr)
    else:
        print(f"\nwhat is whole is kept in {out}; the same command goes on", file=sys.stderr)


@contextlib.contextmanager
def replacing_model(out: str) -> Iterator[None]:
    """Say so where the folder held a model before: inside, another takes its place."""
    was_there = (Path(out) / "model.json").is_file()
    yield
    if was_there:
        print(f"samuel: note: the model that was in {printable(out)} is replaced", file=sys.stderr)


def prepare(plugins: list[str] | None) -> None:
    """Load the user's files."""
    if plugins:
        from samuel.games.catalog import load_plugins

        load_plugins(plugins)


def game_and_evaluators(game: str | None, *evaluators: str | None) -> tuple[Game, list[str]]:
    """Return the game that is asked for, or that of the models' folders, and the evaluators.

    An evaluator that is not named is `classic`, or `zero` where the game has no classic.
    """
    from samuel.models import game_for, handmade_names
    from samuel.models.handmade import no_evaluator

    rules = game_for(game or None, *evaluators)
    for name in filter(
        None, evaluators
    ):  # before what takes longer to import; engines have a colon
        is_known = name in handmade_names(rules.name) or os.path.isdir(name)
        if not is_known and ":" not in name:
            raise no_evaluator(name, rules)
    default = "classic" if "classic" in handmade_names(rules.name) else "zero"
    return rules, [name or default for name in evaluators]


def range_in(text: str | None, option: str) -> tuple[int, int] | None:
    """Return the two ends of `A-B`, or of `A` alone; None for None."""
    if text is None:
        return None
    first, dash, last = text.partition("-")
    try:
        ends = int(first), int(last if dash else first)
    except ValueError:
        ends = (1, 0)
    if not 0 <= ends[0] <= ends[1]:
        raise typer.BadParameter(f"{text!r} is no range; write it like 10-40", param_hint=option)
    return ends


def position_of(position: str | None, moves: str | None, rules: Game) -> Position:
    """Return the position that is given as text or by the moves to it; else the start."""
    from samuel.errors import UserError
    from samuel.games import Position

    if position is not None and moves is not None:
        raise UserError("give --position or --moves, not both")
    if position is not None:
        return Position.parse(position, rules)
    return Position.from_transcript(moves or "", rules)


def emit(content: dict[str, Any], as_json: bool, show: Callable[[Console], None]) -> None:
    """Print `content` as JSON, or let `show` print it for people."""
    if as_json:
        print(json.dumps(plain(content)))
    else:
        show(console())


def print_table(title: str, content: Table, console: Console, words: int = 1) -> None:
    """Print a report's table for people; its first columns, of words, stand to the left."""
    from rich import box
    from rich.table import Table as Drawn

    for number, columns in enumerate(_parts(content, words, console.width)):
        table = Drawn(title=None if number else title, box=box.SIMPLE_HEAD, pad_edge=False)
        for column in columns:
            table.add_column(
                content.headings[column], justify="left" if column < words else "right"
            )
        for row in content.rows:
            table.add_row(*(row[column] for column in columns))
        console.print(table)


def _parts(content: Table, words: int, width: int) -> list[list[int]]:
    """Return the columns of each part of a table, so that none is wider; each has the words."""
    from rich.cells import cell_len

    texts = [content.headings, *content.rows]
    widths = [
        _PADDING + max(cell_len(line) for row in texts for line in (*row[column].splitlines(), ""))
        for column in range(len(content.headings))
    ]
    first = list(range(words))
    parts = [first]
    for column in range(words, len(widths)):
        if parts[-1] != first and sum(widths[c] for c in parts[-1]) + widths[column] > width:
            parts.append(first)
        parts[-1] = [*parts[-1], column]
    return parts


@contextlib.contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Let tasks run on the workers of a cluster, as `ClusterOption` asks; here where None."""
    if address is None:
        yield
        return
    from samuel.selfplay.workers import backend

    with contextlib.ExitStack() as connection:
        with busy(f"connecting to {address}"):
            connection.enter_context(backend(address))
        yield
