import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.arena.ratings import Games, rate
from samuel.arena.statistics import score_of_elo
from samuel.common.errors import UserError
from tests.arena.simulated import everyone, simulated
from tests.rarely import rarely

AB = ["a", "b"]


def between_two(wins, draws, losses):
    """Games of a against b, colours alternating without effect, each for itself."""
    scores = np.repeat([1.0, 0.5, 0.0], [wins, draws, losses])
    first = np.arange(len(scores)) % 2
    return Games.of(first, 1 - first, np.where(first == 0, scores, 1 - scores))


def difference(ratings):
    return ratings.elo[0] - ratings.elo[1]


def test_two_players_have_the_closed_form_of_the_model():
    """The expected score is the score that was made; the prior is a virtual game of each."""
    found = rate(AB, between_two(400, 100, 200), resamples=2)
    assert difference(found) == pytest.approx(400 * math.log10(450 / 250), abs=1)
    assert found.draw_share == pytest.approx(1 / 7)


def test_expected_scores_are_those_that_were_made():
    """The mark of the maximum of an exponential family; a virtual game is half won."""
    n = 4
    games = simulated([80, 0, -120, 30], everyone(n, 15), np.random.default_rng(1), 0.2)
    found = rate(list("abcd"), games, resamples=2)
    elo, points = found.elo - found.elo.mean(), np.zeros(n)
    for i, j, score in zip(games.first, games.second, games.score, strict=True):
        expected = score_of_elo(elo[i] - elo[j] + found.colour)
        points[[i, j]] += [score - expected, expected - score]
    # the prior pulls all towards the same centre
    assert np.abs(points).max() < 0.5


players = st.integers(2, 6)


@settings(max_examples=30, deadline=None)
@given(players, st.data())
def test_any_results_have_ratings(n, data):
    game = st.tuples(
        st.integers(0, n - 1),
        st.integers(1, n - 1),
        st.sampled_from([0, 0.5, 1]),
        st.integers(0, 9),
    )
    played = data.draw(st.lists(game, min_size=1, max_size=40))
    first, shift, scores, pair = zip(*played, strict=True)
    games = Games.of(first, (np.array(first) + shift) % n, scores, pair)
    ratings = rate([f"p{i}" for i in range(n)], games, resamples=10)
    assert (ratings.low <= ratings.elo).all() and (ratings.elo <= ratings.high).all()
    assert ratings.los + ratings.los.T == pytest.approx(np.ones((n, n)))
    assert ratings.elo.mean() == pytest.approx(0, abs=1e-6)


def test_known_ratings_are_recovered():
    elo = np.array([-300.0, -100, 0, 150, 250])
    games = simulated(elo, everyone(5, 3000), np.random.default_rng(5), 0.1, 35)
    found = rate(list("abcde"), games, resamples=200)
    assert found.elo == pytest.approx(elo, abs=8)
    assert found.colour == pytest.approx(35, abs=4)


@pytest.mark.parametrize(("n", "pairs", "draw_share"), [rarely(5, 20, 0.05), (2, 30, 0.2)])
def test_intervals_hold_the_truth_as_often_as_they_say(n, pairs, draw_share):
    elo = np.linspace(-100, 100, n)
    held = []
    for seed in range(40):
        games = simulated(elo, everyone(n, pairs), np.random.default_rng(seed), draw_share)
        found = rate([f"p{i}" for i in range(n)], games, resamples=60, seed=seed)
        held.append((found.low <= elo) & (elo <= found.high))
    assert 0.9 <= np.mean(held) <= 0.99


def test_pairs_and_not_games_are_resampled():
    games = simulated([0, 0], [(0, 1, 200)], np.random.default_rng(6), correlation=-0.9)
    alone = Games.of(games.first, games.second, games.score)
    paired, unpaired = (rate(AB, g) for g in (games, alone))
    assert paired.elo == pytest.approx(unpaired.elo)
    assert paired.high[0] - paired.low[0] < 0.7 * (unpaired.high[0] - unpaired.low[0])


