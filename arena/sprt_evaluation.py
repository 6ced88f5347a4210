"""A sequential test evaluated: by the games of a match, by counts, or planned without any.

Expected length of a sequential test.

The LLR is taken for a Brownian motion from 0 between the two bounds, whose mean place at its end is
its drift times its mean length (Wald, "Sequential Analysis", 1947). The last pair overshoots the
bound by some, so tests are a little longer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.arena.sequential.sprt import Sprt, SprtState
from samuel.arena.standings import read_match
from samuel.arena.statistics import MatchStatistics, checked_counts, score_of_elo, statistics_of
from samuel.common.displayable import Displayable
from samuel.common.errors import OptionError, UserError
from samuel.common.options import Argument, Counts, Range
from samuel.common.public import public

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


_MOST_DRAWS = 0.99
"""Beyond it one pair that is not drawn decides much of the usual test."""


@dataclass(frozen=True)
class SprtEvaluation(Displayable):
    """A sequential test: where it stands, or how long it is expected to be."""

    test: Sprt
    names: Sequence[str] = ("the first player", "")
    state: SprtState | None = None
    statistics: MatchStatistics | None = None
    draw_ratio: float = DRAW_RATIO
    expected: tuple[Forecast, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as `samuel sprt --json` prints them."""
        if self.state is not None and self.statistics is not None:
            return {**asdict(self.test), **asdict(self.state), **asdict(self.statistics)}
        return {
            **asdict(self.test),
            "lower": self.test.lower,
            "upper": self.test.upper,
            "draw_ratio": self.draw_ratio,
            "expected": [asdict(one) for one in self.expected],
        }


@public
def evaluate_sprt(
    folder: Annotated[str | None, Argument()] = None,
    *,
    pentanomial: Counts = None,
    wdl: Counts = None,
    elo0: float | None = None,
    elo1: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    sprt_model: str | None = None,
    draw_ratio: Annotated[float | None, Range(0.0, _MOST_DRAWS)] = None,
) -> SprtEvaluation:
    """Evaluate a sequential test (SPRT) of strength, and estimate the first player's Elo.

    Without a folder or counts, the command shows the expected length of a test.

    Parameters
    ----------
    folder
        Folder of a match (its --out), instead of counts; its test sets the defaults below.
    pentanomial
        Number of game pairs in which the first player has 0, 1/2, 1, 3/2 and 2 points, joined by
        commas.
    wdl
        Number of wins, draws and losses, joined by commas, of games that were not played in pairs.
    elo0
        Elo of the first player in hypothesis H0. Default: 0.
    elo1
        Elo of the first player in hypothesis H1. Default: 5.
    alpha
        Probability of accepting H1 if H0 is true. Default: 0.05.
    beta
        Probability of accepting H0 if H1 is true. Default: 0.05.
    sprt_model
        Elo scale of the test: normalized (as in fishtest) or logistic. Default: normalized.
    draw_ratio
        Share of drawn games, to estimate the length of a test. Default: 0.02.

    Returns
    -------
    SprtEvaluation
        Test with its state and the statistics of the games, or with its expected length.

    Raises
    ------
    UserError
        Several results are given, or none that can be counted.

    Examples
    --------
    >>> import samuel
    >>> found = samuel.evaluate_sprt(pentanomial=[365, 16618, 36229, 16974, 390], elo1=2)
    >>> f"{found.state.llr:.2f}", found.state.decision
    ('2.25', 'continue')
    """
    results = [one for one in (folder, pentanomial, wdl) if one is not None]
    if len(results) > 1:
        raise UserError("give only one of these: the folder of a match, --pentanomial or --wdl")
    if results and draw_ratio is not None:
        raise UserError("--draw-ratio is for planning a test, without results; leave it out")
    for name, numbers, n in (("pentanomial", pentanomial, 5), ("wdl", wdl, 3)):
        if numbers is not None and len(numbers) != n:
            raise OptionError(name, f"must be {n} numbers (got {len(numbers)})")
    match = None if folder is None else read_match(folder)
    asked = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "model": sprt_model}
    given: dict[str, Any] = {name: x for name, x in asked.items() if x is not None}
    test = replace((match and match.sprt) or Sprt(0.0, 5.0), **given)
    if not results:
        return _planned(test, DRAW_RATIO if draw_ratio is None else draw_ratio)
    counts = list(pentanomial or reversed(wdl or ()))
    names: Sequence[str] = SprtEvaluation.names
    if match is not None:
        counts, names = list(match.statistics.pentanomial or ()), match.names
    if not any(counts):
        raise UserError("there are no games, so there is nothing to estimate")
    return SprtEvaluation(test, names, test.state(counts), statistics_of(counts))


def _planned(test: Sprt, draw_ratio: float) -> SprtEvaluation:
    """Return the expected length of a test under H0, between the hypotheses, and under H1."""
    pairs = pair_probabilities(draw_ratio=draw_ratio)
    truths = (test.elo0, (test.elo0 + test.elo1) / 2, test.elo1)
    expected = tuple(forecast(test, elo, pairs) for elo in truths)
    return SprtEvaluation(test, draw_ratio=draw_ratio, expected=expected)
