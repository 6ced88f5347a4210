"""Networks over features for other programs: numpy's arrays, a header in C99, a graph of ONNX.

A model has one network, or one for each class of positions, which a column of the features tells.
`OutcomeNetworks` give the chances of outcomes too: the values that their last layer adds up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError, c_comment
from samuel.features import column_names
from samuel.models.compiled.arrays import arrays_bytes
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.layers import Layers, layers_in
from samuel.models.export.c_header import array_text, layers_text, meanings, name_in_c
from samuel.models.export.onnx_writer import FLOAT, INT64, ROWS, Graph
from samuel.models.outcome_networks import outcomes_of

_HEADER = """/* {title}: a network over features of {game}, written by samuel
   (https://pypi.org/project/samuel-learning).

   float {name}_score(const float *features{parameter});

   The score for the side to move, in {unit}.{of_classes}{of_chances}
   `features`: {n_features} numbers, in this order:{meanings}

   The array is static: include it in one file alone, and link with -lm. */

#ifndef {guard}_H
#define {guard}_H

#include <math.h>

{array}

static float {name}_score(const float *features{parameter})
{{
    const float *values_0 = features;
{network}{layers}{chances}    return values_{last}[0];
}}

#endif
"""
_OF_CLASSES = """
   A network of its own for each class of positions: features[{column}], {classes}, 0 to {most}."""
_OF_CHANCES = """
   `chances`: NULL, or room for {n} numbers, the chances of at least {outcomes}."""
_ONE_NETWORK = """    const float *numbers = {name}_networks[0];
"""
_NETWORK = """    int number = (int)features[{column}];
    const float *numbers = {name}_networks[number < 0 ? 0 : number > {most} ? {most} : number];
"""
_CHANCES = """    for (int k = 0; chances && k < {n}; k++)
        chances[k] = values_{layer}[k];
"""


def _networks(model: FeatureModel, title: str) -> tuple[Layers, NDArray[np.float32]]:
    """Return the layers of the networks, and the parameters of each (networks, size)."""
    layers, *others = {layers_in(block) for block in model.blocks}
    if others or not (model.classes or len(model.blocks) == 1):
        raise UserError(
            f"{title} has networks of several stages or sizes, which no format holds; train it "
            "with --stages 1"
        )
    return layers, np.stack([block.parameters for block in model.blocks])


def _arrays(model: FeatureModel, title: str) -> bytes:
    """Return the content of a file of numpy's, an .npz (docs/exports.md)."""
    layers, floats = _networks(model, title)
    outcomes = outcomes_of(layers, floats)
    arrays: dict[str, NDArray[Any]] = {
        "columns": np.array(column_names(model.features)),
        "classes": np.array(model.classes),
        "widths": np.array(layers.widths),
        "activation": np.array(layers.activation),
        "outcomes": np.empty(0) if outcomes is None else outcomes,
    }
    for layer, (weights, biases) in enumerate(layers.parts(floats), start=1):
        arrays |= {f"weights_{layer}": weights, f"biases_{layer}": biases}
    return arrays_bytes(arrays)


def _header(model: FeatureModel, title: str) -> bytes:
    """Return the content of a header; `title` is what the model is called."""
    name, columns = name_in_c(title), column_names(model.features)
    layers, floats = _networks(model, title)
    of_classes = of_chances = parameter = chances = ""
    network, last = _ONE_NETWORK.format(name=name), len(layers.pairs)
    if model.classes:
        about = {"column": columns.index(model.classes), "most": model.most_count}
        of_classes = _OF_CLASSES.format(**about, classes=model.classes)
        network = _NETWORK.format(**about, name=name)
    if (outcomes := outcomes_of(layers, floats)) is not None:
        n, parameter = len(outcomes) - 1, ", float *chances"
        told = ", ".join(f"{outcome:g}" for outcome in outcomes[1:])
        of_chances = _OF_CHANCES.format(n=n, outcomes=told)
        chances = _CHANCES.format(n=n, layer=last - 1)
    text = _HEADER.format(
        title=c_comment(title),
        game=model.game.name,
        name=name,
        guard=name.upper(),
        parameter=parameter,
        unit=c_comment(model.game.scores.unit),
        of_classes=of_classes,
        of_chances=of_chances,
        n_features=len(columns),
        meanings=meanings(model.features),
        array=array_text("float", f"{name}_networks", floats),
        network=network,
        layers=layers_text(layers),
        chances=chances,
        last=last,
    )
    return text.encode()


_OPERATORS = {"relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid"}
"""Operators of ONNX by activation."""


def _graph(model: FeatureModel, title: str) -> bytes:
    """Return the content of a file of ONNX.

    Its input is `features`, float32 (n, columns), its outputs `score`, float32 (n, 1), and where
    the networks are of outcomes `chances`, float32 (n, outcomes - 1).
    """
    layers, floats = _networks(model, title)
    outcomes, columns = outcomes_of(layers, floats), column_names(model.features)
    graph, values = Graph(), ["features"]
    parts = layers.parts(floats if model.classes else floats[0])
    for layer, (weights, biases) in enumerate(parts, start=1):
        graph.constant(f"weights_{layer}", weights)
        graph.constant(f"biases_{layer}", biases[..., None, :])
        product = graph.add("MatMul", [values[-1], f"weights_{layer}"], f"product_{layer}")
        sums = graph.add("Add", [product, f"biases_{layer}"], f"sums_{layer}")
        is_active = layer < len(parts) and layers.activation in _OPERATORS
        operator = _OPERATORS[layers.activation] if is_active else "Identity"
        values.append(graph.add(operator, [sums], f"values_{layer}"))
    made = {"score": (values[-1], 1)}
    if outcomes is not None:
        made["chances"] = values[-2], len(outcomes) - 1
    if model.classes:
        _add_shares(graph, columns.index(model.classes), len(floats))
    for name, (value, _) in made.items():
        if model.classes:
            of_row = graph.add("Mul", [value, "shares"], f"{name}_of_row")
            graph.add("ReduceSum", [of_row, "axis"], name, keepdims=0)
        else:
            graph.add("Identity", [value], name)
    inputs = {"features": (FLOAT, (ROWS, len(columns)))}
    outputs = {name: (FLOAT, (ROWS, size)) for name, (_, size) in made.items()}
    return graph.content(title, model.game, inputs, outputs)


def _add_shares(graph: Graph, column: int, networks: int) -> None:
    """Add `shares` (networks, n, 1): 1 where a network is the one of a row's class, else 0."""
    constants = {"column": np.array([column]), "first": np.array(0), "last": np.array(networks - 1)}
    constants |= {"classes": np.arange(networks)[:, None, None], "axis": np.array([0])}
    for name, array in constants.items():
        graph.constant(name, array)
    number = graph.add("Gather", ["features", "column"], "number", axis=1)
    whole = graph.add("Cast", [number], "whole", to=INT64)
    of_row = graph.add("Clip", [whole, "first", "last"], "class")
    graph.add("Cast", [graph.add("Equal", [of_row, "classes"], "is_its")], "shares", to=FLOAT)


WRITERS = {"numpy": _arrays, "c": _header, "onnx": _graph}
"""Functions of a model and its title, by format."""
