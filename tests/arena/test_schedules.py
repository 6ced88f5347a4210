from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.arena.schedules import gauntlet, round_robin, swiss_round
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


def test_the_first_round_of_a_swiss_is_the_upper_half_against_the_lower():
    found = swiss_round([0] * 8, strength=[80, 70, 60, 50, 40, 30, 20, 10])
    assert found.pairings == [(0, 4), (1, 5), (2, 6), (3, 7)]
    odd = swiss_round([0] * 5, strength=[1, 2, 3, 4, 5])
    assert odd.bye == 0 and odd.pairings == [(2, 4), (1, 3)]


def test_a_swiss_pairs_within_score_groups():
    found = swiss_round([2, 2, 1, 1, 0, 0], strength=[6, 5, 4, 3, 2, 1])
    assert found == ([(0, 1), (2, 3), (4, 5)], None)


def test_who_has_met_is_paired_anew_only_where_it_must_be():
    # the leaders have met: both go down one group
    found = swiss_round([2, 2, 1, 1, 0, 0], [(0, 1)], strength=[6, 5, 4, 3, 2, 1])
    assert set(found.pairings) == {(0, 2), (1, 3), (4, 5)}
    # 0 has met all; the one he met least often, though far, is the least evil
    played = [(0, 1), (0, 1), (0, 2), (0, 2), (0, 3)]
    assert set(swiss_round([4, 4, 4, 0], played).pairings) == {(0, 3), (1, 2)}


def test_avoidable_rematches_are_avoided_at_any_cost_in_points():
    """By brute force over all perfect matchings of six players."""

    def matchings(players):
        if not players:
            yield []
            return
        one, *rest = players
        for other in rest:
            remaining = [p for p in rest if p != other]
            yield from ([(one, other), *more] for more in matchings(remaining))

    rng = np.random.default_rng(5)
    for _ in range(25):
        scores = rng.integers(0, 5, 6) / 2
        edges = list(combinations(range(6), 2))
        played = [edges[k] for k in rng.choice(15, rng.integers(0, 13), replace=False)]
        found = swiss_round(scores, played).pairings
        group = np.unique(scores, return_inverse=True)[1]

        def weight(matching, played=played, group=group):
            again = sum(pairing in played for pairing in matching)
            return again, sum((group[i] - group[j]) ** 2 for i, j in matching)

        assert weight(found) == min(weight(m) for m in matchings(list(range(6))))


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 13), st.integers(0, 1000))
def test_a_whole_swiss(n, seed):
    """Five rounds: among many, nobody meets another or is free twice; few may have to."""
    rng = np.random.default_rng(seed)
    scores, played, byes = np.zeros(n), [], []
    for number in range(min(5, n - 1)):
        found = swiss_round(scores, played, byes=byes, seed=seed + number)
        assert found == swiss_round(scores, played[::-1], byes=byes, seed=seed + number)
        taken = [player for pairing in found.pairings for player in pairing]
        assert sorted(taken + ([found.bye] if n % 2 else [])) == list(range(n))
        assert (found.bye is None) == (n % 2 == 0)
        for i, j in found.pairings:
            scores[i] += (points := rng.integers(0, 5) / 2)
            scores[j] += 2 - points
        played += found.pairings
        if found.bye is not None:
            byes.append(found.bye)
            scores[found.bye] += 1
    if n > 9:
        assert max(Counter(byes).values(), default=0) <= 1
        assert max(Counter(played).values()) == 1


def test_byes_go_round_before_anyone_has_two():
    byes = [0, 1, 2, 4]
    assert swiss_round([0, 0, 0, 9, 0], byes=byes).bye == 3
    assert swiss_round([0, 0, 0, 9, 0], byes=[*byes, 3]).bye != 3


def test_lots_depend_on_the_seed_alone():
    rounds = {tuple(swiss_round([0] * 10, seed=seed).pairings) for seed in range(5)}
    assert len(rounds) == 5


def test_a_hundred_players():
    rng = np.random.default_rng(0)
    played = swiss_round([0] * 100).pairings
    found = swiss_round(rng.integers(0, 3, 100), played)
    assert nobody_plays_twice(found.pairings) and len(found.pairings) == 50
    assert not set(found.pairings) & set(played)


def test_tournaments_that_cannot_be():
    for schedule in (lambda: round_robin(1), lambda: gauntlet(1), lambda: swiss_round([0])):
        with pytest.raises(UserError, match="a tournament needs at least 2 players"):
            schedule()
    with pytest.raises(UserError, match="champions must be from 1 to 3 with 4 players"):
        gauntlet(4, 4)
