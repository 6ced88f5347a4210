import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binomtest, multinomial

from samuel.arena.statistics import (
    MatchStatistics,
    elo_of_score,
    match_statistics,
    mean_with_interval,
    pentanomial,
    score_of_elo,
    statistics_of,
)
from samuel.common.errors import UserError

Two = tuple[float, float]

# One pair of games for each cell of the pentanomial counts.
PAIRS = np.array([(0, 0), (0, 0.5), (0, 1), (0.5, 1), (1, 1)])

outcomes = st.sampled_from([0.0, 0.5, 1.0])
matches = st.lists(st.tuples(outcomes, outcomes), min_size=1, max_size=40)


def pairs_of(counts: list[int]) -> NDArray[np.float64]:
    """First and second scores, shape (2, pairs), that have these pentanomial counts."""
    return np.repeat(PAIRS, counts, axis=0).T


def half_widths(result: MatchStatistics) -> Two:
    """Half widths of Elo and normalized Elo by the normal approximation, as fishtest has them.

    Each end p of Wilson's interval gives the normal half width of the score, which is returned in
    Elo, by (score - p)^2 / (p (1 - p)) = width^2 / (score (1 - score)).
    """
    s, ends = result.score, np.array([result.score_low, result.score_high])
    low, high = np.abs(ends - s) * np.sqrt(s * (1 - s) / (ends * (1 - ends)))
    assert low == pytest.approx(high)
    elo = (elo_of_score(s + high) - elo_of_score(s - low)) / 2
    return elo, (result.nelo_high - result.nelo_low) / 2


def is_bounded_and_ordered(result: MatchStatistics) -> bool:
    return (
        0 <= result.score_low <= result.score <= result.score_high <= 1
        and result.elo_low <= result.elo <= result.elo_high
        and result.nelo_low <= result.nelo <= result.nelo_high
        and 0 <= result.los <= 1
    )


# Commit of Stockfish whose message has these figures; pentanomial counts; Elo, nElo; their half
# widths, which are given with one digit; LOS.
FISHTEST = [
    ("69a01b88f3", [154, 6440, 16053, 7148, 205], (4.69, 9.38), (1.4, 2.8), 1.0),
    ("a12dc6cc1f", [143, 6697, 14452, 6415, 164], (-1.50, -2.95), (1.5, 2.9), 0.023),
    ("5f3dcb92ee", [0, 87, 4819, 94, 0], (0.24, 1.81), (0.9, 6.8), 0.699),
]


@pytest.mark.parametrize(("commit", "counts", "elos", "errors", "los"), FISHTEST)
def test_pairs_as_in_fishtest(
    commit: str, counts: list[int], elos: Two, errors: Two, los: float
) -> None:
    result = match_statistics(*pairs_of(counts))
    assert (result.elo, result.nelo) == pytest.approx(elos, abs=0.006)
    assert half_widths(result) == pytest.approx(errors, abs=0.06)
    assert result.los == pytest.approx(los, abs=0.0006)


# Disservin/fastchess, app/tests/elo_test.cpp: counts; Elo, nElo; their half widths.
FASTCHESS = [
    ([34, 54, 63, 64, 75], (55.58, 57.94), (27.65, 28.28)),
    ([332, 433, 498, 333, 334], (-8.64, -9.17), (10.33, 10.96)),
    ([7895, 8757, 5685, 568, 9999], (-21.04, -19.01), (2.95, 2.65)),
]


@pytest.mark.parametrize(("counts", "elos", "errors"), FASTCHESS)
def test_pairs_as_in_fastchess(counts: list[int], elos: Two, errors: Two) -> None:
    result = match_statistics(*pairs_of(counts))
    assert result.games == 2 * sum(counts)
    assert result.pentanomial == tuple(counts)
    assert (result.elo, result.nelo) == pytest.approx(elos, abs=0.006)
    assert half_widths(result) == pytest.approx(errors, abs=0.006)


