import copy
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingRegressor, StackingRegressor, VotingRegressor
from sklearn.linear_model import LassoCV, LinearRegression, LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from samuel.common.errors import UserError
from samuel.features import Features
from samuel.games.rows import canonical_keys
from samuel.learning.fitting.estimators import fit
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.pattern_recipes import shapes_of
from samuel.learning.fitting.recipes import recipe_names
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.targets import Labels
from samuel.learning.fitting.training_data import TrainingData
from samuel.learning.training import train, train_on, training_data
from samuel.models import Staged, evaluate, load_model
from samuel.models.convert import predict
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan


@pytest.fixture(scope="session")
def noughts(tmp_path_factory):
    plan = SelfplayPlan(
        game="tic_tac_toe", depth=2, opening_plies=1, epsilon=0.2, exact_from=0, seed=4
    )
    return generate(plan, 400, tmp_path_factory.mktemp("data") / "noughts")


@pytest.fixture(scope="session")
def othello(tmp_path_factory):
    plan = SelfplayPlan(depth=1, epsilon=0.05, exact_from=6, seed=4)
    return generate(plan, 300, tmp_path_factory.mktemp("data") / "othello")


@pytest.fixture(scope="session")
def split(othello):
    return Split.of(othello, seed=1)


def test_the_three_parts_share_no_game_and_held_out_positions_are_new(split):
    games = split.frame["game_id"].to_numpy()
    parts = [np.flatnonzero(split.train), split.calibration, split.held_out]
    for i, part in enumerate(parts):
        for other in parts[i + 1 :]:
            assert not set(games[part]) & set(games[other])
    keys = canonical_keys(split.game, split.dataset.positions)
    known = np.union1d(keys[parts[0]], keys[parts[1]])
    assert not np.isin(keys[parts[2]], known).any()


RARE = (
    *("logistello-tables", "logistello-logistic", "logistello-network"),
    *("tuples2", "tuples3", "tuples5", "tuples6", "lasso"),
    *("logistello-wide-network", "edax"),
)
"""Recipes whose parts other recipes have, too."""


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name.startswith("large") or name in RARE))
        for name in recipe_names()
    ],
)
def test_every_recipe_learns_and_plays_as_it_predicts(split, model):
    over_patterns = shapes_of(model, split.game) is not None
    few = None if over_patterns or model == "nnue" else ["square_classes", "mobility", "stability"]
    trained = train_on(split, model, FitOptions(features=few))
    metrics = trained.metrics
    assert metrics["r2"] > 0.25 and metrics["log_loss"] < 0.62
    assert metrics["log_loss"] < 0.69 and metrics["rank_correlation"] > 0.5
    positions = split.held_out_positions[:500]
    expected = predict(trained.estimator, positions, trained.scale)
    found = evaluate(trained.evaluator, split.game, positions)
    # weights of patterns are held in units of 1/1024, and larger ones more coarsely
    assert np.abs(found - expected).max() < (0.05 if over_patterns else 1e-3)


def test_the_fields_of_a_fitting_can_be_given_by_name(othello, split):
    weights = {"late": 1.0}
    by_name = train(
        othello, "ridge", seed=1, target="score", features=["mobility"], weights=weights
    )
    whole = FitOptions("score", features=["mobility"], weights=weights)
    assert by_name.metrics == train_on(split, "ridge", whole).metrics
    mixed = train(othello, "ridge", whole, seed=1, target="td")
    assert mixed.fitting == replace(whole, target="td")
    with pytest.raises(TypeError, match="lucky"):
        train(othello, "ridge", lucky=True)


def test_training_data_is_shown_in_a_line(othello):
    data = training_data(othello, Ridge(), seed=3)
    shown = repr(data)
    assert "\n" not in shown
    assert f"{len(data):,} rows of {len(set(data.groups)):,} games" in shown
    test = f"{len(data.test):,} rows of {len(set(data.test.groups)):,} games, held out"
    assert test in shown and "other games set the scale" in shown
    aside = othello.games - len({*data.groups, *data.test.groups})
    assert aside > 0


