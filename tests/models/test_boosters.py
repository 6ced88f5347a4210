"""LightGBM's and XGBoost's models score the same compiled as they predict."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models.convert import compile_model, predict
from samuel.models.evaluate import evaluate
from tests.forms import kind_of
from tests.rarely import rarely

lightgbm = pytest.importorskip("lightgbm", reason="samuel-learning[lightgbm] is not installed")
xgboost = pytest.importorskip("xgboost", reason="samuel-learning[xgboost] is not installed")

OTHELLO = game_named("othello")
READER = Features(("square_classes", "mobility", "stability"), "othello")
POSITIONS = random_positions(OTHELLO, 3000, seed=1)
FRESH = random_positions(OTHELLO, 10_000, seed=2)
SCALE = 8.0
COLUMNS = READER.fit_transform(POSITIONS)
TARGETS = 20 * np.tanh(COLUMNS @ np.random.default_rng(0).normal(size=COLUMNS.shape[1]) / 9)
WON = (TARGETS > 0).astype(int)


FAST = {"n_jobs": 1, "n_estimators": 40}


def lgbm(**settings):
    return lightgbm.LGBMRegressor(**FAST | {"verbose": -1} | settings)


def lgbm_classifier(**settings):
    return lightgbm.LGBMClassifier(**FAST | {"verbose": -1} | settings)


def xgb(**settings):
    return xgboost.XGBRegressor(**FAST | settings)


FOREST = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}
COMPILED = [
    lgbm(),
    lgbm(objective="huber"),
    lgbm(objective="quantile", alpha=0.3),
    lgbm(num_leaves=500, min_child_samples=2),
    lgbm(boosting_type="dart"),
    lgbm(**FOREST),
    lgbm(n_estimators=3, min_child_samples=5000),
    lgbm_classifier(),
    lgbm_classifier(sigmoid=2.0),
    lgbm_classifier(**FOREST),
    xgb(),
    xgb(base_score=3.0, tree_method="exact"),
    xgb(booster="dart", rate_drop=0.2),
    xgb(grow_policy="lossguide", max_leaves=300, max_depth=0),
    xgb(objective="reg:absoluteerror"),
    xgboost.XGBRFRegressor(**FAST),
    xgboost.XGBClassifier(**FAST),
    xgboost.XGBRFClassifier(**FAST),
]
SLOW = [
    lgbm(objective="poisson"),
    lgbm(linear_tree=True),
    lgbm(zero_as_missing=True),
    lgbm(reg_sqrt=True),
    xgb(missing=0.0),
    xgb(objective="count:poisson"),
    xgb(booster="gblinear"),
]


def fitted(model, *scalers):
    wants_classes = hasattr(model, "predict_proba")
    wants_counts = "poisson" in str(model.objective)
    targets = WON if wants_classes else np.abs(TARGETS) if wants_counts else TARGETS
    return make_pipeline(READER, *scalers, model).fit(POSITIONS, targets)


def name_of(model):
    return type(model).__name__


@pytest.mark.parametrize("model", COMPILED, ids=name_of)
@pytest.mark.parametrize("scalers", [(), rarely((StandardScaler(),))], ids=["plain", "scaled"])
def test_compiled_equals_predicted(model, scalers):
    pipeline = fitted(model, *scalers)
    assert kind_of(pipeline) == "trees"
    compiled = evaluate(compile_model(pipeline, "boosted", scale=SCALE), OTHELLO, FRESH)
    np.testing.assert_allclose(compiled, predict(pipeline, FRESH, SCALE), rtol=0, atol=1e-3)


@pytest.mark.parametrize("model", SLOW, ids=name_of)
def test_what_trees_do_not_say_alone_is_asked_of_the_model(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = fitted(model)
        assert kind_of(pipeline) == "slow"
        found = evaluate(compile_model(pipeline, "slow", scale=SCALE), OTHELLO, FRESH[:50])
    np.testing.assert_allclose(found, predict(pipeline, FRESH[:50], SCALE), atol=1e-3)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_trees_after_the_best_are_left_out():
    X, held_out, y, aside = train_test_split(COLUMNS, TARGETS, random_state=0)
    noisy = aside + np.random.default_rng(1).normal(scale=30, size=len(aside))
    stopped = xgb(early_stopping_rounds=2, learning_rate=1.0)
    stopped.fit(X, y, eval_set=[(held_out, noisy)], verbose=False)
    halted = lgbm(learning_rate=1.0)
    halted.fit(
        X, y, eval_set=[(held_out, noisy)], callbacks=[lightgbm.early_stopping(2, verbose=0)]
    )
    assert stopped.best_iteration < 39 and halted.best_iteration_ < 40
    for model in (stopped, halted):
        pipeline = make_pipeline(READER, model)
        compiled = evaluate(compile_model(pipeline, "stopped"), OTHELLO, FRESH)
        np.testing.assert_allclose(compiled, predict(pipeline, FRESH), rtol=0, atol=1e-3)
