import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.learning import feature_importance, linear_weights, parameter_count
from samuel.learning.selection.introspect import partial_dependence
from samuel.models import Staged
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


def test_dependence_of_a_linear_model_is_its_weight(positions, outcomes):
    model = make_pipeline(Features(NAMES), StandardScaler(), Ridge()).fit(positions, outcomes)
    weights = linear_weights(model)[0]
    table = partial_dependence(model, positions, ["mobility_player", "mobility_opponent"])
    assert table["stage"].unique().tolist() == [0]
    for name, part in table.groupby("number"):
        slopes = np.diff(part["score"]) / np.diff(part["value"])
        assert slopes == pytest.approx(weights[name], rel=1e-3)
        assert part["value"].is_monotonic_increasing


def test_dependence_by_stage_changes_that_number_alone(positions, outcomes):
    forest = RandomForestRegressor(n_estimators=5, random_state=0)
    model = Staged(make_pipeline(Features(NAMES), forest), (0, 30, 60)).fit(positions, outcomes)
    table = partial_dependence(model, positions, ["mobility_player"])
    assert sorted(table["stage"].unique()) == [0, 30, 60]
    remaining = 64 - np.bitwise_count(positions).sum(axis=1)
    near = positions[(remaining > 15) & (remaining <= 45)]  # of two as near, the later stage
    row = table[table["stage"] == 30].iloc[3]
    matrix = Features(NAMES).fit(positions).transform(near)
    matrix[:, 0] = row["value"]
    assert row["score"] == pytest.approx(model.stages_[1].steps[-1][1].predict(matrix).mean())


def test_dependence_of_a_classifier_is_in_units(positions, outcomes):
    model = make_pipeline(Features(NAMES), LogisticRegression()).fit(positions, outcomes > 0)
    tables = [partial_dependence(model, positions, ["mobility_player"], scale=s) for s in (1, 8)]
    assert tables[1]["score"].to_numpy() == pytest.approx(8 * tables[0]["score"].to_numpy())


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
    assert partial_dependence(sparse, positions, ["mobility_player"]) is not None


def test_models_of_positions_have_no_features(positions, outcomes):
    model = PatternRegressor([["a1", "b1", "c1"]], stages=2).fit(positions, outcomes)
    assert linear_weights(model) is None
    assert feature_importance(model, positions, outcomes) is None
    assert partial_dependence(model, positions, []) is None
    assert parameter_count(model) > 0
    assert isinstance(model.weight_table(30, least=1), pd.DataFrame)