def test_likelihood_of_superiority_as_in_fastchess() -> None:
    pairs = match_statistics(*pairs_of([332, 433, 498, 333, 334]))
    assert pairs.los == pytest.approx(0.0505, abs=5e-5)
    assert statistics_of([89, 123, 76]).los == pytest.approx(0.1553, abs=5e-5)
    assert statistics_of([96, 111, 136]).los == pytest.approx(0.9960, abs=5e-5)


def test_independent_games_as_in_fastchess() -> None:
    result = statistics_of([96, 111, 136])
    assert (result.elo, result.nelo) == pytest.approx((40.70, 49.77), abs=0.006)
    assert half_widths(result) == pytest.approx((30.43, 36.77), abs=0.006)
    assert result.pentanomial is None
    assert statistics_of([356, 0, 34]).nelo == pytest.approx(-508.44, abs=0.006)


def test_pentanomial_counts_pairs_by_their_sum() -> None:
    first = [0, 0, 0.5, 0, 0.5, 1, 0.5, 1, 1]
    second = [0, 0.5, 0, 1, 0.5, 0, 1, 0.5, 1]
    assert pentanomial(first, second).tolist() == [1, 2, 3, 2, 1]
    assert pentanomial([], []).tolist() == [0, 0, 0, 0, 0]


@given(matches)
def test_swapping_the_players_mirrors_everything(match: list[Two]) -> None:
    first, second = np.array(match).T
    a, b = match_statistics(first, second), match_statistics(1 - first, 1 - second)
    assert (a.wins, a.draws, a.losses) == (b.losses, b.draws, b.wins)
    assert a.pentanomial is not None and b.pentanomial == a.pentanomial[::-1]
    mirrored = (1 - b.score, 1 - b.score_high, 1 - b.score_low, 1 - b.los)
    assert (a.score, a.score_low, a.score_high, a.los) == pytest.approx(mirrored)
    assert (a.elo, a.elo_low, a.elo_high) == pytest.approx((-b.elo, -b.elo_high, -b.elo_low))
    assert (a.nelo, a.nelo_low, a.nelo_high) == pytest.approx((-b.nelo, -b.nelo_high, -b.nelo_low))


@given(matches)
def test_bounds_are_in_order_for_pairs(match: list[Two]) -> None:
    assert is_bounded_and_ordered(match_statistics(*np.array(match).T))


@pytest.mark.parametrize("pairs", [1, 10, 1000])
def test_a_clean_sweep_proves_only_so_much(pairs: int) -> None:
    result = match_statistics([1] * pairs, [1] * pairs)
    assert result.score == result.score_high == 1
    assert result.elo == result.elo_high == result.nelo == result.nelo_high == math.inf
    # Clopper and Pearson: with this probability of a win, all pairs are won once in 40 times.
    assert result.score_low**pairs == pytest.approx(0.025)
    assert math.isfinite(result.elo_low) and math.isfinite(result.nelo_low)
    assert result.los == pytest.approx(1 - 0.5 ** (pairs + 1))


def test_few_pairs_have_students_interval() -> None:
    # means of the pairs 0.5, 0.75, 1: the normal interval 0.75 +- 4.3027 * 0.25 / sqrt(3) would
    # leave [0, 1]; Wilson's solves (0.75 - p)^2 = half^2 p (1 - p) / (0.75 * 0.25)
    few = statistics_of([0, 0, 1, 1, 1])
    share = (4.3026527 * 0.25 / math.sqrt(3)) ** 2 / (0.75 * 0.25)
    ends = np.roots([1 + share, -(1.5 + share), 0.75**2])
    assert (few.score_high, few.score_low) == pytest.approx(tuple(sorted(ends)[::-1]), rel=1e-6)
    assert few.score_high < 1
    # t = 0.25 / (0.25 / sqrt(3)) = sqrt(3); with two degrees of freedom its share is known exactly
    assert few.los == pytest.approx(0.5 + math.sqrt(3) / (2 * math.sqrt(2 + 3)), rel=1e-9)


@pytest.mark.parametrize(("wins", "losses"), [(100, 20), (990, 10), (5000, 5000)])
def test_pairs_of_one_result_have_wilsons_interval(wins: int, losses: int) -> None:
    """Newcombe 1998, method 3; pairs won or lost as a whole are independent trials."""
    found = proportion_confint(wins, wins + losses)
    result = statistics_of([losses, 0, 0, 0, wins])
    assert (result.score_low, result.score_high) == pytest.approx(found, abs=1e-9)


