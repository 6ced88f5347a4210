import numpy as np
import pytest
from scipy.stats import spearmanr

from samuel.learning.comparison.intervals import Resampling, interval, intervals
from samuel.learning.fitting.metrics import terms


def played(games, rows, seed, correlated=True):
    """Return scores, outcomes and games of rows; a game's rows may share their outcome."""
    rng = np.random.default_rng(seed)
    game = np.repeat(np.arange(games), rows)
    outcomes = rng.normal(0, 10, games)[game] if correlated else rng.normal(0, 10, games * rows)
    return outcomes + rng.normal(0, 3, len(game)) + rng.normal(0, 4, games)[game], outcomes, game


def test_draws_are_those_of_whole_games():
    scores, outcomes, game = played(30, 5, 1)
    resampling = Resampling(game, 7)
    assert resampling.games == 30
    drawn = resampling.figures(terms(scores, outcomes, 5.0))
    rng = np.random.default_rng((7, 3))
    for k in range(3):
        chosen = rng.integers(30, size=30)
        rows = np.concatenate([np.flatnonzero(game == g) for g in chosen])
        error = scores[rows] - outcomes[rows]
        r2 = 1 - np.mean(error**2) / np.var(outcomes[rows])
        assert drawn["mae"][k] == pytest.approx(np.abs(error).mean())
        assert drawn["r2"][k] == pytest.approx(r2)


def test_intervals_hold_the_truth_as_often_as_they_say():
    truth = np.sqrt(2 / np.pi) * 5.0  # of |e|, e normal with variance 3² + 4²
    held = 0
    for seed in range(100):
        scores, outcomes, game = played(60, 4, seed)
        low, high = intervals(Resampling(game, seed).figures(terms(scores, outcomes, 5.0)))["mae"]
        held += low <= truth <= high
    assert 88 <= held <= 100


def drawn_anew(scores, outcomes, game, rng):
    """Return the rank correlation of the rows of games drawn with replacement, ranked anew."""
    chosen = rng.integers(game.max() + 1, size=game.max() + 1)
    rows = np.concatenate([np.flatnonzero(game == g) for g in chosen])
    return spearmanr(scores[rows], outcomes[rows]).statistic


def test_the_interval_of_the_rank_correlation_is_not_too_high():
    """It misses the truth on both sides alike, and lies where ranking each draw anew puts it."""
    truth = 6 / np.pi * np.arcsin(10 / np.sqrt(10**2 + 6**2) / 2)  # of two normal variables
    found, middles, spreads = [], [], []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        outcomes = np.repeat(rng.normal(0, 10, 20), 5)
        game = np.repeat(np.arange(20), 5)
        scores = outcomes + np.repeat(rng.normal(0, 6, 20), 5) + rng.normal(0, 0.1, 100)
        low, high = intervals(Resampling(game, seed).figures(terms(scores, outcomes, 5.0)))[
            "rank_correlation"
        ]
        found.append((low, high))
        if seed < 15:
            anew = [drawn_anew(scores, outcomes, game, rng) for _ in range(200)]
            middles.append((low + high - sum(interval(np.array(anew)))) / 2)
            spreads.append(np.std(anew))
    low, high = np.array(found).T
    assert (low > truth).mean() < 0.06 and (high < truth).mean() < 0.06
    assert abs(np.mean(middles)) < 0.2 * np.mean(spreads)
