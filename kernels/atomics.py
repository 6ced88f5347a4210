"""What several threads may do to one word at a time: add, swap, read and write as one step.

LLVM's own instructions, in one order for all threads (sequentially consistent).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import float64, int64, types
from numba.extending import intrinsic

from samuel.kernels.jit import DISABLED
from samuel.kernels.pointers import COUNTS, Pointer

_ORDER = "seq_cst"
_NUMBERS = types.CPointer(float64)


def _add_whole(_typing: Any, _pointer: Any, _place: Any, _value: Any) -> Any:
    """Add to an int64, and return what it was."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        pointer, place, value = arguments
        return b.atomic_rmw("add", b.gep(pointer, [place]), value, _ORDER)

    return int64(COUNTS, int64, int64), generate


def _add_number(_typing: Any, _pointer: Any, _place: Any, _value: Any) -> Any:
    """Add to a float64, and return what it was."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        pointer, place, value = arguments
        return b.atomic_rmw("fadd", b.gep(pointer, [place]), value, _ORDER)

    return float64(_NUMBERS, int64, float64), generate


def _swap_if(_typing: Any, _pointer: Any, _place: Any, _expected: Any, _value: Any) -> Any:
    """Write an int64 where it is as expected; return whether it was."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        pointer, place, expected, value = arguments
        found = b.cmpxchg(b.gep(pointer, [place]), expected, value, _ORDER)
        return b.extract_value(found, 1)

    return types.boolean(COUNTS, int64, int64, int64), generate


def _read(_typing: Any, _pointer: Any, _place: Any) -> Any:
    """Return an int64 as it is now."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        return b.load_atomic(b.gep(arguments[0], [arguments[1]]), _ORDER, 8)

    return int64(COUNTS, int64), generate


def _write(_typing: Any, _pointer: Any, _place: Any, _value: Any) -> Any:
    """Write an int64 after all that was written before."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        pointer, place, value = arguments
        b.store_atomic(value, b.gep(pointer, [place]), _ORDER, 8)
        return ir.Constant(ir.IntType(64), 0)

    return int64(COUNTS, int64, int64), generate


if DISABLED:

    def add_whole(pointer: Pointer, place: int, value: int) -> int:
        """Add to an int64, and return what it was."""
        pointer[place] += value
        return int(pointer[place]) - value

    def add_number(pointer: Pointer, place: int, value: float) -> float:
        """Add to a float64, and return what it was."""
        before = float(pointer[place])
        pointer[place] = before + value
        return before

    def swap_if(pointer: Pointer, place: int, expected: int, value: int) -> bool:
        """Write an int64 where it is as expected; return whether it was."""
        is_so = bool(pointer[place] == expected)
        if is_so:
            pointer[place] = value
        return is_so

    def read(pointer: Pointer, place: int) -> int:
        """Return an int64 as it is now."""
        return int(pointer[place])

    def write(pointer: Pointer, place: int, value: int) -> int:
        """Write an int64 after all that was written before."""
        pointer[place] = value
        return 0

else:
    add_whole, add_number = intrinsic(_add_whole), intrinsic(_add_number)
    swap_if, read, write = intrinsic(_swap_if), intrinsic(_read), intrinsic(_write)
