"""Weights before and after a fit, with errors, as an estimator tells and a folder keeps them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import samuel
from samuel.common.errors import UserError
from samuel.features import column_names, features_named
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models.compiled.model import arrays_bytes, arrays_in
from samuel.models.saved.card import CARD, ERRORS, digest
from samuel.models.saved.loading import load_weights
from samuel.models.tapered import TaperedLogistic
from samuel.models.weights import Weights, records_of

GAME = game_named("chess")


@pytest.fixture(scope="module")
def model() -> TaperedLogistic:
    """Two features fitted to chance; the others of `pesto` stay."""
    positions = random_positions(GAME, 500, seed=2, max_plies=80)
    results = np.random.default_rng(2).choice([-3.4, 3.4], len(positions))
    model = TaperedLogistic(["rooks", "material"], "chess", start="pesto", alpha=1e-6)
    return model.fit(positions, results)


@pytest.fixture
def folder(model: TaperedLogistic, tmp_path: Path) -> Path:
    samuel.save(tmp_path / "model", model, name="model")
    return tmp_path / "model"


def test_a_saved_model_keeps_errors_and_start(model: TaperedLogistic, folder: Path) -> None:
    weights = load_weights(folder)
    assert weights is not None and weights.fit is not None
    assert list(weights.columns) == column_names(weights.features)
    fitted = len(column_names(features_named(["rooks", "material"], "chess")))
    assert np.array_equal(weights.fit.errors[:, :fitted], model.errors_)
    assert np.array_equal(weights.fit.start[:, :fitted], model.start_)
    assert weights.fit.scale == model.scale_
    assert np.isnan(weights.fit.errors[:, fitted:]).all()
    kept = weights.weights[:, fitted:], weights.fit.start[:, fitted:]
    assert np.allclose(*kept)


def test_a_table_has_a_row_for_each_weight(model: TaperedLogistic, folder: Path) -> None:
    weights = load_weights(folder)
    assert weights is not None
    table = weights.table().set_index("column")
    ends = ("", "_error", "_start")
    assert list(table) == [f"at_{knot}{end}" for end in ends for knot in (0, 24)]
    assert table.loc["material_rook", "at_24_start"] == pytest.approx(4.77)
    assert table.loc["rooks_open", "at_0"] == pytest.approx(model.coef_[0, 0], abs=1e-5)
    last = records_of(weights.table())[-1]
    assert last["column"] == "piece_squares_king_h8" and "at_0_error" not in last
    assert json.loads(json.dumps(last)) == last


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *[("errors", number) for number in (-1.0, np.inf, -np.inf)],
        *[("start", number) for number in (np.nan, np.inf)],
        *[("scale", number) for number in (0.0, -1.0, np.nan, np.inf)],
    ],
)
def test_numbers_that_no_fit_tells_are_refused(folder: Path, name: str, number: float) -> None:
    arrays = {key: array.copy() for key, array in arrays_in((folder / ERRORS).read_bytes()).items()}
    arrays[name].flat[-1] = number
    content = arrays_bytes(arrays)
    (folder / ERRORS).write_bytes(content)
    card = json.loads((folder / CARD).read_text())
    card["files"][ERRORS] = digest(content)
    (folder / CARD).write_text(json.dumps(card))
    with pytest.raises(UserError, match=r"errors\.npz is damaged: .* no numbers"):
        load_weights(folder)


def test_folders_without_errors_load_and_damaged_ones_are_refused(folder: Path) -> None:
    card = json.loads((folder / CARD).read_text())
    arrays = {name: np.ones((2, 3)) for name in ("errors", "start")}
    marks = {"of_penalty": np.ones((2, 3), np.int8)}
    content = arrays_bytes(arrays | marks | {"scale": np.ones(1)})
    (folder / ERRORS).write_bytes(content)
    with pytest.raises(UserError, match="is cut off or altered"):
        load_weights(folder)
    card["files"][ERRORS] = digest(content)
    (folder / CARD).write_text(json.dumps(card))
    with pytest.raises(UserError, match="damaged: the arrays do not fit the weights"):
        load_weights(folder)
    assert samuel.load_evaluator(folder).game == "chess"
    del card["files"][ERRORS]
    (folder / CARD).write_text(json.dumps(card))
    weights = load_weights(folder)
    assert isinstance(weights, Weights) and weights.fit is None
    assert list(weights.table()) == ["column", "at_0", "at_24"]
