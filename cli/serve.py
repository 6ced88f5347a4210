"""`samuel serve`: plays against boards and managers of other people, by their protocols."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import TYPE_CHECKING

from samuel.cli.common import emit, game_and_evaluators
from samuel.cli.options import Given, subcommand
from samuel.cli.progress import silent

if TYPE_CHECKING:
    from samuel.play.engine import EnginePlayer

_SERVERS = {
    "gtp": "gtp:GtpServer",
    "nboard": "nboard:NBoardServer",
    "uci": "uci:UciServer",
    "gomocup": "gomocup:GomocupServer",
}
ENGINE, NOT_TYPED = "samuel.play.engine:EnginePlayer", ("evaluator", "game")
"""Class that plays, and its parameters that commands read by themselves."""


@subcommand(ENGINE, doing="serving GTP", without=NOT_TYPED)
def gtp(
    given: Given, *, evaluator: str | None = None, game: str | None = None, json: bool = False
) -> None:
    """Play as an engine by GTP, the Go Text Protocol.

    Enter the command in the other program, such as Quarry, as the command of an engine
    (docs/engines.md).
    With --json the command prints the settings of the server and does not start it.

    Example: samuel serve gtp --evaluator runs/ridge --level 6
    """
    _serve("gtp", engine_of(given, evaluator, game), json)


@subcommand(ENGINE, doing="serving NBoard", without=NOT_TYPED)
def nboard(
    given: Given, *, evaluator: str | None = None, game: str | None = None, json: bool = False
) -> None:
    """Play and analyse as an engine by the NBoard protocol.

    Enter the command in NBoard as the command of an engine (docs/engines.md).
    With --json the command prints the settings of the server and does not start it.

    Example: samuel serve nboard --evaluator runs/ridge
    """
    _serve("nboard", engine_of(given, evaluator, game), json)


@subcommand(ENGINE, doing="serving UCI", without=NOT_TYPED)
def uci(
    given: Given, *, evaluator: str | None = None, game: str | None = None, json: bool = False
) -> None:
    """Play chess or Chinese chess as an engine by UCI, or Chinese chess by UCCI.

    Enter the command in the other program as the command of an engine (docs/engines.md). UCI
    or UCCI follows from the first command that the server receives.
    With --json the command prints the settings of the server and does not start it.

    Example: samuel serve uci --game xiangqi --evaluator learned

    Parameters
    ----------
    evaluator
        Evaluator: a name (samuel models lists them), or the folder of a model. Default: learned.
    game
        Game: chess or xiangqi. By default the game of the evaluator, or chess.
    """
    _serve("uci", engine_of(given, evaluator, game or (None if evaluator else "chess")), json)


@subcommand(ENGINE, doing="serving Gomocup", without=NOT_TYPED)
def gomocup(
    given: Given, *, evaluator: str | None = None, game: str | None = None, json: bool = False
) -> None:
    """Play five in a row as an engine by the Gomocup protocol, for Piskvork and the like.

    Enter the command in the other program as the command of a brain (engine; docs/engines.md).
    With --json the command prints the settings of the server and does not start it.

    Example: samuel serve gomocup --game gomoku --evaluator classic

    Parameters
    ----------
    evaluator
        Evaluator: a name (samuel models lists them), or the folder of a model. Default: classic.
    game
        Game: gomoku, gomoku_exact or the like. By default the game of the evaluator, or gomoku.
    """
    _serve("gomocup", engine_of(given, evaluator, game or (None if evaluator else "gomoku")), json)


def engine_of(given: Given, evaluator: str | None, game: str | None) -> EnginePlayer:
    """Return the player that the options ask for."""
    from samuel.common.public import public
    from samuel.play.engine import EnginePlayer

    rules, (name,) = game_and_evaluators(game, evaluator)
    return public(EnginePlayer)(name, rules, **given)


def _serve(protocol: str, engine: EnginePlayer, json: bool) -> None:
    """Answer over the standard streams, or print the settings as JSON."""
    module, _, name = _SERVERS[protocol].partition(":")
    server = getattr(importlib.import_module(f"samuel.play.servers.{module}"), name)(engine)
    if json:
        commands = {"commands": server.commands} if hasattr(server, "commands") else {}
        emit({"protocol": protocol, **engine.as_dict(), **commands}, True, print)
        return
    from samuel.play.servers.conversation import answer_each, converse

    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr), silent():
        engine.begin_warm_up()
        (converse if hasattr(server, "stop") else answer_each)(server, sys.stdin, out)
