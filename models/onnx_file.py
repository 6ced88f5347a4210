"""Small multilayer networks in files of ONNX, read as scikit-learn's own.

A network is what leads from its one input to an output by layers one behind another: products with
matrices, sums with biases, shifts and scales of columns, and activations, as PyTorch, Keras and
skl2onnx write them. All operations between two activations are one layer, whatever they were made
of.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import LabelBinarizer

from samuel.common.errors import UserError
from samuel.common.extras import extra
from samuel.common.files import read_bytes
from samuel.features import Features, column_names, features_named
from samuel.games.catalog import known_game
from samuel.games.interface import Game
from samuel.models.onnx_graph import Layer, layers_of

_MOST_BYTES = 1 << 30


def read_network(path: Path | str, features: list[str], game: Game | str) -> Pipeline:
    """Return the network of a file of ONNX as a fitted pipeline over positions.

    Parameters
    ----------
    path
        ONNX file with a small network.
    features
        Features that the network reads, joined by commas, in its order. Their columns are its
        inputs.

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
        raise UserError(f"{path} has hidden layers with different activations; all must have one")
    if layers[-1].weights.shape[1] != 1:
        raise UserError(f"{path} has {layers[-1].weights.shape[1]} outputs; a score is one number")
    if activations[-1] not in ("identity", "logistic"):
        raise UserError(
            f"{path} ends in {activations[-1]}, which bounds its output; a score has other bounds"
        )
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
        return layers_of(graph, onnx, path, columns)
    except UserError:
        raise
    except Exception as error:  # whatever a crafted file may lead protobuf and numpy to
        raise UserError(f"{path} is not an ONNX file, or is damaged ({error})") from None
