"""Compiled pattern models score as their estimators do, and come back from disk as they were."""

import functools
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel.common.errors import UserError
from samuel.features import Patterns
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import PatternClassifier, PatternRegressor, load_model, save
from samuel.models.convert import compile_model, predict
from samuel.models.evaluate import evaluate
from samuel.models.patterns.model import unit_of
from samuel.models.saved.card import CARD, ESTIMATOR, WEIGHTS
from samuel.models.saved.skops_file import untrusted_types
from samuel.testing import check_evaluator
from tests.forms import kind_of
from tests.rarely import rarely_but

PAIR = ("mobility_player", "mobility_opponent")
N = 800
SCALE = 8.0

pytestmark = pytest.mark.filterwarnings("ignore:.* of positions above")


@functools.cache
def data(game: str) -> tuple[np.ndarray, np.ndarray]:
    X = random_positions(game_named(game), N, seed=1)
    discs = np.bitwise_count(X).astype(float)
    return X, discs[:, 0] - discs[:, 1] + np.random.default_rng(0).normal(size=N)


def regressor(shapes: Any, game: str, **settings: Any) -> PatternRegressor:
    return PatternRegressor(shapes, game, alpha=1.0, max_iter=20, **settings).fit(*data(game))


def classifier(shapes: Any, game: str, **settings: Any) -> PatternClassifier:
    X, y = data(game)
    return PatternClassifier(shapes, game, alpha=1.0, max_iter=20, **settings).fit(X, y > 0)


def pipeline(game: str, stages: int) -> Any:
    X, y = data(game)
    return make_pipeline(Patterns("tuples2", game, stages=stages), Ridge(1.0)).fit(X, y)


MODELS: dict[str, Callable[[], Any]] = {
    "regressor": lambda: regressor("logistello", "othello_6x6", stages=4),
    "classifier": lambda: classifier("tuples2", "othello_6x6", stages=3),
    "tables": lambda: regressor("tuples2", "othello_4x4", stages=3, tables=[PAIR, PAIR[1]]),
    "connect four": lambda: regressor("tuples4", "connect_four", stages=5),
    "tic-tac-toe": lambda: classifier("tuples3", "tic_tac_toe", stages=1),
    "wide": lambda: regressor(["a1 b1 c1 d1 e1 f1 g1 h1 b2 g2"], "othello", stages=2),
    "pipeline": lambda: pipeline("othello_4x4", 3),
}


@functools.cache
def model_of(name: str) -> Any:
    return MODELS[name]()


def scale_of(model: Any) -> float | None:
    return SCALE if isinstance(model, PatternClassifier) else None


def game_of(model: Any) -> Any:
    return game_named(getattr(model, "game", None) or model[0].game)


@pytest.mark.parametrize("name", MODELS)
def test_compiled_it_scores_as_predict_to_half_a_1024th_a_weight(name: str) -> None:
    model = model_of(name)
    game, scale = game_of(model), scale_of(model)
    assert kind_of(model) == "patterns"
    evaluator = compile_model(model, name, scale=scale)
    form = model.compiled(scale or 1.0) if hasattr(model, "compiled") else None
    X = random_positions(game, 3000, seed=2)
    weights = 47 if form is None else len(form.terms.patterns.instances) + len(form.terms.tables)
    off = 0.5 / 1024 * (weights + 1) + 1e-4
    assert form is None or unit_of(form.weights) == 1024
    np.testing.assert_allclose(evaluate(evaluator, game, X), predict(model, X, scale), atol=off)
    if scale is not None:
        np.testing.assert_array_equal(
            predict(model, X, scale), np.float32(scale) * model.decision_function(X)
        )


@pytest.mark.parametrize("name", rarely_but(MODELS, "regressor", "tables"))
def test_it_keeps_the_contract_of_evaluators(name: str) -> None:
    model = model_of(name)
    check_evaluator(compile_model(model, name, scale=scale_of(model)), game_of(model))


