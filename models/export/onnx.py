"""Graphs of ONNX in floating point, written without the package onnx.

A file of ONNX is a message of Google's protocol buffers: fields with a number each, whole numbers
as varints (7 bits a byte, the lowest first) and everything else as bytes behind their length. The
numbers of the fields are those of onnx.proto3 (https://github.com/onnx/onnx).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import plain_name
from samuel.features import column_names
from samuel.games.game import Game
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.layers import Layers
from samuel.models.export.c import networks_of
from samuel.models.nnue.model import NnueModel
from samuel.models.nnue.shape import ONE_UNIT
from samuel.models.outcome_networks import outcomes_of

_FLOAT, _INT64 = 1, 7
"""Types of tensors."""
_ROWS = "positions"
"""Open size of inputs and outputs: the number of positions."""
_IR_VERSION, _OPSET = 8, 13
_INT_ATTRIBUTE = 2

_OPERATORS = {"identity": "Identity", "relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid"}
"""Operators by activation."""

Values = Mapping[str, tuple[int, Sequence[int | str]]]
"""Types and sizes of inputs or outputs, by name; a size that is a text is open."""


class _Graph:
    """Graph that grows operator by operator."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: dict[str, bytes] = {}

    def constant(self, name: str, array: NDArray[Any]) -> str:
        """Add whole numbers (int64) or floating-point numbers (float32); return the name."""
        is_whole = array.dtype.kind == "i"
        content = array.astype("<i8" if is_whole else "<f4").tobytes()
        sizes = b"".join(_field(1, size) for size in array.shape)
        kind = _field(2, _INT64 if is_whole else _FLOAT)
        self._constants[name] = sizes + kind + _field(8, name) + _field(9, content)
        return name

    def add(self, kind: str, taken: Sequence[str], made: str, **attributes: int) -> str:
        """Add an operator that makes a value of others; return the name of the value."""
        abouts = (
            _field(1, name) + _field(3, value) + _field(20, _INT_ATTRIBUTE)
            for name, value in attributes.items()
        )
        node = b"".join(
            [
                *(_field(1, name) for name in taken),
                *(_field(2, made), _field(3, made), _field(4, kind)),
                *(_field(5, about) for about in abouts),
            ]
        )
        self._nodes.append(node)
        return made

    def activated(self, sums: str, made: str, activation: str) -> str:
        """Add an activation, and return the name of its value."""
        if activation in _OPERATORS:
            return self.add(_OPERATORS[activation], [sums], made)
        bounds = [self.constant("zero", np.array(0.0)), self.constant("one", np.array(1.0))]
        clipped = self.add("Clip", [sums, *bounds], f"{made}_clipped")
        return self.add("Mul", [clipped] * 2, made) if activation == "screlu" else clipped

    def add_layers(
        self, layers: Layers, numbers: NDArray[Any], values: str, stage: str = ""
    ) -> list[str]:
        """Add layers of (size,), or (networks, size) by `stage`, over values; return names."""
        found, parts = [values], layers.parts(numbers)
        for layer, (weights, biases) in enumerate(parts, start=1):
            its = [
                self.constant(f"weights_{layer}", weights),
                self.constant(f"biases_{layer}", biases[..., None, :]),
            ]
            if stage:
                its = [self.add("Gather", [one, stage], f"its_{one}", axis=0) for one in its]
            product = self.add("MatMul", [found[-1], its[0]], f"product_{layer}")
            sums = self.add("Add", [product, its[1]], f"sums_{layer}")
            activation = layers.activation if layer < len(parts) else "identity"
            found.append(self.activated(sums, f"values_{layer}", activation))
        return found[1:]

    def content(self, title: str, game: Game, inputs: Values, outputs: Values) -> bytes:
        """Return the content of a file, which names the game and its unit."""
        graph = b"".join(
            [
                *(_field(1, node) for node in self._nodes),
                _field(2, plain_name(title)),
                *(_field(5, constant) for constant in self._constants.values()),
                *(_field(11, _value(name, *about)) for name, about in inputs.items()),
                *(_field(12, _value(name, *about)) for name, about in outputs.items()),
            ]
        )
        told = {"game": game.name, "unit": game.scores.unit}
        return b"".join(
            [
                *(_field(1, _IR_VERSION), _field(2, "samuel"), _field(7, graph)),
                _field(8, _field(1, "") + _field(2, _OPSET)),
                *(
                    _field(14, _field(1, key) + _field(2, plain_name(value)))
                    for key, value in told.items()
                ),
            ]
        )


