"""Every kind of estimator scores the same compiled as through scikit-learn."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
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
from sklearn.linear_model import (
    ElasticNet,
    HuberRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
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
    PolynomialFeatures,
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
    kind_of,
    predict,
)
from samuel.models.ensembles import thresholds_before
from samuel.models.evaluate import evaluate
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
    [RobustScaler()],
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


@pytest.mark.parametrize("scalers", SCALERS[:3], ids=str)
@pytest.mark.parametrize(("kind", "model"), CLASSIFIERS, ids=str)
def test_classifiers(kind: str, model: object, scalers: list[object]) -> None:
    pipeline = fit(*scalers, model, y=WON)
    assert kind_of(pipeline) == kind
    assert largest_difference(pipeline) <= TOLERANCE


def test_a_classifier_scores_its_log_odds_by_the_scale() -> None:
    pipeline = fit(LogisticRegression(), y=WON.astype(bool))
    odds = pipeline.decision_function(FRESH)
    np.testing.assert_allclose(predict(pipeline, FRESH, 3.0), 3 * odds, rtol=1e-5)
    p = 1 / (1 + np.exp(-odds))
    np.testing.assert_allclose(pipeline.predict_proba(FRESH)[:, 1], p, atol=1e-6)


def test_a_sure_forest_stays_finite() -> None:
    pipeline = fit(DecisionTreeClassifier(**SEED), y=WON)
    bound = SCALE * np.log((1 - 1e-6) / 1e-6)
    assert np.abs(predict(pipeline, FRESH, SCALE)).max() == pytest.approx(bound)


def test_a_clipping_scaler_folds_into_trees_and_into_nothing_else() -> None:
    scaler = MinMaxScaler(clip=True)
    assert largest_difference(fit(scaler, DecisionTreeRegressor(**SEED))) <= TOLERANCE
    assert kind_of(fit(scaler, Ridge())) == "slow"


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


class Clipped(RegressorMixin, BaseEstimator):
    """A user's own estimator: linear only between its limits."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Clipped":
        self.coef_ = np.linalg.lstsq(X, y, rcond=None)[0]
        self.intercept_ = 0.0
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.clip(X @ self.coef_, -64, 64)


class Unclipped(Clipped):
    """Another: linear throughout, so that it has a compiled form."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X @ self.coef_


def test_whether_an_estimator_is_linear_is_seen_from_its_predictions() -> None:
    assert kind_of(fit(Clipped())) == "slow"
    assert kind_of(fit(Unclipped())) == "linear"
    assert largest_difference(fit(Unclipped())) <= TOLERANCE
    assert kind_of(fit(PoissonRegressor(), y=np.abs(TARGET))) == "slow"


def test_further_steps_have_no_compiled_form() -> None:
    assert kind_of(fit(PolynomialFeatures(2), Ridge())) == "slow"
    assert kind_of(fit(HistGradientBoostingRegressor(loss="poisson", max_iter=2), y=WON)) == "slow"
    init = Ridge()
    assert kind_of(fit(GradientBoostingRegressor(n_estimators=2, init=init))) == "slow"


@pytest.mark.parametrize("labels", [np.where(WON, 1, -1), WON + (TARGET > 20), WON.astype(str)])
def test_other_labels_are_refused(labels: np.ndarray) -> None:
    with pytest.raises(UserError, match="a classifier must have the classes 0 and 1"):
        compile_model(fit(DecisionTreeClassifier(), y=labels), "model", scale=SCALE)


class Unsure(ClassifierMixin, BaseEstimator):
    """Knows classes, and neither probabilities nor decisions."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_errors_say_what_is_expected() -> None:
    with pytest.raises(UserError, match="needs a scale"):
        compile_model(fit(LogisticRegression(), y=WON), "model")
    with pytest.raises(UserError, match="Unsure predicts a class without a probability; choose a"):
        compile_model(fit(Unsure(), y=WON), "model", scale=SCALE)
    with pytest.raises(UserError, match="first step is Features"):
        compile_model(Ridge().fit([[0.0]], [1.0]), "model")
    with pytest.raises(UserError, match="Ridge predicts 2 numbers; a score is one number"):
        compile_model(fit(Ridge(), y=np.column_stack([TARGET, TARGET])), "model")


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


def test_a_model_that_diverged_is_refused() -> None:
    pipeline = fit(Ridge())
    pipeline[-1].coef_ = np.full_like(pipeline[-1].coef_, np.nan)
    with pytest.raises(UserError, match="diverged"):
        compile_model(pipeline, "model")


def test_other_games() -> None:
    game = game_named("connect_four")
    positions = random_positions(game, 400, seed=1)
    y = np.random.default_rng(0).normal(size=400)
    features = Features(["squares", "open_lines"], game="connect_four")
    pipeline = make_pipeline(features, StandardScaler(), RandomForestRegressor(3)).fit(positions, y)
    scores = evaluate(compile_model(pipeline, "model"), game, positions)
    np.testing.assert_allclose(scores, predict(pipeline, positions), atol=TOLERANCE)


def test_what_cannot_be_searched_with_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    positions = random_positions(game_named("tic_tac_toe"), 20, seed=1)
    model = make_pipeline(Features(["squares"], "tic_tac_toe"), Ridge())
    model.fit(positions, np.arange(20.0))
    sound = model[-1].coef_
    for weight, sentence in (
        (np.nan, "its training diverged"),
        (1e25, "as large as 1e"),
    ):
        model[-1].coef_ = np.full_like(sound, weight)
        with pytest.raises(UserError, match=sentence):
            compile_model(model, "m")
    model[-1].coef_ = sound
    for module in ("compiled.features", "convert"):
        monkeypatch.setattr(f"samuel.models.{module}.MOST_NUMBERS", 5)
    with pytest.raises(UserError, match="larger than the search can hold, with 1"):
        compile_model(model, "m")


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


@pytest.mark.parametrize("given", ["ridge", None, Ridge, FRESH])
def test_what_is_no_estimator_is_refused(given: Any, tmp_path: Path) -> None:
    for make in (lambda: compile_model(given, "m"), lambda: save(tmp_path / "m", given, name="m")):
        with pytest.raises(UserError, match="a model is made from a fitted estimator"):
            make()
    assert not list(tmp_path.iterdir())


def test_what_has_no_model_or_no_reader_is_told_what_to_do() -> None:
    X = Features(["mobility"]).fit_transform(POSITIONS)
    y = X @ [1.0, -1.0]
    for model in (
        GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=2),
        VotingRegressor([("a", Ridge())]),
    ):
        with pytest.raises(UserError, match=r"give make_pipeline\(data\.reader, model\)$"):
            compile_model(model.fit(X, y), "m")
    search = GridSearchCV(CHEAP, {"ridge__alpha": [1, 2]}, cv=2, refit=False)
    with pytest.raises(
        UserError, match="GridSearchCV has refit=False, so it holds no fitted model"
    ):
        compile_model(search.fit(POSITIONS, y), "m")


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