@pytest.mark.parametrize("name", rarely_but(MODELS, "classifier", "tables", "pipeline"))
def test_what_is_saved_comes_back(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    game, scale = game_of(model), scale_of(model)
    X = random_positions(game, 300, seed=4)
    with pytest.warns(UserWarning, match="is read only if you trust .* by name"):
        save(tmp_path / "m", model, name=name, scale=scale, keep_estimator=True)
    untrusted = untrusted_types((tmp_path / "m" / ESTIMATOR).read_bytes())
    back = load_model(tmp_path / "m", trusted=untrusted)
    expected = evaluate(compile_model(model, name, scale=scale), game, X)
    np.testing.assert_array_equal(back.predict(X), expected)
    assert (back.card["kind"], back.card["game"]) == ("patterns", game.name)
    np.testing.assert_array_equal(predict(back.estimator, X, scale), predict(model, X, scale))
    assert repr(back.estimator) == repr(model)
    if isinstance(model, PatternRegressor):
        again = back.estimator.fit(*data(game.name))
        np.testing.assert_array_equal(again.coef_, model.coef_)


# damaged models


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(tmp_path / "model", model_of("tables"), name="model")
    return tmp_path / "model"


def refused(folder: Path, message: str = ".") -> None:
    with pytest.raises(UserError, match=message) as caught:
        load_model(folder)
    assert "\n" not in str(caught.value)


def change_card(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    card = json.loads((folder / CARD).read_text())
    change(card)
    (folder / CARD).write_text(json.dumps(card))


def change_arrays(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change arrays, and the digest on the card with them."""
    with np.load(folder / WEIGHTS) as arrays:
        content = dict(arrays)
    change(content)
    file = io.BytesIO()
    np.savez(file, **content)
    (folder / WEIGHTS).write_bytes(file.getvalue())
    digest = hashlib.sha256(file.getvalue()).hexdigest()
    change_card(folder, lambda card: card["files"].update({WEIGHTS: digest}))


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a["weights"].__setitem__((0, 3), np.nan),
        lambda a: a["weights"].__setitem__((1, 0), np.inf),
        lambda a: a.update(weights=a["weights"][:, 1:]),
        lambda a: a.update(weights=a["weights"][:-1]),
        lambda a: a.update(weights=a["weights"].ravel()),
        lambda a: a.update(weights=np.full(a["weights"].shape, "x")),
        lambda a: a.update(knots=a["knots"][::-1]),
        lambda a: a.update(knots=a["knots"][:-1]),
        lambda a: a.update(knots=a["knots"] * 0),
        lambda a: a.update(knots=a["knots"][None]),
        lambda a: a.update(knots=np.array([0.0, np.nan, 12.0])),
        lambda a: a.update(intercept=np.array([np.nan])),
        lambda a: a.update(intercept=np.array([1e30])),
        lambda a: a.update(intercept=np.zeros(0)),
        lambda a: a.pop("weights"),
        lambda a: a.pop("knots"),
        lambda a: a.pop("intercept"),
    ],
)
def test_arrays_of_no_model_are_refused(folder: Path, change: Callable[[Any], Any]) -> None:
    change_arrays(folder, change)
    refused(folder, r"weights\.npz is damaged")


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.update(shapes=[]),
        lambda c: c.update(shapes=None),
        lambda c: c.update(shapes=[3]),
        lambda c: c["shapes"].pop(),
        lambda c: c["shapes"].append({"name": "more", "squares": ["a1"]}),
        lambda c: c["shapes"][0].pop("name"),
        lambda c: c["shapes"][0].update(squares=["z9"]),
        lambda c: c["shapes"][0].update(squares=["a1", "a1"]),
        lambda c: c["shapes"][0].update(squares=[]),
        lambda c: c["shapes"][0].update(squares=7),
        lambda c: c.update(tables=None),
        lambda c: c.update(tables=[]),
        lambda c: c.update(tables=[3]),
        lambda c: c["tables"].pop(),
        lambda c: c["tables"][0].pop("low"),
        lambda c: c["tables"][0].update(columns=["tides", "mobility_player"]),
        lambda c: c["tables"][0].update(columns=[]),
        lambda c: c["tables"][0].update(columns=["mobility_player"]),
        lambda c: c["tables"][0].update(low=[0]),
        lambda c: c["tables"][0].update(low=[0, 0, 0]),
        lambda c: c["tables"][0].update(low=[10**30, 0]),
        lambda c: c["tables"][0].update(sizes=[]),
        lambda c: c["tables"][0].update(sizes=[-1, -1]),
        lambda c: c["tables"][0].update(sizes=[10**9, 10**9]),
        lambda c: c["tables"][0].update(sizes=c["tables"][0]["sizes"] + [1]),
        lambda c: c.update(game="connect_four"),
        lambda c: c.update(game="othello_6x6"),
        lambda c: c.update(game="shogi"),
        lambda c: c.update(kind="linear"),
        lambda c: c.update(kind="sum"),
        lambda c: c.update(kind="pattern network"),
        lambda c: c.update(features=["corners"]),
        lambda c: c.update(features_digest="0" * 16),
        lambda c: c.pop("features"),
        lambda c: c["files"].pop(WEIGHTS),
    ],
)
def test_cards_of_no_model_are_refused(folder: Path, change: Callable[[Any], Any]) -> None:
    change_card(folder, change)
    refused(folder)


@pytest.mark.parametrize("kept", [0, 10, 200, -1])
def test_files_that_are_cut_off_are_refused(folder: Path, kept: int) -> None:
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:kept])
    refused(folder, r"weights\.npz is cut off")
    with pytest.warns(UserWarning, match="is read only if you trust .* by name"):
        save(folder, model_of("tables"), name="model", keep_estimator=True)
    (folder / ESTIMATOR).write_bytes((folder / ESTIMATOR).read_bytes()[:kept])
    with pytest.raises(UserError, match=r"estimator\.skops is cut off"):
        _ = load_model(folder).estimator
