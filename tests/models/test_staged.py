"""Estimators by stage: fitting, blending, and the compiled blend."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from samuel.common.errors import UserError
from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.models.convert import compile_model, kind_of, predict
from samuel.models.evaluate import evaluate
from samuel.models.staged import FEWEST, Staged

OTHELLO = game_named("othello")
POSITIONS = random_positions(OTHELLO, 3000, seed=1)
FRESH = random_positions(OTHELLO, 10_000, seed=2)
LEFT = left_of(OTHELLO, POSITIONS)
MOBILITY = Features(["mobility"]).fit(POSITIONS)
TARGET = MOBILITY.transform(POSITIONS) @ [1.0, -1.0] * LEFT / 60
WON = (TARGET + np.random.default_rng(0).normal(size=3000) > 0).astype(int)


def staged(model: object, **settings: object) -> Staged:
    return Staged(make_pipeline(Features(["mobility"]), StandardScaler(), model), **settings)


def test_remaining_counts_empty_squares() -> None:
    occupied = np.bitwise_count(POSITIONS[:, 0] | POSITIONS[:, 1])
    np.testing.assert_array_equal(LEFT, 64 - occupied.astype(int))


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


def test_at_a_knot_its_own_estimator_counts_alone_and_between_two_both() -> None:
    fitted = staged(Ridge(), knots=(20, 40)).fit(POSITIONS, TARGET)
    low, high = (stage.predict(POSITIONS) for stage in fitted.stages_)
    share = np.clip((LEFT - 20) / 20, 0, 1)
    blended = low + share * (high - low)
    np.testing.assert_allclose(fitted.predict(POSITIONS), blended, rtol=1e-5)


def test_stages_learn_what_one_estimator_cannot() -> None:
    plain = staged(Ridge(), knots=(0,)).fit(POSITIONS, TARGET)
    by_stage = staged(Ridge()).fit(POSITIONS, TARGET)
    assert by_stage.score(POSITIONS, TARGET) > 0.99 > plain.score(POSITIONS, TARGET)


def test_sample_weights_reach_the_estimator() -> None:
    y = np.where(np.arange(3000) % 2, 5.0, -5.0)
    fitted = staged(Ridge()).fit(POSITIONS, y, sample_weight=np.arange(3000) % 2)
    np.testing.assert_allclose(fitted.predict(POSITIONS), 5.0, rtol=1e-5)
    for model in (Ridge(), KNeighborsRegressor(3)):  # also where no stage has enough
        few = staged(model).fit(POSITIONS[:80], y[:80], sample_weight=np.arange(80) % 2)
        np.testing.assert_allclose(few.predict(POSITIONS), 5.0, rtol=1e-5)


def test_an_estimator_without_weights_is_fitted_to_the_nearest_positions() -> None:
    fitted = staged(KNeighborsRegressor(1), knots=(20, 40)).fit(POSITIONS, LEFT.astype(float))
    assert fitted.stages_[0][-1].n_samples_fit_ == np.sum(LEFT <= 30)


def test_a_stage_with_too_few_positions_takes_the_nearest() -> None:
    early = POSITIONS[LEFT > 32]
    y = np.arange(len(early), dtype=float)
    fitted = staged(Ridge()).fit(early, y)
    assert fitted.stages_[0] is fitted.stages_[1] is fitted.stages_[2]
    assert fitted.stages_[2] is not fitted.stages_[3]
    assert len(staged(Ridge()).fit(early[: FEWEST // 2], y[: FEWEST // 2]).stages_) == 5


def test_a_stage_with_one_class_takes_the_nearest() -> None:
    y = np.where(LEFT < 16, 1, WON)
    fitted = staged(LogisticRegression()).fit(POSITIONS, y)
    assert fitted.stages_[0] is fitted.stages_[1]


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


def test_it_keeps_the_contract_of_an_estimator() -> None:
    original = staged(Ridge(), knots=(10, 50))
    copy = clone(original.set_params(estimator__ridge__alpha=3.0))
    assert not hasattr(copy.fit(POSITIONS, TARGET).estimator, "n_features_in_")
    assert copy.get_params()["estimator__ridge__alpha"] == 3.0
    assert copy.n_features_in_ == 2
    assert not is_classifier(copy)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(UserError, match="ascend"):
        staged(Ridge(), knots=(30, 10)).fit(POSITIONS, TARGET)
    with pytest.raises(UserError, match="first step is Features"):
        Staged(Ridge()).fit(POSITIONS, TARGET)
    with pytest.raises(UserError, match="another game"):
        staged(Ridge(), game="connect_four").fit(POSITIONS, TARGET)


@pytest.mark.parametrize("model", [Ridge(), LogisticRegression()])
def test_checks_of_scikit_learn_are_told_what_it_takes(model: object) -> None:
    with pytest.raises(UserError, match=r"such as make_pipeline\(Features"):
        check_estimator(Staged(model))
    tags = get_tags(staged(model))
    assert tags.estimator_type == get_tags(model).estimator_type
    assert (tags.regressor_tags is None) == is_classifier(model)
