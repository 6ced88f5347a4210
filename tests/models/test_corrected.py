"""`Corrected`: two regressors that add up, compiled and on disk."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from samuel.common.errors import UserError
from samuel.features import Features, Patterns
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import Corrected, PatternRegressor, load_model, save
from samuel.models.convert import compile_model, compiled_model, kind_of, predict
from samuel.models.evaluate import evaluate
from samuel.models.saved.card import CARD, WEIGHTS
from samuel.testing import check_evaluator

GAME = game_named("othello_6x6")
X = random_positions(GAME, 1500, seed=1)
FRESH = random_positions(GAME, 1000, seed=2)
MOBILITY = Features(["mobility"], GAME.name).fit_transform(X)
Y = MOBILITY[:, 0] * MOBILITY[:, 1] / 4 + np.random.default_rng(0).normal(size=len(X))

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def linear() -> PatternRegressor:
    return PatternRegressor("tuples2", GAME.name, stages=3, max_iter=20)


def trees() -> Any:
    boosting = GradientBoostingRegressor(n_estimators=10, random_state=0)
    return make_pipeline(Features(["mobility"], GAME.name), boosting)


@pytest.fixture(scope="module")
def fitted() -> Corrected:
    return Corrected(linear(), trees()).fit(X, Y)


def test_the_second_learns_what_the_first_leaves(fitted: Corrected) -> None:
    first = linear().fit(X, Y)
    second = trees().fit(X, Y.astype(np.float32) - first.predict(X))
    np.testing.assert_allclose(
        fitted.predict(FRESH), first.predict(FRESH) + second.predict(FRESH), atol=1e-4
    )
    assert fitted.score(X, Y) > first.score(X, Y) + 0.05
    assert fitted.predict(FRESH).dtype == np.float32


def test_compiled_it_is_the_sum(fitted: Corrected) -> None:
    assert kind_of(fitted) == "sum"
    assert fitted.compiled().parameters == sum(part.parameters for part in fitted.compiled().parts)
    scores = evaluate(compile_model(fitted, "m"), GAME, FRESH)
    np.testing.assert_allclose(scores, predict(fitted, FRESH), atol=111 * 0.5 / 1024 + 1e-3)
    check_evaluator(compile_model(fitted, "m"), GAME)


def test_sums_of_sums_and_of_pipelines_compile(tmp_path: Path) -> None:
    pipeline = make_pipeline(Patterns("tuples2", GAME.name), Ridge(5.0))
    slope = make_pipeline(Features(["squares"], GAME.name), LinearRegression())
    model = Corrected(Corrected(slope, pipeline), trees()).fit(X, Y)
    assert model.game == model.estimator_.game == GAME.name
    expected = evaluate(compile_model(model, "m"), GAME, FRESH)
    np.testing.assert_allclose(expected, model.predict(FRESH), atol=111 * 0.5 / 1024 + 1e-3)
    save(tmp_path / "m", model, name="m")
    np.testing.assert_array_equal(load_model(tmp_path / "m").predict(FRESH), expected)


def test_weights_reach_both() -> None:
    weight = (np.arange(len(X)) % 2).astype(float)
    y = np.where(weight > 0, 5.0, -5.0)
    model = Corrected(linear(), trees()).fit(X, y, weight)
    np.testing.assert_allclose(model.predict(X), 5.0, atol=0.5)
    kept = Corrected(linear(), trees()).fit(X[1::2], Y[1::2])
    weighted = Corrected(linear(), trees()).fit(X, Y, weight)
    assert np.corrcoef(kept.predict(FRESH), weighted.predict(FRESH))[0, 1] > 0.99
    neighbours = make_pipeline(Features(["mobility"], GAME.name), KNeighborsRegressor(1))
    assert Corrected(linear(), neighbours).fit(X, y, weight).predict(X).std() > 1


def test_it_keeps_the_contract_of_an_estimator(fitted: Corrected) -> None:
    model = Corrected(linear(), trees())
    copy = clone(model.set_params(estimator__alpha=3.0))
    assert copy.get_params()["estimator__alpha"] == 3.0
    assert not hasattr(copy.fit(X, Y).estimator, "coef_")
    assert fitted.n_features_in_ == 2
    with pytest.raises(NotFittedError):
        model.predict(X)
    np.testing.assert_array_equal(clone(fitted).fit(X, Y).predict(FRESH), fitted.predict(FRESH))


def test_it_comes_back_from_disk(fitted: Corrected, tmp_path: Path) -> None:
    save(tmp_path / "m", fitted, name="m", card={"rows": 3})
    back = load_model(tmp_path / "m")
    np.testing.assert_array_equal(
        back.predict(FRESH), evaluate(compile_model(fitted, "m"), GAME, FRESH)
    )
    assert (back.card["kind"], back.card["model"], back.card["rows"]) == ("sum", "Corrected", 3)


def test_with_a_part_that_has_no_compiled_form_it_has_none() -> None:
    neighbours = make_pipeline(Features(["mobility"], GAME.name), KNeighborsRegressor())
    model = Corrected(linear(), neighbours).fit(X, Y)
    assert compiled_model(model) is None
    assert kind_of(model) == "slow"


def test_two_games_do_not_add_up() -> None:
    other = make_pipeline(Features(["mobility"], "othello"), LinearRegression())
    model = Corrected(linear(), other).fit(X, Y)
    with pytest.raises(UserError):
        compile_model(model, "m")


@pytest.mark.parametrize(
    "change",
    [
        lambda card: card.update(parts=[]),
        lambda card: card["parts"].pop(),
        lambda card: card["parts"].append(card["parts"][0]),
        lambda card: card["parts"].reverse(),
        lambda card: card.update(parts=[3, 4]),
        lambda card: card["parts"][0].update(kind="slow"),
        lambda card: card["parts"][0].update(kind="sum"),
        lambda card: card["parts"][0].update(game="othello_4x4"),
        lambda card: card["parts"][1].update(features=["squares"]),
        lambda card: card["parts"][1].update(features=[["squares"]]),
        lambda card: card["parts"][1].update(features=[]),
        lambda card: card["parts"][1].pop("kind"),
        lambda card: card.update(game="othello"),
    ],
)
def test_damaged_cards_are_refused(fitted: Corrected, tmp_path: Path, change: Any) -> None:
    save(tmp_path / "m", fitted, name="m")
    card = json.loads((tmp_path / "m" / CARD).read_text())
    change(card)
    (tmp_path / "m" / CARD).write_text(json.dumps(card))
    with pytest.raises(UserError) as caught:
        load_model(tmp_path / "m")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays.pop("0_weights"),
        lambda arrays: arrays["0_weights"].fill(np.nan),
        lambda arrays: arrays["1_integers_0"].fill(10**6),
        lambda arrays: arrays["1_floats_0"].fill(np.nan),
        lambda arrays: arrays.update({"1_integers_0": arrays["1_integers_0"][:-1]}),
    ],
)
def test_damaged_arrays_are_refused(fitted: Corrected, tmp_path: Path, change: Any) -> None:
    save(tmp_path / "m", fitted, name="m")
    with np.load(tmp_path / "m" / WEIGHTS) as arrays:
        content = dict(arrays)
    change(content)
    file = io.BytesIO()
    np.savez(file, **content)
    (tmp_path / "m" / WEIGHTS).write_bytes(file.getvalue())
    card = json.loads((tmp_path / "m" / CARD).read_text())
    card["files"][WEIGHTS] = hashlib.sha256(file.getvalue()).hexdigest()
    (tmp_path / "m" / CARD).write_text(json.dumps(card))
    with pytest.raises(UserError, match=r"weights\.npz is damaged"):
        load_model(tmp_path / "m")
