"""Networks over patterns: what they learn, that they compile, and what is refused."""

import copy
import functools
import hashlib
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.models import (
    PatternNetwork,
    PatternRegressor,
    load_evaluator,
    load_model,
    save,
)
from samuel.models.convert import compile_model
from samuel.models.evaluate import evaluate
from samuel.models.patterns.network import CEILING
from samuel.models.patterns.network_kernel import WIDTHS, layers_of
from samuel.models.saved.card import CARD, WEIGHTS
from samuel.search import analyse
from samuel.testing import check_evaluator
from tests.forms import kind_of
from tests.minimax import minimax
from tests.processes import run
from tests.rarely import rarely

GAMES = ("othello_6x6", "othello_4x4", "connect_four", "tic_tac_toe", "othello")

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@functools.cache
def data(game: str, n: int = 1000, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return positions, and targets in which two squares count for more together."""
    rules = game_named(game)
    X = random_positions(rules, n, seed=seed)
    discs = np.bitwise_count(X).astype(float)
    balance = discs[:, 0] - discs[:, 1]
    noise = np.random.default_rng(seed).normal(size=n)
    return X, np.abs(balance) + balance + 0.3 * noise


def network(game: str, **settings: Any) -> PatternNetwork:
    tables = settings.pop("tables", ())
    linear = PatternRegressor("tuples2", game, stages=2, tables=tables, max_iter=20)
    return PatternNetwork(linear, game=game, **{"random_state": 0, "epochs": 3, **settings})


@functools.cache
def fitted(game: str, units: int = WIDTHS[0]) -> PatternNetwork:
    return network(game, learning_rate=0.1, units=units).fit(*data(game))


@pytest.mark.parametrize("limit", [0.0, 1.0, 1e6])
def test_the_search_finds_what_plain_minimax_does(limit: float) -> None:
    model, rules = copy.deepcopy(fitted("othello_6x6")), game_named("othello_6x6")
    assert 0 < model.model_.limit < np.inf
    model.model_ = replace(model.model_, limit=limit * model.model_.limit)
    evaluator = compile_model(model, "m")
    for row in random_positions(rules, 30, seed=5, max_plies=28):
        position = Position(rules, tuple(map(int, row)))
        for depth in (1, 2, 3, 4):
            found = analyse(position, evaluator, depth=depth, exact_from=0)
            assert found.score == minimax(position, evaluator, depth)


def test_hidden_units_learn_what_is_not_linear() -> None:
    X, y = data("othello_6x6", 4000)
    fresh, truth = data("othello_6x6", 2000, seed=2)
    model = network("othello_6x6", epochs=10, learning_rate=0.1).fit(X, y)
    linear = clone(model.linear).fit(X, y)
    assert model.score(fresh, truth) > linear.score(fresh, truth) + 0.02


@pytest.mark.parametrize(
    "game", [GAMES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in GAMES[1:])]
)
@pytest.mark.parametrize("units", [WIDTHS[0], *map(rarely, WIDTHS[1:])])
def test_compiled_it_scores_as_predict(game: str, units: int) -> None:
    model, rules = fitted(game, units), game_named(game)
    assert kind_of(model) == "pattern network"
    X = random_positions(rules, 2000, seed=3)
    weights = len(model.linear_.terms_.patterns.instances) + 1
    scores = evaluate(compile_model(model, "m"), rules, X)
    np.testing.assert_allclose(scores, model.predict(X), atol=weights * 0.5 / 1024 + 2e-3)
    check_evaluator(compile_model(model, "m"), rules)


@pytest.mark.parametrize("units", WIDTHS)
def test_the_score_is_what_the_text_says(units: int) -> None:
    game, model = game_named("othello_4x4"), fitted("othello_4x4", units)
    X, _ = data("othello_4x4")
    patterns = model.linear_.terms_.patterns
    left = left_of(game, X)
    expected, network = model.linear_.predict(X).astype(float), model.model_
    parts = layers_of(units).parts(network.layers)
    for i, position in enumerate(X):
        player, opponent = (int(word) for word in position)
        total = np.zeros(units)
        for shape, squares in patterns.instances:
            number = 3 ** len(squares) // 2
            for place, square in enumerate(squares):
                bit = game.board.bits[square]
                number += 3**place * ((player >> bit & 1) - (opponent >> bit & 1))
            row = patterns.weight_of[patterns.starts[shape] + number]
            total += network.rows[row].astype(float) * network.steps
        stage = left[i] * len(network.layers) // len(network.biases)
        hidden = np.clip(network.biases[left[i]] + total, 0, CEILING)
        (weights, biases), (outputs, last) = ([one[stage] for one in part] for part in parts)
        added = (np.maximum(0, hidden @ weights + biases) @ outputs + last)[0]
        expected[i] += np.clip(added, -network.limit, network.limit)
    atol = 0.5 * (len(patterns.instances) + 1) / 1024 + 2e-3
    np.testing.assert_allclose(model.predict(X), expected, atol=atol)


@pytest.mark.slow
def test_tables_go_with_it() -> None:
    X, y = data("othello_4x4")
    tables = [("mobility_player", "mobility_opponent")]
    model = network("othello_4x4", tables=tables).fit(X, y)
    scores = evaluate(compile_model(model, "m"), game_named("othello_4x4"), X)
    np.testing.assert_allclose(scores, model.predict(X), atol=44 * 0.5 / 1024 + 2e-3)


def test_a_fit_may_go_on_from_the_one_before() -> None:
    X, y = data("othello_6x6", 1500)
    model = network("othello_6x6", epochs=1, learning_rate=0.02, warm_start=True).fit(X, y)
    error, linear = 1 - model.score(X, y), model.linear_
    for seed in (1, 2, 3):
        model.set_params(epochs=4, random_state=seed).fit(X, y)
    assert model.linear_ is linear
    assert 1 - model.score(X, y) < error / 3  # a ninth of it, with any seed
    found = model.predict(X)
    for least in ({"epochs": 0}, {"learning_rate": 1e-6}):
        still = copy.deepcopy(model).set_params(**least).fit(X, y)
        np.testing.assert_allclose(still.predict(X), found, atol=1e-2)


def test_it_comes_back_from_disk_and_runs_as_plain_python(tmp_path: Path) -> None:
    model, game = fitted("othello_4x4"), game_named("othello_4x4")
    save(tmp_path / "m", model, name="m")
    back = load_model(tmp_path / "m")
    X = random_positions(game, 20, seed=2)
    expected = evaluate(compile_model(model, "m"), game, X)
    np.testing.assert_array_equal(back.predict(X), expected)
    np.testing.assert_array_equal(evaluate(load_evaluator(tmp_path / "m", game), game, X), expected)
    assert back.card["kind"] == "pattern network"
    code = (
        "import json, sys; from samuel.games import game_named; from samuel import models;"
        "from samuel.games.playing import random_positions; game = game_named('othello_4x4');"
        "evaluator = models.load_evaluator(sys.argv[1], game);"
        "scores = models.evaluate(evaluator, game, random_positions(game, 20, seed=2));"
        "print(json.dumps([scores.tolist(), 'sklearn' in sys.modules]))"
    )
    scores, imported = json.loads(run("-c", code, tmp_path / "m", env={"NUMBA_DISABLE_JIT": "1"}))
    assert not imported
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.update(rows=a["rows"][1:]),
        lambda a: a.update(rows=a["rows"][:, 1:]),
        lambda a: a.update(biases=a["biases"][1:]),
        lambda a: a["biases"].fill(np.nan),
        lambda a: a["layers"].__setitem__((0, 0), np.inf),
        lambda a: a["weights"].fill(np.nan),
        lambda a: a.update(layers=a["layers"][:, 1:]),
        lambda a: a.update(layers=a["layers"][:0]),
        lambda a: a["layers"].fill(np.inf),
        lambda a: a["steps"].fill(np.nan),
        lambda a: a["steps"].__setitem__(0, 0.0),
        lambda a: a["steps"].__setitem__(0, -1.0),
        lambda a: a.update(steps=np.zeros(0, np.float32)),
        lambda a: a["limit"].fill(-1.0),
        lambda a: a["limit"].fill(np.nan),
        lambda a: a["limit"].fill(np.inf),
        lambda a: a.update(limit=np.zeros(2, np.float32)),
        lambda a: a.pop("rows"),
        lambda a: a.pop("knots"),
    ],
)
def test_damaged_arrays_are_refused(tmp_path: Path, change: Any) -> None:
    save(tmp_path / "m", fitted("othello_4x4"), name="m")
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


@pytest.mark.parametrize(
    "change",
    [
        lambda card: card.update(linear={}),
        lambda card: card.update(linear=None),
        lambda card: card["linear"].update(shapes=[]),
        lambda card: card["linear"].update(game="othello_6x6"),
        lambda card: card.update(game="othello_6x6"),
        lambda card: card.update(kind="patterns"),
        lambda card: card.update(kind="sum"),
    ],
)
def test_damaged_cards_are_refused(tmp_path: Path, change: Any) -> None:
    save(tmp_path / "m", fitted("othello_4x4"), name="m")
    card = json.loads((tmp_path / "m" / CARD).read_text())
    change(card)
    (tmp_path / "m" / CARD).write_text(json.dumps(card))
    with pytest.raises(UserError) as caught:
        load_model(tmp_path / "m")
    assert "\n" not in str(caught.value)
