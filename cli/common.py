"""Common parts of the subcommands: questions, output, progress."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from samuel.cli.options import Given, Subcommand
from samuel.cli.progress import busy as busy
from samuel.cli.progress import progress as progress
from samuel.cli.terminal import console as console
from samuel.cli.terminal import content_tables as content_tables
from samuel.common.displayable import Table
from samuel.common.errors import printable
from samuel.common.json_files import plain
from samuel.common.options import Range
from samuel.common.public import options_of

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.games import Game, Position

Jobs: TypeAlias = Annotated[int, Range(-1, 1024)]
"""Number of workers; the command line takes one per core by default."""
_PADDING = 3
"""Beside a column of a table."""


@contextlib.contextmanager
def keeping_games(out: str | None) -> Iterator[None]:
    """Say, after an interruption inside, whether the command finds complete results next time."""
    try:
        yield
    except KeyboardInterrupt:
        if out is None:
            said = "the games were not saved; use --out FOLDER to save them"
        elif _holds_games(Path(out)):
            said = f"complete results are saved in {out}; run the same command to continue"
        else:
            said = f"no complete results in {out} yet; the same command starts again"
        print(f"\nsamuel: {printable(said)}", file=sys.stderr)
        raise


def _holds_games(folder: Path) -> bool:
    """Return whether a folder holds a whole part of a dataset or a pair of a match's games."""
    journals = folder.rglob("journal.jsonl")
    return any(folder.rglob("*.parquet")) or any(one.stat().st_size for one in journals)


@contextlib.contextmanager
def replacing_model(out: str) -> Iterator[None]:
    """Say so where the folder held a model before, or is called like an evaluator that is known.

    Inside, the model is written.
    """
    from samuel.common.errors import UserError
    from samuel.models import evaluator_names
    from samuel.models.saved.card import read_card

    before = ""
    with contextlib.suppress(UserError):  # a damaged one is replaced, too
        card = read_card(Path(out))
        before = f"{card['name']}, {card.get('model', card['kind'])}, {card.get('date', 'no date')}"
    yield
    if before:
        said = f"the previous model in {out} ({before}) is replaced"
        print(f"samuel: note: {printable(said)}", file=sys.stderr)
    if out in evaluator_names(read_card(Path(out))["game"]):
        said = f"the name {out} means another evaluator; type ./{out} for this model"
        print(f"samuel: note: {said}", file=sys.stderr)


def game_and_evaluators(game: str | None, *evaluators: str | None) -> tuple[Game, list[str]]:
    """Return the game that is asked for, or that of the models' folders, and the evaluators.

    An evaluator that is not named is the usual one: `classic`, or `zero` where there is none.
    """
    from samuel.models import evaluator_names, game_for
    from samuel.models.game_of import evaluator_alone
    from samuel.models.named import no_evaluator, usual_evaluator

    rules = game_for(game or None, *evaluators)
    # before what takes longer to import; engines have a colon
    for name in filter(None, evaluators):
        alone = evaluator_alone(name)
        is_known = alone in evaluator_names(rules) or os.path.isdir(alone)
        if not is_known and ":" not in name:
            _require_no_recipe(name, rules)
            raise no_evaluator(name, rules)
    return rules, [name or usual_evaluator(rules) for name in evaluators]


def _require_no_recipe(name: str, rules: Game) -> None:
    from samuel.common.errors import UserError
    from samuel.learning.fitting.recipes import file_of, is_recipe

    if file_of(name) is None and is_recipe(name, rules):
        made = f"samuel train DATASET --model {name} --out FOLDER"
        raise UserError(f"{name} is a recipe, not a fitted model; {made} makes a model")


def position_of(position: str | None, moves: str | None, rules: Game) -> Position:
    """Return the position that is given as text or by the moves to it; else the start."""
    from samuel.common.errors import UserError
    from samuel.games import Position

    if position is not None and moves is not None:
        raise UserError("--position and --moves cannot be given together")
    if position is not None:
        return Position.parse(position, rules)
    return Position.from_transcript(moves or "", rules)


def emit(
    content: dict[str, Any],
    as_json: bool,
    show: Callable[[Console], None] | None = None,
    *,
    shown: Mapping[str, Any] | None = None,
) -> None:
    """Print `content` as JSON, or for people: by `show`, else values (`shown`) with their names."""
    if as_json:
        print(json.dumps(plain(content)))
    elif show is None:
        print_tables(content_tables(content if shown is None else shown), console())
    else:
        show(console())


def show(shown: Any, console: Console, *, report: object = None) -> None:
    """Print a result, or its view: the tables, the sentences, and the place of its page."""
    from samuel.reports.views import view_of

    view = view_of(shown)
    print_tables((table for table in view.tables if not table.detail), console)
    for line in filter(None, view.lines):
        console.print(line)
    if report is not None:
        console.print(f"report: {report}")


def write_report(path: str | None, result: Any) -> None:
    """Write a result, or its view, as a page, if one is asked for."""
    if path is None:
        return
    from samuel.reports.html import write_page

    with busy("writing the page"):
        write_page(path, result)


def result_command(name: str, of: str, doing: str, *examples: str) -> Subcommand:
    """Return a command that prints the result of the public function at `of`."""

    def run(given: Given, *, json: bool = False) -> None:
        with busy(doing) as say:
            follow = {"progress": say} if "progress" in options_of(command.public) else {}
            result = command.public(**given, **follow)
        emit(result.as_dict(), json, functools.partial(show, result))

    run.__doc__ = "\n\n".join([f"Run `samuel {name}`.", *examples])
    command = Subcommand(run, of, doing, ())
    return command


def print_tables(tables: Iterable[Table], console: Console) -> None:
    """Print tables one after the other."""
    for table in tables:
        print_table(table, console)


def print_table(table: Table, console: Console) -> None:
    """Print a table in parts that are no wider than the terminal, and its notes."""
    from rich import box
    from rich.table import Table as Drawn

    words = table.words
    for number, columns in enumerate(_parts(table, console.width) if table.columns else ()):
        title, is_headed = (None if number else table.title or None), any(table.columns)
        drawn = Drawn(title=title, box=box.SIMPLE_HEAD, pad_edge=False, show_header=is_headed)
        for column in columns:
            justify: Literal["left", "right"] = "left" if column in words else "right"
            drawn.add_column(table.columns[column], justify=justify, overflow="fold")
        for row in table.rows:
            drawn.add_row(*(str(row[column]) for column in columns))
        console.print(drawn)
    for note in filter(None, table.notes):
        console.print(note, soft_wrap="\n" in note)  # a command stays whole


def _parts(table: Table, width: int) -> list[list[int]]:
    """Return the columns of each part, each with the first words, so that none is too wide."""
    from rich.cells import cell_len

    texts = [[*map(str, row)] for row in (table.columns, *table.rows)]
    widths = [
        _PADDING + max(cell_len(line) for cell in column for line in (*cell.splitlines(), ""))
        for column in zip(*texts, strict=True)
    ]
    first = list(range(min(table.words, default=0) + 1))
    parts = [first]
    for column in range(len(first), len(widths)):
        if parts[-1] != first and sum(widths[c] for c in parts[-1]) + widths[column] > width:
            parts.append(first)
        parts[-1] = [*parts[-1], column]
    return parts


@contextlib.contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Let tasks run on the workers of a cluster, or on this machine where None."""
    if address is None:
        yield
        return
    with contextlib.ExitStack() as connection:
        with busy(f"connecting to {address}"):
            from samuel.selfplay.cluster import connected

            connection.enter_context(connected(address))
        yield
