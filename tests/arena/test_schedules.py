from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.arena.schedules import gauntlet, neighbours, round_robin
from samuel.common.errors import UserError


def nobody_plays_twice(pairings):
    players = [player for pairing in pairings for player in pairing]
    return len(players) == len(set(players))


@given(st.integers(2, 40))
def test_a_round_robin_has_each_pairing_once(n):
    rounds = round_robin(n)
    assert len(rounds) == n - 1 + n % 2
    assert all(nobody_plays_twice(pairings) for pairings in rounds)
    assert sorted(p for pairings in rounds for p in pairings) == list(combinations(range(n), 2))


@given(st.integers(2, 20), st.data())
def test_a_gauntlet_has_each_champion_meet_each_other_once(n, data):
    champions = data.draw(st.integers(1, n - 1))
    rounds = gauntlet(n, champions)
    assert len(rounds) == max(champions, n - champions)
    assert all(nobody_plays_twice(pairings) for pairings in rounds)
    due = [(i, j) for i in range(champions) for j in range(champions, n)]
    assert sorted(p for pairings in rounds for p in pairings) == due


def test_neighbours_meet():
    assert neighbours([3, 1, 0, 2], {}, {}) == [(1, 3), (0, 2)]


def test_who_has_met_least_often_meets_first():
    assert neighbours([0, 1, 2, 3], {(0, 1): 1}, {}) == [(0, 2), (1, 3)]
    assert neighbours([0, 1, 2, 3], {(0, 1): 2, (0, 2): 1, (0, 3): 1}, {}) == [(0, 2), (1, 3)]


def test_byes_go_round_from_the_last():
    order, byes = [4, 1, 0, 3, 2], Counter()
    for free in (2, 3, 0, 1, 4, 2):
        paired = neighbours(order, {}, byes)
        assert set(order).difference(*paired) == {free}
        byes[free] += 1


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 13), st.integers(0, 1000))
def test_rounds_of_neighbours(n, seed):
    """All play in each round but one of an odd number; few meet again before they have met all."""
    rng = np.random.default_rng(seed)
    met, byes = Counter(), Counter()
    for _ in range(2 * n):
        paired = neighbours(rng.permutation(n).tolist(), met, byes)
        assert nobody_plays_twice(paired) and len(paired) == n // 2
        met.update(paired)
        byes.update(set(range(n)).difference(*paired))
    assert max(byes.values(), default=0) - min(byes.values(), default=0) <= 1
    assert len(met) >= 0.9 * n * (n - 1) / 2


def test_tournaments_that_cannot_be():
    for schedule in (lambda: round_robin(1), lambda: gauntlet(1)):
        with pytest.raises(UserError, match="a tournament needs at least 2 players"):
            schedule()
    with pytest.raises(UserError, match="champions must be from 1 to 3 with 4 players"):
        gauntlet(4, 4)
