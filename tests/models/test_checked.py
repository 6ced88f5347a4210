"""Every estimator of the package refuses in a sentence what no fit can use, and finds no NaN."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel.common.errors import UserError
from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import (
    PatternClassifier,
    PatternNetwork,
    PatternRegressor,
    SparseNetwork,
    Staged,
)

GAME = "othello_4x4"
X = random_positions(game_named(GAME), 200, seed=1)
Y = np.random.default_rng(0).uniform(-1, 1, len(X))
ROWS = Features(["squares"], GAME).fit_transform(X)
PATTERNS: dict[str, Any] = {"shapes": "tuples2", "game": GAME}
LINEAR: dict[str, Any] = {**PATTERNS, "stages": 2, "max_iter": 5}

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def pipeline() -> Any:
    return make_pipeline(Features(["mobility"], GAME), Ridge())


MADE: dict[str, Callable[..., Any]] = {
    "sparse": lambda **more: SparseNetwork(**{"units": 4, "epochs": 1, **more}),
    "regressor": lambda **more: PatternRegressor(**{**LINEAR, **more}),
    "classifier": lambda **more: PatternClassifier(**{**LINEAR, **more}),
    "network": lambda **more: PatternNetwork(
        **{**PATTERNS, "epochs": 1, "random_state": 0, **more}
    ),
    "staged": lambda **more: Staged(**{"estimator": pipeline(), "game": GAME, **more}),
}


def rows_of(name: str) -> Any:
    return ROWS if name == "sparse" else X


def targets_of(name: str) -> Any:
    return (Y > 0).astype(int) if name == "classifier" else Y


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("name", sorted(MADE.keys() - {"classifier"}))
@pytest.mark.parametrize("size", [1e-44, 1e-30, 1e15, 1e30, 1e37, 1e300])
def test_a_fit_to_finite_targets_is_finite_or_refused(name: str, size: float) -> None:
    model = MADE[name]()
    try:
        model.fit(rows_of(name), size * Y)
    except ValueError as error:
        assert size > 1e15 and "\n" not in str(error)
    else:
        assert np.isfinite(model.predict(rows_of(name))).all()


@pytest.mark.parametrize("name", sorted(MADE))
@pytest.mark.parametrize("weight", [-1.0, 0.0, np.nan, np.inf])
def test_weights_that_mean_nothing_are_refused(name: str, weight: float) -> None:
    given = np.full(len(X), weight)
    with pytest.raises(ValueError, match=r"sample_weight|Sample weights"):
        MADE[name]().fit(rows_of(name), targets_of(name), sample_weight=given)


@pytest.mark.parametrize("name", sorted(MADE))
@pytest.mark.parametrize(
    ("change", "given"),
    [
        ("X", "a text"),
        ("X", None),
        ("X", 1),
        ("X", ROWS[:, 0]),
        ("X", np.full(X.shape, np.nan)),
        ("X", X[:0]),
        ("y", None),
        ("y", [["a", "b"]] * len(X)),
        ("y", np.c_[Y, Y]),
        ("y", Y[:3]),
        ("y", Y * np.nan),
    ],
    ids=lambda given: given if isinstance(given, str) else f"{np.shape(given)}",
)
def test_rows_and_targets_of_no_use_are_refused(name: str, change: str, given: Any) -> None:
    rows = {"X": rows_of(name), "y": targets_of(name), change: given}
    with pytest.raises((ValueError, UserError)):
        MADE[name]().fit(**rows)


@pytest.mark.parametrize("name", ["regressor", "network"])
@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_targets_among_objects_are_named(name: str, missing: Any) -> None:
    targets = np.append(Y[:-1].astype(object), missing)
    with pytest.raises(ValueError, match="a target is not finite"):
        MADE[name]().fit(X, targets)


@pytest.mark.parametrize(
    ("name", "parameter", "value", "said"),
    [
        *(("sparse", "units", bad, "units must be") for bad in (0, 1.5, "a", None, True)),
        *(("sparse", "epochs", bad, "epochs must be") for bad in (-1, 1.5, "a", np.nan)),
        *(("sparse", "learning_rate", bad, "learning_rate must be") for bad in (-1, "a", np.inf)),
        *(("network", "units", bad, "units must be") for bad in (0, "a")),
        *(("regressor", "stages", bad, "stages must be") for bad in (0, 1.5, "a", 99)),
        *(("regressor", "alpha", bad, "alpha must be") for bad in (-1, "a", None, np.inf)),
        *(("regressor", "smoothing", bad, "smoothing must be") for bad in ("a", np.inf)),
        *(("regressor", "max_iter", bad, "max_iter must be") for bad in (0, 1.5, "a")),
        *(
            ("regressor", "shapes", bad, "shapes must be the name of a set, a file or a list of")
            for bad in (None, 3, b"a1 b1")
        ),
        ("regressor", "shapes", [3], "a shape must be a list of squares, such as"),
        *(
            ("regressor", "tables", bad, "tables must be a list of names or of pairs of names")
            for bad in ("mobility", 3)
        ),
        ("regressor", "tables", [3], "a table must be the name of a number, or two names"),
        *(
            ("network", "game", bad, "game must be a name, such as 'othello'")
            for bad in (None, game_named(GAME))
        ),
        *(
            ("staged", "knots", bad, "knots must be ascending numbers, at least one")
            for bad in (None, 3, "ab", [], [1, "a"])
        ),
        ("network", "linear", "tuples2", "for a set of patterns use PatternNetwork"),
    ],
)
def test_parameters_of_no_use_are_named(name: str, parameter: str, value: Any, said: str) -> None:
    model = MADE[name](**{parameter: value})
    with pytest.raises((ValueError, UserError), match=said):
        model.fit(rows_of(name), targets_of(name))
