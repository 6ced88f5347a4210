"""Networks in files of ONNX score the same compiled as the file says."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.features import column_names, extract, features_named
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models.convert import compile_model, kind_of
from samuel.models.evaluate import evaluate
from samuel.models.onnx_file import read_network
from samuel.models.onnx_graph import layers_of

onnx = pytest.importorskip("onnx", reason="samuel-learning[onnx] is not installed")
reference = pytest.importorskip("onnx.reference")
helper, numpy_helper = onnx.helper, onnx.numpy_helper

OTHELLO = game_named("othello")
NAMES = ["square_classes", "mobility"]
READ = features_named(NAMES, "othello")
COLUMNS = len(column_names(READ))
FRESH = random_positions(OTHELLO, 10_000, seed=2)
RNG = np.random.default_rng(0)
W1, B1 = RNG.normal(size=(COLUMNS, 16)) / 9, RNG.normal(size=16)
W2, B2 = RNG.normal(size=(16, 8)) / 4, RNG.normal(size=8)
W3, B3 = RNG.normal(size=(8, 1)), RNG.normal(size=1)


def as_pytorch(activation="Relu"):
    """A product with a transposed matrix, as torch.nn.Linear is exported."""
    arrays = {"w1": W1.T, "b1": B1, "w2": W2.T, "b2": B2, "w3": W3.T, "b3": B3}
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h1"], transB=1),
        helper.make_node(activation, ["h1"], ["a1"]),
        helper.make_node("Gemm", ["a1", "w2", "b2"], ["h2"], transB=1),
        helper.make_node(activation, ["h2"], ["a2"]),
        helper.make_node("Gemm", ["a2", "w3", "b3"], ["y"], transB=1),
    ]
    return nodes, arrays


def as_keras():
    """Products and sums of their own, a scaling before them, a constant, a reshape at the end."""
    arrays = {"mean": np.full(COLUMNS, 2.0), "std": np.full(COLUMNS, 3.0), "w1": W1, "b1": B1,
              "w3": W3[[0] * 16], "shape": np.array([-1])}  # fmt: skip
    constant = numpy_helper.from_array(np.array([0.5], np.float32))
    nodes = [
        helper.make_node("Constant", [], ["half"], value=constant),
        helper.make_node("Sub", ["x", "mean"], ["s"]),
        helper.make_node("Div", ["s", "std"], ["z"]),
        helper.make_node("MatMul", ["z", "w1"], ["m"]),
        helper.make_node("Add", ["b1", "m"], ["h"]),
        helper.make_node("Tanh", ["h"], ["a"]),
        helper.make_node("MatMul", ["a", "w3"], ["o"]),
        helper.make_node("Mul", ["half", "o"], ["c"]),
        helper.make_node("Reshape", ["c", "shape"], ["y"]),
    ]
    return nodes, arrays


def with_everything():
    """What folds into layers: normalization, limits that are none, and shapes of all kinds."""
    nodes, arrays = as_pytorch()
    arrays |= {"scale": B1 + 3, "bias": B1, "mean": B1 / 2, "var": B1**2 + 1}
    arrays |= {"zero": np.zeros(()), "flat": np.array([0, -1]), "narrow": np.array([-1, 1, 8])}
    arrays |= {"wt": W3.T, "axes": np.array([1])}
    nodes[1:2] = [
        helper.make_node("BatchNormalization", ["h1", "scale", "bias", "mean", "var"], ["n"]),
        helper.make_node("Identity", ["n"], ["i"]),
        helper.make_node("Clip", ["i", "zero"], ["a1"]),
    ]
    nodes.insert(-2, helper.make_node("LeakyRelu", ["h2"], ["same"], alpha=1.0))
    nodes[-2].input[0] = "same"
    nodes[-1:] = [
        helper.make_node("Dropout", ["a2"], ["d", "mask"]),
        helper.make_node("Shape", ["d"], ["size"]),
        helper.make_node("Constant", [], ["one"], value_ints=[1]),
        helper.make_node("Constant", [], ["all"], value_ints=[-1]),
        helper.make_node("Constant", [], ["first"], value_int=0),
        helper.make_node("Gather", ["size", "first"], ["batch"]),
        helper.make_node("Unsqueeze", ["batch", "where"], ["batches"]),
        helper.make_node("Constant", [], ["where"], value_ints=[0]),
        helper.make_node("Concat", ["batches", "one", "all"], ["shape"], axis=0),
        helper.make_node("Reshape", ["d", "shape"], ["r"]),
        helper.make_node("Squeeze", ["r", "axes"], ["q"]),
        helper.make_node("Flatten", ["q"], ["f"]),
        helper.make_node("Transpose", ["wt"], ["w"], perm=[1, 0]),
        helper.make_node("MatMul", ["f", "w"], ["p"]),
        helper.make_node("Constant", [], ["half"], value_float=0.5),
        helper.make_node("Constant", [], ["some"], value_floats=[0.25]),
        helper.make_node("Add", ["half", "p"], ["s"]),
        helper.make_node("Sub", ["some", "s"], ["e"]),
        helper.make_node("Neg", ["e"], ["u"]),
        helper.make_node("Cast", ["u"], ["y"], to=1),
    ]
    nodes.insert(0, nodes.pop([node.output[0] for node in nodes].index("where")))
    return nodes, arrays


def sigmoid_at_the_end():
    nodes, arrays = as_pytorch("Tanh")
    nodes[-1].output[0] = "logit"
    return [*nodes, helper.make_node("Sigmoid", ["logit"], ["y"])], arrays


def written(path, network, columns=COLUMNS):
    nodes, arrays = network
    constants = [
        numpy_helper.from_array(a if a.dtype.kind == "i" else a.astype(np.float32), name)
        for name, a in arrays.items()
    ]
    ends = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in (("x", ["n", columns]), ("y", None))
    ]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])
    model.ir_version = 8
    path.write_bytes(model.SerializeToString())
    return path


def said_by(path):
    X = extract(READ, FRESH).astype(np.float32)
    (said,) = reference.ReferenceEvaluator(str(path)).run(None, {"x": X})
    return np.ravel(said)


@pytest.mark.parametrize(
    "network", [as_pytorch(), as_pytorch("Sigmoid"), as_keras(), with_everything()]
)
def test_compiled_equals_the_file(network, tmp_path):
    path = written(tmp_path / "net.onnx", network)
    pipeline = read_network(path, NAMES, OTHELLO)
    assert kind_of(pipeline) == "mlp"
    found = evaluate(compile_model(pipeline, "net"), OTHELLO, FRESH)
    np.testing.assert_allclose(found, said_by(path), rtol=0, atol=1e-3)


def test_a_sigmoid_at_the_end_is_log_odds(tmp_path):
    path = written(tmp_path / "net.onnx", sigmoid_at_the_end())
    compiled = compile_model(read_network(path, NAMES, OTHELLO), "net", scale=8.0)
    p = said_by(path).astype(float)
    np.testing.assert_allclose(
        evaluate(compiled, OTHELLO, FRESH), 8 * np.log(p / (1 - p)), rtol=1e-3, atol=1e-3
    )


def branching():
    nodes, arrays = as_pytorch()
    nodes[-1].input[0] = "sum"
    return [*nodes[:-1], helper.make_node("Add", ["a2", "h2"], ["sum"]), nodes[-1]], arrays


def two_activations():
    nodes, arrays = as_pytorch()
    nodes[3].op_type = "Tanh"
    return nodes, arrays


def with_node(operator):
    nodes, arrays = as_pytorch()
    nodes[1].op_type = operator
    return nodes, arrays


@pytest.mark.parametrize(
    ("network", "columns", "words"),
    [
        (as_pytorch(), 7, "reads 7 numbers"),
        (branching(), COLUMNS, "more than one way and meet in Add"),
        (two_activations(), COLUMNS, "onnx has hidden layers with different activations; all"),
        (with_node("Softplus"), COLUMNS, "operator Softplus is not supported; supported are"),
    ],
)
def test_other_networks_are_refused(network, columns, words, tmp_path):
    path = written(tmp_path / "net.onnx", network, columns)
    with pytest.raises(UserError, match=words):
        read_network(path, NAMES, OTHELLO)


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([("LeakyRelu", ["h"])], "operator LeakyRelu is not supported"),
        ([("Clip", ["h", "zero", "six"])], "operator Clip is not supported"),
        ([("Softmax", ["h"])], "operator Softmax is not supported"),
        ([("a\nb" * 999, ["h"])], r"operator a\?ba\?ba[^\n]{,900}$"),
        ([("Add", ["h", "odd"])], "Add with a constant of 3 where there are 16 values"),
        ([("MatMul", ["odd", "h"])], "MatMul is supported for the values"),
        ([("Div", ["six", "h"])], "divides by its values"),
        ([("Add", ["h", "nowhere"])], "nothing before it makes the value 'nowhere'"),
        ([("Concat", ["odd"] * 9), ("Add", ["h", "0"])], "Add with a constant of 27"),
        ([("Concat", [str(k - 1 if k else "odd")] * 9) for k in range(9)], "more is computed"),
        ([("Einsum", ["odd"]), ("Add", ["h", "0"])], "operator Einsum on constants"),
        ([("Slice", ["w", "odd", "odd"]), ("Add", ["h", "0"])], "net.onnx .* several axes is not"),
    ],
)
def test_what_is_not_supported_is_named(nodes, words, tmp_path):
    arrays = {"w": W1, "zero": np.zeros(()), "six": np.array(6.0), "odd": np.arange(3.0)}
    made = [helper.make_node("MatMul", ["x", "w"], ["h"])]
    for k, (operator, inputs) in enumerate(nodes):
        more = {"axis": 0} if operator == "Concat" else {}
        made.append(helper.make_node(operator, inputs, [str(k)], **more))
    end = ["h" if nodes[-1][0] == "Concat" else str(len(nodes) - 1)] + [str(len(nodes) - 1)] * (
        nodes[-1][0] == "Concat"
    )
    made.append(helper.make_node("Add" if end[1:] else "Identity", end, ["y"]))
    with pytest.raises(UserError, match=words):
        read_network(written(tmp_path / "net.onnx", (made, arrays)), NAMES, OTHELLO)


class Watched:
    """A node that counts how often something of it is asked for."""

    looks = 0

    def __init__(self, node):
        self.node = node

    def __getattr__(self, name):
        Watched.looks += 1
        return getattr(self.node, name)


def test_each_node_is_looked_at_a_few_times(tmp_path):
    """In a chain of twice as many nodes twice as often, not four times."""
    looks = []
    for n in (100, 200):
        names = ["x", *map(str, range(n))]
        nodes = [helper.make_node("Identity", [a], [b]) for a, b in itertools.pairwise(names)]
        nodes.append(helper.make_node("MatMul", [names[-1], "w"], ["y"]))
        path = written(tmp_path / "net.onnx", (nodes, {"w": W1[:, :1]}))
        graph = onnx.load(path).graph
        fields = ("input", "output", "initializer")
        watched = SimpleNamespace(**{name: getattr(graph, name) for name in fields})
        watched.node = [Watched(node) for node in graph.node]
        before = Watched.looks
        layers, _ = layers_of(watched, onnx, path, COLUMNS)
        np.testing.assert_allclose(layers[0].weights, W1[:, :1], rtol=1e-6)
        looks.append(Watched.looks - before)
    assert 0 < looks[1] < 2.1 * looks[0]


def test_weights_in_other_files_are_not_read(tmp_path):
    path = written(tmp_path / "net.onnx", as_pytorch())
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="/etc/hostname")
    path.write_bytes(model.SerializeToString())
    with pytest.raises(UserError, match="in other files"):
        read_network(path, NAMES, OTHELLO)


def test_damaged_files_are_refused_in_a_sentence(tmp_path):
    path = written(tmp_path / "net.onnx", as_pytorch())
    content = path.read_bytes()
    for _ in range(300):
        damaged = bytearray(content)
        for at in RNG.integers(0, len(damaged) if RNG.random() < 0.5 else 200, 3):
            damaged[at] = RNG.integers(256)
        path.write_bytes(damaged[: RNG.integers(len(damaged))] if RNG.random() < 0.3 else damaged)
        try:
            compile_model(read_network(path, NAMES, OTHELLO), "net", scale=8.0)
        except UserError as error:
            assert "\n" not in str(error)
