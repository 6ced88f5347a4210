"""Estimators given as objects: what is put in front of them, and what is refused."""

import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingRegressor, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import GammaRegressor, Lasso, LogisticRegression, MultiTaskLasso, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from samuel.common.errors import UserError
from samuel.features import Features
from samuel.games.catalog import game_named
from samuel.games.playing import random_positions
from samuel.learning.fitting.estimators import unfitted
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.reading import default_features
from samuel.learning.fitting.training_data import takes_weights
from samuel.models import Staged

NOUGHTS = game_named("tic_tac_toe")
TIC = NOUGHTS.name
READS = make_pipeline(Features(["open_lines"], TIC), Ridge(random_state=1))


def made(model, **fitting):
    return unfitted(model, NOUGHTS, FitOptions(**fitting), seed=7)


def test_features_are_put_in_front_of_what_reads_none():
    for model in (Ridge(), make_pipeline(StandardScaler(), Ridge())):
        whole = made(model)
        assert whole[0].features == default_features(NOUGHTS) and whole[0].game == TIC
        assert isinstance(whole[-1], Ridge) and len(whole) == 1 + len(getattr(model, "steps", [0]))
    assert made(Ridge(), features=["open_lines"])[0].features == ["open_lines"]
    named = make_pipeline(StandardScaler(), Ridge())
    named.steps[0] = ("features", named.steps[0][1])
    made(named).fit(random_positions(NOUGHTS, 50, seed=1), range(50))
    staged = made(Staged(make_pipeline(Lasso()), (0, 9), TIC))
    assert isinstance(staged.estimator[0], Features)


def test_what_is_given_stays_unfitted_and_unseeded():
    forest = RandomForestRegressor(2)
    whole = made(forest, parameters={"max_depth": 2})
    whole.fit(random_positions(NOUGHTS, 60, seed=1), range(60))
    assert (whole[-1].random_state, whole[-1].max_depth) == (7, 2)
    assert (forest.random_state, forest.max_depth) == (None, None)
    with pytest.raises(NotFittedError):
        check_is_fitted(forest)
    with pytest.raises(NotFittedError):
        check_is_fitted(made(Ridge().fit([[0.0]], [0.0]))[-1])


def test_weights_reach_those_that_all_take_them():
    nearest = KNeighborsRegressor()
    assert takes_weights(made(BaggingRegressor(Ridge())))
    assert not takes_weights(made(BaggingRegressor(nearest)))
    assert not takes_weights(made(nearest))


@pytest.mark.parametrize(
    ("model", "fitting", "message"),
    [
        (Ridge, {}, r"Ridge is a class; give an estimator, Ridge\(\)"),
        (3, {}, "int is neither a regressor nor a classifier; give one, a"),
        (KMeans(), {}, "KMeans is neither a regressor nor a classifier; give one"),
        (PCA(), {}, "PCA is neither a regressor nor a classifier; give one, a"),
        (MultiTaskLasso(), {}, "MultiTaskLasso predicts several targets; a score is one"),
        (GammaRegressor(), {}, "GammaRegressor takes positive targets only, and scores can"),
        (
            make_pipeline(Features(), Ridge()),
            {},
            "Pipeline reads positions of othello, but these are of",
        ),
        (
            READS,
            {"features": ["squares"]},
            "Pipeline begins with its own features; leave features out",
        ),
        (Ridge(), {"features": ["square"]}, "no feature called 'square'"),
        (LogisticRegression(), {"parameters": {"c": 1}}, "c"),
        (
            GridSearchCV(Staged(Ridge(), (0, 9), TIC), {"estimator__alpha": [1.0]}),
            {},
            "Staged inside GridSearchCV reads positions, so its estimator",
        ),
    ],
)
def test_what_cannot_be_trained_is_refused(model, fitting, message):
    with pytest.raises(UserError, match=message):
        made(model, **fitting)
