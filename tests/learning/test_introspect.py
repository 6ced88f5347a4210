import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.learning.selection.introspect import feature_importance, parameter_count
from samuel.models.convert import predict
from samuel.models.patterns.estimators import PatternRegressor

NAMES = ["mobility", "corners"]


@pytest.fixture(scope="module")
def positions():
    return random_positions(game_named("othello"), 600, seed=3)


@pytest.fixture(scope="module")
def outcomes(positions):
    matrix = Features(NAMES).fit(positions).transform(positions)
    rng = np.random.default_rng(0)
    return (3 * matrix[:, 0] - matrix[:, 1] + rng.normal(0, 1, len(matrix))).astype(np.float32)


def test_what_a_feature_is_worth(positions, outcomes):
    model = make_pipeline(Features(NAMES), Ridge()).fit(positions, outcomes)
    importance = feature_importance(model, positions, outcomes)[0]
    assert importance["mobility"] > 1 > 0.05 > abs(importance["corners"])
    whole = np.mean(np.square(predict(model, positions) - outcomes))
    assert whole < 1.2
    sparse = make_pipeline(Features(NAMES, sparse=True), Ridge()).fit(positions, outcomes)
    pd.testing.assert_series_equal(
        feature_importance(sparse, positions, outcomes)[0], importance, rtol=0.01, atol=0.01
    )


def test_models_of_positions_have_no_features(positions, outcomes):
    model = PatternRegressor([["a1", "b1", "c1"]], stages=2).fit(positions, outcomes)
    assert feature_importance(model, positions, outcomes) is None
    assert parameter_count(model) > 0
