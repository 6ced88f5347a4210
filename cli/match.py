"""`samuel match`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from samuel.cli.common import Jobs, summary
from samuel.cli.events import Engines, Players, play_event, players_of
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.cli.progress import Pace, time_left
from samuel.common.units import counted, short, with_interval, with_unit

if TYPE_CHECKING:
    from rich.table import Table

    from samuel.arena.results import MatchResult
    from samuel.arena.sequential.sprt import Sprt, SprtState


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
        Evaluators A and B: names, or folders of models. Each --engine takes the place of one.
    engine
        Engine of another program, as PROTOCOL:COMMAND with gtp, nboard, gnubg, gomocup, uci or
        ucci. The full form has a name, a folder and the seconds to start:
        "NTest=nboard[folder=F,start=90]:./x".
    sprt
        Elo0 and Elo1 of a sequential test, such as 0,5. The match stops when the test accepts one
        of them.
    alpha
        Probability that a player of strength Elo0 passes the test. Default: 0.05.
    beta
        Probability that a player of strength Elo1 fails the test. Default: 0.05.
    sprt_model
        Elo scale of the test: normalized (as fishtest; the default) or logistic.
    """
    rules, who = players_of(players, engine, given.pop("game", None))
    if len(who) != 2:
        raise MisuseError(
            f"a match needs two players (got {len(who)}): name evaluators, or engines with --engine"
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

    def show(result: MatchResult, is_interrupted: bool) -> Any:
        title = "interrupted" if is_interrupted else result.limits
        return lambda console: console.print(result_table(result, title))

    play_event(
        lambda follow: match(*who, game=rules, sprt=test, jobs=jobs, progress=follow, **given),
        title=" against ".join(map(called, who)),
        so_far=lambda result: line_of(result, time_of(result, pairs, pace, given.get("error"))),
        show_result=show,
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
    s = result.statistics
    parts = [
        f"{s.games} games, {s.score:.1%}",
        f"Elo {with_interval(s.elo, s.elo_low, s.elo_high, level='')}",
        *([f"LLR {result.state.llr:+z.2f}"] if result.state is not None else []),
        *pace,
    ]
    return ", ".join(parts)


def result_table(result: MatchResult, title: str) -> Table:
    """Return the result as a table for the terminal."""
    from samuel.arena.results import adjudicated_in_words
    from samuel.reports.tables import probability

    s, mean = result.statistics, result.mean
    rows = {
        "games": f"{s.games}: {s.wins} won, {s.draws} drawn, {s.losses} lost",
        "score": f"{s.score:.1%} (95 %: {s.score_low:.1%} to {s.score_high:.1%})",
        "Elo": with_interval(s.elo, s.elo_low, s.elo_high),
        "normalized Elo": with_interval(s.nelo, s.nelo_low, s.nelo_high),
        "likelihood of superiority": probability(s.los),
        "pairs (0, 1/2, 1, 3/2, 2 points)": " ".join(map(str, s.pentanomial or ())),
    }
    if not result.game.scale:  # where a result is no score, its mean says what the score says
        rows[f"mean result{with_unit(result.game.unit, ' ({})')}"] = (
            f"{mean.mean:+z.2f} (95 %: {mean.low:+z.2f} to {mean.high:+z.2f})"
        )
    rows["openings"] = result.openings
    if any(result.measured_speeds):
        rates = (short(n) if n else "-" for n in result.measured_speeds)
        rows["nodes per second, A and B"] = " and ".join(rates)
    for who, faults in zip((result.a, result.b), result.faults, strict=True):
        for what, games in faults.items():
            rows[f"forfeited by {who} ({what})"] = counted(games, "game")
    if result.adjudicate_from:
        rows["adjudicated by the solver"] = adjudicated_in_words(
            result.adjudicated, s.games, result.adjudicate_from
        )
    if result.agreed:
        rows["ended by both sides' scores"] = counted(result.agreed, "game")
    rows |= _test_of(result)
    if result.out is not None:
        rows["games saved in"] = str(result.out)
    about = f"All figures are for {result.a}; intervals are 95 % intervals."
    if result.sprt is not None:
        about += "\nThey assume a match of fixed length; where a test stops early they are biased."
    return summary(f"{result.a} against {result.b} ({title})", rows, about)


def _test_of(result: MatchResult) -> dict[str, str]:
    """Return the rows of a table that say where a sequential test stands."""
    from samuel.cli.sprt import llr_bar

    test, state = result.sprt, result.state
    if test is None or state is None:
        return {}
    bar = llr_bar(state.llr, state.lower, state.upper, 24)
    return {
        f"test: {test}": _decision_of(result, test, state),
        "LLR": f"{bar} ({state.llr:+z.2f})",
    }


def _decision_of(result: MatchResult, test: Sprt, state: SprtState) -> str:
    """Return what a test has decided, by its own bounds."""
    from samuel.arena.sequential.sprt import claim

    if state.decision == "continue":
        return f"not decided in {counted(len(result.pairs), 'pair')}"
    done = "passed" if state.decision == "H1" else "failed"
    return f"{done}: {claim(test, state.decision, result.a, result.b)}"
