"""`samuel play`, in the terminal, and `samuel board`, in a browser."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

from samuel.cli.common import busy, emit, game_and_evaluators
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.cli.progress import silent
from samuel.cli.serve import ENGINE, NOT_TYPED, engine_of
from samuel.common.errors import UserError, printable
from samuel.common.extras import extra
from samuel.common.options import Argument, Range

_SIDES = {"first": (0,), "second": (1,), "both": (0, 1), "none": ()}


@subcommand(ENGINE, doing="playing", without=NOT_TYPED)
def run(
    given: Given,
    *,
    side: str = "first",
    position: str | None = None,
    moves: str | None = None,
    out: str | None = None,
    plain: bool = False,
    dice: Annotated[int | None, Range(0)] = None,
    evaluator: str | None = None,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Play a game in the terminal. Type moves, or help.

    With --json the game is printed at the end.

    Example: samuel play --level 4

    Example: samuel play --game backgammon --side second --out game.json

    Parameters
    ----------
    side
        Side that you play: first, second, both, or none.
    position
        Position as text (docs/games/GAME.md). By default the initial position.
    moves
        Moves to continue from, such as f5d6c3.
    out
        File for the game. An existing game in the file is continued.
    plain
        Show letters instead of discs and figurines.
    dice
        Seed of the dice. By default the dice are different each time.
    """
    from samuel.games import Position
    from samuel.play.session import Session
    from samuel.play.terminal import TerminalGame

    if side not in _SIDES:
        raise MisuseError(f"--side must be first, second, both or none (got {side})")
    engine = engine_of(given, evaluator, game)
    rules = engine.game
    if out is not None and Path(out).exists():
        if position is not None or moves is not None:
            raise UserError(
                f"{out} holds a game already; leave out --position and --moves, or give "
                "another file"
            )
        session = Session.load(out, rules)
    else:
        start = Position.parse(position, rules) if position else Position.start(rules)
        session = Session.along(start, moves or "")

    def save(session: Session) -> None:
        if out is not None:
            session.save(out)

    save(session)
    stream = sys.stderr if json else sys.stdout
    with_discs = not plain and "utf" in (stream.encoding or "").lower()
    terminal = TerminalGame(
        engine, session, _SIDES[side], seed=dice, unicode=with_discs, saved=save
    )
    with busy("getting ready"):
        engine.warm_up()
    said = terminal.begin()
    while True:
        for text in said:
            print(printable(text), file=stream, flush=True)
        if terminal.is_over or (side == "none" and terminal.session.position.is_terminal):
            break
        print(terminal.prompt, end="", file=stream, flush=True)
        line = sys.stdin.readline()
        if not line:
            print(file=stream)
            break
        said = terminal.answer(line)
    if json:
        emit(terminal.session.as_dict(), True, print)


@subcommand(doing="serving the board")
def board(
    *,
    folders: Annotated[list[str] | None, Argument()] = None,
    evaluator: list[str] | None = None,
    port: Annotated[int, Range(0, 65535)] = 8765,
    host_name: list[str] | None = None,
    browser: bool = True,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Play and analyse in a browser.

    The page can be reached from this machine only. It needs the extra `web` (docs/installing.md).

    Example: samuel board

    Example: samuel board runs --game checkers

    Example: samuel board --no-browser --host-name localhost:9000

    Parameters
    ----------
    folders
        Folders with models to play and reports to link.
    evaluator
        Evaluator that is chosen first: a name, or the folder of a model.
    port
        Port of the page; 0 for any free port.
    host_name
        Host and port by which the browser reaches a forwarded port.
    browser
        Open the page in a browser.
    """
    named = evaluator or []
    rules, _ = game_and_evaluators(game, *named)
    serve = extra("samuel.play.web.server", "the board", of="web").serve
    from samuel.play.web.library import Library

    def say(address: str) -> None:
        about = {"address": address, "game": rules.name, "folders": folders or []}
        emit(about, json, lambda _: print(f"open {address} in a browser\nCtrl-C stops the board"))
        sys.stdout.flush()
        if browser and not json:
            webbrowser.open(address)

    with silent():
        serve(Library(folders or [], named, rules), port, say, host_name or [])
