"""Analysis of a sequential test: its length before it runs; afterwards, the difference in strength.

Before: `forecast`, the chance to pass and the mean length at a true strength. Afterwards:
`estimate`. A test stops where luck has carried it, so the plain Elo of the games played is biased
outwards, away from the middle of the two hypotheses; the estimate here is median-unbiased. Both
take the LLR for a Brownian motion between the two bounds (Van den Bergh, "A practical introduction
to the GSPRT", and fishtest's `sprt.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import ndtri, stdtr, stdtrit

from samuel.arena.sequential.brownian import Brownian
from samuel.arena.sequential.sprt import Sprt, checked_counts
from samuel.arena.statistics import (
    FEW_UNITS,
    NELO_FACTOR,
    TAIL95,
    Z95,
    MatchStatistics,
    elo_of_score,
    from_pentanomial,
    from_wdl,
    score_of_elo,
)
from samuel.common.errors import OptionError, UserError

DRAW_RATIO = 0.02
"""Share of draws in Othello at a few plies: 1.5 to 2 % between `classic` at depths 2, 3 and 4."""


@dataclass(frozen=True)
class Forecast:
    """Expected course of a test where A is truly `elo` stronger, in the test's own points.

    ``pass_probability`` is that of accepting H1; ``pairs`` and ``games`` are mean lengths.
    """

    elo: float
    pass_probability: float
    pairs: float
    games: float


@dataclass(frozen=True)
class SequentialEstimate:
    """Logistic Elo of A over B from a test that could stop by itself, with a 95 % interval.

    ``elo`` is as often too high as too low, whatever the truth. ``los`` is the likelihood of
    superiority with the stopping accounted for; that of `MatchStatistics` is for a fixed length.
    An undecided test takes the variances of `MatchStatistics`: if it could not have stopped yet it
    has the same interval and likelihood. One that has stopped takes the variance for the same at
    any strength, as fishtest does. ``naive_elo`` is the plain Elo of the games, and ``bias`` how
    far it lies above ``elo``. Elo may be infinite; no field is NaN.
    """

    elo: float
    elo_low: float
    elo_high: float
    los: float
    naive_elo: float
    bias: float


def pair_probabilities(elo: float = 0.0, draw_ratio: float = DRAW_RATIO) -> NDArray[np.float64]:
    """Return pentanomial probabilities (5,) of two independent games, as a guess at a pair's.

    Real pairs vary somewhat less, since an opening that favours a side does so for both players.

    Parameters
    ----------
    elo
        logistic Elo of A over B.
    draw_ratio
        the share of games drawn, from 0 to less than 1.

    Raises
    ------
    UserError
        There is no such share, or a player so much stronger cannot draw so often.
    """
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
    """Return what `sprt` is expected to do where A is truly `elo` stronger.

    Parameters
    ----------
    elo
        in the test's own points.
    probabilities
        distribution of results, (5,) for pairs or (3,) for games: probabilities or counts of some
        match, of players of any strength. By default `pair_probabilities()`. With normalized bounds
        they hardly matter.

    Returns
    -------
    Means by the Brownian approximation, which neglects how far the last pair overshoots.

    Raises
    ------
    UserError
        `probabilities` are no 3 or 5 counts.
    """
    near = checked_counts(pair_probabilities() if probabilities is None else probabilities)
    truth = sprt.probabilities_at(elo, near)
    jumps = sprt.jumps(truth)
    drift = float(truth @ jumps)
    variance = float(truth @ (jumps - drift) ** 2)
    path = Brownian(sprt.lower, sprt.upper, drift, variance)
    games = path.mean_time * (2 if len(near) == 5 else 1)
    return Forecast(elo, path.upper_probability, games / 2, games)


def estimate(sprt: Sprt, counts: ArrayLike) -> SequentialEstimate:
    """Return how much stronger A is, by the counts with which a test stopped or stands.

    The outcomes of a test are ordered from an early rejection to an early pass (Siegmund). The
    estimate is the strength at which worse outcomes than the one seen are as likely as better ones;
    at the bounds of the interval they have probabilities 97.5 and 2.5 %. For a test that has not
    stopped this holds as if it were to be stopped now.

    Where all units ended alike there is no variance to go by, and the interval is that of
    `MatchStatistics`.

    Parameters
    ----------
    counts
        [losses, draws, wins] or pentanomial counts, at least one of them not 0.

    Raises
    ------
    UserError
        These are no 3 or 5 counts, or nothing was played.
    """
    checked = np.rint(checked_counts(counts))
    if not checked.any():
        raise UserError("there are no games, so there is nothing to estimate")
    naive = statistics_of(checked)
    if np.count_nonzero(checked) == 1:
        return SequentialEstimate(
            naive.elo, naive.elo_low, naive.elo_high, naive.los, naive.elo, 0.0
        )
    outcome = _Outcome(sprt, checked)
    low, high = (elo_of_score(outcome.quantile(q, outcome.wide)) for q in (1 - TAIL95, TAIL95))
    elo = min(max(elo_of_score(outcome.quantile(0.5, outcome.variance)), low), high)
    bias = naive.elo - elo if math.isfinite(elo) else 0.0
    return SequentialEstimate(elo, low, high, outcome.superiority(), naive.elo, bias)


class _Outcome:
    """Point at which a test stands, and the chance of a worse outcome at any true score."""

    def __init__(self, sprt: Sprt, counts: NDArray[np.float64]) -> None:
        self.units = units = float(counts.sum())
        outcomes = np.linspace(0, 1, len(counts))
        self.score = score = float(counts @ outcomes) / units
        self.seen = float(counts @ (outcomes - score) ** 2) / units  # as the LLR has it
        self.is_undecided = sprt.state(counts).decision == "continue"
        self.is_small = self.is_undecided and units < FEW_UNITS
        self.bounds = sprt.lower, sprt.upper
        if sprt.normalized:
            per_game = math.sqrt(self.seen * (2 if len(counts) == 5 else 1))
            scores = [0.5 + elo / NELO_FACTOR * per_game for elo in (sprt.elo0, sprt.elo1)]
        else:
            scores = [score_of_elo(elo) for elo in (sprt.elo0, sprt.elo1)]
        self.middle, self.distance = sum(scores) / 2, scores[1] - scores[0]
        # a test that has overshot a bound is taken to have met it, as much earlier
        llr = units * (score - self.middle) * self.distance / self.seen
        self.place = min(max(llr, sprt.lower), sprt.upper)
        self.time = units * self.place / llr if self.place != llr else units

    def variance(self, _: float) -> float:
        """Return the variance of a unit, unbiased where units are few."""
        return self.seen * (self.units / (self.units - 1) if self.is_small else 1)

    def wide(self, score: float) -> float:
        """Return the variance of a unit at a true score, as the ends of the interval have it.

        That of an undecided test is Wilson's, as in `MatchStatistics`, and where units are few as
        much larger as Student's quantile is than the normal one.
        """
        if not self.is_undecided:
            return self.seen
        quantile = float(stdtrit(self.units - 1, 1 - TAIL95)) if self.is_small else Z95
        shape = score * (1 - score) / (self.score * (1 - self.score))
        return self.variance(score) * (quantile / Z95) ** 2 * shape

    def superiority(self) -> float:
        """Return the likelihood of superiority, by Student's distribution where units are few."""
        worse = self.worse(0.5, self.variance(0.5))
        return float(stdtr(self.units - 1, ndtri(worse))) if self.is_small else worse

    def worse(self, score: float, variance: float) -> float:
        """Return the probability of a worse outcome at a true score and variance of a unit.

        To first order in the distance of the hypotheses the LLR of a unit with score a is
        (a - middle) distance / (variance seen).
        """
        jump = self.distance / self.seen
        path = Brownian(*self.bounds, (score - self.middle) * jump, variance * jump**2)
        return path.worse(self.time, self.place)

    def quantile(self, probability: float, variance: Callable[[float], float]) -> float:
        """Return the score at which a worse outcome has this probability: 0 or 1 where none."""

        def beyond(score: float) -> float:
            return self.worse(score, variance(score)) - probability

        low, high = 1e-9, 1 - 1e-9
        if beyond(low) <= 0:
            return 0.0
        if beyond(high) >= 0:
            return 1.0
        return float(brentq(beyond, low, high, xtol=1e-10))


def statistics_of(counts: ArrayLike) -> MatchStatistics:
    """Return the figures of a match of fixed length from [losses, draws, wins] or pentanomial."""
    numbers = [round(count) for count in checked_counts(counts)]
    if len(numbers) == 5:
        return from_pentanomial(numbers)
    losses, draws, wins = numbers
    return from_wdl(wins, draws, losses)
