"""`samuel match`, `samuel tune` and `samuel sprt`: two players, and how strong they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from samuel.cli.common import Jobs, result_command
from samuel.cli.events import Engines, Players, players_of, run_event
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.cli.progress import Pace, time_left
from samuel.common.displayable import llr_between, share, short, with_interval

if TYPE_CHECKING:
    from samuel.arena.results import MatchResult
    from samuel.arena.tuning.tune import TuneResult


@subcommand("samuel.arena.match:match", doing="playing", without=("a", "b", "sprt"))
def run(
    given: Given,
    *,
    players: Players = None,
    engine: Engines = None,
    sprt: str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    sprt_model: str | None = None,
    report: str | None = None,
    jobs: Jobs = -1,
    cluster: str | None = None,
    json: bool = False,
) -> None:
    """Run `samuel match`.

    Example: samuel match runs/ridge classic --depth 4 --pairs 200

    Example: samuel match runs/new runs/old --sprt 0,5 --out runs/new-old --report new-old.html

    Example: samuel match runs/new --engine "gtp:gtp-rhino" --depth 3 --pairs 50

    Parameters
    ----------
    players
        Players A and B: evaluators (names, or folders of models), or engines as PROTOCOL:COMMAND,
        such as uci:./x. Each --engine adds a player after them.
    engine
        Engine as PROTOCOL:COMMAND; protocols are gtp, nboard, gnubg, gomocup, uci and ucci. Example
        with a name, a folder, 90 s to start and no limit:
        "NTest=nboard[folder=F,start=90,limit=none]:./x".
    sprt
        Elo0 and Elo1 of a sequential test (SPRT), such as 0,5. The match stops when the test
        accepts one of them.
    alpha
        Probability that a player of strength Elo0 passes the test. Default: 0.05.
    beta
        Probability that a player of strength Elo1 fails the test. Default: 0.05.
    sprt_model
        Elo scale of the test: normalized (as in fishtest) or logistic. Default: normalized.
    """
    rules, who = players_of(players, engine, given.pop("game", None))
    if len(who) != 2:
        raise MisuseError(
            f"a match needs two players (got {len(who)}): name evaluators or engines, such as "
            "classic or uci:./x"
        )
    from samuel.arena.match import match
    from samuel.arena.sequential.sprt import Sprt

    asked = {"alpha": alpha, "beta": beta, "model": sprt_model}
    chosen: dict[str, Any] = {name: x for name, x in asked.items() if x is not None}
    if chosen and sprt is None:
        flags = [f"--{name.replace('model', 'sprt-model')}" for name in chosen]
        raise MisuseError(f"{' and '.join(flags)} must be given together with --sprt")
    test = None if sprt is None else replace(Sprt.parse(sprt), **chosen)
    pairs = given.get("pairs")
    pace = Pace()

    run_event(
        lambda follow: match(*who, game=rules, sprt=test, jobs=jobs, progress=follow, **given),
        title=" against ".join(map(called, who)),
        so_far=lambda result: line_of(result, time_of(result, pairs, pace, given.get("error"))),
        out=given.get("out"),
        cluster=cluster,
        report=report,
        json=json,
    )


def called(who: str) -> str:
    """Return what progress calls a player: an engine by its name, without how it is started."""
    from samuel.arena.engines.address import Address, is_engine

    return Address.parse(who).name if is_engine(who) else who


def time_of(result: MatchResult, pairs: int | None, pace: Pace, error: float | None) -> list[str]:
    """Return how fast a match is, and the time left."""
    games = 2 * len(result.pairs)
    rate = pace.rate(games)
    most = math.inf if pairs is None else 2 * pairs - games
    state = result.state
    if state is not None:
        bound = state.upper if state.llr > 0 else state.lower
        most = min(most, games * (bound / state.llr - 1) if state.llr else math.inf)
    elif error is not None:
        s = result.statistics
        width = max(s.elo - s.elo_low, s.elo_high - s.elo)
        most = min(most, games * ((width / error) ** 2 - 1))  # as the square root of the games
    elif pairs is None:
        from samuel.arena.openings.choice import DEFAULT_PAIRS

        most = 2 * DEFAULT_PAIRS - games
    about = "" if state is None and error is None else "about "
    left = time_left(most, rate)
    return [f"{short(rate)} games per second", f"{about}{left} left"] if left else []


def line_of(result: MatchResult, pace: Sequence[str]) -> str:
    """Return the state of a match in a line."""
    s, state = result.statistics, result.state
    llr = "" if state is None else f"LLR {llr_between(state.llr, state.lower, state.upper)}"
    parts = [
        f"{s.games} games, {share(s.score)}",
        f"Elo {with_interval(s.elo, s.elo_low, s.elo_high, level='')}",
        llr,
        *pace,
    ]
    return ", ".join(filter(None, parts))


@subcommand("samuel.arena.tuning.tune:tune", doing="tuning", without=("player",))
def tune(
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


sprt = result_command(
    "sprt",
    "samuel.arena.sprt_evaluation:evaluate_sprt",
    "calculating",
    "Example: samuel sprt runs/new-old",
    "Example: samuel sprt --pentanomial 365,16618,36229,16974,390 --elo0 0 --elo1 2",
)
