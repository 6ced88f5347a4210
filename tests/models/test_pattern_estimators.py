"""Pattern estimators against scikit-learn's own on the matrix of `Patterns`, and their settings."""

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from samuel.common.errors import UserError
from samuel.features import Features, Patterns, extract, features_named
from samuel.features.terms import even_knots
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.models import PatternClassifier, PatternNetwork, PatternRegressor

SMALL = game_named("othello_4x4")
EXACT = {"tol": 0.0, "max_iter": 2000}
PAIR = ("mobility_player", "mobility_opponent")

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@functools.cache
def positions_of(game: str, n: int, seed: int) -> np.ndarray:
    return random_positions(game_named(game), n, seed=seed)


@functools.cache
def scores_of(game: str, n: int, seed: int) -> np.ndarray:
    """Return targets that patterns explain in part, and that change with the squares left."""
    X = positions_of(game, n, seed)
    counted = "squares" if game == "connect_four" else "mobility"
    numbers = extract(features_named([counted], game), X)
    left = left_of(game_named(game), X) / game_named(game).most_left
    noise = np.random.default_rng(seed).normal(size=n)
    return 5 + (1 + left) * (numbers[:, 0] - numbers[:, 1]) + noise


def data(game: str = "othello_4x4", n: int = 600, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    return positions_of(game, n, seed), scores_of(game, n, seed)


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Return the root of the mean squared difference.

    How far conjugate gradients in single precision come differs between processors, and most
    at single rows.
    """
    return float(np.sqrt(np.mean(np.square(one - other))))


def wins(y: np.ndarray) -> np.ndarray:
    return (y > np.median(y)).astype(int)


def design(X: np.ndarray, shapes: str, game: str, stages: int, tables: bool = False) -> np.ndarray:
    """Return the matrix of Patterns, for each knot with one-hot columns of two tables behind it."""
    matrix = Patterns(shapes, game, stages=stages).fit_transform(X).toarray()
    parts = list(matrix.reshape(len(X), stages, -1).transpose(1, 0, 2))
    if tables:
        counts = extract(features_named(["mobility"], game), X)[:, :2].astype(int)
        counts -= counts.min(axis=0)
        sizes = counts.max(axis=0) + 1
        both = np.eye(sizes.prod())[counts[:, 0] * sizes[1] + counts[:, 1]]
        rules = game_named(game)
        left, knots = left_of(rules, X), even_knots(stages, rules.most_left)
        for k, unit in enumerate(np.eye(stages)):
            hat = np.interp(left, knots, unit)[:, None]
            parts[k] = np.hstack([parts[k], hat * both, hat * np.eye(sizes[0])[counts[:, 0]]])
    return np.hstack(parts)


CASES = [
    ("othello_4x4", "tuples2", 1, False),
    ("othello_4x4", "tuples2", 3, True),
    ("othello_6x6", "tuples2", 3, False),
    ("connect_four", "tuples2", 2, False),
    ("othello", "tuples2", 2, True),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("game", "shapes", "stages", "tables"), CASES)
def test_regression_is_ridge_over_the_matrix(
    game: str, shapes: str, stages: int, tables: bool, weighted: bool
) -> None:
    X, y = data(game)
    weight = np.random.default_rng(0).uniform(0, 3, len(X)) if weighted else None
    model = PatternRegressor(
        *(shapes, game),
        tables=[PAIR, PAIR[0]] if tables else (),
        stages=stages,
        alpha=3.0,
        smoothing=0.0,
        tol=1e-9,
        max_iter=500,
    ).fit(X, y, weight)
    matrix = design(X, shapes, game, stages, tables)
    ridge = Ridge(3.0).fit(matrix, y, sample_weight=weight)
    assert model.coef_.size == matrix.shape[1]

    def loss(coef: np.ndarray, intercept: float) -> float:
        squares = (matrix @ coef.ravel() + intercept - y) ** 2
        return np.average(squares, weights=weight) * len(y) + 3.0 * np.sum(coef**2)

    best = loss(ridge.coef_, ridge.intercept_)
    assert loss(model.coef_.astype(float), model.intercept_) <= 1.001 * best
    assert distance(model.predict(X), ridge.predict(matrix)) < 0.03


@pytest.mark.parametrize("tables", [False, True])
def test_stages_are_pulled_to_their_neighbours(tables: bool) -> None:
    X, y = data()
    stages, alpha, smoothing = 4, 2.0, 25.0
    weight = np.random.default_rng(0).uniform(0, 2, len(X))
    model = PatternRegressor(
        *("tuples2", SMALL.name),
        tables=[PAIR, PAIR[0]] if tables else (),
        stages=stages,
        alpha=alpha,
        smoothing=smoothing,
        tol=1e-10,
        max_iter=1000,
    ).fit(X, y, weight)
    matrix = design(X, "tuples2", SMALL.name, stages, tables)
    width = matrix.shape[1] // stages
    steps = np.kron(np.diff(np.eye(stages), axis=0), np.eye(width))
    pulls = np.vstack([np.sqrt(alpha) * np.eye(matrix.shape[1]), np.sqrt(smoothing) * steps])
    root = np.sqrt(weight)[:, None]
    rows = np.block([[root * matrix, root], [pulls, np.zeros((len(pulls), 1))]])
    solution = np.linalg.lstsq(rows, np.append(root[:, 0] * y, np.zeros(len(pulls))))[0]
    np.testing.assert_allclose(model.predict(X), matrix @ solution[:-1] + solution[-1], atol=0.01)
    assert distance(model.coef_.ravel(), solution[:-1]) < 0.01


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("game", "shapes", "stages", "tables"), CASES[1:3])
def test_classification_is_logistic_regression_over_the_matrix(
    game: str, shapes: str, stages: int, tables: bool, fit_intercept: bool
) -> None:
    X, y = data(game)
    y, weight = wins(y), np.random.default_rng(0).uniform(0, 3, len(X))
    model = PatternClassifier(
        *(shapes, game),
        tables=[PAIR, PAIR[0]] if tables else (),
        stages=stages,
        alpha=2.0,
        smoothing=0.0,
        tol=1e-8,
        max_iter=500,
        fit_intercept=fit_intercept,
    ).fit(X, y, weight)
    matrix = design(X, shapes, game, stages, tables)
    logistic = LogisticRegression(
        C=1 / 2.0, fit_intercept=fit_intercept, tol=1e-8, max_iter=20_000
    ).fit(matrix, y, weight)
    odds = logistic.decision_function(matrix)
    assert distance(model.decision_function(X), odds) < 0.1
    assert distance(model.predict_proba(X), logistic.predict_proba(matrix)) < 0.02
    sure = abs(odds) > 0.3
    np.testing.assert_array_equal(model.predict(X)[sure], logistic.predict(matrix)[sure])
    assert fit_intercept or model.intercept_ == 0


BOTH = [PatternRegressor, PatternClassifier]


def small(kind: Any, **settings: Any) -> Any:
    """Return an estimator of three stages that goes to the minimum."""
    return kind("tuples2", SMALL.name, **{"stages": 3, "tol": 1e-9, "max_iter": 500, **settings})


def values(model: Any, X: np.ndarray) -> np.ndarray:
    return model.predict(X) if isinstance(model, PatternRegressor) else model.decision_function(X)


def targets(kind: Any, y: np.ndarray) -> np.ndarray:
    return y if kind is PatternRegressor else wins(y)


@pytest.mark.parametrize("kind", BOTH)
def test_batches_give_the_same_as_the_whole(kind: Any) -> None:
    X, y = data()
    y, weight = targets(kind, y), np.random.default_rng(0).uniform(0, 2, len(X))
    calls = []

    def batch(rows: slice) -> Any:
        calls.append(rows)
        return X[rows], y[rows], weight[rows]

    bounds = [0, 100, 101, 350, 600]
    batches = [functools.partial(batch, slice(a, b)) for a, b in itertools.pairwise(bounds)]
    whole = small(kind).fit(X, y, weight)
    parts = small(kind).fit_batches(batches)
    assert distance(values(parts, X), values(whole, X)) < 0.01
    assert len(calls) % len(batches) == 0
    unweighted = small(kind).fit_batches([lambda: (X, y, None)])
    np.testing.assert_allclose(values(unweighted, X), values(small(kind).fit(X, y), X), atol=0.01)


@pytest.mark.parametrize("kind", BOTH)
def test_a_weight_of_two_is_a_row_twice_and_of_zero_none(kind: Any) -> None:
    X, y = data()
    y, weight = targets(kind, y), np.arange(len(X)) % 3
    weighted = small(kind).fit(X, y, weight)
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(X)), weight))
    repeated = small(kind).fit(X[order], y[order])
    assert distance(values(weighted, X), values(repeated, X)) < 0.01


@pytest.mark.parametrize("kind", BOTH)
def test_a_warm_start_goes_on_from_the_last_fit(kind: Any) -> None:
    X, y = data("othello")
    y = targets(kind, y)
    model = kind("tuples2", stages=2, tables=[PAIR, PAIR[0]], tol=1e-5, warm_start=True)
    passes = model.fit(X, y).n_iter_
    found = values(model, X)
    for again in (model.fit(X, y), clone(model).fit(X, y).fit_batches([lambda: (X, y, None)])):
        assert again.n_iter_ < passes / 2
        assert distance(values(again, X), found) < 0.1


def test_what_is_no_start_is_refused() -> None:
    X, y = data()
    model = small(PatternClassifier, warm_start=True).fit(X, wins(y))
    for rows, changes in (
        (y * np.nan, {}),
        (2 * wins(y), {}),
        (wins(y), {"alpha": -1.0}),
        (wins(y), {"shapes": "tuples3"}),
        (wins(y), {"stages": 2}),
    ):
        with pytest.raises((ValueError, UserError)):
            model.set_params(**changes).fit(X, rows)
        model.predict(X)  # what is refused leaves it as it was
        model.set_params(alpha=1.0, shapes="tuples2", stages=3)
    with pytest.raises(ValueError, match="no row"):
        small(PatternRegressor).fit_batches([])


@pytest.mark.parametrize("kind", BOTH)
def test_early_stopping_keeps_the_best_step(kind: Any) -> None:
    X, y = data(n=200)
    fresh, truth = data(seed=5)
    truth = truth + 10 * np.random.default_rng(0).normal(size=len(truth))
    y, truth = targets(kind, y), targets(kind, truth)
    model = kind(
        "tuples3", SMALL.name, stages=1, alpha=1e-3, early_stopping=True, n_iter_no_change=3, tol=0
    ).fit_batches([lambda: (X, y, None)], held_out=[lambda: (fresh, truth, None)])
    scores = model.validation_scores_
    found = model.score(fresh, truth)
    if kind is PatternClassifier:
        p = model.predict_proba(fresh)[np.arange(len(truth)), truth]
        found = np.log(p).mean()
    assert found == pytest.approx(max(scores), abs=1e-4)
    assert len(scores) - 1 - int(np.argmax(scores)) <= 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": -1.0}, r"alpha must be a .*at least 0 \("),
        ({"alpha": float("nan")}, r"alpha must be a .*at least 0 \("),
        ({"smoothing": -1.0}, r"smoothing must be a .*at least 0 \("),
        ({"tol": -1e-3}, r"tol must be a .*at least 0 \("),
        ({"max_iter": 0}, r"max_iter must be an integer, at least 1 \("),
        ({"stages": 0}, "stages must be an integer, at least 1"),
        ({"stages": 14}, r"stages must be 1 to 13 \(got 14\)"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], message: str) -> None:
    X, y = data()
    with pytest.raises(ValueError, match=message):
        small(PatternRegressor, **settings).fit(X, y)


# scikit-learn's own checks, as they are: they feed any numbers for positions

NUMBERS = "the inputs are positions, words of 64 bits, and the check feeds other numbers"
FED_NUMBERS = [
    "check_complex_data",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_empty_data_messages",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
]
WITH_TARGETS = [
    "check_all_zero_sample_weights_error",
    "check_requires_y_none",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
    "check_supervised_y_2d",
]
OF_PASSES = ["check_non_transformer_estimators_n_iter"]
OF_REGRESSION = [
    "check_fit2d_1sample",
    "check_regressor_data_not_an_array",
    "check_regressors_int",
    "check_regressors_no_decision_function",
    "check_regressors_train",
]
OF_CLASSIFICATION = [
    "check_classifier_data_not_an_array",
    "check_classifiers_classes",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_train",
    "check_decision_proba_consistency",
]
OF_TRANSFORMATION = [
    "check_fit2d_1sample",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_transformer_preserve_dtypes",
]
CLASSES_FIRST = ("check_complex_data", "check_requires_y_none")
OF_KIND = {
    "PatternRegressor": WITH_TARGETS + OF_PASSES + OF_REGRESSION,
    "PatternNetwork": WITH_TARGETS + OF_REGRESSION,
    "PatternClassifier": WITH_TARGETS + OF_PASSES + OF_CLASSIFICATION,
    "Patterns": OF_TRANSFORMATION,
    "Features": OF_TRANSFORMATION,
}


def fed_numbers(estimator: Any) -> dict[str, str]:
    """Return the checks that cannot pass, each with its reason."""
    every = [*FED_NUMBERS, *OF_KIND[type(estimator).__name__]]
    # the classifier looks at its targets first, which is what these ask
    passed = CLASSES_FIRST if isinstance(estimator, PatternClassifier) else ()
    return {check: NUMBERS for check in every if check not in passed}


@parametrize_with_checks(
    [
        PatternRegressor("tuples2", stages=1),
        PatternClassifier("tuples2", stages=1),
        PatternNetwork(shapes="tuples2"),
        Patterns(),
        Features(),
    ]
)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    # not marked as failing: of each mark pytest writes a traceback, a minute's work in all
    if check.func.__name__ in fed_numbers(estimator):
        with pytest.raises((AssertionError, TypeError, ValueError)):
            check(estimator)
    else:
        check(estimator)


# and on the same estimators behind something that takes any numbers for positions

CONNECT_FOUR = game_named("connect_four")
SQUARES = [f"{file}{rank}" for file in "abc" for rank in range(1, 7)]
"""No symmetry maps one to another."""


PLAIN = {"stages": 1, "alpha": 0.1, "smoothing": 0.0, "max_iter": 1000, "tol": 1e-10}
