"""`samuel bench`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from samuel.cli.common import Jobs, game_and_evaluators
from samuel.cli.events import Engines, Players, run_event
from samuel.cli.options import Given, subcommand
from samuel.common.options import Argument
from samuel.common.units import counted

if TYPE_CHECKING:
    from samuel.arena.bench_result import BenchResult


@subcommand("samuel.arena.bench:bench", doing="playing", without=("game", "players"))
def run(
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
