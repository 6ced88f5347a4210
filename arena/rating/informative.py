"""Games that tell most about the strength of a player, such as a new one of a pool.

The ratings r are assumed normal with their current covariance S. A pair of games between i and j
measures the difference x'r, x = e_i - e_j, with information

    I = 2 E[v] / (dispersion u^2),

with the variance v of a game's score at that difference, u Elo per logit, and E over the
distribution of the difference. The wanted quantity is a'r: the target's rating less the mean of the
others, the pool. Its variance falls by (a'S x)^2 / (1/I + x'S x), and S becomes
S - S x x'S / (1/I + x'S x). Pairs are chosen one by one, each the best after those before. Games
against opponents of equal strength tell most, because v is largest there. Uncertainty about the
pool counts too, so the choice spreads over several opponents, and games within the pool may follow.

The stopping rule uses the width of the interval alone. It depends on the rating only through the
information, so it biases the rating far less than stopping at a favourable result.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from samuel.arena.rating.bradley_terry import Floats, Ints
from samuel.arena.rating.ratings import RESAMPLES, Ratings, elo_per_logit, rate
from samuel.arena.rating.resampling import Games
from samuel.arena.schedules import Pairing
from samuel.arena.statistics import Z95
from samuel.common.errors import OptionError, UserError

PairingPlan: TypeAlias = list[tuple[int, int, int]]
"""Numbers of two players and the number of their game pairs, for each pairing."""

GOAL = 15.0
"""Default of half the width of an interval, in Elo."""
MOST_RATING_PAIRS = 5000
"""Default of the largest number of game pairs."""
_LEAST = 8
"""Least number of pairs of a batch; later ones are half of the pairs so far."""
_MOST = 64
"""Largest number of pairs of a batch for all players, after which all intervals are computed."""
_NODES = hermegauss(7)[0]
_WEIGHTS = hermegauss(7)[1] / math.sqrt(2 * math.pi)
"""Weights of the expectation under a standard normal distribution."""


def next_pairs(
    ratings: Ratings,
    target: int,
    batch: int,
    *,
    room: Mapping[Pairing, int] | None = None,
    goal: float = 0.0,
) -> PairingPlan:
    """Return the pairs that tell most about the rating of `target` relative to the pool's mean.

    Parameters
    ----------
    ratings
        as far as they are known; their anchor has no part.
    target
        the player's number.
    batch
        number of pairs in all.
    room
        number of pairs left to each pairing, by number, the smaller first, 0 to one that is not
        named; any number where None. There are no more pairs than openings.
    goal
        half the width of an interval, in Elo: fewer pairs are returned where fewer promise it.

    Returns
    -------
    PairingPlan
        (i, j, pairs), the pairing with most pairs first; empty where there is no room.

    Raises
    ------
    UserError
        The batch is empty, or there is no player of this number.
    """
    n = len(ratings.names)
    if not 0 <= target < n:
        raise UserError(f"player {target} does not exist; players have the numbers 0 to {n - 1}")
    return _planned(ratings, _contrast(n, target)[None], batch, room, goal)


def pairs_for_widest(
    ratings: Ratings,
    targets: Sequence[int],
    batch: int,
    *,
    room: Mapping[Pairing, int] | None = None,
    goal: float = 0.0,
) -> PairingPlan:
    """Return pairs, each of which tells most about the target with the then widest interval.

    Intervals are those of ratings relative to the mean of all players. See `next_pairs`.
    """
    n = len(ratings.names)
    wanted = np.eye(n)[list(targets)] - 1 / n
    return _planned(ratings, wanted, batch, room, goal)


def _planned(
    ratings: Ratings,
    contrasts: Floats,
    batch: int,
    room: Mapping[Pairing, int] | None,
    goal: float,
) -> PairingPlan:
    """Choose pairs one by one for the least certain of some contrasts (T, n) of the ratings."""
    if batch < 1:
        raise UserError(f"batch must be at least 1 pair (got {batch})")
    i, j = np.triu_indices(len(ratings.names), 1)
    covariance, left = ratings.covariance.copy(), _room_of(i, j, room)
    chosen: Counter[int] = Counter()
    for _ in range(batch):
        widths = [_half_width(contrast, covariance) for contrast in contrasts]
        if max(widths) <= goal or not left.any():
            break
        wanted = contrasts[int(np.argmax(widths))]
        along = covariance[i] - covariance[j]  # x'S, a row a pairing
        rows = np.arange(len(i))
        variance = np.maximum(along[rows, i] - along[rows, j], 0)
        total = variance + 1 / information(ratings, i, j, variance)
        gain = np.where(left > 0, (along @ wanted) ** 2 / total, -1.0)
        best = int(np.argmax(gain))
        covariance -= np.outer(along[best], along[best]) / total[best]
        left[best] -= 1
        chosen[best] += 1
    return [(int(i[k]), int(j[k]), pairs) for k, pairs in chosen.most_common()]


def information(ratings: Ratings, i: Ints, j: Ints, variance: Floats) -> Floats:
    """Return the information (m,), in 1/Elo^2, in a pair of games of players i with players j.

    `variance` (m,) is that of the difference of the ratings, in Elo^2, as far as they are known.
    """
    mean = ratings.elo[i] - ratings.elo[j]
    differences = mean[:, None] + np.sqrt(variance)[:, None] * _NODES
    expected = ratings.variance_of_score(differences) @ _WEIGHTS
    return 2 * expected / (ratings.dispersion * elo_per_logit(ratings.draw_share) ** 2)


def half_width(ratings: Ratings, target: int) -> float:
    """Return half the width of the interval of a player's rating, in Elo."""
    return float(ratings.high[target] - ratings.low[target]) / 2


