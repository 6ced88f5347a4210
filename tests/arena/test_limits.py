"""What a side may spend: limits, clocks, and who loses by them."""

import math
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

from samuel.arena.clocks import moves_left, share_of_clock
from samuel.arena.journal import read_event
from samuel.arena.match import match
from samuel.arena.openings.choice import openings_for
from samuel.arena.players import entrant, settings_of
from samuel.arena.results import MatchResult
from samuel.arena.tournament import tournament
from samuel.common.errors import UserError
from samuel.games.catalog import game_named
from samuel.games.rules import ENDLESS
from samuel.models.compiled.slow import SlowEvaluatorWarning, slow_evaluator
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits
from samuel.search.methods import METHODS, method_named, method_text

SECOND, OTHELLO = 10**9, game_named("othello")


def test_zero_is_a_value_and_not_a_missing_one(tmp_path: Path) -> None:
    limits = {"clock": 5.0, "increment": 0.1, "increment_b": 0, "exact_from": 4, "exact_from_b": 0}
    result = match("classic", "zero", game="tic_tac_toe", pairs=1, out=tmp_path / "m", **limits)
    assert result.limits == "5 s per game + 100 ms per move against 5 s per game"
    assert read_event(tmp_path / "m")["exact_from_each"] == [4, 0]
    for pairs in (0, -1):
        with pytest.raises(UserError, match=rf"pairs must be .*\(got {pairs}\)"):
            openings_for("tic_tac_toe", pairs=pairs)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"depth": 0}, r"depth must be .*\(got 0\)"),
        ({"depth": 999_999}, r"depth must be an integer from 1 to 119 \(got 999999\)"),
        ({"depth": 2.5}, r"depth must be .*\(got 2.5\)"),
        ({"nodes": -1}, r"nodes must be .*\(got -1\)"),
        ({"seconds": math.inf}, r"seconds must be .*\(got inf\)"),
        ({"clock": 0.0}, "clock must be"),
        ({"clock": -1.0}, "clock must be"),
        ({"clock": math.nan}, "clock must be"),
        ({"clock": "soon"}, "clock must be seconds, .*'soon'"),
        ({"clock": 1.0, "increment": -0.1}, r"must be .*\(got -0.1\)"),
        ({"clock": "1+nan"}, r"clock must be seconds, .*\(got '1\+nan'\)"),
    ],
)
def test_limits_that_are_none_are_refused(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Limits(**limits)
    with pytest.raises(UserError, match=message):
        match("classic", "wpc", pairs=1, **limits)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(4), "depth 4"),
        (Limits(None, 300, 0.0015), "300 nodes, 1.5 ms per move"),
        (Limits(None, clock=10.0), "10 s per game"),
        (Limits(6, clock=2.5, increment=0.02), "depth 6, 2.5 s per game + 20 ms per move"),
    ],
)
def test_limits_in_words(limits: Limits, words: str) -> None:
    assert str(limits) == words
    assert settings_of(limits, AlphaBeta()) == words
    assert settings_of(limits, AlphaBeta(probcut=1.4)) == f"{words}, selective at 1.4 sigma"


@pytest.mark.parametrize(
    "text",
    [
        *("alphabeta", "expectiminimax", "star1", "star2:probes=3", "star2.5", "montecarlo", "uct"),
        *(
            "uct:playouts=500,playout_plies=0",
            "montecarlo:playouts=7",
            "uct:seed=2,scale=2.5",
        ),
    ],
)
def test_a_method_is_the_text_that_it_was_read_from(text: str) -> None:
    method = method_named(text)
    assert method_named(method_text(method)) == method
    assert sorted(re.split("[:,]", method_text(method))) == sorted(re.split("[:,]", text))


class Own(AlphaBeta):
    """A method of a user's."""


@pytest.mark.parametrize(
    "method",
    [Own(), AlphaBeta(chance="star1", quiescence="x"), AlphaBeta(chance="star1", probes=2)],
)
def test_a_method_without_a_text_is_named_whole(method: AlphaBeta) -> None:
    assert method_text(method) == repr(method)
    assert method_text(replace(METHODS["star1"], probcut=1.5)) == "star1"


