"""Expected length of a sequential test.

The LLR is taken for a Brownian motion from 0 between the two bounds, whose mean place at its end is
its drift times its mean length (Wald, "Sequential Analysis", 1947). The last pair overshoots the
bound by some, so tests are a little longer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.arena.sequential.sprt import Sprt
from samuel.arena.statistics import checked_counts, score_of_elo
from samuel.common.errors import OptionError, UserError

DRAW_RATIO = 0.02
"""Share of draws in Othello at a few plies: 1.5 to 2 % between `classic` at depths 2, 3 and 4."""


@dataclass(frozen=True)
class Forecast:
    """Expected course of a test where A is truly `elo` stronger, in the test's own points."""

    elo: float
    pass_probability: float
    pairs: float
    games: float


def pair_probabilities(elo: float = 0.0, draw_ratio: float = DRAW_RATIO) -> NDArray[np.float64]:
    """Return pentanomial probabilities (5,) of two independent games, as a guess at a pair's."""
    # Real pairs vary somewhat less, since an opening that favours a side does so for both players.
    score = score_of_elo(elo)
    if not 0 <= draw_ratio < 1:
        raise OptionError("draw_ratio", f"must be at least 0 and below 1 (got {draw_ratio:g})")
    if draw_ratio / 2 >= min(score, 1 - score):
        raise UserError(
            f"draws cannot be {100 * draw_ratio:g} % of the games with a score of {score:.3f}"
        )
    win = score - draw_ratio / 2
    game = np.array([1 - win - draw_ratio, draw_ratio, win])
    return np.convolve(game, game)


def forecast(sprt: Sprt, elo: float, probabilities: ArrayLike | None = None) -> Forecast:
    """Return what `sprt` is expected to do where A is truly `elo` stronger."""
    near = checked_counts(pair_probabilities() if probabilities is None else probabilities)
    truth = sprt.probabilities_at(elo, near)
    jumps = sprt.jumps(truth)
    drift = float(truth @ jumps)
    variance = float(truth @ (jumps - drift) ** 2)
    pass_probability, units = _ends(sprt.lower, sprt.upper, drift, variance)
    games = units * (2 if len(near) == 5 else 1)
    return Forecast(elo, pass_probability, games / 2, games)


def _ends(lower: float, upper: float, drift: float, variance: float) -> tuple[float, float]:
    """Return the probability to end at the upper bound, and the mean length."""
    width, pull = upper - lower, drift / variance
    if abs(pull) * width < 1e-6:
        return -lower / width, -lower * upper / variance
    if pull > 0:
        above = math.expm1(2 * pull * lower) / math.expm1(-2 * pull * width)
    else:
        share = math.expm1(-2 * pull * lower) / math.expm1(2 * pull * width)
        above = math.exp(2 * pull * upper) * share
    return above, (lower + width * above) / drift
