"""SPSA as arithmetic: its gains, its rounding, and the way to a known optimum."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tuning import START, distance, random_search, spsa
from samuel.arena.tuning.spsa import Gains, Parameter, Spsa
from samuel.common.errors import UserError

PARAMETER = "a=80,20,200,8"


def test_gains_are_those_of_fishtest() -> None:
    # fishtest: c = c_end N^gamma, a = r_end c_end^2 (A + N)^alpha; pair k is played at c / k^gamma
    # and moves by R c result with R = a / (A + k)^alpha / c_k^2
    n, k, results = 1000, 201, [1, 2, -1, 0]
    made = Spsa([Parameter.parse(PARAMETER)], Gains(), n, seed=3)
    c_k = 8 * n**0.101 / k**0.101
    ratio = 0.002 * 8**2 * (100 + n) ** 0.602 / (100 + k) ** 0.602 / c_k**2
    plus, minus = made.ask(k - 1)
    assert sorted([plus[0], minus[0]]) == pytest.approx([80 - c_k, 80 + c_k])
    sign = np.sign(plus[0] - 80)
    made.tell(k - 1, results)
    assert made.values[0] == pytest.approx(80 + ratio * c_k * sum(results) * sign)


def test_at_the_end_of_a_run_the_step_is_step_and_the_move_r_end() -> None:
    made = Spsa([Parameter.parse(PARAMETER)], Gains(r_end=0.01), 50, seed=0)
    plus, minus = made.ask(49)
    assert abs(plus[0] - minus[0]) / 2 == pytest.approx(8)
    made.tell(49, [2])
    assert abs(made.values[0] - 80) == pytest.approx(0.01 * 8 * 2)
    assert made.noise[0] == pytest.approx(0.01 * 8 * 2)  # of one pair whose square is 4


def test_integers_are_rounded_without_bias_and_values_stay_in_their_range() -> None:
    whole = Parameter("a", 10, 0, 20, 0.7, is_integer=True)
    made = Spsa([whole], Gains(gamma=0), 10_000, seed=1)
    both = np.array([made.ask(k) for k in range(4000)])[:, :, 0]
    assert (both % 1 == 0).all()
    signs = np.sign(both[:, 0] - both[:, 1])
    assert (both.mean(axis=1).mean(), np.abs(both[:, 0] - both[:, 1]).mean()) == pytest.approx(
        (10, 1.4), abs=0.05
    )
    assert set(signs) <= {-1, 0, 1}
    for k in range(100):
        made.tell(k, [2 if signs[k] > 0 else -2] * 400)
        assert (made.ask(k + 1)[0] <= 20).all()
    assert made.values[0] == 20


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "=1,0,2,1",
        "a=1,0,2",
        "a=3,0,2,1",
        "a=1,0,2,0",
        "a=1,0,2,3",
        "a=nan,0,2,1",
        "a=1,0,inf,1",
    ],
)
def test_parameters_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="RFPMargin"):
        Parameter.parse(text)


@pytest.mark.parametrize("rest", [(1.5, 0, 9, 1), (1, 0, 9, 0.4), (1, 0.5, 9, 1)])
def test_integers_need_integers_and_a_step_that_changes_them(rest: tuple[float, ...]) -> None:
    with pytest.raises(UserError, match="is an integer"):
        Parameter("a", *rest, is_integer=True)


def test_spsa_comes_nearer_to_a_known_optimum_than_random_search() -> None:
    ours, others = (
        np.mean([distance(search(8000, seed)) for seed in range(5)])
        for search in (spsa, random_search)
    )
    assert ours < 0.5 * distance(START)
    assert ours < 0.75 * others
