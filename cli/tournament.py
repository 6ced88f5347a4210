"""`samuel tournament`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import Jobs
from samuel.cli.events import Engines, Players, players_of, run_event
from samuel.cli.options import Given, subcommand
from samuel.cli.progress import Pace, time_left
from samuel.common.units import rounded

if TYPE_CHECKING:
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