@pytest.mark.parametrize(
    "fitting",
    [
        FitOptions(),
        FitOptions("outcome", features=["+corners"], weights={"late": 1.0}),
        FitOptions("td", features=["mobility"], dedupe=True, plies=(8, 50)),
        FitOptions("score", features=["mobility"], augment=True),
    ],
)
def test_a_fit_by_hand_to_the_training_data_is_that_of_train(othello, fitting):
    trained = train(othello, Ridge(10.0), fitting, seed=3)
    data = training_data(othello, Ridge(10.0), fitting, seed=3)
    with threadpool_limits({"blas": 1}):
        X = data.X.astype(np.float64)  # scikit-learn takes single precision as it is
        by_hand = Ridge(10.0).fit(X, data.y, sample_weight=data.sample_weight)
    np.testing.assert_allclose(by_hand.coef_, trained.estimator[-1].coef_, rtol=1e-3, atol=1e-3)
    assert data.feature_names == list(trained.estimator[0].get_feature_names_out())
    assert by_hand.score(data.test.X, data.test.y) == pytest.approx(trained.metrics["r2"], abs=1e-3)
    assert len(data.test) == trained.metrics["rows"]
    frame = othello.frame(["game_id"])
    for part in (data, data.test):
        assert (part.groups == frame["game_id"].to_numpy()[part.rows]).all()
    assert not set(data.groups) & set(data.test.groups)


def test_too_few_games_are_told_how_many_suffice(tmp_path):
    for games in (1, 3, 4):
        few = generate(SelfplayPlan(depth=1, seed=1), games, tmp_path / str(games))
        if games == 4:
            assert train(few, "tuples2").rows
            break
        with pytest.raises(UserError, match=r"at least 4\b.*better 1,000"):
            train(few, "tuples2")


def weights_of(trained):
    return trained.estimator[-1].coef_


@pytest.mark.parametrize("changed", [{"dedupe": True}, {"augment": True}])
def test_symmetric_features_learn_the_same_of_merged_positions_and_of_all_images(split, changed):
    fitting = FitOptions(features=["mobility", "square_classes"], stages=1)
    plain = weights_of(train_on(split, "ridge", fitting))
    other = weights_of(train_on(split, "ridge", replace(fitting, **changed)))
    assert other == pytest.approx(plain, rel=1e-3, abs=1e-3)


def test_squares_are_worth_the_same_as_their_images_when_all_are_seen(noughts):
    fitting = FitOptions(features=["squares"], stages=1, parameters={"alpha": 1.0})
    one, all_images = (train(noughts, "ridge", replace(fitting, augment=a)) for a in (False, True))
    corners = [0, 2, 6, 8]
    assert np.ptp(weights_of(all_images)[corners]) < 1e-3 < np.ptp(weights_of(one)[corners])


def test_weights_change_the_fit(split):
    """No other line errs less by the measure that a line was fitted to."""
    fittings = [FitOptions(features=["mobility"], stages=1, weights=w) for w in ({}, {"late": 1e6})]
    lines = [train_on(split, "linear", fitting).estimator for fitting in fittings]
    for own, fitting in enumerate(fittings):
        examples = split.examples(fitting, classifier=False)
        apart = [line.predict(split.positions_of(examples)) - examples.target for line in lines]
        errors = [np.average(np.square(one), weights=examples.weight) for one in apart]
        assert errors[own] < errors[1 - own]


@pytest.mark.filterwarnings("ignore::samuel.models.compiled.slow.SlowEvaluatorWarning")
def test_a_model_that_takes_no_weights(split, tmp_path):
    file = tmp_path / "own.py"
    file.write_text(
        "from samuel.features import Features\n"
        "from sklearn.neighbors import KNeighborsRegressor\n"
        "from sklearn.pipeline import make_pipeline\n"
        "def near(): return make_pipeline(Features(['mobility']), KNeighborsRegressor())\n"
    )
    for settings in ({"weights": {"late": 1}}, {"dedupe": True}):
        with pytest.warns(
            UserWarning, match="near does not support weights; all rows count equally"
        ):
            train_on(split, f"{file}:near", FitOptions(plies=(20, 22), **settings))


class Grouped(RegressorMixin, BaseEstimator):
    """Notes what it is fitted with."""

    def fit(self, X, y, sample_weight=None, groups=None):
        self.groups_, self.weight_ = groups, sample_weight
        return self


