"""`samuel tune`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samuel.cli.common import Jobs
from samuel.cli.events import Engines, Players, players_of, run_event
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.cli.progress import Pace, time_left
from samuel.common.units import short

if TYPE_CHECKING:
    from samuel.arena.tuning.tune import TuneResult


@subcommand("samuel.arena.tuning.tune:tune", doing="tuning", without=("player",))
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
    """Run `samuel tune`.

    The command `samuel match` of the tuned against the untuned player is printed at the end.

    Example: samuel tune classic --parameter probcut=1.2,0.5,3,0.2 --depth 6 --out runs/tune

    Example: samuel tune --engine uci:./x --game chess --parameter RFP=80,20,200,8 --ms 50

    Parameters
    ----------
    players
        Player: an evaluator (a name, or the folder of a model), or an engine as PROTOCOL:COMMAND.
    engine
        Engine as PROTOCOL:COMMAND, such as "uci:./x"; `samuel match --help` has all forms.
    """
    rules, who = players_of(players, engine, given.pop("game", None))
    if len(who) != 1:
        raise MisuseError(f"tuning needs one player (got {len(who)}): an evaluator or an engine")
    from samuel.arena.tuning.tune import tune

    pace = Pace()

    run_event(
        lambda follow: tune(who[0], game=rules, jobs=jobs, progress=follow, **given),
        title="tuning",
        so_far=lambda result: _so_far(result, pace),
        out=given.get("out"),
        cluster=cluster,
        report=report,
        json=json,
    )


def _so_far(result: TuneResult, pace: Pace) -> str:
    """Return a row for each parameter, under its title, and the state of a run in the last line."""
    from samuel.reports.tuning import tuning_table

    played, planned = 2 * len(result.pairs), result.event["games"]
    rate = pace.rate(played)
    left = time_left(planned - played, rate)
    speed = f", {short(rate)} games per second, {left} left" if left else ""
    table = tuning_table(result)
    rows = [f"{row[0]:24}" + "".join(f"{cell:>10}" for cell in row[1:5]) for row in table.rows]
    head = f"{'':16}" + "".join(f"{name:>10}" for name in table.columns[1:5])
    return "\n".join([head, *rows, f"{played:,} of {planned:,} games{speed}; {result.text}"])
