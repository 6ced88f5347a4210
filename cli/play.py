"""`samuel play`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit
from samuel.cli.serving import ThinkerOptions
from samuel.errors import UserError, printable

_SIDES = {"first": (0,), "second": (1,), "both": (0, 1), "none": ()}


@command("playing")
def run(
    thinker: ThinkerOptions,
    side: Annotated[
        str, typer.Option(help="What people play: first, second, both, or none.")
    ] = "first",
    position: options.PositionOption = None,
    moves: Annotated[
        str | None, typer.Option("--moves", help="A transcript to go on from, such as f5d6c3.")
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="A file for the game; one that is there goes on.")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Letters for pieces, where discs cannot be seen.")
    ] = False,
    dice: Annotated[
        int | None, typer.Option(min=0, help="Seed of the dice; others each time without one.")
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """Play a game in the terminal: type moves, or help.

    --json says at the end what was played.

    Example: samuel play --level 4

    Example: samuel play --game backgammon --side second --out game.json
    """
    from samuel.games import Position
    from samuel.play.session import Session
    from samuel.play.terminal import TerminalGame

    if side not in _SIDES:
        raise typer.BadParameter(f"{side!r} is none of {', '.join(_SIDES)}", param_hint="--side")
    rules = thinker.game
    if out is not None and Path(out).exists():
        if position is not None or moves is not None:
            raise UserError(
                f"{out} holds a game; leave out --position and --moves, or name another"
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
    game = TerminalGame(thinker, session, _SIDES[side], seed=dice, unicode=with_discs, saved=save)
    with busy("getting ready"):
        thinker.warm_up()
    said = game.begin()
    while True:
        for text in said:
            print(printable(text), file=stream, flush=True)
        if game.is_over or (side == "none" and game.session.position.is_terminal):
            break
        print(game.prompt, end="", file=stream, flush=True)
        line = sys.stdin.readline()
        if not line:
            print(file=stream)
            break
        said = game.answer(line)
    if json:
        emit(game.session.as_dict(), True, print)