def _varint(number: int) -> bytes:
    """Return a whole number, not below 0, in groups of 7 bits."""
    groups = []
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _value(name: str, kind: int, sizes: Sequence[int | str]) -> bytes:
    """Return an input or output; a size that is a text is open."""
    dims = b"".join(_field(1, _field(2 if isinstance(size, str) else 1, size)) for size in sizes)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))


def column_graph(model: FeatureModel, title: str) -> bytes:
    """Return networks over features as the content of a file of ONNX.

    Its input is `features`, float32 (n, columns), its outputs `score`, float32 (n, 1), and where
    the networks are of outcomes `chances`, float32 (n, outcomes - 1).
    """
    layers, floats = networks_of(model, title)
    outcomes, columns, graph = outcomes_of(layers, floats), column_names(model.features), _Graph()
    values = graph.add_layers(layers, floats if model.classes else floats[0], "features")
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
    inputs = {"features": (_FLOAT, (_ROWS, len(columns)))}
    outputs = {name: (_FLOAT, (_ROWS, size)) for name, (_, size) in made.items()}
    return graph.content(title, model.game, inputs, outputs)


def _add_shares(graph: _Graph, column: int, networks: int) -> None:
    """Add `shares` (networks, n, 1): 1 where a network is the one of a row's class, else 0."""
    constants = {"column": np.array([column]), "first": np.array(0), "last": np.array(networks - 1)}
    constants |= {"classes": np.arange(networks)[:, None, None], "axis": np.array([0])}
    for name, array in constants.items():
        graph.constant(name, array)
    number = graph.add("Gather", ["features", "column"], "number", axis=1)
    whole = graph.add("Cast", [number], "whole", to=_INT64)
    of_row = graph.add("Clip", [whole, "first", "last"], "class")
    graph.add("Cast", [graph.add("Equal", [of_row, "classes"], "is_its")], "shares", to=_FLOAT)


def piece_graph(model: NnueModel, title: str) -> bytes:
    """Return an efficiently updatable network as the content of a file of ONNX.

    Its inputs are `own` and `other`, float32 (n, inputs), 1 for each input that is there as the
    side to move and as the other side sees the board, else 0; and `bucket`, int64 (n,). Its output
    is `score`, float32 (n, 1).
    """
    graph, layers = _Graph(), model.shape.layers
    add = graph.add
    graph.constant("rows", model.rows / np.float32(ONE_UNIT))
    graph.constant("biases", model.biases / np.float32(ONE_UNIT))
    graph.constant("unit", np.array(model.unit))
    graph.constant("axis", np.array([1]))
    halves = []
    for side in ("own", "other"):
        sums = add(
            "Add", [add("MatMul", [side, "rows"], f"{side}_product"), "biases"], f"{side}_sums"
        )
        halves.append(graph.activated(sums, f"{side}_values", layers.activation))
    values = add("Unsqueeze", [add("Concat", halves, "halves", axis=1), "axis"], "values")
    *_, last = graph.add_layers(layers, model.float_layers, values, "bucket")
    add("Mul", [add("Squeeze", [last, "axis"], "end"), "unit"], "score")
    given = {side: (_FLOAT, (_ROWS, len(model.rows))) for side in ("own", "other")}
    outputs = {"score": (_FLOAT, (_ROWS, 1))}
    return graph.content(title, model.game, given | {"bucket": (_INT64, (_ROWS,))}, outputs)
