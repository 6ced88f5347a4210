import numpy as np
import pytest

from samuel.arena.rating import Games, elo_per_logit, rate
from samuel.arena.rating.informative import (
    half_width,
    information,
    next_pairs,
    sharpen,
    sharpen_all,
)
from samuel.common.errors import UserError
from tests.arena.simulated import everyone, simulated
from tests.rarely import rarely

POOL = np.linspace(-490, 490, 8)
NAMES = [*"abcdefgh", "new"]
AGAINST_THE_NEW = {(o, 8): 1000 for o in range(8)}


def pool(pairs, seed=0, newcomer=20.0):
    """Return true ratings of eight players and a new one, and the games of the eight."""
    elo = np.append(POOL, newcomer)
    return elo, simulated(elo, everyone(8, pairs), np.random.default_rng(seed))


def test_a_stranger_meets_the_middle_of_the_pool_first():
    _, games = pool(300)
    plan = next_pairs(rate(NAMES, games, resamples=0), 8, 20, room=AGAINST_THE_NEW)
    assert sum(pairs for *_, pairs in plan) == 20 and len(plan) >= 2
    assert all(j == 8 for _, j, _ in plan)
    assert {i for i, _, _ in plan} <= {1, 2, 3, 4, 5, 6}


def test_who_is_known_to_be_strong_meets_the_strong():
    elo, games = pool(300, newcomer=480.0)
    games = games.joined(simulated(elo, [(8, o, 6) for o in range(8)], np.random.default_rng(1)))
    plan = next_pairs(rate(NAMES, games, resamples=0), 8, 30, room=AGAINST_THE_NEW)
    met = {i: pairs for i, _, pairs in plan}
    assert sum(met.get(o, 0) for o in (5, 6, 7)) >= 25


def test_an_uncertain_pool_plays_itself():
    elo, games = pool(8)
    games = games.joined(simulated(elo, [(8, o, 400) for o in (3, 4)], np.random.default_rng(2)))
    plan = next_pairs(rate(NAMES, games, resamples=0), 8, 40)
    assert sum(pairs for i, j, pairs in plan if 8 not in (i, j)) > 20


def test_each_pair_is_the_best_of_all():
    """By inverting the information, to which each pairing in turn adds that of a pair."""
    _, games = pool(20)
    ratings = rate(NAMES, games, resamples=0)
    candidates = [*AGAINST_THE_NEW]
    wanted = np.append(np.full(8, -1 / 8), 1)
    precision = np.linalg.inv(ratings.covariance + 1e4)  # a shift, which no difference feels
    after = []
    for i, j in candidates:
        x = np.zeros(9)
        x[[i, j]] = 1, -1
        variance = np.array([x @ ratings.covariance @ x])
        gain = information(ratings, np.array([i]), np.array([j]), variance)
        after.append(wanted @ np.linalg.inv(precision + gain * np.outer(x, x)) @ wanted)
    ((i, j, pairs),) = next_pairs(ratings, 8, 1, room=AGAINST_THE_NEW)
    assert pairs == 1 and (i, j) == candidates[int(np.argmin(after))]


def test_information_is_that_of_two_even_games():
    """Without draws a game at even odds has variance 1/4."""
    games = Games.of([0, 1] * 50, [1, 0] * 50, [1, 1] * 50)
    ratings = rate(["a", "b"], games, resamples=0)
    found = information(ratings, np.array([0]), np.array([1]), np.zeros(1))
    colour = ratings.colour / elo_per_logit(0.0)
    variance = 1 / (4 * np.cosh(colour / 2) ** 2)
    expected = 2 * variance / (ratings.dispersion * elo_per_logit(0.0) ** 2)
    assert found == pytest.approx([expected])


def test_no_more_pairs_than_promise_the_goal():
    _, games = pool(300)
    ratings = rate(NAMES, games, resamples=0)
    few, more = (next_pairs(ratings, 8, 3000, goal=goal) for goal in (60, 40))
    counts = [sum(pairs for *_, pairs in plan) for plan in (few, more)]
    assert 0 < counts[0] < counts[1] < 3000
    assert next_pairs(ratings, 8, 10, goal=10_000) == []


