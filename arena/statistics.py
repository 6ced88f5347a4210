"""Strength of the two players of a match, A and B, by its results.

Scores are from A's view: a win is 1, a draw 1/2, a loss 0. Games come in pairs, the same opening
with colours swapped; the two games of a pair depend on each other, so the pair is the independent
unit and every variance is taken over pairs (the pentanomial model of Van den Bergh, as in fishtest
and fastchess). Elo is logistic, 400 points a decade of odds. Normalized Elo divides the advantage
by the standard deviation of a game, so that the share of draws leaves it unchanged.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, ndtr, stdtr, stdtrit

from samuel.common.errors import UserError

# Scores a unit can have: a game, and a pair of games (mean of the two).
GAME_OUTCOMES = np.array([0.0, 0.5, 1.0])
PAIR_OUTCOMES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])

ELO_PER_LOGIT = 400 / math.log(10)
# At an even score Elo has slope 4 ELO_PER_LOGIT, and a game without draws has deviation 1/2: with
# this factor normalized and logistic Elo agree there.
NELO_FACTOR = 800 / math.log(10)

MOST_UNITS = 1e15
"""The greatest count: all below are whole in floating point."""

Z95 = 1.959964
TAIL95 = 0.025

FEW_UNITS = 100
"""From so many games or pairs on, Student's distribution is the normal one but for 2 %."""


@dataclass(frozen=True)
class MatchStatistics:
    """Result of a match from A's view, with 95 % intervals. No field is NaN; Elo may be infinite.

    ``score`` is the mean score of a game, in [0, 1]; ``elo`` and ``nelo`` are logistic and
    normalized Elo of A over B. ``los`` is the likelihood of superiority, the probability that A is
    the stronger. ``pentanomial`` counts the pairs as [LL, LD+DL, LW+DD+WL, DW+WD, WW]; it is None
    where the games were not played in pairs. Where only the pentanomial counts are known, ``wins``,
    ``losses`` and ``draws`` are None: a pair of two draws counts as one won and one lost.

    The figures are those of a match whose length was fixed beforehand: a test that stopped by
    itself has a biased Elo.
    """

    games: int
    wins: int | None
    losses: int | None
    draws: int | None
    score: float
    score_low: float
    score_high: float
    elo: float
    elo_low: float
    elo_high: float
    los: float
    pentanomial: tuple[int, ...] | None
    nelo: float
    nelo_low: float
    nelo_high: float


def elo_of_score(score: float) -> float:
    """Elo difference at which ``score``, in [0, 1], is expected; 0 gives -inf and 1 gives inf."""
    if not 0 <= score <= 1:
        raise ValueError(f"a score must be from 0 to 1 (got {score:g})")
    return ELO_PER_LOGIT * float(logit(score))


def score_of_elo(elo: float) -> float:
    """Score, in [0, 1], expected from a player who is ``elo`` points the stronger."""
    return float(expit(elo / ELO_PER_LOGIT))


def pentanomial(first_scores: ArrayLike, second_scores: ArrayLike) -> NDArray[np.int64]:
    """Count pairs of games by their sum: [LL, LD+DL, LW+DD+WL, DW+WD, WW], shape (5,)."""
    first, second = _checked_scores(first_scores), _checked_scores(second_scores)
    if first.shape != second.shape:
        raise ValueError(
            f"the first and second games of pairs must be equal in number (got {len(first)} and "
            f"{len(second)})"
        )
    cells = (2 * (first + second)).astype(np.int64)
    return np.bincount(cells, minlength=5).astype(np.int64)