limits = st.none() | st.floats(1e-9, 1e9)


def endings(result: MatchResult) -> set[tuple[str, str]]:
    frame = result.frame()
    return set(zip(frame["ending"], frame["fault"], strict=True))


@pytest.mark.parametrize("loser", [0, 1])
def test_a_clock_that_runs_out_loses_the_game(loser: int) -> None:
    limits = [Limits(2), Limits(2)]
    limits[loser] = Limits(2, clock=1e-8)
    result = match("classic", "wpc", pairs=2, limits=limits[0], limits_b=limits[1], seed=3)
    assert np.array_equal(result.results, np.full((2, 2), 64.0 if loser else -64.0))
    assert endings(result) == {("time", ("classic", "wpc")[loser])}
    frame = result.frame()
    assert result.as_dict()["faults"]["ab"[loser]] == {"time": 4}
    assert result.as_dict()["faults"]["ab"[1 - loser]] == {}
    # it was to make its first move, or its second after the other's first
    is_first = (frame["first"] == ("classic", "wpc")[loser]) == (frame["opening_plies"] % 2 == 0)
    assert (frame["decided"] - frame["opening_plies"] == np.where(is_first, 0, 1)).all()


def test_a_game_clock_with_increment_is_kept_to() -> None:
    """The busier a system is, the longer it may hold a process up, and the longer the clock."""
    for clock in 0.3 * 2.0 ** np.arange(10):
        limits = Limits(None, clock=float(clock), increment=0.02)
        result = match("classic", "wpc", pairs=1, limits=limits)
        if result.faults == ({}, {}):
            break
    assert result.faults == ({}, {})
    assert {ending for ending, _ in endings(result)} <= {"played", "solved"}
    frame = result.frame()
    moves = (frame["decided"] - frame["opening_plies"] + 1) / 2
    for side in ("first", "second"):
        assert (frame[f"seconds_{side}"] < clock + 0.02 * (moves + 1)).all()
        assert (frame[f"nodes_{side}"] > 0).all()


def dawdling(positions: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Take 10 ms over positions."""
    time.sleep(0.01)
    return np.zeros(len(positions), np.float32)


def test_a_slow_evaluator_may_lose_on_time() -> None:
    with pytest.warns(SlowEvaluatorWarning):
        slow = slow_evaluator(dawdling, "dawdler", "tic_tac_toe", "a model")
    result = match(
        slow,
        "zero",
        game="tic_tac_toe",
        pairs=1,
        limits=Limits(3, clock=0.02),
        limits_b=Limits(1),
        exact_from=0,
    )
    assert result.faults == ({"time": 2}, {})
    assert result.statistics.score == 0.0


def test_limits_may_be_given_by_their_fields() -> None:
    assert entrant("zero", game_named("othello"), Limits()).limits == Limits(4)
    assert entrant("zero", game_named("backgammon"), Limits()).limits == Limits(1)
    alike = [{"limits": Limits(2), "limits_b": Limits(1)}, {"depth": 2, "depth_b": 1}]
    alike += [{"limits": Limits(3), "depth": 2, "depth_b": 1}]
    found = [match("classic", "wpc", pairs=2, **given) for given in alike]
    assert {one.limits for one in found} == {"depth 2 against depth 1"}
    with pytest.raises(UserError, match=r"depth must be an integer from 1 .*got 2,4"):
        match("classic", "wpc", depth="2,4")
    with pytest.raises(TypeError, match="dept"):
        match("classic", "wpc", dept=2)
    with pytest.raises(UserError, match=r"depth must be .*\(got 0\)"):
        tournament(["classic", "wpc"], pairs=1, depth=0)


def test_a_game_without_a_bound_still_gives_a_move_its_share() -> None:
    assert share_of_clock(10**10, 0, moves_left(ENDLESS)) == 10**10 // 41
