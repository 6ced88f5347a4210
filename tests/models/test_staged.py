"""Estimators by stage: fitting, blending, and the compiled blend."""

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.models.convert import compile_model, predict
from samuel.models.evaluate import evaluate
from samuel.models.staged import FEWEST, Staged
from tests.forms import kind_of

OTHELLO = game_named("othello")
POSITIONS = random_positions(OTHELLO, 3000, seed=1)
FRESH = random_positions(OTHELLO, 10_000, seed=2)
LEFT = left_of(OTHELLO, POSITIONS)
MOBILITY = Features(["mobility"]).fit(POSITIONS)
TARGET = MOBILITY.transform(POSITIONS) @ [1.0, -1.0] * LEFT / 60
WON = (TARGET + np.random.default_rng(0).normal(size=3000) > 0).astype(int)


def staged(model: object, **settings: object) -> Staged:
    return Staged(make_pipeline(Features(["mobility"]), StandardScaler(), model), **settings)


@pytest.mark.parametrize(
    ("model", "y", "scale"),
    [
        (Ridge(), TARGET, None),
        (MLPRegressor(max_iter=5, random_state=0), TARGET, None),
        (RandomForestRegressor(4, random_state=0), TARGET, None),
        (LogisticRegression(), WON, 8.0),
        (MLPClassifier(max_iter=5, random_state=0), WON, 8.0),
        (HistGradientBoostingClassifier(max_iter=5), WON, 8.0),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_compiled_blend_is_that_of_predict(
    model: object, y: np.ndarray, scale: float | None
) -> None:
    fitted = staged(model).fit(POSITIONS, y)
    assert kind_of(fitted) != "slow"
    compiled = evaluate(compile_model(fitted, "model", scale=scale), OTHELLO, FRESH)
    np.testing.assert_allclose(compiled, predict(fitted, FRESH, scale), atol=1e-3)


def test_stages_learn_what_one_estimator_cannot() -> None:
    plain = staged(Ridge(), knots=(0,)).fit(POSITIONS, TARGET)
    by_stage = staged(Ridge()).fit(POSITIONS, TARGET)
    assert by_stage.score(POSITIONS, TARGET) > 0.99 > plain.score(POSITIONS, TARGET)


def test_a_stage_with_too_few_positions_takes_the_nearest() -> None:
    early = POSITIONS[LEFT > 32]
    y = np.arange(len(early), dtype=float)
    fitted = staged(Ridge()).fit(early, y)
    assert fitted.stages_[0] is fitted.stages_[1] is fitted.stages_[2]
    assert fitted.stages_[2] is not fitted.stages_[3]
    assert len(staged(Ridge()).fit(early[: FEWEST // 2], y[: FEWEST // 2]).stages_) == 5


def test_a_classifier_blends_log_odds() -> None:
    fitted = staged(LogisticRegression()).fit(POSITIONS, WON)
    assert is_classifier(fitted)
    odds = fitted.decision_function(FRESH)
    np.testing.assert_allclose(
        fitted.predict_proba(FRESH)[:, 1], 1 / (1 + np.exp(-odds)), rtol=1e-5
    )
    np.testing.assert_array_equal(fitted.predict(FRESH), odds > 0)
    np.testing.assert_allclose(predict(fitted, FRESH, 8.0), 8 * odds, rtol=1e-5)
    assert fitted.score(POSITIONS, WON) > 0.5