def match_statistics(first_scores: ArrayLike, second_scores: ArrayLike) -> MatchStatistics:
    """Compute the statistics of a match played in game pairs.

    Parameters
    ----------
    first_scores
        A's scores (pairs,) in the games with A to move first: 1, 0.5 or 0.
    second_scores
        A's scores (pairs,) in the games with B to move first.

    Returns
    -------
    MatchStatistics
        Score, Elo with its interval, and the pentanomial counts.

    Raises
    ------
    ValueError
        There are no games.

    Examples
    --------
    >>> import samuel
    >>> samuel.match_statistics([1, 1, 0.5], [1, 0, 0.5]).score
    0.6666666666666666
    """
    known = pentanomial(first_scores, second_scores)
    scores = np.concatenate([_checked_scores(first_scores), _checked_scores(second_scores)])
    losses, draws, wins = (int((scores == outcome).sum()) for outcome in GAME_OUTCOMES)
    return replace(statistics_of(known), wins=wins, losses=losses, draws=draws)


def statistics_of(counts: ArrayLike) -> MatchStatistics:
    """Statistics of games from [losses, draws, wins], or of pairs from pentanomial counts."""
    numbers = np.round(checked_counts(counts)).astype(np.int64)
    in_pairs, units = len(numbers) == 5, tuple(numbers.tolist())
    outcomes, games = (PAIR_OUTCOMES, 2) if in_pairs else (GAME_OUTCOMES, 1)
    estimate = _estimate(outcomes, numbers, games)
    losses, draws, wins = (None, None, None) if in_pairs else units
    return MatchStatistics(
        games=games * sum(units),
        wins=wins,
        losses=losses,
        draws=draws,
        elo=elo_of_score(estimate["score"]),
        elo_low=elo_of_score(estimate["score_low"]),
        elo_high=elo_of_score(estimate["score_high"]),
        pentanomial=units if in_pairs else None,
        **estimate,
    )


@dataclass(frozen=True)
class MeanResult:
    """Mean result of a game for A in the game's unit, with a 95 % interval."""

    mean: float
    low: float
    high: float


def mean_with_interval(results: ArrayLike, largest: float) -> MeanResult:
    """Mean result of a game, such as discs, from results of pairs of games (pairs, 2)."""
    # Student's over the means of the pairs; where all ended alike, as in _estimate_of_equal_units.
    checked = np.asarray(results, np.float64)
    if checked.ndim != 2 or checked.shape[1] != 2 or not len(checked):
        raise ValueError(f"results of pairs must have the shape (pairs, 2) (got {checked.shape})")
    rounding = 1e-6 * largest  # of results in single precision
    if not (np.abs(checked) <= largest + rounding).all() or not math.isfinite(largest):
        raise ValueError(f"results must be finite numbers of at most {largest:g}")
    pairs = checked.mean(axis=1)
    n, mean = len(pairs), float(pairs.mean())
    if np.ptp(pairs) <= rounding:
        least = TAIL95 ** (1 / n)
        rest = (1 - least) * largest
        return MeanResult(mean, least * mean - rest, least * mean + rest)
    error = float(stdtrit(n - 1, 1 - TAIL95) * pairs.std(ddof=1) / math.sqrt(n))
    return MeanResult(mean, max(mean - error, -largest), min(mean + error, largest))


def _estimate(
    outcomes: NDArray[np.float64], counts: NDArray[np.int64], games_per_unit: int
) -> dict[str, Any]:
    """Return score and normalized Elo with bounds, and the likelihood of superiority, of counts."""
    units = int(counts.sum())
    if units == 0:
        raise ValueError("no games were played")
    score = float(counts @ outcomes) / units
    if np.count_nonzero(counts) == 1:
        return _estimate_of_equal_units(score, units, games_per_unit)
    variance = float(counts @ (outcomes - score) ** 2) / units
    error, quantile = math.sqrt(variance / units), Z95
    los = ndtr((score - 0.5) / error)
    if units < FEW_UNITS:
        error = math.sqrt(variance / (units - 1))
        quantile = float(stdtrit(units - 1, 1 - TAIL95))
        los = stdtr(units - 1, (score - 0.5) / error)
    nelo = _nelo(score, variance, games_per_unit)
    nelo_error = quantile * NELO_FACTOR / math.sqrt(units * games_per_unit)
    low, high = _ends(score, quantile * error)
    return dict(
        score=score,
        score_low=low,
        score_high=high,
        nelo=nelo,
        nelo_low=nelo - nelo_error,
        nelo_high=nelo + nelo_error,
        los=float(los),
    )


