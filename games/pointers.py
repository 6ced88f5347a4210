"""Plain C pointers to the rows of numpy arrays.

Between kernels, positions, move lists and parameters travel as pointers. A numba array is seven
words and a reference count that every call raises and lowers atomically: measured on a call
through a function pointer, 24 to 49 ns against 2 to 10 ns (docs/decisions/002). Whoever passes
a pointer keeps the array alive; nothing checks an index.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numba
from llvmlite import ir
from numba import float32, int32, int64, types, uint64
from numba.extending import intrinsic

from jit import DISABLED, jit

WORDS = types.CPointer(uint64)
INTS = types.CPointer(int32)
FLOATS = types.CPointer(float32)
COUNTS = types.CPointer(int64)

Pointer: TypeAlias = Any
"""A pointer inside a kernel; as plain Python (`NUMBA_DISABLE_JIT=1`), a flat view of the rest."""


def _at(_typing: Any, array: Any, _row: Any) -> Any:
    """Return a pointer to row `_row` of a C-contiguous array (to element `_row` of a flat one)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        index = arguments[1]
        for axis in range(1, signature.args[0].ndim):
            index = builder.mul(index, builder.extract_value(view.shape, axis))
        return builder.gep(view.data, [index])

    return types.CPointer(array.dtype)(array, types.int64), generate


def _offset(_typing: Any, pointer: Any, _n: Any) -> Any:
    """Return the pointer `_n` elements farther on."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.gep(arguments[0], [arguments[1]])

    return pointer(pointer, types.int64), generate


def _call(_typing: Any, address: Any, position: Any) -> Any:
    """Call the C function `float f(uint64 *)` at an address with a position."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function_type = ir.FunctionType(ir.FloatType(), [word.as_pointer()])
        function = builder.inttoptr(arguments[0], function_type.as_pointer())
        return builder.call(function, [arguments[1]])

    return types.float32(types.int64, WORDS), generate


if DISABLED:

    def at(array: Any, row: int) -> Pointer:
        """Return the elements from row `row` of a C-contiguous array on."""
        return array.reshape(-1)[row * (array.size // max(1, len(array))) :]

    def offset(pointer: Pointer, n: int) -> Pointer:
        """Return the elements `n` farther on."""
        return pointer[n:]

    def view(pointer: Pointer, n: int) -> Any:
        """Return the `n` elements at a pointer as an array."""
        return pointer[:n]
else:
    at, offset, view = intrinsic(_at), intrinsic(_offset), numba.carray

call_address = intrinsic(_call)


@jit
def copy(target: Pointer, source: Pointer, n: int) -> None:
    """Copy `n` elements."""
    for k in range(n):
        target[k] = source[k]
