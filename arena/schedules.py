"""Schedules of a tournament: round robin, gauntlet, Swiss.

Pure functions. Players are numbers from 0; a pairing (i, j) is played as pairs of games with
colours swapped, so that colour is balanced by itself and the order within a pairing means nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from samuel.common.errors import UserError

Pairing: TypeAlias = tuple[int, int]
Floats: TypeAlias = NDArray[np.float64]


def round_robin(n: int) -> list[list[Pairing]]:
    """Return rounds in which each of n players meets each other once, and nobody plays twice.

    By the circle method: one player stays, the others go round. An odd n takes n rounds, with one
    player free in each; an even n takes n - 1.

    Raises
    ------
    UserError
        There are fewer than two players.
    """
    _require_players(n)
    size = n + n % 2
    circle = list(range(size))
    rounds = []
    for _ in range(size - 1):
        facing = zip(circle[: size // 2], reversed(circle[size // 2 :]), strict=True)
        rounds.append([_pairing(i, j) for i, j in facing if max(i, j) < n])
        circle[1:] = [circle[-1], *circle[1:-1]]
    return rounds


def gauntlet(n: int, champions: int = 1) -> list[list[Pairing]]:
    """Return rounds in which the first players, the champions, meet each of the others once.

    Champions do not meet each other, nor do the others; nobody plays twice in a round.

    Raises
    ------
    UserError
        There are fewer than two players, no champion, or nobody for them to meet.
    """
    _require_players(n)
    if not 1 <= champions < n:
        raise UserError(f"champions must be from 1 to {n - 1} with {n} players (got {champions})")
    few, many = sorted([range(champions), range(champions, n)], key=len)
    return [
        [_pairing(player, many[(start + k) % len(many)]) for k, player in enumerate(few)]
        for start in range(len(many))
    ]


class SwissRound(NamedTuple):
    """The pairings of a round, the leaders' first, and who is free where the number is odd."""

    pairings: list[Pairing]
    bye: int | None


def swiss_round(
    scores: Sequence[float],
    played: Iterable[Pairing] = (),
    *,
    byes: Iterable[int] = (),
    strength: Sequence[float] | None = None,
    seed: int = 0,
) -> SwissRound:
    """Pair players of like scores who have not met.

    The pairing taken has, in this order: as few rematches, and byes of players with more byes than
    others, as there can be; the least sum of squared differences
    of score groups, the one who is free counting as one of the last group; within a group the
    upper half against the lower in order, as in the Dutch system, and the last player free.

    The best way is a perfect matching of least weight, found as an integer program with n(n-1)/2
    unknowns (HiGHS, by branch and bound: exponential at worst; in practice some milliseconds for 20
    players, and up to a few seconds for 100).

    Parameters
    ----------
    scores
        scores of the players so far, such as points; for a bye whatever the tournament grants.
    played
        the pairings so far, in any order; one stands as often as it was played.
    byes
        players who were free so far; likewise.
    strength
        for the order within a group, such as ratings, the stronger the higher; where it is not
        given or ties, lots are drawn.

    Raises
    ------
    UserError
        There are fewer than two players.
    """
    n = len(scores)
    _require_players(n)
    size = n + n % 2  # with an odd number, the last opponent is to be free
    met = np.zeros((size, size))
    for i, j in played:
        met[[i, j], [j, i]] += 1
    for i in byes:
        met[[i, size - 1], [size - 1, i]] += n % 2
    place, group = _order(scores, strength, seed)
    cost = _cost(place, group, size)
    first, second = np.triu_indices(size, 1)
    again, weight = met[first, second], cost[first, second]
    if n % 2:
        met[:, -1] -= met[:n, -1].min()
        again = met[first, second]
    fresh = again == 0
    chosen = _matching(first[fresh], second[fresh], weight[fresh], size)
    if chosen is None:
        # beyond what all other reasons together can weigh
        penalty = 1 + size * weight.max()
        chosen = _matching(first, second, weight + penalty * again, size)
        assert chosen is not None, "a complete graph of even size has a perfect matching"
    free = next((i for i, j in chosen if j == n), None)
    pairings = sorted((p for p in chosen if p[1] != n), key=lambda p: sorted(place[list(p)]))
    return SwissRound(pairings, free)


def _order(
    scores: Sequence[float], strength: Sequence[float] | None, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each player's place in the standings and score group, the leaders' being 0."""
    points = np.round(np.asarray(scores, np.float64), 6)
    group = np.unique(-points, return_inverse=True)[1]
    lots = np.random.default_rng(seed).permutation(len(points))
    keys = (lots, group) if strength is None else (lots, -np.asarray(strength), group)
    place = np.empty(len(points), np.int64)
    place[np.lexsort(keys)] = np.arange(len(points))
    return place, group


def _cost(place: NDArray[np.int64], group: NDArray[np.int64], size: int) -> Floats:
    """Return what it costs (size, size) to pair two players, or to leave one free."""
    n = len(place)
    apart = (group[:, None] - group).astype(np.float64)
    half = np.where(apart == 0, np.bincount(group)[group] // 2, 0)
    # from the ideal place; in each pairing below 1, in all together below one step between groups
    off = np.abs(place[:, None] - place) - half
    cost = np.zeros((size, size))
    cost[:n, :n] = apart**2 + (off / size) ** 2 / size
    if size > n:
        free = (group.max() - group) ** 2 + ((n - 1 - place) / size) ** 2 / size
        cost[:n, n] = cost[n, :n] = free
    return cost


def _matching(
    first: NDArray[np.int64], second: NDArray[np.int64], weight: Floats, size: int
) -> list[Pairing] | None:
    """Return the perfect matching of least weight along the given edges; None if there is none."""
    if not len(first):
        return None
    edges = np.arange(len(first))
    rows, columns = np.concatenate([first, second]), np.concatenate([edges, edges])
    ends = coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, len(edges)))
    found = milp(
        weight,
        integrality=np.ones(len(edges)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(ends.tocsc(), 1, 1),
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        return None
    return [(int(first[e]), int(second[e])) for e in np.flatnonzero(found.x > 0.5)]


def _pairing(i: int, j: int) -> Pairing:
    return min(i, j), max(i, j)


def _require_players(n: int) -> None:
    if n < 2:
        raise UserError(f"a tournament needs at least 2 players (got {n})")
