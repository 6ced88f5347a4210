import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, mean_absolute_error, r2_score

from samuel.learning.fitting.metrics import (
    figures_of_sums,
    fit_scale,
    measure,
    terms,
    win_probability,
)


@pytest.fixture
def played():
    rng = np.random.default_rng(5)
    scores = rng.normal(0, 10, 800)
    outcomes = np.where(rng.random(800) < 1 / (1 + np.exp(-scores / 6)), 1, -1)
    return scores, outcomes * rng.integers(1, 30, 800), rng.integers(0, 61, 800)


def test_figures_are_those_of_scikit_learn(played):
    scores, outcomes, remaining = played
    targets = outcomes + 1.0
    found = measure(scores, outcomes, remaining, scale=6.0, most_left=60, targets=targets)
    p, won = win_probability(scores, 6.0), outcomes > 0
    assert found["rows"] == 800
    assert found["r2"] == pytest.approx(r2_score(outcomes, scores))
    assert found["mae"] == pytest.approx(mean_absolute_error(outcomes, scores))
    assert found["r2_target"] == pytest.approx(r2_score(targets, scores))
    assert found["mae_target"] == pytest.approx(mean_absolute_error(targets, scores))
    assert found["log_loss"] == pytest.approx(log_loss(won, p))
    assert found["brier"] == pytest.approx(brier_score_loss(won, p))
    assert found["rank_correlation"] == pytest.approx(spearmanr(scores, outcomes).statistic)


def test_stages_divide_the_rows(played):
    scores, outcomes, remaining = played
    found = measure(scores, outcomes, remaining, scale=6.0, most_left=60)
    stages = found["stages"]
    assert stages[0]["least"] == 0 and stages[0]["most"] == 10
    assert stages[-1]["most"] == 60
    assert sum(s["rows"] for s in stages) == 800
    for stage in stages:
        chosen = (remaining >= stage["least"]) & (remaining <= stage["most"])
        assert stage["rows"] == chosen.sum()
        assert stage["mae"] == pytest.approx(np.abs(scores - outcomes)[chosen].mean())


def test_calibration_bins(played):
    found = measure(*played, scale=6.0, most_left=60)["calibration"]
    assert sum(b["rows"] for b in found) == 800
    p, won = win_probability(played[0], 6.0), played[1] > 0
    low = p < 0.1
    assert found[0]["predicted"] == pytest.approx(p[low].mean())
    assert found[0]["observed"] == pytest.approx(won[low].mean())


def test_scale_is_that_of_logistic_regression(played):
    scores, outcomes, _ = played
    model = LogisticRegression(C=1e9, fit_intercept=False).fit(scores[:, None], outcomes > 0)
    assert fit_scale(scores, outcomes) == pytest.approx(1 / model.coef_[0, 0], rel=1e-3)


def test_sums_of_terms_say_the_figures(played):
    scores, outcomes, remaining = played
    outcomes[::9] = 0
    whole = measure(scores, outcomes, remaining, scale=6.0, most_left=60)
    found = figures_of_sums(terms(scores, outcomes, 6.0).sum(axis=0))
    assert found.keys() == {"r2", "mae", "log_loss", "brier", "rank_correlation"}
    for name, value in found.items():
        assert value == pytest.approx(whole[name]), name
