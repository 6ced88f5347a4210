"""`samuel play`, in the terminal, `samuel play levels`, and `samuel board`, in a browser."""

from __future__ import annotations

import math
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from samuel.cli.common import (
    Jobs,
    busy,
    emit,
    game_and_evaluators,
    keeping_games,
    print_table,
    progress,
)
from samuel.cli.progress import silent
from samuel.cli.serve import ENGINE, NOT_TYPED, engine_of
from samuel.cli.subcommands import Given, MisuseError, subcommand
from samuel.common.errors import UserError, printable
from samuel.common.extras import extra
from samuel.common.options import Argument, Range

if TYPE_CHECKING:
    from samuel.arena import MatchResult
    from samuel.play.ladder import Rung
    from samuel.reports.tables import TextTable

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
        Position as text. By default the initial position.
    moves
        Moves to continue from, such as f5d6c3.
    out
        File for the game. A game that it holds is continued.
    plain
        Show letters in place of discs and figurines.
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


@subcommand("samuel.play.ladder:climb", doing="playing the ladder", without=("evaluator",))
def levels(
    given: Given,
    *,
    evaluator: str | None = None,
    game: str | None = None,
    out: str | None = None,
    jobs: Jobs = -1,
    json: bool = False,
) -> None:
    """Run `samuel play levels`.

    `samuel play` and `samuel serve` have these levels.

    Example: samuel play levels --game checkers --out runs/levels
    """
    from samuel.models import load_evaluator
    from samuel.play.ladder import PAIRS, as_dicts, climb
    from samuel.play.levels import levels_of

    rules, (name,) = game_and_evaluators(game, evaluator)
    player = load_evaluator(name, rules)
    pairs, steps = given.get("pairs", PAIRS), len(levels_of(rules)) - 1
    with keeping_games(out), progress("games played", 2 * pairs * steps) as advance:

        def follow(level: int, result: MatchResult) -> None:
            advance(2 * (pairs * (level - 2) + len(result.pairs)))

        rungs = climb(player, rules, out=out, jobs=jobs, progress=follow, **given)
    content = {"game": rules.name, "evaluator": name, "pairs": pairs, "levels": as_dicts(rungs)}
    title = f"Levels of {rules.name} by {name}, {2 * pairs} games a step"
    emit(content, json, lambda console: print_table(title, _table(rungs), console))


def _table(rungs: list[Rung]) -> TextTable:
    from samuel.reports.tables import NOTHING, TextTable

    def score(rung: Rung) -> str:
        if rung.score is None:
            return NOTHING
        return f"{rung.score:.1%} ({rung.score_low:.1%} to {rung.score_high:.1%})"

    def elo(rung: Rung) -> str:
        if not math.isfinite(rung.elo):  # somebody has won every game, here or below
            return NOTHING
        return f"{rung.elo:.0f} ({rung.elo_low:.0f} to {rung.elo_high:.0f})"

    rows = [
        [f"{rung.level}", f"{rung.depth}", f"{rung.errors:g}", score(rung), elo(rung)]
        for rung in rungs
    ]
    return TextTable(["level", "depth", "errors", "score against the level below", "Elo"], rows)


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

    The page can be reached from this machine only. It needs the extra `web`: pip install
    'samuel-learning[web]' (docs/board.md).

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
    serve = extra("samuel.web.server", "the board", of="web").serve
    from samuel.web.library import Library

    def say(address: str) -> None:
        about = {"address": address, "game": rules.name, "folders": folders or []}
        emit(about, json, lambda _: print(f"open {address} in a browser\nCtrl-C stops the board"))
        sys.stdout.flush()
        if browser and not json:
            webbrowser.open(address)

    with silent():
        serve(Library(folders or [], named, rules), port, say, host_name or [])
