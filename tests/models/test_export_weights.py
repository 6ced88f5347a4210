"""Weights of linear models in files for other programs say what the model says."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import samuel
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models.export import export_model
from samuel.models.named import handmade_model
from samuel.models.tapered import TaperedLogistic
from samuel.models.weights import Weights

CHESS = game_named("chess")
MODEL = handmade_model("classic", CHESS)
assert MODEL is not None
WEIGHTS = Weights.of(MODEL)


def exported(tmp_path: Path, format: str, model: str = "classic", game: str = "chess") -> Path:
    out = tmp_path / f"weights.{format}"
    assert export_model(model, game_named(game), format, out) == out.stat().st_size
    return out


def test_numpy_json_and_csv_hold_the_weights(tmp_path: Path) -> None:
    arrays = np.load(exported(tmp_path, "numpy"))
    assert arrays["columns"].tolist() == list(WEIGHTS.columns)
    assert np.array_equal(arrays["weights"], WEIGHTS.weights)
    told = json.loads(exported(tmp_path, "json").read_text())
    assert (told["game"], told["unit"], told["knots"]) == ("chess", "pawns", [0, 24])
    assert np.allclose([told["weights"][c] for c in WEIGHTS.columns], WEIGHTS.weights.T)
    with exported(tmp_path, "csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["column", "at_0", "at_24"]
    assert [row[0] for row in rows[2:]] == list(WEIGHTS.columns)
    assert np.allclose(np.array([row[1:] for row in rows[2:]], float), WEIGHTS.weights.T)


def test_a_header_has_whole_hundredths_of_a_pawn_from_a1_on(tmp_path: Path) -> None:
    text = exported(tmp_path, "c").read_text()
    arrays = {
        name: np.array([row.split(",") for row in re.findall(r"\{([-\d, ]+)\}", body)], int)
        for name, body in re.findall(
            r"int32_t (\w+)\[\d+\]\[WEIGHT_STAGES\] = \{(.*?)\n\};", text, re.S
        )
    }
    by_name = dict(zip(WEIGHTS.columns, np.round(100 * WEIGHTS.weights.T).astype(int), strict=True))
    for k, kind in enumerate(("pawn", "knight", "bishop", "rook", "queen")):
        assert arrays["material"][k].tolist() == by_name[f"material_{kind}"].tolist()
        table = arrays[f"piece_squares_{kind}"]
        assert table.shape == (64, 2)
        for name, square in (("a2", 8), ("h7", 55), ("e4", 28)):
            assert table[square].tolist() == by_name[f"piece_squares_{kind}_{name}"].tolist()
    assert arrays["piece_squares_pawn"][:8].tolist() == [[0, 0]] * 8
    assert len(arrays["activity"]) == 15


def test_files_of_a_fitted_model_hold_errors_start_and_scale(tmp_path: Path) -> None:
    positions = random_positions(CHESS, 300, seed=3, max_plies=80)
    results = np.random.default_rng(3).choice([-3.4, 3.4], len(positions))
    fitted = TaperedLogistic(["rooks"], "chess", start="material", scale=2.5)
    samuel.save(tmp_path / "model", fitted.fit(positions, results), name="model")
    model = str(tmp_path / "model")
    table = pd.read_csv(exported(tmp_path, "csv", model)).set_index("column")
    assert table.loc["rooks_open", "at_24_error"] == pytest.approx(fitted.errors_[1, 0])
    assert table.loc["material_rook"].tolist()[:2] == table.loc["material_rook"].tolist()[4:]
    told = json.loads(exported(tmp_path, "json", model).read_text())
    assert told["start"]["rooks_open"] == [0, 0] and told["errors"]["material_pawn"] == [None, None]
    assert told["weights"]["material_rook"] == [5.0, 5.0] and told["scale"] == 2.5
    arrays = np.load(exported(tmp_path, "numpy", model))
    assert arrays["errors"].shape == arrays["start"].shape == arrays["weights"].shape
    text = exported(tmp_path, "c", model).read_text()
    assert "1 / (1 + exp(-score / 250))" in text and re.search(r"/\* open \+- \d+, \d+ \*/", text)
    assert "/* rook */" in text and text.count("*/") == text.count("/*")
