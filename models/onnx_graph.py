"""The layers of a network in a graph of ONNX, in one walk through its nodes.

A value in the graph is known (a constant, or made of constants alone), or it is what the network
makes of its input. Only the last of the latter is ever used: a network with branches is refused.
ONNX's operators: https://onnx.ai/onnx/operators.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.models.onnx_constants import OPERATORS, SUMS, Array, size_of

ACTIVATIONS = {"Relu": "relu", "Tanh": "tanh", "Sigmoid": "logistic"}
"""Operators that are activations, and their names in lists of layers."""
_SHAPES = {"Flatten", "Reshape", "Squeeze", "Unsqueeze"}
_AS_IT_IS = {"Identity", "Cast", "CastLike", "Dropout", *_SHAPES}
_SUPPORTED = (
    "Gemm, MatMul, Add, Sub, Mul, Div, Neg, BatchNormalization, Relu, Tanh, Sigmoid, Clip and "
    "LeakyRelu where they are Relu, and changes of shape and type"
)
_NO_LIMIT = 3.4e38
_LONGEST = 200
"""Characters of what is said of a network, whose names are the file's."""
_BY_PRODUCTS = 64
"""Factor by which a number is computed sooner in a product of matrices."""
_WIDEST = 4096
"""Columns that a layer without a matrix may have."""
_MOST_WORK = 1 << 28
"""Numbers that may be computed in all; a small file may ask for any number of them."""


class Layer(NamedTuple):
    """Inputs times weights (inputs, units), and biases (units,), float64."""

    weights: NDArray[np.float64]
    biases: NDArray[np.float64]


class _Open(NamedTuple):
    """A layer that is still growing: inputs times weights (None for themselves) times factors."""

    weights: NDArray[np.float64] | None
    factors: NDArray[np.float64]
    biases: NDArray[np.float64]


def layers_of(graph: Any, onnx: Any, path: Path, columns: int) -> tuple[list[Layer], list[str]]:
    """Return the layers of a network over so many columns, and the activation behind each.

    Raises
    ------
    UserError
        It is no such network; the sentence names what is not supported.
    """
    return _Walk(graph, onnx, path, columns).layers()