def test_a_newcomer_is_known_with_fewer_games_than_by_meeting_all_alike():
    """A third more games, spread over all alike, leave a wider interval."""
    elo, games = pool(400)
    rng = np.random.default_rng(3)
    seen = []
    ratings, joined = sharpen(
        NAMES, games, 8, lambda plan: simulated(elo, plan, rng), goal=20, resamples=300,
        progress=lambda ratings, pairs: seen.append((half_width(ratings, 8), pairs)),
    )  # fmt: skip
    spent = (len(joined) - len(games)) // 2
    assert seen[0][1] == 0 and seen[-1] == (half_width(ratings, 8), spent)
    assert seen[-1][0] <= 20 < seen[-2][0]
    assert ratings.low[8] - 20 <= elo[8] <= ratings.high[8] + 20

    equally = simulated(elo, [(8, o, round(spent / 0.75 / 8)) for o in range(8)], rng)
    alike = rate(NAMES, games.joined(equally), anchor=NAMES[:8], resamples=0)
    contrast = np.append(np.full(8, -1 / 8), 1.0)  # the newcomer less the mean of the others
    variances = [contrast @ found.covariance @ contrast for found in (alike, ratings)]
    assert variances[0] > variances[1]


def test_a_limit_ends_it_too():
    elo, games = pool(20)
    rng = np.random.default_rng(4)
    ratings, joined = sharpen(
        NAMES, games, 8, lambda plan: simulated(elo, plan, rng), goal=1, most_pairs=45, resamples=50
    )
    assert len(joined) - len(games) == 90 and ratings.games[8] > 0


def test_no_pairing_gets_more_pairs_than_it_has_room_for():
    _, games = pool(100)
    ratings = rate(NAMES, games, resamples=0)
    room = {(o, 8): 3 for o in range(8)} | {(0, 1): 5}
    plan = next_pairs(ratings, 8, 20, room=room)
    assert sum(pairs for *_, pairs in plan) == 20
    assert all(pairs <= room[min(i, j), max(i, j)] for i, j, pairs in plan)
    everything = next_pairs(ratings, 8, 1000, room=room)
    assert {(min(i, j), max(i, j)): pairs for i, j, pairs in everything} == room
    assert next_pairs(ratings, 8, 1000, room={}) == []
    narrow = next_pairs(ratings, 8, 1000, room={(2, 8): 3, (3, 8): 3})
    assert sorted(narrow) == [(2, 8, 3), (3, 8, 3)]


def test_where_there_is_no_room_any_more_it_ends():
    elo, games = pool(20)
    rng = np.random.default_rng(4)
    room = {(o, 8): 4 for o in range(8)}
    ratings, joined = sharpen(
        NAMES, games, 8, lambda plan: simulated(elo, plan, rng), goal=1, room=room, resamples=50
    )
    assert len(joined) - len(games) == 2 * 32 == ratings.games[8]
    assert set(room.values()) == {4}


def test_what_cannot_be_planned_is_refused():
    _, games = pool(2)
    ratings = rate(NAMES, games, resamples=0)
    with pytest.raises(UserError, match="at least 1 pair"):
        next_pairs(ratings, 8, 0)
    with pytest.raises(UserError, match="player 9 does not exist; players have the numbers 0 to 8"):
        next_pairs(ratings, 9, 5)
    with pytest.raises(UserError, match="above 0"):
        sharpen(NAMES, games, 8, lambda plan: games, goal=0)


@pytest.mark.parametrize("before", [60, rarely(190)])
def test_one_more_takes_less_than_half_a_round_robin(before):
    """A ninth player to +- 15 Elo: twice the games, all against all, leave a wider interval."""
    elo, games = pool(before, seed=before)
    rng = np.random.default_rng(before)
    found, joined = sharpen(
        NAMES, games, 8, lambda plan: simulated(elo, plan, rng), goal=15, resamples=300
    )
    assert half_width(found, 8) <= 15
    pairs = 2 * (len(joined) - len(games)) // (36 * 2)
    all_meet = simulated(elo, everyone(9, pairs), rng)
    assert half_width(rate(NAMES, all_meet, anchor=NAMES[:8], resamples=300), 8) > 15


def test_all_are_measured_and_a_hopeless_player_starves_nobody():
    elo, rng = np.array([0.0, 80.0, -80.0, 160.0, -1500.0]), np.random.default_rng(3)
    so_far = []
    ratings, games = sharpen_all(
        [*"abcde"],
        Games.of([], [], []),
        lambda plan: simulated(elo, plan, rng),
        goal=60.0,
        most_pairs=300,
        resamples=200,
        progress=so_far.append,
    )
    assert all(half_width(ratings, k) <= 60 for k in range(4))
    assert half_width(ratings, 4) > 60 and ratings.games[4] // 2 >= 300
    assert not any(one.games[:4].min() < 20 < one.games[4] / 10 for one in so_far)
    assert len(games) == ratings.games.sum() / 2


def test_players_without_room_get_no_games():
    elo, rng, met = np.zeros(3), np.random.default_rng(4), set()

    def play(plan):
        met.update((i, j) for i, j, _ in plan)
        return simulated(elo, plan, rng)

    sharpen_all([*"abc"], Games.of([], [], []), play, goal=50.0, room={(0, 1): 60}, resamples=100)
    assert met == {(0, 1)}