def sharpen(
    names: Sequence[str],
    games: Games,
    target: int,
    play: Callable[[PairingPlan], Games],
    *,
    goal: float = GOAL,
    most_pairs: int = MOST_RATING_PAIRS,
    room: Mapping[Pairing, int] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Callable[[Ratings, int], None] = lambda ratings, pairs: None,
) -> tuple[Ratings, Games]:
    """Let a player play until its rating is certain enough; return the ratings and all games.

    After each batch all players are rated from all games, relative to the mean of the others, the
    pool, which is 0. The interval is that of the difference, and includes the uncertainty about the
    pool's own ratings.

    Parameters
    ----------
    names, games
        the players, and the games so far; see `rate`.
    target
        the player's number.
    play
        plays pairs of games as planned and returns the games.
    goal
        half the width of the interval at which to stop, in Elo.
    most_pairs
        at which to stop in any case.
    room
        number of times that players can meet (`next_pairs`); where there is none left, it ends as
        well.
    resamples, seed
        resamples and seed of the intervals.
    progress
        called with the ratings so far and the number of pairs played, before each batch and last.

    Raises
    ------
    UserError
        The goal is not positive, or as `rate` and `next_pairs` say.
    """
    if not goal > 0:
        raise OptionError("error", f"must be above 0 (got {goal})")
    pool = [name for number, name in enumerate(names) if number != target]
    done, left = 0, room
    while True:
        ratings = rate(names, games, anchor=pool, resamples=resamples, seed=seed)
        progress(ratings, done)
        if half_width(ratings, target) <= goal or done >= most_pairs:
            return ratings, games
        least = min(_LEAST, most_pairs - done)
        batch = min(max(least, done // 2), most_pairs - done)
        plan = next_pairs(ratings, target, batch, room=left, goal=goal)
        if sum(pairs for _, _, pairs in plan) < least:
            plan = next_pairs(ratings, target, least, room=left)
        if not plan:
            return ratings, games
        games = games.joined(play(plan))
        done += sum(pairs for _, _, pairs in plan)
        left = _room_after(left, plan)


def sharpen_all(
    names: Sequence[str],
    games: Games,
    play: Callable[[PairingPlan], Games],
    *,
    goal: float,
    most_pairs: int = MOST_RATING_PAIRS,
    room: Mapping[Pairing, int] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Callable[[Ratings], None] = lambda ratings: None,
    is_over: Callable[[], bool] = lambda: False,
) -> tuple[Ratings, Games]:
    """Let players play until all ratings are certain enough; return the ratings and all games.

    Ratings and their intervals are relative to the mean of all players. No player gets many more
    games than others that need some: the interval of one that wins or loses all games stays wide.

    Parameters
    ----------
    names, games, play, room, resamples, seed
        as `sharpen` takes them.
    goal
        half the width of an interval at which no more games are played for it, in Elo.
    most_pairs
        pairs of a player after which none are played for it.
    progress
        called with the ratings so far, before each batch and last.
    is_over
        asked before each batch whether to end in any case.
    """
    while True:
        ratings = rate(names, games, resamples=resamples, seed=seed)
        progress(ratings)
        played = ratings.games // 2
        able = range(len(names)) if room is None else {i for pair in room for i in pair}
        needy = [
            player
            for player in sorted(able)
            if half_width(ratings, player) > goal and played[player] < most_pairs
        ]
        if not needy or is_over():
            return ratings, games
        most = 2 * min(played[player] for player in needy) + _LEAST
        targets = [player for player in needy if played[player] <= most]
        batch = min(max(_LEAST, len(games) // 16), _MOST)
        plan = pairs_for_widest(ratings, targets, batch, room=room, goal=goal)
        if sum(pairs for _, _, pairs in plan) < _LEAST:
            plan = pairs_for_widest(ratings, targets, _LEAST, room=room)
        if not plan:
            return ratings, games
        games = games.joined(play(plan))
        room = _room_after(room, plan)


def _contrast(n: int, target: int) -> Floats:
    """Return what each rating (n,) counts in the target's less the mean of the others."""
    wanted = np.full(n, -1 / (n - 1))
    wanted[target] = 1
    return wanted


def _half_width(wanted: Floats, covariance: Floats) -> float:
    return Z95 * math.sqrt(max(0.0, float(wanted @ covariance @ wanted)))


def _room_of(i: Ints, j: Ints, room: Mapping[Pairing, int] | None) -> Floats:
    """Return how many pairs are left to each pairing (m,)."""
    if room is None:
        return np.full(len(i), np.inf)
    pairings = zip(i.tolist(), j.tolist(), strict=True)
    return np.array([room.get(pairing, 0) for pairing in pairings], np.float64)


def _room_after(
    room: Mapping[Pairing, int] | None, plan: PairingPlan
) -> Mapping[Pairing, int] | None:
    if room is None:
        return None
    used = {(i, j): pairs for i, j, pairs in plan}
    return {pairing: left - used.get(pairing, 0) for pairing, left in room.items()}
