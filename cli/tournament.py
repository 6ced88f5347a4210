"""`samuel tournament`, `samuel bench` and `samuel games`: events of many players."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated

from samuel.cli.common import Jobs, emit, game_and_evaluators, show, write_report
from samuel.cli.events import Engines, Players, players_of, run_event
from samuel.cli.options import Given, subcommand
from samuel.cli.progress import Pace, time_left
from samuel.common.displayable import counted, rounded
from samuel.common.options import Argument

if TYPE_CHECKING:
    from samuel.arena.bench_result import BenchResult
    from samuel.arena.standings import TournamentResult


@subcommand("samuel.arena.tournament:tournament", doing="playing", without=("players",))
def run(
    given: Given,
    *,
    players: Players = None,
    engine: Engines = None,
    report: str | None = None,
    jobs: Jobs = -1,
    cluster: str | None = None,
    json: bool = False,
) -> None:
    """Run `samuel tournament`.

    Ratings are Elo with 95 % intervals. The mean rating, or the rating of the anchor, is 0.

    Example: samuel tournament classic wpc runs/ridge --depth 4 --pairs 50 --out runs/cross

    Example: samuel tournament runs/new classic wpc --kind gauntlet --engine "gtp:gtp-rhino"

    Example: samuel tournament runs/cross --report cross.html

    Parameters
    ----------
    players
        Players: evaluators (names, or folders of models), or engines as PROTOCOL:COMMAND, such as
        uci:./x. Each --engine adds a player.
    engine
        Engine as PROTOCOL:COMMAND, such as "gtp:./x"; `samuel match --help` has all forms.
    """
    from samuel.arena.journal import is_event, require_event

    asked = given.pop("game", None)
    if len(alone := [*(players or ()), *(engine or ())]) == 1:
        require_event(alone[0])
    _, who = players_of(players, engine, asked)
    from samuel.arena.tournament import tournament

    pace = Pace()

    run_event(
        lambda follow: tournament(who, game=asked, jobs=jobs, progress=follow, **given),
        title=given.get("kind", "round-robin"),
        so_far=lambda result, of: _how_far(result, of, pace),
        out=given.get("out", next(filter(is_event, who), None)),
        cluster=cluster,
        report=report,
        json=json,
    )


def _how_far(result: TournamentResult, of: int, pace: Pace) -> str:
    done = 2 * len(result.pairs)
    rate = pace.rate(done)
    left = time_left(2 * of - done, rate)
    points, name = max(zip(result.points, result.names, strict=True))
    return (
        f"{done:,} of {2 * of:,} games, {rate:,.1f} per second, {left or 'unknown'} left; "
        f"{name} leads with {rounded(points, 12)} points"
    )


@subcommand("samuel.arena.bench:bench", doing="playing", without=("game", "players"))
def bench(
    given: Given,
    *,
    game: Annotated[str, Argument()],
    players: Players = None,
    engine: Engines = None,
    jobs: Jobs = -1,
    json: bool = False,
) -> None:
    """Run `samuel bench`.

    Example: samuel bench othello

    Example: samuel bench chess runs/mine --ms 50 --minutes 60 --without "Toga II,pesto"

    Parameters
    ----------
    game
        Game: a name, or a Python file that registers one.
    players
        Further players: evaluators (names, or folders of models), or engines as PROTOCOL:COMMAND,
        such as uci:./x.
    engine
        Further engine as PROTOCOL:COMMAND, such as "gtp:./x"; `samuel match --help` has all forms.
    depth
        Search depth in plies; a pass counts as one. Without any limit, 100 ms per move.
    out
        Folder for the games. An interrupted command continues there. Default: runs/bench-GAME.
    """
    who = [*(players or ()), *(engine or ())]
    rules, _ = game_and_evaluators(game, *who)
    from samuel.arena.bench import bench, folder_of

    out = given.setdefault("out", str(folder_of(rules)))
    run_event(
        lambda follow: bench(rules, who, jobs=jobs, progress=follow, **given),
        title=f"bench of {rules.name}",
        so_far=_line,
        out=out,
        cluster=None,
        report=f"{out}/bench.html",
        json=json,
    )


def _line(result: BenchResult) -> str:
    """Return how far a bench is, in a line."""
    games, wide = counted(2 * len(result.pairs), "game"), result.uncertain
    if not wide:
        return games
    names = result.ratings.names
    width = result.ratings.half_width(names.index(wide[0]))
    return (
        f"{games}, {len(names) - len(wide)} of {len(names)} players known to {result.error:g} Elo; "
        f"least certain: {wide[0]} (+- {width:.0f})"
    )


@subcommand("samuel.arena.event_games:event_games", doing="reading games")
def games(given: Given, *, report: str | None = None, json: bool = False) -> None:
    """Run `samuel games`.

    Example: samuel games runs/new-old --number 7

    Example: samuel games runs/new-old --report new-old.html
    """
    from samuel.arena.event_games import event_games
    from samuel.arena.standings import read_result

    if report is not None:
        write_report(report, read_result(given["folder"]))
    found = event_games(**given)
    emit(found.as_dict(), json, functools.partial(show, found))