def proportion_confint(wins: int, n: int) -> Two:
    interval = binomtest(wins, n).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)


@pytest.mark.parametrize("win", [0.5, 10 / 11, 0.97])
@pytest.mark.parametrize("pairs", [10, 40])
def test_an_interval_covers_strength_from_both_sides(win: float, pairs: int) -> None:
    """Exact: all counts of independent pairs of games without draws, weighed by probability."""
    below = above = 0.0
    for lost in range(pairs + 1):
        for split in range(pairs + 1 - lost):
            counts = [lost, 0, split, 0, pairs - lost - split]
            result = statistics_of(counts)
            shares = [(1 - win) ** 2, 2 * win * (1 - win), win**2]
            weight = float(multinomial.pmf(counts[::2], pairs, shares))
            below += weight * (result.score_high < win)
            above += weight * (result.score_low > win)
    assert above < 0.03 and below < 0.05


@pytest.mark.parametrize(
    ("elo", "score"), [(0, 0.5), (math.inf, 1), (-math.inf, 0), (400, 10 / 11)]
)
def test_elo_and_score(elo: float, score: float) -> None:
    assert score_of_elo(elo) == pytest.approx(score)
    assert elo_of_score(score) == pytest.approx(elo)


@given(st.floats(-2000, 2000))
def test_elo_of_a_score_inverts_score_of_an_elo(elo: float) -> None:
    assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo, abs=1e-6)


def test_results_that_are_no_match_are_refused() -> None:
    with pytest.raises(ValueError, match="no games"):
        match_statistics([], [])
    with pytest.raises(ValueError, match="no games"):
        statistics_of([0, 0, 0])
    with pytest.raises(ValueError, match="the first and second games of pairs must be equal in"):
        pentanomial([1, 0], [1])
    with pytest.raises(ValueError, match="scores must be 0, 0"):
        pentanomial([0.7], [1])
    with pytest.raises(ValueError, match="scores must be 0, 0"):
        match_statistics([math.nan], [1])
    with pytest.raises(ValueError, match="a score must be from 0 to 1"):
        elo_of_score(1.5)


@given(st.lists(st.integers(0, 500), min_size=5, max_size=5).filter(any))
def test_pentanomial_counts_say_what_the_games_do(counts: list[int]) -> None:
    games, alone = match_statistics(*pairs_of(counts)), statistics_of(counts)
    assert (alone.wins, alone.draws, alone.losses) == (None, None, None)
    assert alone == replace(games, wins=None, draws=None, losses=None)


def test_what_are_no_counts_is_refused() -> None:
    with pytest.raises(ValueError, match="no games"):
        statistics_of([0, 0, 0, 0, 0])
    for counts, message in (
        ([1, 2, 3, 4], "3 numbers of games"),
        ([1, -2, 3, 4, 5], "must be from 0 to"),
    ):
        with pytest.raises(UserError, match=message):
            statistics_of(counts)


def test_the_mean_result_has_the_interval_of_student() -> None:
    """Student 1908, table of t: 2.776 for four degrees of freedom."""
    discs = np.array([[12, -2], [4, 4], [-10, 6], [20, 0], [2, -6]])
    means = discs.mean(axis=1)
    found = mean_with_interval(discs, 64)
    half = 2.776 * np.std(means, ddof=1) / math.sqrt(5)
    assert found.mean == pytest.approx(3.0)
    assert (found.low, found.high) == pytest.approx((3 - half, 3 + half), rel=1e-3)
    assert mean_with_interval(-discs, 64).low == pytest.approx(-found.high)


def test_the_interval_of_the_mean_covers_the_truth() -> None:
    random = np.random.default_rng(1)
    found = [mean_with_interval(random.normal(3, 20, (8, 2)), 1000) for _ in range(2000)]
    covered = np.mean([one.low <= 3 <= one.high for one in found])
    assert covered == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / 2000))
