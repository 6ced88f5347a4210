"""Efficiently updatable networks as other programs read them."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.read_exports import nnue_scores
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.models import evaluate, load_evaluator, save
from samuel.models.export import export_model
from samuel.models.export.c import piece_arrays
from samuel.models.nnue.estimators import regressor_of
from samuel.models.saved.loading import load_compiled
from tests.networks import random_network
from tests.rarely import rarely

NETWORKS = [
    ("chess", "K", 1, 4, (), "screlu"),
    ("chess", "K", 3, 4, (16,), "screlu"),
    *[("othello", "", 1, 4, hidden, "crelu") for hidden in ((), (16,))],
    rarely(("xiangqi", "K", 2, 2, (8, 3), "screlu")),
    ("othello_4x4", "", 1, 1, (1, 1), "crelu"),
    ("othello_4x4", "X", [0, 2, 1, 0] * 4, 1, (), "screlu"),  # several kings, or none
]
POSITIONS = 2000


@pytest.fixture(scope="module", params=NETWORKS, ids=lambda one: f"{one[0]}-{len(one[4])}")
def network(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a game, the folder of a network of it, positions, and their scores."""
    name, king, areas, buckets, hidden, activation = request.param
    game, folder = game_named(name), tmp_path_factory.mktemp("exported") / "model"
    model = random_network(game, 32, hidden, activation, buckets, king, 3, areas)
    save(folder, regressor_of(model), name="model")
    rows = random_positions(game, POSITIONS, seed=3)
    scores = evaluate(load_evaluator(folder, game), game, rows)
    assert np.array_equal(scores, evaluate(model.evaluator("x"), game, rows))
    assert len(np.unique(scores)) > 50
    return game, folder, rows, scores


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_function_in_c_gives_the_same_scores(network: Any, tmp_path: Path) -> None:
    game, folder, rows, scores = network
    export_model(str(folder), game, "c", tmp_path / "model.h")
    (tmp_path / "model.c").write_text(
        '#include "model.h"\n'
        "void score(int n, int k, const int *left, const unsigned long long *words, float *found)\n"
        "{ for (int i = 0; i < n; i++) found[i] = model_score(left[i], words + i * k); }\n"
    )
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([*command, "model.c", "-o", "model.so"], cwd=tmp_path, check=True)
    found, left = np.zeros(len(rows), np.float32), left_of(game, rows).astype(np.int32)
    given = (np.ascontiguousarray(one).ctypes for one in (left, rows, found))
    arguments = (one.data_as(ctypes.c_void_p) for one in given)
    ctypes.CDLL(str(tmp_path / "model.so")).score(len(rows), rows.shape[1], *arguments)
    assert np.array_equal(found, scores)


def test_a_reader_in_numpy_gives_the_same_scores(network: Any, tmp_path: Path) -> None:
    game, folder, rows, scores = network
    export_model(str(folder), game, "numpy", tmp_path / "model.npz")
    digits, left = game.board.digits(rows).T, left_of(game, rows)
    found = nnue_scores(dict(np.load(tmp_path / "model.npz")), digits, left)
    assert np.allclose(found, scores, rtol=1e-5)


def test_the_graph_of_onnx_gives_nearly_the_same_scores(network: Any, tmp_path: Path) -> None:
    """It computes with floating-point numbers, where the search cuts small layers off at 255ths."""
    onnx = pytest.importorskip("onnx")
    reference = pytest.importorskip("onnx.reference")
    game, folder, rows, scores = network
    rows, scores = rows[:200], scores[:200]
    form = load_compiled(folder)
    export_model(str(folder), game, "onnx", tmp_path / "model.onnx")
    model = onnx.load(tmp_path / "model.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert {prop.key: prop.value for prop in model.metadata_props}["game"] == game.name
    file, digits = piece_arrays(form), game.board.digits(rows).T
    given = {}
    for half, side in enumerate(("own", "other")):
        views = ((digits == file["kings"][half]) * file["views"][half]).max(axis=1)
        squares = np.arange(digits.shape[1])
        inputs = file["inputs"][views[:, None], half, digits, squares]
        vectors = np.zeros((len(rows), len(form.rows) + 1), np.float32)
        np.put_along_axis(vectors, inputs, 1, axis=1)  # -1 is behind the last
        given[side] = vectors[:, :-1]
    left = np.clip(left_of(game, rows), 0, game.most_left)
    given["bucket"] = (left * len(form.layers) // (game.most_left + 1)).astype(np.int64)
    (found,) = reference.ReferenceEvaluator(model).run(None, given)
    assert found.shape == (len(rows), 1) and found.dtype == np.float32
    hidden = form.shape.hidden
    tolerance = 0.1 * np.std(scores) if hidden else 1e-5 * np.abs(scores).max()
    assert np.abs(found[:, 0] - scores).max() <= max(tolerance, 0.01 * form.unit * len(hidden))
