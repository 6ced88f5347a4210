"""Operators of ONNX on constants: weights that a file computes from others.

https://onnx.ai/onnx/operators
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

SUMS = {"Add", "Sub", "Mul", "Div", "Neg"}

Array = NDArray[Any]


def size_of(kind: str, arrays: list[Array]) -> int:
    """Return how many numbers an operator on constants makes, or more."""
    if kind in SUMS:
        return math.prod(np.broadcast_shapes(*(array.shape for array in arrays)))
    sizes = [array.size for array in arrays]
    return math.prod(sizes) if kind == "Gather" else sum(sizes) + 1


def _concat(about: dict[str, Any], *parts: Array) -> Array:
    return np.concatenate(parts, about["axis"])


def _sized(about: dict[str, Any], array: Array, *more: Array) -> Array:
    """Return a constant in another shape."""
    sizes = [int(n) for n in np.ravel(more[0] if more else about.get("shape", []))]
    sizes = [array.shape[k] if n == 0 and k < array.ndim else n for k, n in enumerate(sizes)]
    return array.reshape(sizes)


def _unsqueezed(about: dict[str, Any], array: Array, *more: Array) -> Array:
    axes = np.ravel(about.get("axes", more[0] if more else []))
    return np.expand_dims(array, tuple(int(k) for k in axes))


def _squeezed(about: dict[str, Any], array: Array, *more: Array) -> Array:
    axes = np.ravel(about["axes"] if "axes" in about else more[0] if more else [])
    return np.squeeze(array, tuple(int(k) for k in axes) or None)


def _sliced(about: dict[str, Any], array: Array, *more: Array) -> Array:
    starts, ends = (more[0], more[1]) if more else (about["starts"], about["ends"])
    if array.ndim != 1 or np.size(starts) != 1 or more[3:]:
        raise NotImplementedError("a Slice of a constant of several axes")
    return array[int(np.ravel(starts)[0]) : int(np.ravel(ends)[0])]


OPERATORS: dict[str, Callable[..., Array]] = {
    "Identity": lambda about, array: array,
    "Cast": lambda about, array: array.astype(np.int64 if about["to"] in (6, 7) else np.float64),
    "Transpose": lambda about, array: np.transpose(array, about.get("perm")),
    "Reshape": _sized,
    "Flatten": lambda about, array: array.reshape(
        math.prod(array.shape[: about.get("axis", 1)]), -1
    ),
    "Unsqueeze": _unsqueezed,
    "Squeeze": _squeezed,
    "Concat": _concat,
    "Slice": _sliced,
    "Gather": lambda about, array, k: np.take(array, k, about.get("axis", 0)),
    "Shape": lambda about, array: np.array(array.shape),
    "Neg": lambda about, array: -array,
    "Sqrt": lambda about, array: np.sqrt(array),
    "Add": lambda about, a, b: a + b,
    "Sub": lambda about, a, b: a - b,
    "Mul": lambda about, a, b: a * b,
    "Div": lambda about, a, b: a // b if a.dtype.kind in "iu" else a / b,
}
"""Operators by name: functions of their attributes and of the values that they take."""