def test_games_are_passed_to_an_estimator_that_takes_groups(split):
    alone = Grouped()
    pipeline = make_pipeline(Features(["mobility"]), Grouped())
    neighbours = make_pipeline(Features(["mobility"]), KNeighborsRegressor())
    weighed = FitOptions(weights={"exact": 2})
    for estimator, last in ((alone, alone), (pipeline, pipeline[-1])):
        data = TrainingData.of_split(split, weighed, estimator)
        assert set(data.groups) <= set(split.frame["game_id"][split.train])
        fit(estimator, data, "grouped")
        assert last.groups_ is data.groups and last.weight_ is data.sample_weight is not None
    fit(neighbours, TrainingData.of_split(split, weighed, neighbours), "")


class Noting(GroupKFold):
    """Notes what it divides by."""

    def split(self, X, y=None, groups=None):
        noted.append(groups)
        return super().split(X, y, groups)


noted = []


@pytest.mark.parametrize("is_routed", [True, False])
@pytest.mark.parametrize("is_inside", [True, False])
def test_a_search_gets_games_and_weights(split, is_inside, is_routed):
    noted.clear()
    pipeline, grid = make_pipeline(Features(["mobility"]), Ridge()), {"ridge__alpha": [1.0, 9.0]}
    search = GridSearchCV(pipeline, grid, cv=Noting(3))
    if is_inside:
        search = GridSearchCV(Ridge(), {"alpha": [1.0, 9.0]}, cv=Noting(3))
        search = make_pipeline(Features(["mobility"]), search)
    weighed = FitOptions(weights={"late": 5})
    data = TrainingData.of_split(split, weighed, search)
    staged = Staged(make_pipeline(Features(["mobility"]), Ridge()))
    with sklearn.config_context(enable_metadata_routing=is_routed):
        fit(search, data, "search")
        staged.fit(data.positions, data.y, sample_weight=data.sample_weight)
    assert noted and all(np.array_equal(groups, data.groups) for groups in noted)
    best = make_pipeline(Features(["mobility"]), Ridge()).set_params(
        ridge__alpha=(search[-1] if is_inside else search).best_params_.popitem()[1]
    )
    best.fit(data.positions, data.y, ridge__sample_weight=data.sample_weight)
    np.testing.assert_allclose(search.predict(data.positions), best.predict(data.positions))
    fit(GridSearchCV(pipeline, grid, cv=2), data, "which ignores groups, and would say so")


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize(
    "learner",
    [
        *(RidgeCV(cv=Noting(3)), LassoCV(cv=Noting(3))),
        StackingRegressor([("a", Ridge()), ("b", LinearRegression())], cv=Noting(3)),
        CalibratedClassifierCV(LogisticRegression(), cv=Noting(3)),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_cv_inside_an_estimator_divides_by_games(split, learner):
    noted.clear()
    made = make_pipeline(Features(["mobility"]), StandardScaler(), learner)
    data = TrainingData.of_split(split, FitOptions(), made)
    fit(made, data, "with a cv")
    assert all(np.array_equal(groups, data.groups) for groups in noted)
    assert len(noted) == 1 and isinstance(made[-1].cv, Noting)


@pytest.mark.parametrize(
    ("learner", "around"),
    [
        (VotingRegressor([("a", RidgeCV(cv=GroupKFold(3)))]), "VotingRegressor"),
        (GridSearchCV(RidgeCV(cv=GroupKFold(3)), {"gcv_mode": [None]}), "GridSearchCV"),
        (BaggingRegressor(GridSearchCV(Ridge(), {"alpha": [1]}, cv=GroupKFold())), "Bagging"),
        (Staged(make_pipeline(Features(["mobility"]), RidgeCV(cv=GroupKFold(3)))), "Staged"),
    ],
    ids=["voting", "search in a search", "bagging", "staged"],
)
def test_a_cv_that_games_do_not_reach_is_named(split, learner, around):
    made = learner if around == "Staged" else make_pipeline(Features(["mobility"]), learner)
    data = TrainingData.of_split(split, FitOptions(), made)
    with pytest.raises(UserError, match=f"^GroupKFold inside {around}.*; use KFold$"):
        fit(made, data, "with a cv")


def test_held_out_games_are_judged_whole_whatever_rows_are_learned_from(split):
    few = train_on(split, "ridge", FitOptions(features=["mobility"], plies=(20, 30), stages=1))
    assert few.rows < split.train.sum() / 3 and few.metrics["rows"] == len(split.held_out)


def test_imported_games(othello, split, tmp_path):
    """Of those nothing was searched and no evaluator is known."""
    settings = {k: v for k, v in othello.manifest["settings"].items() if k != "evaluator"}
    dataset = replace(
        othello, manifest=othello.manifest | {"settings": settings, "evaluator_digest": None}
    )
    frame = split.frame.assign(score=np.float32(math.nan), exact=False)
    imported = replace(split, dataset=dataset, labels=Labels(frame, dataset.game))
    trained = train_on(imported, "ridge", FitOptions("td", features=["mobility"]))
    assert trained.baseline is None and trained.card["data"]["settings"] == settings
    assert trained.card["data"]["evaluator_digest"] is None
    with pytest.raises(UserError, match="no position was searched"):
        train_on(imported, "ridge", FitOptions("score"))


def test_a_saved_model_says_what_it_is(noughts, tmp_path):
    trained = train(noughts, "logistic", out=tmp_path / "model", seed=3)
    assert trained.name == "model"
    saved = load_model(tmp_path / "model")
    positions = noughts.positions
    assert (evaluate(trained.evaluator, noughts.game, positions) == saved.predict(positions)).all()
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    assert card["recipe"] == "logistic" and card["rows"] == trained.rows
    assert card["metrics"] == trained.metrics
    assert card["data"]["settings"] == noughts.manifest["settings"]


@pytest.mark.slow
def test_a_stream_ends_in_the_same_model(othello, split, tmp_path):
    fitting = FitOptions(
        "td", plies=(3, 55), augment=True, parameters={"early_stopping": False, "max_iter": 15}
    )
    said = []
    given = {"stream": True, "seed": 1, "out": tmp_path / "model", "progress": said.append}
    streamed, trained = (
        train(othello, "tuples2", fitting, **given),
        train_on(split, "tuples2", fitting),
    )
    assert streamed.rows == trained.rows
    assert streamed.metrics["rows"] == trained.metrics["rows"]
    for name in ("r2", "r2_target", "log_loss", "brier"):
        assert streamed.metrics[name] == pytest.approx(trained.metrics[name], abs=1e-4)
    assert streamed.baseline == trained.baseline
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    assert card["stream"] and not trained.card["stream"] and card["held_out"] == 0.2
    assert card["data"]["positions"] == len(othello)
    assert f"fitting to {trained.rows:,} rows: pass 16" in said and said[-1] == "saving"


def test_bad_input(noughts, othello, tmp_path):
    for message, given in {
        "no recipe called": {"model": "magic"},
        "no feature called": {"features": ["mobility"]},
        "no target": {"target": "luck"},
        "contains games of tic_tac_toe": {"game": "othello"},
        r"held_out must be .*\(got 1\)": {"held_out": 1.0},
        "stages must be from 1 to 10 for tic_tac_toe": {"stages": 50},
    }.items():
        with pytest.raises(UserError, match=message):
            train(noughts, **given)
    with pytest.raises(UserError, match="no dataset at"):
        train(tmp_path / "missing")
    with pytest.raises(UserError, match="contains a dataset"):
        train(othello, features=["mobility"], out=othello.folder)


def test_what_can_goes_on_from_a_saved_model(othello, tmp_path):
    slow = {"epochs": 1, "learning_rate": 0.02}
    settings = {"features": ["squares"], "parameters": slow}
    first = train(othello, "network", out=tmp_path / "first", **settings)
    further = train(othello, "network", start=first.out, **settings)
    split, by_hand = Split.of(othello), copy.deepcopy(first.estimator)
    fit(by_hand, TrainingData.of_split(split, FitOptions(**settings), by_hand), "network")
    found, expected, before = (
        model.predict(split.held_out_positions)
        for model in (further.estimator, by_hand, first.estimator)
    )
    assert (found == expected).all() and (found != before).any()
    for other in (
        {"features": ["squares"]},
        {"features": ["mobility"], "parameters": {"epochs": 1}},
    ):
        anew, same = (train(othello, "network", start=e, **other) for e in (None, first.out))
        assert anew.metrics["r2"] == same.metrics["r2"]
    with pytest.raises(UserError, match="learned evaluates checkers, not othello"):
        train(
            othello,
            "network",
            start=Path(__file__).parents[1] / "models/shipped/checkers/learned",
        )
    with pytest.raises(UserError, match=r"ridge cannot start from .*none: it has no warm start"):
        train(othello, "ridge", start=tmp_path / "none")
