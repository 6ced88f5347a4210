"""The `samuel` command."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer

from samuel.cli import (
    check,
    compare,
    dataset,
    evaluate,
    explain,
    games,
    grow,
    gtp,
    league,
    learn,
    match,
    models,
    nboard,
    openings,
    perft,
    pool,
    search,
    select,
    selfplay,
    solve,
    sprt,
    tournament,
    train,
    train_policy,
    train_probcut,
)
from samuel.errors import UserError, printable

app = typer.Typer(
    name="samuel",
    help="Learn evaluation functions of board games: generate, train, compare, match.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for module in (
    *(selfplay, train, compare, match, tournament, learn, league, sprt, openings, games),
    *(gtp, nboard, search, explain, solve, perft, evaluate, models, check),
    *(train_policy, train_probcut, select, grow),
):
    name = module.__name__.rsplit(".", 1)[1].replace("_", "-")
    app.command(name)(module.run)
app.add_typer(dataset.app, name="dataset")
app.add_typer(pool.app, name="pool")


def _print_version(asked: bool) -> None:
    if asked:
        try:
            print(f"samuel {version('samuel-learning')}")
        except PackageNotFoundError:
            print("samuel, run from its sources")
        raise typer.Exit


@app.callback()
def samuel(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    """Learn evaluation functions of board games: generate, train, compare, match."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; exit with 0 when done, 1 when it failed, 2 on wrong usage."""
    warnings.showwarning = _show_warning
    try:
        app(args=arguments, prog_name="samuel")
    except UserError as error:
        _fail(str(error))
    except BrokenPipeError:
        # the reader of our output has gone: nothing more to say, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except MemoryError:
        _fail("out of memory; try less data, a smaller table or a simpler model")
    except OSError as error:
        _fail(f"{error.filename or 'the system'}: {error.strerror or error}")


def _fail(message: str) -> None:
    print(f"samuel: {printable(message.replace(chr(10), ' '))}", file=sys.stderr)
    sys.exit(1)


def _show_warning(message: Any, *_details: Any, **_more: Any) -> None:
    print(f"samuel: note: {printable(str(message))}", file=sys.stderr)
