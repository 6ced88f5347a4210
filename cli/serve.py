"""`samuel serve`: plays against boards and managers of other people, by their protocols."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

from samuel.cli.common import emit, game_and_evaluators
from samuel.cli.progress import silent
from samuel.cli.subcommands import Given, subcommand

if TYPE_CHECKING:
    from samuel.play.engine import EnginePlayer

ENGINE, NOT_TYPED = "samuel.play.engine:EnginePlayer", ("evaluator", "game")
"""What plays, and what of it commands read by themselves."""


@subcommand(ENGINE, doing="serving GTP", without=NOT_TYPED)
def gtp(
    given: Given, *, evaluator: str | None = None, game: str | None = None, json: bool = False
) -> None:
    """Play by GTP, the Go Text Protocol, against a board that speaks it.

    Give the command below as that of an engine, in Quarry for instance; docs/engines.md says how.
    --json says what it would be, and ends.

    Example: samuel serve gtp --evaluator runs/ridge --level 6
    """
    from samuel.play.servers.gtp import GtpServer

    engine = engine_of(given, evaluator, game)
    server = GtpServer(engine)
    about = {"protocol": "gtp", **engine.as_dict(), "commands": server.commands}

    def answers(line: str) -> Iterable[str]:
        answer = server.answer(line)
        return () if answer is None else (answer.removesuffix("\n"),)

    _serve(about, json, engine, lambda out: _answer(answers, lambda: server.is_over, out))


@subcommand(ENGINE, doing="serving NBoard", without=NOT_TYPED)
def nboard(
    given: Given, *, evaluator: str | None = None, game: str | None = None, json: bool = False
) -> None:
    """Analyse and play by the NBoard protocol.

    Give the command below as that of an engine, in NBoard for instance; docs/engines.md says how.
    --json says what it would be, and ends.

    Example: samuel serve nboard --evaluator runs/ridge
    """
    from samuel.play.servers.conversation import converse
    from samuel.play.servers.nboard import NBoardServer

    engine = engine_of(given, evaluator, game)
    server = NBoardServer(engine)
    about = {"protocol": "nboard", **engine.as_dict()}
    _serve(about, json, engine, lambda out: converse(server, sys.stdin, out))


@subcommand(ENGINE, doing="serving UCI", without=NOT_TYPED)
def uci(
    given: Given, *, evaluator: str | None = None, game: str | None = None, json: bool = False
) -> None:
    """Play Chinese chess by UCI or UCCI.

    Give the command below as that of an engine; which of the two the board speaks, its first word
    says. docs/engines.md has more. --json says what it would be, and ends.

    Example: samuel serve uci --game xiangqi --evaluator runs/ridge
    """
    from samuel.play.servers.conversation import converse
    from samuel.play.servers.uci import UciServer

    engine = engine_of(given, evaluator, game)
    server = UciServer(engine)
    about = {"protocol": "uci", **engine.as_dict()}
    _serve(about, json, engine, lambda out: converse(server, sys.stdin, out))


@subcommand(ENGINE, doing="serving Gomocup", without=NOT_TYPED)
def gomocup(
    given: Given, *, evaluator: str | None = None, game: str | None = None, json: bool = False
) -> None:
    """Play five in a row as a brain of Gomocup, for managers such as Piskvork.

    Give the command below as that of a brain; docs/engines.md says how. --json says what it would
    be, and ends.

    Example: samuel serve gomocup --game gomoku --evaluator runs/ridge
    """
    from samuel.play.servers.gomocup import GomocupServer

    engine = engine_of(given, evaluator, game)
    server = GomocupServer(engine)
    about = {"protocol": "gomocup", **engine.as_dict()}
    _serve(about, json, engine, lambda out: _answer(server.answer, lambda: server.is_over, out))


def engine_of(given: Given, evaluator: str | None, game: str | None) -> EnginePlayer:
    """Return the player that the options ask for."""
    from samuel.options import public
    from samuel.play.engine import EnginePlayer

    rules, (name,) = game_and_evaluators(game, evaluator)
    return public(EnginePlayer)(name, rules, **given)


def _serve(
    about: dict[str, Any], json: bool, engine: EnginePlayer, talk: Callable[[TextIO], None]
) -> None:
    """Talk over the standard streams, or say as JSON what would."""
    if json:
        emit(about, True, print)
        return
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr), silent():
        engine.begin_warm_up()
        talk(out)


def _answer(
    answers: Callable[[str], Iterable[str]], is_over: Callable[[], bool], out: TextIO
) -> None:
    """Answer line by line until the end."""
    for line in _lines():
        for answer in answers(line):
            print(answer, file=out, flush=True)
        if is_over():
            break


def _lines() -> Iterator[str]:
    yield from iter(sys.stdin.readline, "")