def _ends(score: float, half_width: float) -> tuple[float, float]:
    """Return the ends of a score's interval, each within (0, 1), from a normal half width."""
    # The ends p solve (score - p)^2 / (p (1 - p)) = half_width^2 / (score (1 - score)): Wilson's
    # interval (1927) for as many independent wins and losses as have the variance seen (Korn and
    # Graubard 1998). A score near 0 or 1 varies more towards the middle, which this allows for.
    excess = half_width**2 / (score * (1 - score))
    middle = (score + excess / 2) / (1 + excess)
    reach = math.sqrt(half_width**2 + excess**2 / 4) / (1 + excess)
    return middle - reach, middle + reach


def _estimate_of_equal_units(score: float, units: int, games_per_unit: int) -> dict[str, Any]:
    """Estimate where all units ended alike, as after a clean sweep: the sample has no variance."""
    # The normal approximation would claim certainty after a single pair. But if an outcome has
    # probability q, all units end in it with probability q^units, so q is at least 0.025^(1/units)
    # (Clopper and Pearson 1934). The rest may be all losses or all wins: those are the bounds.
    #
    # The likelihood of superiority is one less the mid-p value, half the probability of what was
    # seen. Among equal players an outcome a > 1/2 has at most probability 1/(2a), by Markov. For
    # wins only this gives 1 - 2^-(units + 1), as Bayes' rule does from a uniform prior.
    least = TAIL95 ** (1 / units)
    spread = least * (1 - least)
    low, high = least * score, 1 - least * (1 - score)
    nelo = _nelo(score, 0.0, games_per_unit)
    mid_p = 0.5 * (0.5 / max(score, 1 - score)) ** units
    return dict(
        score=score,
        score_low=low,
        score_high=high,
        nelo=nelo,
        nelo_low=min(nelo, _nelo(low, spread * score**2, games_per_unit)),
        nelo_high=max(nelo, _nelo(high, spread * (1 - score) ** 2, games_per_unit)),
        los=1 - mid_p if score >= 0.5 else mid_p,
    )


def _nelo(score: float, variance: float, games_per_unit: int) -> float:
    """Normalized Elo of a mean ``score`` whose ``variance`` is that of a unit, a game or a pair."""
    advantage = score - 0.5
    if variance == 0:
        return math.copysign(math.inf, advantage) if advantage else 0.0
    return NELO_FACTOR * advantage / math.sqrt(games_per_unit * variance)


def _checked_scores(scores: ArrayLike) -> NDArray[np.float64]:
    checked = np.asarray(scores, dtype=np.float64)
    if checked.ndim != 1 or not np.isin(checked, GAME_OUTCOMES).all():
        raise ValueError("scores must be 0, 0.5 or 1, one for each pair")
    return checked


def checked_counts(counts: ArrayLike) -> NDArray[np.float64]:
    """Return counts of games (3,) or pairs (5,) as floating-point numbers."""
    try:
        checked = np.array(counts, np.float64)
    except (OverflowError, TypeError, ValueError):
        raise UserError(f"counts must be numbers of games or pairs (got {counts!r})") from None
    if checked.shape not in ((3,), (5,)):
        raise UserError(
            "counts must be 3 numbers of games (losses, draws, wins) or 5 numbers of pairs "
            f"(got {checked.size} numbers)"
        )
    if not ((checked >= 0) & (checked <= MOST_UNITS)).all():  # of nan, too
        listed = ", ".join(f"{number:g}" for number in checked.tolist())
        raise UserError(f"counts must be from 0 to {MOST_UNITS:g} (got {listed})")
    return checked
