"""Small multilayer networks in files of ONNX, read as scikit-learn's own.

A network is what leads from its one input to an output by layers one behind another: products with
matrices, sums with biases, shifts and scales of columns, and activations, as PyTorch, Keras and
skl2onnx write them. What lies between two activations is one layer, whatever it was made of.

ONNX's operators: https://onnx.ai/onnx/operators.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import LabelBinarizer

from samuel.errors import UserError
from samuel.extras import extra
from samuel.features import Features, column_names, features_named
from samuel.files import read_bytes
from samuel.games.catalog import known_game
from samuel.games.interface import Game

_ACTIVATIONS = {"Relu": "relu", "Tanh": "tanh", "Sigmoid": "logistic"}
_AS_IT_IS = {"Identity", "Cast", "Flatten", "Reshape", "Squeeze", "Dropout"}
_MOST_BYTES = 1 << 30


class Layer(NamedTuple):
    """Inputs times weights (inputs, units), and biases (units,), float64."""

    weights: NDArray[np.float64]
    biases: NDArray[np.float64]


def read_network(path: Path | str, features: list[str], game: Game | str) -> Pipeline:
    """Return the network of a file of ONNX as a fitted pipeline over positions.

    Parameters
    ----------
    features
        Names of what it reads, in its order: as many columns as it has inputs.

    Returns
    -------
    Pipeline
        `Features`, then an MLPRegressor whose output is the score of the side to move, in the
        game's unit; or, where the network ends in a sigmoid, an MLPClassifier that says whether
        the side to move wins.

    Raises
    ------
    UserError
        The package onnx is missing; the file cannot be read or holds another kind of network; or
        the features are not as many columns as it reads.
    """
    rules = known_game(game) if isinstance(game, str) else game
    columns = len(column_names(features_named(features, rules.name)))
    layers, activations = _read(Path(path), columns)
    return make_pipeline(Features(features, rules.name), _estimator(layers, activations, path))


def _estimator(layers: list[Layer], activations: list[str], path: Path | str) -> Any:
    """Return a fitted network of scikit-learn's; see `read_network`."""
    hidden = set(activations[:-1])
    if len(hidden) > 1:
        raise UserError(f"{path} has hidden layers of several activations; one is needed")
    if layers[-1].weights.shape[1] != 1:
        raise UserError(f"{path} has {layers[-1].weights.shape[1]} outputs, and a score is one")
    if activations[-1] not in ("identity", "logistic"):
        raise UserError(f"{path} ends in {activations[-1]}; a score has no such bounds")
    is_classifier = activations[-1] == "logistic"
    kind = MLPClassifier if is_classifier else MLPRegressor
    sizes = tuple(len(layer.biases) for layer in layers[:-1])
    model = kind(hidden_layer_sizes=sizes, activation=next(iter(hidden), "identity"))
    model.coefs_ = [layer.weights.astype(np.float32) for layer in layers]
    model.intercepts_ = [layer.biases.astype(np.float32) for layer in layers]
    model.n_features_in_, model.n_outputs_ = len(layers[0].weights), 1
    model.n_layers_, model.out_activation_ = len(layers) + 1, activations[-1]
    if is_classifier:
        model.classes_ = np.arange(2)
        model._label_binarizer = LabelBinarizer().fit([0, 1])
    return model


def _read(path: Path, columns: int) -> tuple[list[Layer], list[str]]:
    """Return the layers of a network over so many columns, and the activation behind each."""
    onnx = extra("onnx", "a file of ONNX")
    content = read_bytes(path, _MOST_BYTES)
    try:
        graph = onnx.load_model_from_string(content).graph
        return _walk(graph, onnx, path, columns)
    except UserError:
        raise
    except Exception as error:  # whatever a crafted file may lead protobuf and numpy to
        raise UserError(f"{path} is no file of ONNX, or damaged ({error})") from None


def _walk(graph: Any, onnx: Any, path: Path, columns: int) -> tuple[list[Layer], list[str]]:
    """Follow the one way from the input on."""
    constants = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            constants[node.output[0]] = next(a.t for a in node.attribute if a.name == "value")
    (given,) = [given for given in graph.input if given.name not in constants]
    # a size of 0 is not told; the first is that of a batch
    sizes = [size.dim_value for size in given.type.tensor_type.shape.dim][1:]
    if all(sizes) and math.prod(sizes) != columns:
        raise UserError(
            f"{path} reads {math.prod(sizes):,} numbers, and the features named are {columns:,}; "
            "name those that it was trained on, in its order"
        )
    at = given.name

    def array(name: str) -> NDArray[np.float64]:
        tensor = constants[name]
        if tensor.external_data or tensor.data_location:
            raise UserError(f"{path} keeps its weights in other files; save it in one")
        with np.errstate(invalid="ignore"):  # what is not finite is refused later
            return np.asarray(onnx.numpy_helper.to_array(tensor), np.float64)

    layers: list[Layer] = []
    activations: list[str] = []
    layer: Layer | None = None
    for _ in graph.node:
        behind = [n for n in graph.node if at in n.input and n.op_type != "Constant"]
        if not behind:
            break
        (node,) = behind
        if node.op_type in _ACTIVATIONS and layer is not None:
            layers, layer = [*layers, layer], None
            activations.append(_ACTIVATIONS[node.op_type])
        elif node.op_type not in _AS_IT_IS:
            before = layer or _nothing(len(layers[-1].biases) if layers else columns)
            layer = _applied(before, node, at, array, path)
        at = node.output[0]
    if layer is not None:
        layers, activations = [*layers, layer], [*activations, "identity"]
    if not layers:
        raise UserError(f"{path} holds no network")
    return layers, activations


def _nothing(columns: int) -> Layer:
    """Return the layer that leaves so many columns as they are."""
    return Layer(np.eye(columns), np.zeros(columns))


def _applied(layer: Layer, node: Any, at: str, array: Any, path: Path) -> Layer:
    """Return a layer with what a node does to it behind it."""
    attributes = {a.name: a.f if a.type == 1 else a.i for a in node.attribute if a.type in (1, 2)}
    (side,) = [k for k, name in enumerate(node.input) if name == at]
    others = [array(name) for k, name in enumerate(node.input) if k != side and name]
    if node.op_type in ("Gemm", "MatMul") and side == 0 and not attributes.get("transA"):
        weights = others[0].T if attributes.get("transB") else others[0]
        weights = attributes.get("alpha", 1.0) * weights
        biases = attributes.get("beta", 1.0) * others[1] if others[1:] else np.zeros(1)
        biases = np.broadcast_to(biases.ravel(), weights.shape[1:])
        return Layer(layer.weights @ weights, layer.biases @ weights + biases)
    (other,) = others
    other = np.broadcast_to(other.ravel(), layer.biases.shape)
    if node.op_type == "Add":
        return Layer(layer.weights, layer.biases + other)
    if node.op_type == "Sub":
        sign = 1 if side == 0 else -1
        return Layer(sign * layer.weights, sign * (layer.biases - other))
    if node.op_type == "Mul" or (node.op_type == "Div" and side == 0):
        factor = other if node.op_type == "Mul" else 1 / other
        return Layer(layer.weights * factor, layer.biases * factor)
    raise UserError(
        f"{path} holds a network of another kind: {node.op_type} cannot be read; layers of "
        "products, sums and activations can"
    )
