"""The likelihood ratio behind a sequential test of strength, compiled.

A unit, a game or a pair of games, ends in one of n outcomes: its score is a_i = i / (n - 1), n = 3
for games and 5 for pairs. Two hypotheses each hold some property of the outcomes' probabilities
fixed: their mean (logistic Elo), or their mean over 1/2 in standard deviations (normalized Elo).
The generalized likelihood ratio compares the likeliest probabilities under the one with those
under the other (Van den Bergh, "The generalized sequential probability ratio test", as in
fishtest). Both are p_i / (1 + x phi_i) for the observed shares p and a phi that tells the property:
Lagrange's conditions for the maximum of sum p_i log q_i where sum q_i phi_i = 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import float64, int64, types
from numpy.typing import NDArray

from samuel.kernels.jit import jit

EMPTY_CELL = 1e-3
"""A count of 0 is taken for this much, as in fishtest: what was not seen is not impossible."""

_ROUNDS = 10
_SETTLED = 1e-9
_SHARE, _PHI0, _PHI1, _FITTED = range(4)
ROOM_ROWS = 4


def new_room(n: int) -> NDArray[np.float64]:
    """Return room for the kernels to work in, shape (4, n), for n outcomes."""
    return np.zeros((ROOM_ROWS, n))


@jit
def _multiplier(share: Any, phi: Any) -> float:
    """Return the x at which sum p_i phi_i / (1 + x phi_i) = 0 and each 1 + x phi_i is positive."""
    # The sum falls from infinity to minus infinity between -1 / max phi and -1 / min phi; Newton's
    # method, halving the bracket where it leaves it. 0 where phi has no change of sign.
    least, most = math.inf, -math.inf
    for i in range(phi.shape[0]):
        least, most = min(least, phi[i]), max(most, phi[i])
    if least >= 0 or most <= 0:
        return 0.0
    low, high, x = -1 / most, -1 / least, 0.0
    for _ in range(200):
        total, slope = 0.0, 0.0
        for i in range(phi.shape[0]):
            ratio = phi[i] / (1 + x * phi[i])
            total += share[i] * ratio
            slope += share[i] * ratio * ratio
        if total > 0:
            low = x
        else:
            high = x
        following = x + total / slope
        if not low < following < high:  # of nan, too
            following = 0.5 * (low + high)
        if abs(following - x) <= 1e-15 * (high - low + abs(x)) or following in (low, high):
            return following
        x = following
    return x


@jit
def _fit_score(share: Any, score: float, phi: Any) -> float:
    """Set phi_i = a_i - score, the mean's condition, and return the multiplier."""
    n = share.shape[0]
    for i in range(n):
        phi[i] = i / (n - 1) - score
    return _multiplier(share, phi)


@jit
def _fit_advantage(share: Any, advantage: float, phi: Any, fitted: Any) -> float:
    """Set phi for (mean - 1/2) / deviation = advantage, and return the multiplier."""
    # The condition is not linear in the probabilities; phi is its linear form around those found
    # last, from uniform ones on, for at most 10 rounds, as in fishtest.
    #
    # Where no outcome exceeds what the linear form asks for (beyond some 230 normalized Elo), the
    # rounds begin instead at the two-point law on 0 and 1 that has the advantage. From there on a
    # change of sign is certain: as the deviation is concave in the probabilities, what solves the
    # linear form has at least the advantage asked for, and so an outcome above the next form.
    n = share.shape[0]
    mean, deviation = 0.5, math.sqrt((n + 1) / (12 * (n - 1)))
    reach = 0.5 - abs(advantage) * (deviation + 0.25 / deviation) / 2
    if reach <= 0:
        root = math.sqrt(1 + advantage * advantage)
        mean, deviation = 0.5 + 0.5 * advantage / root, 0.5 / root
    for i in range(n):
        fitted[i] = 1 / n
    x = 0.0
    for _ in range(_ROUNDS):
        for i in range(n):
            a = i / (n - 1)
            away = (mean - a) / deviation
            phi[i] = a - 0.5 - advantage * deviation * (1 + away * away) / 2
        x = _multiplier(share, phi)
        change, mean, square = 0.0, 0.0, 0.0
        for i in range(n):
            p = share[i] / (1 + x * phi[i])
            change = max(change, abs(p - fitted[i]))
            fitted[i] = p
            mean += p * i / (n - 1)
        for i in range(n):
            square += fitted[i] * (i / (n - 1) - mean) ** 2
        deviation = math.sqrt(max(square, 1e-300))
        if change < _SETTLED:
            break
    return x


@jit
def _fit(share: Any, bound: float, normalized: int, phi: Any, fitted: Any) -> float:
    if normalized:
        return _fit_advantage(share, bound, phi, fitted)
    return _fit_score(share, bound, phi)


@jit
def _prepare(counts: Any, share: Any) -> float:
    """Turn counts into shares without empty cells; return the number of units."""
    total = 0.0
    for i in range(counts.shape[0]):
        share[i] = counts[i] if counts[i] > 0 else EMPTY_CELL
        total += share[i]
    for i in range(counts.shape[0]):
        share[i] /= total
    return total


@jit(float64(float64[::1], float64, float64, int64, float64[:, ::1]))
def log_likelihood_ratio(
    counts: Any, bound0: float, bound1: float, normalized: int, room: Any
) -> float:
    """Return the LLR of H1 over H0 from the counts (n,) of each outcome."""
    units = _prepare(counts, room[_SHARE])
    x0 = _fit(room[_SHARE], bound0, normalized, room[_PHI0], room[_FITTED])
    x1 = _fit(room[_SHARE], bound1, normalized, room[_PHI1], room[_FITTED])
    total = 0.0
    for i in range(counts.shape[0]):
        p0, p1 = 1 + x0 * room[_PHI0, i], 1 + x1 * room[_PHI1, i]
        total += room[_SHARE, i] * (math.log(p0) - math.log(p1))
    return units * total


@jit(types.void(float64[::1], float64, int64, float64[:, ::1], float64[::1]))
def fit(counts: Any, bound: float, normalized: int, room: Any, fitted: Any) -> None:
    """Fill in the likeliest probabilities (n,) that keep to `bound`, given the counts."""
    _prepare(counts, room[_SHARE])
    x = _fit(room[_SHARE], bound, normalized, room[_PHI0], room[_FITTED])
    for i in range(counts.shape[0]):
        fitted[i] = room[_SHARE, i] / (1 + x * room[_PHI0, i])
