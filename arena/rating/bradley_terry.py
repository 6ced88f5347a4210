"""Ratings by maximum likelihood: Bradley and Terry's model with draws and an advantage of colour.

With ratings r in logits, c the advantage of moving first and d = r_i - r_j + c for i moving first,

    win : draw : loss  =  exp(d/2) : exp(v) : exp(-d/2)

(Davidson 1970; v says how common draws are, their share among equals is e^v / (2 + e^v)). The log
likelihood of a game, (score - 1/2) d + [draw] v - log(exp(d/2) + exp(v) + exp(-d/2)), is concave in
(r, c, v) jointly; a draw counts exactly one half of a win; and at its maximum every player's
expected score is the score they made. Rao and Kupper's model (1967) has neither of the last two.

A *sample* is one weighting of the games. All samples are fitted at once, by Newton's method; arrays
have the samples first. Players are numbered, and a pairing (a, b) has a < b. Its games are seen
from the side of a, by colour: first those in which a moved first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COLOUR_SIGN = np.array([1.0, -1.0])
"""Sign of the colour's advantage for a, by colour."""
_RIDGE = 1e-6
"""Keeps what the games do not say finite: a shift of all ratings, a clean sweep without prior."""
_LONGEST_STEP = 2.0
"""Longest Newton step, in logits. On log(2 cosh(d/2)) alone full steps diverge beyond d = 2.18."""
_MOST_STEPS, _TOLERANCE = 100, 1e-9


@dataclass(frozen=True)
class Samples:
    """Weighted games, and weighted virtual games that stand for a prior."""

    players: int
    pairings: Ints
    games: Floats
    score: Floats
    draws: Floats
    for_players: Floats
    for_colour: Floats
    for_draws: Floats

    def part(self, chosen: NDArray[np.bool_]) -> Samples:
        """Return some of the samples."""
        arrays = (self.games, self.score, self.draws)
        virtual = (self.for_players, self.for_colour, self.for_draws)
        chosen_of = (array[chosen] for array in arrays + virtual)
        return Samples(self.players, self.pairings, *chosen_of)

    @property
    def with_draws(self) -> bool:
        """True if a game was drawn; without any, v is minus infinity and has no part in the fit."""
        return bool(np.any(self.draws > 0))


def fit(samples: Samples, start: Floats | None = None) -> Floats:
    """Return the likeliest parameters (S, n + 2) of each sample: ratings in logits, c, e^v."""
    n = samples.players
    first = np.zeros(n + 2) if start is None else start.copy()
    first[-1] = np.log(first[-1]) if start is not None and samples.with_draws else 0.0
    fitted = _newton(samples, first)
    fitted[:, -1] = np.exp(fitted[:, -1]) if samples.with_draws else 0.0
    return fitted


def _newton(samples: Samples, start: Floats) -> Floats:
    fitted = np.tile(start, (len(samples.draws), 1))
    going = np.ones(len(fitted), np.bool_)
    for _ in range(_MOST_STEPS):
        gradient, curvature = derivatives(samples.part(going), fitted[going])
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=1)
        step *= np.minimum(1, _LONGEST_STEP / np.maximum(longest, 1e-300))[:, None]
        fitted[going] += step
        going[going] = longest > _TOLERANCE
        if not going.any():
            break
    return fitted


def probabilities(d: Floats, draw_weight: Floats | float) -> tuple[Floats, Floats, Floats]:
    """Return the expected score at d (logits), its variance in a game, and the share of draws."""
    # The variance is also the slope of the score in d, the model being an exponential family.
    win, loss = np.exp(d / 2), np.exp(-d / 2)
    total = win + draw_weight + loss
    drawn = draw_weight / total
    score = win / total + drawn / 2
    return score, win / total + drawn / 4 - score**2, drawn


def derivatives(samples: Samples, at: Floats) -> tuple[Floats, Floats]:
    """Return the gradient (S, n + 2) of the log likelihood and minus its second derivatives."""
    n, pairings = samples.players, samples.pairings
    r, c, v = at[:, :n], at[:, n, None, None], at[:, n + 1, None, None]
    difference = r[:, pairings[:, 0]] - r[:, pairings[:, 1]]
    weight = np.exp(v) if samples.with_draws else np.zeros_like(v)
    score, variance, drawn = probabilities(difference[:, :, None] + c * COLOUR_SIGN, weight)
    excess = samples.score - samples.games * score
    variance = samples.games * variance
    covariance = samples.games * drawn * (0.5 - score)  # of the score and of being drawn
    incidence = np.zeros((len(pairings), n))
    rows = np.arange(len(pairings))
    incidence[rows, pairings[:, 0]], incidence[rows, pairings[:, 1]] = 1, -1

    gradient = np.empty_like(at)
    gradient[:, :n] = excess.sum(axis=2) @ incidence
    gradient[:, n] = (excess @ COLOUR_SIGN).sum(axis=1)
    gradient[:, n + 1] = samples.draws - (samples.games * drawn).sum(axis=(1, 2))

    curvature = np.zeros((*at.shape, n + 2))
    both = variance.sum(axis=2)
    diagonal = np.arange(n)
    curvature[:, diagonal, diagonal] = both @ np.abs(incidence)
    curvature[:, pairings[:, 0], pairings[:, 1]] = -both
    curvature[:, pairings[:, 1], pairings[:, 0]] = -both
    curvature[:, :n, n] = (variance @ COLOUR_SIGN) @ incidence
    curvature[:, :n, n + 1] = covariance.sum(axis=2) @ incidence
    curvature[:, n, n] = both.sum(axis=1)
    curvature[:, n, n + 1] = (covariance @ COLOUR_SIGN).sum(axis=1)
    curvature[:, n + 1, n + 1] = (samples.games * drawn * (1 - drawn)).sum(axis=(1, 2))
    _add_prior(samples, at, gradient, curvature)
    curvature[:, n:, :n] = np.swapaxes(curvature[:, :n, n:], 1, 2)
    curvature[:, n + 1, n] = curvature[:, n, n + 1]
    return gradient, curvature


def _add_prior(samples: Samples, at: Floats, gradient: Floats, curvature: Floats) -> None:
    """Add the virtual games, whose shares are logistic: log odds r, c, and v - log 2."""
    log_odds = at.copy()
    log_odds[:, -1] -= np.log(2)
    virtual = np.concatenate(
        [samples.for_players, samples.for_colour[:, None], samples.for_draws[:, None]], axis=1
    )
    total, share = virtual.sum(axis=2), expit(log_odds)
    diagonal = np.arange(at.shape[1])
    gradient += virtual[:, :, 0] - total * share - _RIDGE * at
    curvature[:, diagonal, diagonal] += total * share * (1 - share) + _RIDGE
    if not samples.with_draws:
        gradient[:, -1] = 0
        curvature[:, -1, -1] = 1
