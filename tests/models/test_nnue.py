"""Efficiently updatable networks: what they compute, what they learn, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVR

from samuel.common.errors import UserError
from samuel.features import Features, feature_names
from samuel.games import Position, game_named
from samuel.games.changes import board_of
from samuel.games.game import Game
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.kernels.jit import jit
from samuel.learning.fitting.estimators import begin_from
from samuel.models import NNUEClassifier, NNUERegressor, evaluate, load_evaluator, save
from samuel.models.compiled.model import CardError
from samuel.models.compiled.sums import SumModel
from samuel.models.nnue.inputs import rows_by_code, views_in
from samuel.models.nnue.model import NnueModel
from samuel.models.nnue.shape import ONE_UNIT
from samuel.search import analyse
from samuel.testing import ContractError, check_evaluator
from tests.networks import forward, plain, random_network


def data(name: str, n: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """Return positions, and the balance of the pieces of both sides."""
    game = game_named(name)
    X = random_positions(game, n, seed=1)
    counts = np.bitwise_count(X[:, : board_of(game).words]).astype(float)
    return X, counts[:, ::2].sum(axis=1) - counts[:, 1::2].sum(axis=1)


def by_hand(model: NnueModel, rows: np.ndarray) -> np.ndarray:
    """Return the scores of positions by numpy, in floating point."""
    game, words = model.game, board_of(model.game).words
    tables, views = rows_by_code(game, model.shape.n_areas), views_in(game, model.shape, rows)
    left = np.clip(left_of(game, rows), 0, game.most_left)
    buckets = left * len(model.layers) // (game.most_left + 1)
    layers, found = model.shape.layers, []
    for row, bucket, seen in zip(rows.tolist(), buckets, views, strict=True):
        halves = []
        for half, view in enumerate(seen):
            total = model.biases.astype(int)
            for code in range(64 * words):
                if row[code // 64] >> code % 64 & 1:
                    total = total + model.rows[tables[view, half, code]]
            halves.append(total)
        units = np.clip(np.concatenate(halves) / ONE_UNIT, 0, 1)
        values = units**2 if model.shape.activation == "screlu" else units
        found.append(forward(layers, model.float_layers[bucket].astype(float), values)[-1][0])
    return model.unit * np.array(found)


@pytest.mark.parametrize("activation", ["crelu", "screlu"])
@pytest.mark.parametrize("hidden", [(), (16, 8)])
@pytest.mark.parametrize("name", ["xiangqi", "othello_6x6"])
def test_scores_are_those_of_the_layers(name: str, hidden: Any, activation: Any) -> None:
    game, king = game_named(name), "K" if name in ("chess", "xiangqi") else ""
    areas = 3 if king and activation == "crelu" else 1
    model = random_network(game, 32, hidden, activation, buckets=3, king=king, areas=areas)
    model.check()
    rows = random_positions(game, 20, seed=2)
    scores, expected = evaluate(model.evaluator("x"), game, rows), by_hand(model, rows)
    # numbers of hidden layers are cut off at 1/255
    tolerance = 0.1 * np.std(expected) if hidden else 1e-5 * np.abs(expected).max()
    assert np.abs(scores - expected).max() <= tolerance


def test_networks_keep_the_contract_of_evaluators() -> None:
    game = game_named("othello_4x4")
    check_evaluator(random_network(game, 16, buckets=2).evaluator("random"), game)


def test_a_state_that_is_updated_wrongly_is_noticed() -> None:
    game = game_named("othello_4x4")
    evaluator = random_network(game, 16).evaluator("random")
    own = evaluator.incremental
    assert own is not None
    wrong = plain(evaluator)

    @jit
    def update(
        position: Any, child: Any, integers: Any, floats: Any, state: Any, child_state: Any
    ) -> None:
        for k in range(8):
            child_state[k] = state[k]

    wrong.evaluate.incremental = own._replace(update=update)  # type: ignore[attr-defined]
    with pytest.raises(ContractError, match=r"the state gives .* after updates"):
        check_evaluator(wrong, game)


def test_a_network_learns_what_pieces_are_worth() -> None:
    X, y = data("checkers")
    model = NNUERegressor("checkers", units=16, epochs=10, learning_rate=0.02, random_state=1)
    model.fit(X, y)
    assert model.loss_curve_[-1] < 0.2 * model.loss_curve_[0]
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.95
    assert max(model.validation_scores_) > model.validation_scores_[0]
    whole, real = model.predict(X), model.float_scores(X)
    assert np.abs(whole - real).max() < 0.1 * np.std(y)


def test_a_saved_network_scores_alike_and_goes_on(tmp_path: Path) -> None:
    X, y = data("othello_6x6", 800)
    settings = {"units": 16, "epochs": 2, "buckets": 2, "warm_start": True, "random_state": 1}
    model = NNUERegressor("othello_6x6", **settings).fit(X, y)
    save(tmp_path / "model", model, name="small")
    game = game_named("othello_6x6")
    loaded = load_evaluator(str(tmp_path / "model"), game)
    assert np.array_equal(evaluate(loaded, game, X), model.predict(X))
    assert loaded.incremental is not None
    again = clone(model)
    begin_from(again, tmp_path / "model", "mine")
    assert np.array_equal(again.predict(X), model.predict(X))
    again.fit(X, y)
    assert again.loss_curve_[0] < model.loss_curve_[0]


@pytest.mark.parametrize(
    ("name", "factor", "said"),
    [
        ("rows", 1e30, "its weights are not those of the model"),
        ("biases", 1e4, "its weights are not those of the model"),
        ("layers", -1e30, "its weights are not those of the model"),
        ("layers", float("nan"), "exceeds the range of float32"),
        ("unit", 1e300, "its unit is too large"),
    ],
)
def test_a_crafted_warm_start_is_refused(name: str, factor: float, said: str) -> None:
    X, y = data("tic_tac_toe", 50)
    model = NNUERegressor("tic_tac_toe", units=16, epochs=1, random_state=1).fit(X, y)
    arrays = model.warm_start_arrays()
    with np.errstate(all="ignore"):
        arrays[name] = arrays[name] * arrays[name].dtype.type(factor)
    with pytest.raises(ValueError, match=said):
        clone(model).start_from(model.compiled(), arrays)


def test_a_network_beside_a_base_adds_to_its_score(tmp_path: Path) -> None:
    game = game_named("connect_four")
    X = random_positions(game, 800, seed=1)
    classic = evaluate(load_evaluator("classic", game), game, X)
    y = classic + 0.5 * np.sign(classic)
    base = make_pipeline(Features(feature_names("connect_four"), "connect_four"), Ridge())
    settings = {"units": 16, "epochs": 8, "warm_start": True, "random_state": 1}
    model = NNUERegressor("connect_four", base=base, learning_rate=0.005, **settings).fit(X, y)
    form = model.compiled()
    assert isinstance(form, SumModel)
    alone = evaluate(form.parts[0].evaluator("base"), game, X)
    assert np.allclose(alone, base.fit(X, y).predict(X), atol=1e-4)
    assert np.mean((model.predict(X) - y) ** 2) < np.mean((alone - y) ** 2)
    save(tmp_path / "model", model, name="both")
    loaded = load_evaluator(str(tmp_path / "model"), game)
    assert loaded.incremental is not None
    position = Position.start(game)
    found = [analyse(position, one, depth=6) for one in (loaded, plain(loaded))]
    assert found[0].score == found[1].score and found[0].nodes == found[1].nodes
    again = clone(model)
    begin_from(again, tmp_path / "model", "mine")
    assert np.array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="base is for NNUERegressor"):
        NNUEClassifier("connect_four", base=base).fit(X, y > 0)
    with pytest.raises(UserError, match="base must have a compiled form"):
        slow = make_pipeline(Features(feature_names("connect_four"), "connect_four"), SVR())
        NNUERegressor("connect_four", base=slow).fit(X[:50], y[:50])


@pytest.mark.parametrize("scale", [1e-40, 1e37])
def test_only_shares_of_weights_count(scale: float) -> None:
    X, y = data("tic_tac_toe", 200)
    model = NNUERegressor("tic_tac_toe", units=16, epochs=2, random_state=1)
    alike = clone(model).fit(X, y, sample_weight=np.full(200, scale))
    np.testing.assert_array_equal(alike.predict(X), model.fit(X, y).predict(X))


def with_shape(model: NnueModel, **changes: Any) -> NnueModel:
    return replace(model, shape=replace(model.shape, **changes))


def unsound(game: Game) -> dict[str, tuple[NnueModel, str]]:
    """Return networks that no search may run, and what is said of them."""
    good = random_network(game, 16, (8,))
    twice = replace(good, rows=np.tile(good.rows, (2, 1)))
    many = replace(with_shape(good, buckets=99), layers=np.repeat(good.layers, 99, axis=0))
    areas = (0, 1, 0) * 3
    return {
        "rows": (replace(good, rows=good.rows[:-1]), "'rows' has the shape"),
        "units": (replace(good, rows=np.zeros((len(good.rows), 15), np.int16)), "'rows' has"),
        "biases": (replace(good, biases=good.biases[:-1]), "'biases' has the shape"),
        "layers": (replace(good, layers=good.layers[:, :-1]), "'layers' has the shape"),
        "large": (replace(good, layers=np.full_like(good.layers, 32767)), "weight of 128.0, bey"),
        "least": (replace(good, layers=np.full_like(good.layers, -(1 << 31))), "beyond the limit"),
        "hidden": (with_shape(good, hidden=(4096,)), "its layers are too many, or of a size"),
        "buckets": (many, "its layers are too many"),
        "unit": (replace(good, unit=float("nan")), "'unit' gives scores that are not finite"),
        "areas without a king": (with_shape(twice, king_areas=areas), "needs a king"),
        "areas of no board": (with_shape(twice, king="X", king_areas=(0, 1)), "king_areas must"),
        "areas without rows": (with_shape(good, king="X", king_areas=areas), "'rows' has"),
        "one area": (with_shape(good, king="X", king_areas=(0,) * 9), "stand for none"),
    }


@pytest.mark.parametrize("which", unsound(game_named("tic_tac_toe")))
def test_a_crafted_network_is_refused(which: str) -> None:
    game = game_named("tic_tac_toe")
    random_network(game, 16, (8,)).check()
    form, said = unsound(game)[which]
    with pytest.raises(ValueError, match=said):
        form.check()


def test_a_crafted_card_is_refused() -> None:
    model = random_network(game_named("tic_tac_toe"), 16)
    for change in (
        *({"hidden": [9999]}, {"hidden": [1] * 50}, {"king": "Q"}, {"activation": "x"}),
        *({"units": 32}, {"buckets": 99}, {"king_areas": [0, 1, 0] * 3}),
        *({"king": "X", "king_areas": one} for one in ([0, 1], [-1, 0] * 8, [0, 1 << 80] * 8, 5)),
    ):
        with pytest.raises(ValueError, match=r"its layers|king|xpected|has the shape|Invalid"):
            NnueModel.read(model.described() | change, model.arrays()).check()
    with pytest.raises(ValueError, match="'unit' must hold one number"):
        NnueModel.read(model.described(), model.arrays() | {"unit": np.zeros(2, np.float32)})
    with pytest.raises(CardError, match="has no board"):
        NnueModel.read(model.described() | {"game": "pig"}, model.arrays()).check()
