"""Graphs of ONNX in floating point, written without the package onnx.

A file of ONNX is a message of Google's protocol buffers: fields with a number each, whole numbers
as varints (7 bits a byte, the lowest first) and everything else as bytes behind their length. The
numbers of the fields are those of onnx.proto3 (https://github.com/onnx/onnx).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from samuel.common.errors import plain_name
from samuel.games.game import Game

FLOAT, INT64 = 1, 7
"""Types of tensors."""
ROWS = "positions"
"""Open size of inputs and outputs: the number of positions."""
_IR_VERSION, _OPSET = 8, 13
_INT_ATTRIBUTE = 2

Values = Mapping[str, tuple[int, Sequence[int | str]]]
"""Types and sizes of inputs or outputs, by name; a size that is a text is open."""


class Graph:
    """Graph that grows operator by operator."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, name: str, array: NDArray[Any]) -> str:
        """Add whole numbers (int64) or floating-point numbers (float32); return the name."""
        is_whole = array.dtype.kind == "i"
        content = array.astype("<i8" if is_whole else "<f4").tobytes()
        sizes = b"".join(_field(1, size) for size in array.shape)
        kind = _field(2, INT64 if is_whole else FLOAT)
        self._constants.append(sizes + kind + _field(8, name) + _field(9, content))
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

    def content(self, title: str, game: Game, inputs: Values, outputs: Values) -> bytes:
        """Return the content of a file, which names the game and its unit."""
        graph = b"".join(
            [
                *(_field(1, node) for node in self._nodes),
                _field(2, plain_name(title)),
                *(_field(5, constant) for constant in self._constants),
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
