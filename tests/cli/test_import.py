"""`samuel models import`."""

import numpy as np
import pytest

from samuel.features import extract, features_named
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import evaluate, load_evaluator

onnx = pytest.importorskip("onnx", reason="samuel-learning[onnx] is not installed")
OTHELLO = game_named("othello")


def network(path, *ends):
    """A network over mobility that multiplies by 2, adds 1 and takes what is above 0."""
    make = onnx.helper.make_node
    nodes = [make("Mul", ["x", "two"], ["m"]), make("Add", ["m", "one"], ["s"])]
    nodes += [make("Relu", ["s"], ["r"]), make("MatMul", ["r", "sum"], ["o"])]
    nodes += [make(end, ["o"], ["e"]) for end in ends]
    arrays = {"two": [2.0, 2.0], "one": [1.0], "sum": [[1.0], [-1.0]]}
    constants = [
        onnx.numpy_helper.from_array(np.array(a, np.float32), name) for name, a in arrays.items()
    ]
    shapes = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", size])
        for name, size in (("x", 2), (nodes[-1].output[0], 1))
    ]
    graph = onnx.helper.make_graph(nodes, "net", shapes[:1], shapes[1:], constants)
    path.write_bytes(onnx.helper.make_model(graph).SerializeToString())
    return str(path)


READS = "--features mobility"


def test_it_makes_a_model(as_json, tmp_path):
    file, out = network(tmp_path / "net.onnx"), tmp_path / "model"
    made = as_json(f"models import {file} {READS} --out {out}")
    assert made["units"] == [2, 2, 1] and made["activation"] == "relu"
    positions = random_positions(OTHELLO, 100, seed=1)
    read = extract(features_named(["mobility"], "othello"), positions)
    expected = np.maximum(2 * read + 1, 0) @ [1, -1]
    np.testing.assert_allclose(evaluate(load_evaluator(out), OTHELLO, positions), expected, 1e-5)


def test_it_says_what_is_needed(run, tmp_path):
    file = network(tmp_path / "net.onnx", "Sigmoid")
    out = f"--out {tmp_path / 'model'}"
    for line, words in (
        (f"models import {file} {READS} {out}", "--scale"),
        (f"models import {file} --features groups,mobility {out}", "reads 2 numbers"),
        (f"models import {tmp_path / 'none.onnx'} {READS} {out}", "none.onnx cannot be read"),
        (f"models import {file} --features mobillity {out}", "mobility"),
    ):
        status, _, err = run(line)
        assert status == 1 and words in err and err.count("\n") == 1, err
    assert not (tmp_path / "model").exists()
