"""`samuel tune`."""

from __future__ import annotations

import functools
import shlex
from typing import TYPE_CHECKING, Any

from samuel.cli.common import Jobs, drawn_table, emit, keeping_games, on_cluster, show
from samuel.cli.events import Engines, Players, players_of, write_event_page
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.cli.progress import Pace, showing, time_left
from samuel.cli.typed import flag_of
from samuel.common.public import options_of
from samuel.common.units import short

if TYPE_CHECKING:
    from rich.console import RenderableType

    from samuel.arena.tuning.tune import TuneResult
    from samuel.reports.views import View

_NOT_OF_THE_MATCH = ("method", "probcut", "pairs", "seed", "out", "jobs")


@subcommand("samuel.arena.tuning.tune:tune", doing="tuning", without=("player",))
def run(
    given: Given,
    *,
    players: Players = None,
    engine: Engines = None,
    report: str | None = None,
    jobs: Jobs = -1,
    cluster: str | None = None,
    plugin: list[str] | None = None,
    json: bool = False,
) -> None:
    """Run `samuel tune`.

    The command `samuel match` of the tuned against the untuned player is printed at the end.

    Example: samuel tune classic --parameter "probcut=1.2,0.5,3,0.2" --depth 6 --out runs/tune

    Example: samuel tune --engine uci:./x --parameter "RFPMargin=80,20,200,8" --ms 50 --out runs/x

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
    from samuel.arena.tuning.tune import DEFAULT_GAMES, tune

    state = _State(given.get("games", DEFAULT_GAMES))
    out = given.get("out")
    with keeping_games(out):
        try:
            with on_cluster(cluster), showing(state.line, state.draw):
                result = tune(who[0], game=rules, jobs=jobs, progress=state.follow, **given)
        except KeyboardInterrupt:
            if state.last is not None and not json:
                emit({}, False, functools.partial(show, state.last))
            raise
    command = _match_command(result, given, plugin)
    write_event_page(report, _view(result, command))
    content = {**result.as_dict(), "report": report, "command": command}
    emit(content, json, functools.partial(show, _view(result, command)))


class _State:
    """What is known of a run, as a line and as a table."""

    def __init__(self, games: int) -> None:
        self._games, self._pace = games, Pace()
        self.last: TuneResult | None = None

    def follow(self, result: TuneResult) -> None:
        self.last, self._rate = result, self._pace.rate(2 * len(result.pairs))

    def line(self) -> str:
        if self.last is None:
            return "tuning: starting"
        played = 2 * len(self.last.pairs)
        left = time_left(self._games - played, self._rate)
        pace = f", {short(self._rate)} games per second, {left} left" if left else ""
        return f"tuning: {played:,} of {self._games:,} games{pace}; {self.last.text}"

    def draw(self) -> RenderableType:
        from rich.console import Group

        from samuel.reports.tuning import tuning_table

        if self.last is None:
            return self.line()
        table = tuning_table(self.last)
        return Group(drawn_table(table, range(5), ""), self.line())


def _match_command(result: TuneResult, given: dict[str, Any], plugin: list[str] | None) -> str:
    """Return the command of a match of tuned against untuned, on other openings."""
    from samuel.arena.match import match

    known = {*options_of(match), "ms"} - {*_NOT_OF_THE_MATCH}
    words = ["samuel", "match", *result.match_words, "--game", result.game.name]
    for name, value in given.items():
        if name in known:
            words += [flag_of(name), str(value)]
    for file in plugin or []:
        words += ["--plugin", file]
    words += ["--seed", str(int(given.get("seed", 0)) + 1), "--sprt", "0,5"]
    return shlex.join(words)


def _view(result: TuneResult, command: str) -> View:
    from samuel.reports.tuning import tuning_view

    return tuning_view(result, command)