def test_the_order_of_players_and_games_means_nothing():
    games = simulated([90, 0, -40, 10], everyone(4, 10), np.random.default_rng(9), 0.3)
    one = rate(list("abcd"), games, resamples=10)
    new = np.array([2, 0, 3, 1])
    shuffled = np.random.default_rng(0).permutation(len(games.score))
    other = rate(
        list("bdac"),
        Games.of(*(x[shuffled] for x in (new[games.first], new[games.second], games.score)),
                 games.pair[shuffled]),
        resamples=10,
    )  # fmt: skip
    assert other.elo[new] == pytest.approx(one.elo, abs=1e-6)


def test_anchors():
    games = simulated([120, 0, -120], everyone(3, 40), np.random.default_rng(11))
    free, fixed = rate(list("abc"), games), rate(list("abc"), games, anchor="b")
    assert free.elo.mean() == pytest.approx(0)
    assert fixed.elo[1] == fixed.low[1] == fixed.high[1] == pytest.approx(0)
    assert fixed.elo == pytest.approx(free.elo - free.elo[1])
    assert (free.anchor, fixed.anchor) == ("the mean of all players at 0", "b at 0")


def test_a_clean_sweep_is_finite_and_known_from_one_side_only():
    games = Games.of([0, 1] * 20, [1, 0] * 20, [1, 0] * 20, np.repeat(np.arange(20), 2))
    found = rate(AB, games, anchor="b")
    assert found.elo[0] > 400 and found.los[0, 1] > 0.99
    assert 100 < found.low[0] < found.elo[0] - 50 and found.high[0] > found.elo[0] + 300


@pytest.mark.parametrize(
    "games",
    [
        between_two(5, 5, 0),  # ever likelier the stronger a is, and the likelier draws are
        between_two(0, 8, 0),
        Games.of([0, 1] * 4, [1, 0] * 4, [1] * 8),  # who moves first wins
        Games.of([0] * 8, [1] * 8, [1, 0.5, 0, 1] * 2),  # a, or moving first?
    ],
)
def test_games_without_likeliest_ratings_have_finite_ones_by_the_prior(games):
    """Albert and Anderson 1984: separated outcomes, or parameters that no game tells apart."""
    assert np.isfinite(rate(AB, games, resamples=10).elo).all()


def test_groups_that_never_met_and_players_without_games():
    sides = [0, 1, 0, 1, 3, 4], [1, 0, 1, 0, 4, 3]
    games = Games.of(*sides, [1, 0, 0, 0.5, 1, 0], [0, 0, 1, 1, 2, 2])
    found = rate(list("abcde"), games)
    assert found.groups == (("a", "b"), ("d", "e"), ("c",))
    assert np.isfinite(found.elo).all() and math.isnan(found.score[2])
    assert found.games.tolist() == [4, 4, 0, 2, 2]
    assert found.score[[0, 1]] == pytest.approx([0.625, 0.375])
    assert found.frame()["player"][0] == "d" and found.frame()["elo"].is_monotonic_decreasing
    assert found.high[2] - found.low[2] > 800


def test_without_games_the_ratings_are_those_of_the_prior(monkeypatch):
    """A rating is that of a player whose one virtual game counts as its share of a resample."""
    monkeypatch.setattr("samuel.arena.ratings._fitted", None)
    found = rate(list("abc"), Games.of([], [], []))
    assert not found.elo.any() and found.groups == (("a",), ("b",), ("c",))
    assert found.los == pytest.approx(np.full((3, 3), 0.5), abs=0.1)
    assert found.high == pytest.approx(-found.low, rel=0.3) and (found.high > 600).all()


def test_what_cannot_be_rated_is_refused():
    games = between_two(3, 1, 2)
    for words, settings_ in (("no player called 'x'; there are a, b", {"anchor": "x"}),):
        with pytest.raises(UserError, match=words):
            rate(AB, games, **settings_)
    with pytest.raises(UserError, match="two players have the name 'a'"):
        rate(["a", "a"], games)
    with pytest.raises(UserError, match="at least 2 players"):
        rate(["a"], Games.of([], [], []))
    with pytest.raises(ValueError, match="numbered 0 to 1"):
        rate(AB, Games.of([0], [2], [1]))
    for first, second, score in (([0], [0], [1]), ([0], [1], [0.7]), ([0, 1], [1], [1])):
        with pytest.raises(ValueError):
            Games.of(first, second, score)