class _Walk:
    def __init__(self, graph: Any, onnx: Any, path: Path, columns: int) -> None:
        self.graph, self.onnx, self.path = graph, onnx, path
        self.tensors = {tensor.name: tensor for tensor in graph.initializer}
        self.known: dict[str, Array] = {}
        self.seen: set[str] = set()
        """Values that the network made of its input, before the last one."""
        given = [one for one in graph.input if one.name not in self.tensors]
        if len(given) != 1:
            self.refuse(f"it has {len(given)} inputs, and a network reads one")
        self.at = given[0].name
        sizes = [size.dim_value for size in given[0].type.tensor_type.shape.dim]
        # a size of 0 is not told; the first is that of a batch, where there are several
        sizes = sizes[1:] if len(sizes) > 1 else sizes
        if all(sizes) and sizes and math.prod(sizes) != columns:
            raise UserError(
                f"{path} reads {math.prod(sizes):,} numbers, and the given features have "
                f"{columns:,}; give the features it was trained on, in their order"
            )
        self.tail = tuple(sizes) if sizes and all(sizes) else (columns,)
        self.done: list[Layer] = []
        self.activations: list[str] = []
        self.open: _Open | None = _nothing(columns)
        self.columns, self.work = columns, 0

    def refuse(self, what: str) -> NoReturn:
        what = "".join(c if c.isprintable() else "?" for c in what)[:_LONGEST]
        raise UserError(
            f"{self.path} holds an unsupported network: {what}; supported are layers in "
            f"sequence of {_SUPPORTED}"
        )

    def _allow(self, numbers: int) -> None:
        """Count what is to be computed."""
        self.work += numbers
        if self.work > _MOST_WORK:
            self.refuse("more is computed in it than in any network of this size")

    def layers(self) -> tuple[list[Layer], list[str]]:
        """Follow the nodes that lead to the output."""
        for node in self._needed():
            inputs = [name for name in node.input if name]
            if self.at in inputs or self.seen.intersection(inputs):
                self._take(node)
            else:
                self._compute(node)
        if self.open is not None and (self.done or self.open.weights is not None):
            self._close("identity")
        if not self.done:
            raise UserError(f"{self.path} holds no network")
        return self.done, self.activations

    def _needed(self) -> list[Any]:
        """Return the nodes that lead to the first output, in the order in which they are made."""
        wanted = {output.name for output in self.graph.output[:1]}
        needed = []
        for node in reversed(self.graph.node):
            if wanted.intersection(node.output):
                needed.append(node)
                wanted.update(node.input)
        return needed[::-1]

    def value(self, name: str) -> Array:
        """Return a known value."""
        if name not in self.known:
            if name not in self.tensors:
                self.refuse(f"nothing before it makes the value {name[:60]!r}")
            self.known[name] = self._array(self.tensors[name])
        return self.known[name]

    def _array(self, tensor: Any) -> Array:
        if tensor.external_data or tensor.data_location:
            raise UserError(f"{self.path} stores its weights in other files; save it as one file")
        array: Array = self.onnx.numpy_helper.to_array(tensor)
        if array.dtype.kind not in "fiubV" and array.dtype.name != "bfloat16":
            self.refuse(f"the constant {tensor.name[:60]!r} holds no numbers")
        return array

    def _compute(self, node: Any) -> None:
        """Make a known value of known ones."""
        kind, about = node.op_type, self._attributes(node)
        if kind == "Constant":
            found = self._constant(about)
        elif kind in OPERATORS:
            arrays = [self.value(name) for name in node.input if name]
            self._allow(size_of(kind, arrays))
            try:
                with np.errstate(all="ignore"):  # what is not finite is refused later
                    found = OPERATORS[kind](about, *arrays)
            except NotImplementedError as error:
                self.refuse(f"{error} is not supported")
        else:
            self.refuse(f"the operator {kind} on constants is not supported")
        self.known[node.output[0]] = found

    def _constant(self, about: dict[str, Any]) -> Array:
        for name, found in about.items():
            if name == "value":
                return self._array(found)
            if name in ("value_float", "value_floats"):
                return np.asarray(found, np.float32)
            if name in ("value_int", "value_ints"):
                return np.asarray(found, np.int64)
        self.refuse(f"a Constant by {', '.join(about) or 'nothing'} is not supported")

    def _attributes(self, node: Any) -> dict[str, Any]:
        return {a.name: self.onnx.helper.get_attribute_value(a) for a in node.attribute}

    def _take(self, node: Any) -> None:
        """Take a node that reads what the network has made so far."""
        kind, about = node.op_type, self._attributes(node)
        sides = [k for k, name in enumerate(node.input) if name == self.at or name in self.seen]
        if kind == "Shape" and sides == [0] and node.input[0] == self.at:
            self.known[node.output[0]] = np.array([0, *self.tail])[about.get("start", 0) :]
            return
        if len(sides) > 1 or node.input[sides[0]] != self.at:
            self.refuse(
                f"its values go more than one way and meet in {kind} (a residual connection or a "
                "branch)"
            )
        others = [self.value(name) for k, name in enumerate(node.input) if k != sides[0] and name]
        if kind in _SHAPES:
            self._reshape(kind, about, others)
        elif (activation := _activation(kind, about, node.input, others)) is not None:
            if activation and not (activation == "relu" == self._last and self.open is None):
                self._close(activation)
        elif kind == "BatchNormalization" and any(node.output[1:]):
            self.refuse("its BatchNormalization is in training mode; export it for inference")
        elif kind in SUMS or kind == "BatchNormalization":
            self._shift(kind, sides[0], about, others)
        elif kind in ("Gemm", "MatMul"):
            self._multiply(kind, sides[0], about, others)
        elif kind not in _AS_IT_IS:
            self.refuse(f"the operator {kind} is not supported")
        elif kind == "Cast" and about.get("to") not in _FLOAT_TYPES:
            self.refuse("it casts its values to a type that is no floating-point number")
        elif kind == "Dropout" and others[1:] and others[1].any():
            self.refuse("its Dropout is in training mode; export it for inference")
        self.seen.add(self.at)
        self.at = node.output[0]

    @property
    def _last(self) -> str:
        return self.activations[-1] if self.activations else ""

    @property
    def _width(self) -> int:
        return len(self.done[-1].biases) if self.done else math.prod(self.tail)

    def _opened(self) -> _Open:
        return self.open or _nothing(self._width)

    def _close(self, activation: str) -> None:
        """End a layer by its activation."""
        grown = self._opened()
        if grown.weights is None and len(grown.factors) > _WIDEST:
            self.refuse(f"there is no matrix of weights before {activation}")
        weights = np.diag(grown.factors) if grown.weights is None else grown.weights * grown.factors
        self.done.append(Layer(weights, grown.biases))
        self.activations.append(activation)
        self.open = None

    def _multiply(self, kind: str, side: int, about: dict[str, Any], others: list[Array]) -> None:
        if side or about.get("transA"):
            self.refuse(f"{kind} is supported for the values, not transposed, times a constant")
        weights = np.asarray(others[0], np.float64)
        weights = weights.T if about.get("transB") else weights
        before = self._opened()
        rows = len(before.biases)
        is_row = self.tail[-1:] == (rows,) and math.prod(self.tail) == rows
        if weights.ndim != 2 or len(weights) != rows or not is_row:
            self.refuse(
                f"{kind} takes {len(weights) if weights.ndim else 0:,} numbers where there are "
                f"{' x '.join(map(str, self.tail))}"
            )
        self._allow(weights.size * self.columns // _BY_PRODUCTS)
        self.tail = (*self.tail[:-1], weights.shape[1])
        weights = about.get("alpha", 1.0) * weights
        biases = before.biases @ weights
        if before.weights is None:
            weights = before.factors[:, None] * weights
        else:
            weights = (before.weights * before.factors) @ weights
        if others[1:] and kind == "Gemm":
            biases = biases + about.get("beta", 1.0) * self._spread(others[1], kind)
        self.open = _Open(weights, np.ones(weights.shape[1]), biases)

    def _spread(self, other: Array, kind: str) -> NDArray[np.float64]:
        """Return a constant as one number a value."""
        shape = other.shape[len(other.shape) - len(self.tail) :] if other.ndim else ()
        if math.prod(shape) != other.size:
            self.refuse(f"{kind} with a constant of {' x '.join(map(str, other.shape))}")
        try:
            spread = np.broadcast_to(np.asarray(other, np.float64).reshape(shape), self.tail)
        except ValueError:
            self.refuse(
                f"{kind} with a constant of {' x '.join(map(str, other.shape))} where there are "
                f"{' x '.join(map(str, self.tail))} values"
            )
        return spread.ravel()

    def _shift(self, kind: str, side: int, about: dict[str, Any], others: list[Array]) -> None:
        """Shift and scale the values."""
        grown = self._opened()
        self._allow(len(grown.biases))
        factor, shift = np.ones(1), np.zeros(1)
        if kind == "BatchNormalization":
            if about.get("training_mode") or side or len(others) != 4:
                self.refuse("its BatchNormalization is in training mode; export it for inference")
            over = (-1, *[1] * (len(self.tail) - 1))
            scale, bias, mean, variance = (
                self._spread(np.asarray(one, np.float64).reshape(over), kind) for one in others
            )
            with np.errstate(all="ignore"):
                factor = scale / np.sqrt(variance + about.get("epsilon", 1e-5))
                shift = bias - mean * factor
        elif kind == "Neg":
            factor = -factor
        else:
            (constant,) = others
            other = self._spread(constant, kind)
            if kind in ("Add", "Sub"):
                factor = np.full(1, -1.0 if kind == "Sub" and side else 1.0)
                shift = -other if kind == "Sub" and not side else other
            elif kind == "Mul" or not side:
                with np.errstate(all="ignore"):
                    factor = other if kind == "Mul" else 1 / other
            else:
                self.refuse("it divides by its values")
        with np.errstate(all="ignore"):
            biases = grown.biases * factor + shift
            self.open = _Open(grown.weights, grown.factors * factor, biases)

    def _reshape(self, kind: str, about: dict[str, Any], others: list[Array]) -> None:
        """Keep the values and change their shape, the batch's size before them."""
        width, shape = math.prod(self.tail), [0, *self.tail]
        axes = [int(k) for k in np.ravel(about.get("axes", others[0] if others else []))]
        if kind == "Flatten":
            axis = about.get("axis", 1)
            self.tail = (width,)
            if axis % len(shape) != 1 and not (width == 1 and axis == 0):
                self.refuse(f"Flatten of axis {axis}")
        elif kind == "Reshape":
            self.tail = self._given(axes if others else about.get("shape", []), width)
        elif kind == "Squeeze":
            single = [k for k, n in enumerate(shape) if n == 1]
            gone = [k % len(shape) for k in axes] or single
            if any(shape[k] not in (0, 1) for k in gone):
                self.refuse("Squeeze of an axis of several values")
            self.tail = tuple(n for k, n in enumerate(shape) if k and k not in gone)
        else:
            new = sorted(k % (len(shape) + len(axes)) for k in axes)
            for k in new:
                shape.insert(k, 1)
            self.tail = tuple(shape[1:]) if shape[0] == 0 else tuple(n or 1 for n in shape[1:])

    def _given(self, shape: Any, width: int) -> tuple[int, ...]:
        """Return the shape behind the batch's that a Reshape gives."""
        sizes = [int(n) for n in shape]
        if len(sizes) == 1:  # a row a batch, or one number each
            if width != 1 and sizes[0] not in (-1, width):
                self.refuse(f"Reshape of {width:,} values to {sizes}")
            return (width,)
        tail = [
            self.tail[k] if n == 0 and k < len(self.tail) else n for k, n in enumerate(sizes[1:])
        ]
        rest = math.prod(n for n in tail if n != -1)
        tail = [width // max(rest, 1) if n == -1 else n for n in tail]
        if math.prod(tail) != width or min(tail, default=1) < 0:
            self.refuse(f"Reshape of {width:,} values to {sizes}")
        return tuple(tail)


def _nothing(columns: int) -> _Open:
    return _Open(None, np.ones(columns), np.zeros(columns))


def _activation(kind: str, about: dict[str, Any], names: Any, others: list[Array]) -> str | None:
    """Return the activation of a node, nothing where it leaves all as it is; None for no one."""
    if kind in ACTIVATIONS:
        return ACTIVATIONS[kind]
    if kind == "LeakyRelu":
        return {0.0: "relu", 1.0: ""}.get(about.get("alpha", 0.01))
    if kind == "Clip":
        given = dict(zip([k for k, name in enumerate(names) if name and k], others, strict=True))
        low = float(np.ravel(given[1])[0]) if 1 in given else about.get("min", -math.inf)
        high = float(np.ravel(given[2])[0]) if 2 in given else about.get("max", math.inf)
        if high >= _NO_LIMIT:
            return "relu" if low == 0 else "" if low <= -_NO_LIMIT else None
    return None


_FLOAT_TYPES = {1, 10, 11, 16}
"""Numbers of float32, float16, float64 and bfloat16 in ONNX."""
