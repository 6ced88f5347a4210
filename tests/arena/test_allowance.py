"""What a side may spend: limits, clocks, and who loses by them."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samuel.arena import Allowance, MatchResult, match, tournament
from samuel.arena.allowance import allowances_in
from samuel.arena.kernel import share_of_clock
from samuel.arena.players import player
from samuel.errors import UserError
from samuel.games.catalog import game_named
from samuel.games.interface import ENDLESS
from samuel.kernels import budget
from samuel.models.forms.slow import SlowEvaluatorWarning, slow_evaluator
from samuel.search.score import MAX_PLY

SECOND = 10**9


def test_limits_are_those_of_the_kernel() -> None:
    limits = Allowance(4, 300, 0.25, game_seconds=10, increment=0.1).limits(12)
    assert limits == (4, 300, SECOND // 4, 12, 10 * SECOND, SECOND // 10)
    unlimited = Allowance(None, 300).limits(0)
    assert unlimited.depth == MAX_PLY - 1
    assert unlimited.nanoseconds == unlimited.game_nanoseconds == budget.UNLIMITED


@pytest.mark.parametrize(
    ("allowance", "message"),
    [
        (Allowance(0), "depth 0 is out of range"),
        (Allowance(999_999), "depth 999999 is out of range: give a whole number from 1 to 119"),
        (Allowance(2.5), "depth 2.5"),  # type: ignore[arg-type]
        (Allowance(None, nodes=-1), "nodes -1"),
        (Allowance(None, seconds=math.inf), "seconds inf"),
        (Allowance(None, game_seconds=0.0), "out of range"),
        (Allowance(None, game_seconds=-1.0), "out of range"),
        (Allowance(None, game_seconds=math.nan), "out of range"),
        (Allowance(None, game_seconds=1.0, increment=-0.1), "-0.1 is out of range"),
        (Allowance(None, game_seconds=1.0, increment=math.nan), "nan is out of range"),
    ],
)
def test_limits_that_are_none_are_refused(allowance: Allowance, message: str) -> None:
    with pytest.raises(UserError, match=message):
        allowance.limits(0)
    with pytest.raises(UserError, match=message):
        match("classic", "wpc", pairs=1, allowance=allowance)


@pytest.mark.parametrize(
    ("allowance", "words"),
    [
        (Allowance(4), "depth 4"),
        (Allowance(None, 300, 0.0015), "300 nodes, 1.5 ms a move"),
        (Allowance(None, game_seconds=10.0), "10 s a game"),
        (
            Allowance(6, game_seconds=2.5, increment=0.02, probcut=1.4),
            "depth 6, 2.5 s a game + 20 ms a move, selective at 1.4 sigma",
        ),
    ],
)
def test_an_allowance_in_words(allowance: Allowance, words: str) -> None:
    assert str(allowance) == words


def test_what_goes_by_the_clock() -> None:
    assert Allowance(None, seconds=1.0).is_timed and Allowance(4, game_seconds=1.0).is_timed
    assert not Allowance(4, 300).is_timed


limits = st.none() | st.floats(1e-9, 1e9)


@given(
    st.none() | st.integers(1, MAX_PLY - 1),
    st.none() | st.integers(1, budget.UNLIMITED),
    *(limits, limits, limits),
)
def test_tables_are_of_a_reasonable_size(
    depth: int | None,
    nodes: int | None,
    seconds: float | None,
    game_seconds: float | None,
    increment: float | None,
) -> None:
    allowance = Allowance(
        depth, nodes, seconds, game_seconds=game_seconds, increment=increment or 0.0
    )
    assert 6 <= allowance.table_bits <= 20
    if (depth, nodes, seconds, game_seconds) != (None,) * 4:
        assert all(0 <= limit <= budget.UNLIMITED for limit in allowance.limits(0))


@settings(deadline=None)
@given(st.integers(0, budget.UNLIMITED), st.integers(0, budget.UNLIMITED >> 8), st.integers(0, 64))
def test_a_share_never_empties_the_clock(left: int, increment: int, remaining: int) -> None:
    share = share_of_clock(left, increment, remaining)
    assert 1 <= share <= max(1, left // 2)


@settings(deadline=None)
@given(st.integers(10**6, 10**12), st.integers(0, 10**9))
def test_shares_last_for_a_whole_game(left: int, increment: int) -> None:
    clock = left
    for remaining in range(60, -1, -2):
        clock -= share_of_clock(clock, increment, remaining)
        assert clock > 0
        clock += increment


def endings(result: MatchResult) -> set[tuple[str, str]]:
    frame = result.frame()
    return set(zip(frame["ending"], frame["fault"], strict=True))


@pytest.mark.parametrize("loser", [0, 1])
def test_a_clock_that_runs_out_loses_the_game(loser: int) -> None:
    allowances = [Allowance(2), Allowance(2)]
    allowances[loser] = Allowance(2, game_seconds=1e-8)
    result = match(
        "classic", "wpc", pairs=2, allowance=allowances[0], allowance_b=allowances[1], seed=3
    )
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
        allowance = Allowance(None, game_seconds=float(clock), increment=0.02)
        result = match("classic", "wpc", pairs=1, allowance=allowance)
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
        allowance=Allowance(3, game_seconds=0.02),
        allowance_b=Allowance(1),
        exact_from=0,
    )
    assert result.faults == ({"time": 2}, {})
    assert result.statistics.score == 0.0


def test_limits_stand_for_an_allowance() -> None:
    assert allowances_in(None) == (Allowance(),)
    assert player("zero", game_named("othello"), [Allowance()]).allowances == (Allowance(4),)
    assert player("zero", game_named("einstein"), [Allowance()]).allowances == (Allowance(2),)
    assert allowances_in(None, depth=2) == (Allowance(2),)
    assert allowances_in(None, nodes=300) == (Allowance(None, nodes=300),)
    assert allowances_in(None, probcut=1.0) == (Allowance(probcut=1.0),)
    assert Allowance(2, probcut=0).chooser == Allowance(2).chooser
    with pytest.raises(UserError, match="not both"):
        match("classic", "wpc", pairs=1, depth=2, allowance=Allowance(3))
    with pytest.raises(UserError, match="depth 0 is out of range"):
        tournament(["classic", "wpc"], pairs=1, depth=0)


def test_a_game_without_a_bound_still_gives_a_move_its_share() -> None:
    assert share_of_clock(10**10, 0, ENDLESS) == 10**10 // 41
