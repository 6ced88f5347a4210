"""Every kind of estimator scores the same compiled as through scikit-learn."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.impute import MissingIndicator
from sklearn.linear_model import (
    ElasticNet,
    HuberRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from samuel.common.errors import UserError
from samuel.features import Features, Positions, column_names, extract, features_named
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import (
    PatternRegressor,
    Staged,
    load_model,
    save,
)
from samuel.models.compiled.slow import SlowEvaluatorWarning
from samuel.models.convert import (
    _linear_weights,
    compile_model,
    predict,
    reads_of,
)
from samuel.models.ensembles import thresholds_before
from samuel.models.evaluate import evaluate
from tests.forms import kind_of
from tests.rarely import rarely

FEATURES = ("square_classes", "mobility", "stability")
OTHELLO = game_named("othello")
POSITIONS = random_positions(OTHELLO, 3000, seed=1)
FRESH = random_positions(OTHELLO, 10_000, seed=2)
SCALE = 8.0
TOLERANCE = 1e-3

SEED = {"random_state": 0}
NETWORK = {"hidden_layer_sizes": (16, 7), "max_iter": 10, **SEED}
REGRESSORS = [
    ("linear", LinearRegression()),
    ("linear", Ridge()),
    ("linear", RidgeCV()),
    ("linear", Lasso()),
    ("linear", ElasticNet()),
    ("linear", SGDRegressor(alpha=1, learning_rate="constant", eta0=1e-5, **SEED)),
    ("linear", HuberRegressor(max_iter=1000)),
    *[
        ("mlp", MLPRegressor(activation=activation, **NETWORK))
        for activation in ("relu", "tanh", "logistic", "identity")
    ],
    ("mlp", MLPRegressor(**NETWORK | {"hidden_layer_sizes": ()})),
    ("trees", DecisionTreeRegressor(**SEED)),
    ("trees", DecisionTreeRegressor(max_leaf_nodes=20, **SEED)),
    ("trees", ExtraTreeRegressor(**SEED)),
    ("trees", RandomForestRegressor(7, max_leaf_nodes=50, **SEED)),
    ("trees", ExtraTreesRegressor(5, **SEED)),
    ("trees", GradientBoostingRegressor(n_estimators=9, **SEED)),
    ("trees", GradientBoostingRegressor(n_estimators=9, init="zero", **SEED)),
    ("trees", HistGradientBoostingRegressor(max_iter=9, **SEED)),
]
CLASSIFIERS = [
    ("linear", LogisticRegression()),
    ("linear", SGDClassifier(loss="log_loss", alpha=0.1, **SEED)),
    ("mlp", MLPClassifier(**NETWORK)),
    ("trees", DecisionTreeClassifier(**SEED)),
    ("trees", ExtraTreeClassifier(**SEED)),
    ("trees", RandomForestClassifier(30, **SEED)),
    ("trees", ExtraTreesClassifier(5, **SEED)),
    ("trees", GradientBoostingClassifier(n_estimators=9, **SEED)),
    ("trees", GradientBoostingClassifier(n_estimators=9, loss="exponential", **SEED)),
    ("trees", HistGradientBoostingClassifier(max_iter=9, **SEED)),
]
SCALERS = [
    ["passthrough"],
    [StandardScaler()],
    rarely([RobustScaler()]),
    rarely([MinMaxScaler(), StandardScaler(with_mean=False)]),
    rarely([MaxAbsScaler(), StandardScaler(with_std=False)]),
]


def target() -> np.ndarray:
    X = extract(features_named(FEATURES), POSITIONS)
    random = np.random.default_rng(0)
    y = X @ random.normal(size=X.shape[1]) + X[:, 0] * X[:, 10]
    return y + 3 * random.normal(size=len(X))


TARGET = target()
WON = (TARGET > 0).astype(int)


def fit(*steps: object, y: np.ndarray = TARGET) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few iterations are enough here
        return make_pipeline(Features(FEATURES), *steps).fit(POSITIONS, y)


def largest_difference(pipeline: object) -> float:
    evaluator = compile_model(pipeline, "model", scale=SCALE)
    compiled = evaluate(evaluator, OTHELLO, FRESH)
    return float(np.abs(compiled - predict(pipeline, FRESH, SCALE)).max())


@pytest.mark.parametrize("scalers", SCALERS, ids=str)
@pytest.mark.parametrize(("kind", "model"), REGRESSORS, ids=str)
def test_regressors(kind: str, model: object, scalers: list[object]) -> None:
    pipeline = fit(*scalers, model)
    assert kind_of(pipeline) == kind
    assert largest_difference(pipeline) <= TOLERANCE


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_scalers_of_data_frames_are_folded() -> None:
    pipeline = make_pipeline(Features(FEATURES), StandardScaler(), MinMaxScaler(), Ridge())
    pipeline.set_output(transform="pandas").fit(POSITIONS, TARGET)
    assert kind_of(pipeline) == "linear"
    assert largest_difference(pipeline) <= TOLERANCE


@pytest.mark.parametrize("scalers", SCALERS[:2], ids=str)
@pytest.mark.parametrize(("kind", "model"), CLASSIFIERS, ids=str)
def test_classifiers(kind: str, model: object, scalers: list[object]) -> None:
    pipeline = fit(*scalers, model, y=WON)
    assert kind_of(pipeline) == kind
    assert largest_difference(pipeline) <= TOLERANCE


@pytest.mark.parametrize(
    "scalers", [[], [StandardScaler()], [MinMaxScaler(), RobustScaler()]], ids=str
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_folded_thresholds_are_exact_to_the_last_bit(scalers: list, dtype: type) -> None:
    X = extract(features_named(FEATURES), POSITIONS)
    scaled = X
    for scaler in scalers:
        scaled = scaler.fit_transform(scaled)
    columns = len(column_names(features_named(FEATURES)))
    random = np.random.default_rng(3)
    feature = random.integers(columns, size=500)
    # thresholds where rounding decides: the scaled values themselves
    threshold = scaled[random.integers(len(X), size=500), feature].astype(np.float64)
    folded = thresholds_before(scalers, columns, feature, threshold, dtype)
    for candidate in (folded, np.nextafter(folded, np.float32(np.inf))):
        rows = np.zeros((500, columns), np.float32)
        rows[np.arange(500), feature] = candidate
        for scaler in scalers:
            rows = scaler.transform(rows)
        left = rows[np.arange(500), feature].astype(dtype) <= threshold
        np.testing.assert_array_equal(left, candidate <= folded)


@pytest.mark.parametrize(
    "last", [Ridge(), DecisionTreeRegressor(), KNeighborsRegressor(), MLPRegressor()]
)
def test_what_is_not_fitted_is_refused(last: Any, tmp_path: Path) -> None:
    estimator = make_pipeline(Features(FEATURES), StandardScaler(), last)
    for wrapped in (estimator, GridSearchCV(estimator, {}), Staged(estimator)):
        with pytest.raises(UserError, match=r" is not fitted; fit it first: estimator\.fit"):
            compile_model(wrapped, "model")
        with pytest.raises(UserError, match=r" is not fitted; fit it first"):
            save(tmp_path / "model", wrapped, name="model")
    assert not (tmp_path / "model").exists()


CHEAP = make_pipeline(Features(["mobility"]), Ridge())


@pytest.mark.parametrize("is_inside", [False, True])
def test_a_mean_of_models_plays_by_the_slow_path(is_inside: bool) -> None:
    members = [("a", CHEAP if is_inside else Ridge()), ("b", CHEAP if is_inside else RidgeCV())]
    reader = Positions("othello") if is_inside else Features(["mobility"])
    made = make_pipeline(reader, VotingRegressor(members, weights=[1, 3]))
    made.fit(POSITIONS, Features(["mobility"]).fit_transform(POSITIONS) @ [1.0, -1.0])
    assert kind_of(made) == "slow"
    with pytest.warns(SlowEvaluatorWarning):
        found = evaluate(compile_model(made, "m"), OTHELLO, FRESH)
    np.testing.assert_allclose(found, predict(made, FRESH), atol=1e-5)


@pytest.mark.parametrize("how", ["search", "of patterns"])
def test_searches_are_compiled(how: str, tmp_path: Path) -> None:
    linear = make_pipeline(Features(["mobility"]), StandardScaler(), Ridge())
    patterns = PatternRegressor("tuples2", stages=1, max_iter=3)
    made = {
        "search": GridSearchCV(linear, {"ridge__alpha": [1.0, 100.0]}, cv=2),
        "of patterns": GridSearchCV(patterns, {"alpha": [1.0, 10.0]}, cv=2),
    }[how].fit(POSITIONS, Features(["mobility"]).fit_transform(POSITIONS) @ [1.0, -1.0])
    assert kind_of(made) != "slow"
    save(tmp_path / "model", made, name="m")
    expected = predict(made, FRESH)
    for compiled in (compile_model(made, "m"), load_model(tmp_path / "model").evaluator):
        # weights of patterns are held in 16 bits
        np.testing.assert_allclose(evaluate(compiled, OTHELLO, FRESH), expected, atol=0.05)
    assert expected.std() > 1


def test_weights_that_vanish_are_linear_too() -> None:
    """Numbers below the smallest normal one of float32 have lost their digits."""
    model = Ridge().fit(np.eye(4, dtype=np.float32), np.zeros(4, np.float32))
    model.coef_ = np.array([3.7e-41, -1e-44, 0, 2e-42], np.float32)
    assert _linear_weights(model, 4) is not None
    model.predict = lambda X: np.full(len(X), 1e-30)
    assert _linear_weights(model, 4) is None


def test_a_class_of_the_name_of_a_network_is_none() -> None:
    class Tenfold(MLPRegressor):
        def predict(self, X: Any) -> Any:
            return 10 * super().predict(X)

    Tenfold.__name__ = "MLPRegressor"
    network = Tenfold(hidden_layer_sizes=(4,), max_iter=5, random_state=0)
    model = make_pipeline(Features(["mobility"]), network)
    assert kind_of(model.fit(POSITIONS, TARGET)) == "slow"


def test_a_step_may_have_features_that_are_not_of_the_game() -> None:
    indicator = MissingIndicator(features="all")
    assert reads_of(make_pipeline(Features(["mobility"]), indicator, Ridge())) == ["mobility"]
