"""A match and its sequential test as tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from samuel.arena.results import MatchResult, adjudicated_in_words
from samuel.arena.sequential.sprt import Sprt, SprtState, claim
from samuel.arena.statistics import MatchStatistics
from samuel.common.displayable import (
    NOTHING,
    Table,
    counted,
    duration,
    llr_between,
    probability,
    share,
    share_with_interval,
    short,
    with_interval,
    with_unit,
)

STRENGTH = "Difference in strength"


def about_match(result: MatchResult) -> str:
    """Return what was played, in sentences."""
    solved = adjudicated_in_words(result.adjudicated, 2 * len(result.pairs), result.adjudicate_from)
    sentences = [
        f"{result.game.name.replace('_', ' ').capitalize()}: "
        f"{counted(len(result.pairs), 'opening')}, each played twice with colours swapped.",
        f"Limits per player: {result.limits}. Openings: {result.openings}.",
        f"The solver adjudicated {solved}." * bool(result.adjudicated),
        f"{counted(result.agreed, 'game')} ended by both sides' scores." * bool(result.agreed),
        f"The games are saved in {result.out}." * (result.out is not None),
    ]
    return " ".join(filter(None, sentences))


def verdict(result: MatchResult) -> str:
    """Return who is stronger, and by how much, in sentences."""
    s, test, state = result.statistics, result.sprt, result.state
    if test is not None and state is not None:
        says = decision(test, state, result.names)
    elif s.score_low > 0.5:
        says = f"{result.a} is stronger than {result.b}."
    elif s.score_high < 0.5:
        says = f"{result.a} is weaker than {result.b}."
    else:
        says = f"These games do not show whether {result.a} or {result.b} is stronger."
    elo = with_interval(s.elo, s.elo_low, s.elo_high, unit=" Elo")
    return f"{says} {result.a} scored {share(s.score)} of the points: {elo}."


def decision(test: Sprt, state: SprtState, names: Sequence[str]) -> str:
    """Return what a sequential test has decided, in a sentence."""
    if state.decision == "continue":
        return f"The test is {outcome(state)}."
    return f"{claim(test, state.decision, *names)}: it {outcome(state)} the test."


def outcome(state: SprtState) -> str:
    """Return what a sequential test has decided, in a word or two."""
    return {"H0": "failed", "H1": "passed"}.get(state.decision, "not decided")


def strength_table(s: MatchStatistics, name: str, digits: int = 0) -> Table:
    """Return the figures of a player with their 95 % intervals."""
    counts = "" if s.wins is None else f": {s.wins:,} won, {s.draws:,} drawn, {s.losses:,} lost"
    rows = [
        ["games", f"{s.games:,}{counts}"],
        ["pairs (0, 1/2, 1, 3/2, 2 points)", " ".join(map(str, s.pentanomial or ()))],
        ["score", share_with_interval(s.score, s.score_low, s.score_high)],
        ["Elo", with_interval(s.elo, s.elo_low, s.elo_high, digits, level="")],
        ["normalized Elo", with_interval(s.nelo, s.nelo_low, s.nelo_high, digits, level="")],
        ["likelihood of superiority", probability(s.los)],
    ]
    note = (
        f"Figures are for {name}, with 95 % intervals over pairs. They assume a match of fixed "
        "length; a sequential test that stops early biases them."
    )
    return Table(STRENGTH, ["", ""], [row for row in rows if row[1]], [note])


def match_table(result: MatchResult) -> Table:
    """Return the figures of a match with their 95 % intervals."""
    table, mean = strength_table(result.statistics, result.a), result.mean
    if result.game.scores.scale:  # a result is no score of points
        return table
    unit = with_unit(result.game.scores.unit, " ({})")
    told = with_interval(mean.mean, mean.low, mean.high, 2, level="")
    return replace(table, rows=[*table.rows, [f"mean result{unit}", told]])


def sprt_table(test: Sprt, state: SprtState, names: Sequence[str]) -> Table:
    """Return where a sequential test stands."""
    rows = [
        ["test", str(test)],
        ["LLR (bounds)", llr_between(state.llr, state.lower, state.upper)],
        ["decision", decision(test, state, names)],
    ]
    note = (
        f"H0: {names[0]} is {test.elo0:g} {test.unit} stronger; H1: it is {test.elo1:g} stronger. "
        "The log-likelihood ratio (LLR) compares both; the test stops when it reaches a bound."
    )
    return Table("The sequential test", ["", ""], rows, [note])


def player_table(result: MatchResult) -> Table:
    """Return what both players spent, how they did with either colour, and their faults."""
    points = (np.sign(result.results) + 1) / 2
    first, second = points.mean(axis=0).tolist()
    rows = [
        ["score when moving first after the opening", share(first), share(1 - second)],
        ["score when moving second", share(second), share(1 - first)],
        ["time per move", *map(duration, result.seconds_per_move)],
        ["nodes per second", *(short(n) if n else NOTHING for n in result.measured_speeds)],
    ]
    a, b = result.faults
    for what in sorted({*a, *b}):
        rows.append([f"games forfeited ({what})", *(str(side.get(what, 0)) for side in (a, b))])
    return Table("The players", ["", result.a, result.b], rows)
