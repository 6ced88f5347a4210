"""An efficiently updatable network as a graph of ONNX, in floating point.

A file of ONNX is a message of Google's protocol buffers: fields with a number each, whole numbers
as varints (7 bits a byte, the lowest first) and everything else as bytes behind their length. The
numbers of the fields are those of onnx.proto3 (https://github.com/onnx/onnx).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.models.nnue.kernel import ONE_UNIT
from samuel.models.nnue.model import NnueModel

_IR_VERSION, _OPSET = 8, 13
_FLOAT, _INT64 = 1, 7
"""Types of tensors."""
_INT_ATTRIBUTE = 2
_ROWS = "positions"


def onnx_bytes(model: NnueModel, title: str) -> bytes:
    """Return a network as the content of a file of ONNX.

    Its inputs are `own` and `other`, float32 (n, inputs), 1 for each input that is there as the
    side to move and as the other side sees the board, else 0; and `bucket`, int64 (n,). Its output
    is `score`, float32 (n, 1).
    """
    rows, biases = (part / np.float32(ONE_UNIT) for part in (model.rows, model.biases))
    constants: dict[str, NDArray[Any]] = {
        "rows": rows.astype(np.float32),
        "biases": biases.astype(np.float32),
        "zero": np.array(0, np.float32),
        "one": np.array(1, np.float32),
        "unit": np.array(model.unit, np.float32),
        "axis": np.array([1], np.int64),
    }
    nodes: list[bytes] = []

    def add(kind: str, taken: Sequence[str], made: str, **attributes: int) -> str:
        nodes.append(_node(kind, taken, made, attributes))
        return made

    def activated(sums: str) -> str:
        """Clip sums, and square them where the network does."""
        clipped = add("Clip", [sums, "zero", "one"], f"{sums}_clipped")
        is_squared = model.activation == "screlu"
        return add("Mul", [clipped, clipped], f"{sums}_squared") if is_squared else clipped

    halves = []
    for side in ("own", "other"):
        product = add("MatMul", [side, "rows"], f"{side}_product")
        halves.append(activated(add("Add", [product, "biases"], f"{side}_sums")))
    values = add("Unsqueeze", [add("Concat", halves, "halves", axis=1), "axis"], "values")
    parts = model.shape.layers.parts(model.float_layers)
    for layer, (weights, layer_biases) in enumerate(parts, start=1):
        constants[f"weights_{layer}"] = weights
        constants[f"biases_{layer}"] = layer_biases[:, None]
        its = [
            add("Gather", [f"{name}_{layer}", "bucket"], f"its_{name}_{layer}", axis=0)
            for name in ("weights", "biases")
        ]
        product = add("MatMul", [values, its[0]], f"product_{layer}")
        values = add("Add", [product, its[1]], f"layer_{layer}")
        values = activated(values) if layer < len(parts) else values
    add("Mul", [add("Squeeze", [values, "axis"], "end"), "unit"], "score")
    given = [_value(side, _FLOAT, (_ROWS, len(rows))) for side in ("own", "other")]
    given.append(_value("bucket", _INT64, (_ROWS,)))
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, title),
            *(_field(5, _tensor(name, array)) for name, array in constants.items()),
            *(_field(11, value) for value in given),
            _field(12, _value("score", _FLOAT, (_ROWS, 1))),
        ]
    )
    told = {"game": model.game.name, "unit": model.game.unit}
    return b"".join(
        [
            *(_field(1, _IR_VERSION), _field(2, "samuel"), _field(7, graph)),
            _field(8, _field(1, "") + _field(2, _OPSET)),
            *(_field(14, _field(1, key) + _field(2, value)) for key, value in told.items()),
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
    """Return a field of a message."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _node(kind: str, given: Sequence[str], made: str, attributes: dict[str, int]) -> bytes:
    """Return an operator with its inputs, its output and its attributes, all whole numbers."""
    abouts = (
        _field(1, name) + _field(3, value) + _field(20, _INT_ATTRIBUTE)
        for name, value in attributes.items()
    )
    return b"".join(
        [
            *(_field(1, name) for name in given),
            *(_field(2, made), _field(3, made), _field(4, kind)),
            *(_field(5, about) for about in abouts),
        ]
    )


def _tensor(name: str, array: NDArray[Any]) -> bytes:
    """Return a constant."""
    kind = _INT64 if array.dtype.kind == "i" else _FLOAT
    content = array.astype(array.dtype.newbyteorder("<")).tobytes()
    sizes = b"".join(_field(1, size) for size in array.shape)
    return sizes + _field(2, kind) + _field(8, name) + _field(9, content)


def _value(name: str, kind: int, sizes: Sequence[int | str]) -> bytes:
    """Return an input or output; a size that is a text is open."""
    dims = b"".join(_field(1, _field(2 if isinstance(size, str) else 1, size)) for size in sizes)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))
