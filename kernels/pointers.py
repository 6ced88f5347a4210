"""Plain C pointers to the rows of numpy arrays.

Between kernels, positions, move lists and parameters travel as pointers. A numba array is seven
words and a reference count that every call raises and lowers atomically: measured on a call
through a function pointer, 24 to 49 ns against 2 to 10 ns (docs/decisions/002). Whoever passes
a pointer keeps the array alive; nothing checks an index.

Entry points put together at run time, from a text or a closure and the functions it names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import numba
import numpy as np
from llvmlite import ir
from numba import float32, int32, int64, types, uint64
from numba.core import cgutils
from numba.core.typing.templates import Signature
from numba.extending import intrinsic
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.kernels.digest import source_digest
from samuel.kernels.jit import DISABLED, jit, make_ready

_NO_NUMBER = (
    r"Casting (OptionalType\(\w+\)|none) to|No conversion from none"
    r"|Function\(float32\)[^>]*>>> [^(]*\((?!float|u?int|bool)"
)
"""Messages of numba where a function, or `float32` of it, is no number on some path."""
_USABLE = " (use numbers, arrays, and functions under @samuel.jit)"


def compose(
    name: str,
    source: str,
    parts: dict[str, Any],
    signature: Signature,
    returns: str = "a number",
    called: str | None = None,
) -> Any:
    """Return the entry point `name` of `source`, a text put together at run time."""
    return made_ready(compose_later(name, source, parts, signature), returns, called)


def compose_later(name: str, source: str, parts: dict[str, Any], signature: Signature) -> Any:
    """Return the same, compiled on first use: for what mostly is a part of other kernels."""
    # numba imports the module of a cached function when it loads it
    namespace = dict(parts) | {"__name__": __name__}
    exec(compile(source, f"{name}.composed", "exec"), namespace)
    return _composed(namespace[name], source, parts.values(), signature)


def compose_closure(function: Callable[..., Any], signature: Signature) -> Any:
    """Return a function that closes over others, put together at run time, as an entry point."""
    parts = [cell.cell_contents for cell in function.__closure__ or ()]
    constants = [part for part in parts if isinstance(part, int | float)]
    return made_ready(_composed(function, f"{function.__qualname__} {constants}", parts, signature))


def made_ready(composed: Any, returns: str = "a number", called: str | None = None) -> Any:
    """Return an entry point after compiling it, or loading it."""
    try:
        make_ready([composed])
    except Exception as error:  # numba has errors of its own, and lets others through
        raise UserError(_in_one_line(called or composed.__name__, str(error), returns)) from error
    return composed


def _composed(
    function: Callable[..., Any], text: str, parts: Iterable[Any], signature: Signature
) -> Any:
    """Name a composition by what was put together."""
    which = hashlib.sha256(text.encode())
    for part in parts:
        plain = getattr(part, "py_func", part)
        code = getattr(plain, "__code__", None)
        if code is not None:
            which.update(f" {code.co_filename} {plain.__qualname__}".encode())
            if plain.__closure__ or plain.__defaults__:
                # made by a function of the user's: one name may stand for several
                which.update(source_digest(plain).encode())
    function.__qualname__ = f"{function.__name__}_{which.hexdigest()[:12]}"
    return jit(signature, forceinline=True)(function)


def _in_one_line(name: str, report: str, returns: str) -> str:
    """Return what matters of numba's report on a function that somebody else wrote."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", report)
    if re.search(_NO_NUMBER, text):
        return f"{name} cannot be compiled: not every path through it ends in a return of {returns}"
    functions = re.findall(r"<function (\w+) at", text)
    places = [p for p in re.findall(r'File "([^"]+)", line (\d+)', text) if p[0].endswith(".py")]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reason = next(
        (x for x in lines if not x.startswith(("Failed in", "During"))), "no reason given"
    )
    bound = re.match(r"Cannot bind 'args=.* to signature '(\(.*\))[^)]*' due", reason)
    if bound:
        reason = f"it takes {bound[1]}, and is called with other arguments"
    where = f", line {places[-1][1]} of {Path(places[-1][0]).name}" if places else ""
    text = f"{functions[-1] if functions else name} cannot be compiled{where}: {reason}"
    return f"{text}{_USABLE if 'Untyped global' in reason else ''}"


WORDS = types.CPointer(uint64)
INTS = types.CPointer(int32)
FLOATS = types.CPointer(float32)
COUNTS = types.CPointer(int64)

Pointer: TypeAlias = Any
"""A pointer inside a kernel; as plain Python (`NUMBA_DISABLE_JIT=1`), a flat view of the rest."""

LINE = 16
"""Numbers of 32 bits in a line of the processor's cache."""


def is_aligned(array: NDArray[Any]) -> bool:
    """Return whether an array begins where a line of the cache does."""
    return array.ctypes.data % (4 * LINE) == 0


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of an array, in C order, that begins where a line of the cache does."""
    copy = aligned_room(array.size, array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def aligned_room(size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return room for an array (size,), where a line of the cache begins."""
    room = np.empty(size * dtype.itemsize + 4 * LINE, np.uint8)
    start = -room.ctypes.data % (4 * LINE)
    return room[start : start + size * dtype.itemsize].view(dtype)


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
    return pointer(pointer, types.int64), lambda _c, b, _s, given: b.gep(given[0], [given[1]])


def _prefetch(_typing: Any, pointer: Any, _n: Any) -> Any:
    """Ask the processor to load the cache line of element `_n`, and do not wait for it."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        name = "llvm.prefetch.p0i8"
        signature = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        function = builder.module.globals.get(name) or ir.Function(builder.module, signature, name)
        place = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), byte)
        # for reading, to be kept in all caches, of data
        builder.call(function, [place, *(ir.Constant(flag, k) for k in (0, 3, 1))])

    return types.void(pointer, types.int64), generate


def _call(_typing: Any, address: Any, position: Any) -> Any:
    """Call the C function `float f(uint64 *)` at an address with a position."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function_type = ir.FunctionType(ir.FloatType(), [word.as_pointer()])
        function = builder.inttoptr(arguments[0], function_type.as_pointer())
        return builder.call(function, [arguments[1]])

    return types.float32(types.int64, WORDS), generate


def _cast_to(kind: Any) -> Any:
    def cast(_typing: Any, pointer: Any, _n: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            other = builder.bitcast(arguments[0], ir.IntType(kind.bitwidth).as_pointer())
            return builder.gep(other, [arguments[1]])

        return types.CPointer(kind)(pointer, types.int64), generate

    return intrinsic(cast)


def _room_of(n: int) -> Any:
    def room(_typing: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
            place = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), n))
            return builder.bitcast(place, ir.IntType(64).as_pointer())

        return WORDS(), generate

    return intrinsic(room)


def _as_words(_typing: Any, pointer: Any) -> Any:
    """Return the same place as a pointer to uint64 words."""
    kind = ir.IntType(64).as_pointer()
    return WORDS(pointer), lambda _context, b, _signature, given: b.bitcast(given[0], kind)


class Widening(np.ndarray):
    """Numbers that are read as machine code computes with them: whole ones in 64 bits."""

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if self.dtype.kind not in "iu" or isinstance(found, np.ndarray):
            return found
        return found.astype(np.uint64 if self.dtype.kind == "u" else np.int64)


if DISABLED:

    def at(array: Any, row: int) -> Pointer:
        """Return the elements from row `row` of a C-contiguous array on."""
        if isinstance(array, tuple):  # of kernels/records.py
            return array
        return array.reshape(-1)[row * (array.size // max(1, len(array))) :].view(Widening)

    def offset(pointer: Pointer, n: int) -> Pointer:
        """Return the elements `n` farther on."""
        return pointer[n:]

    def view(pointer: Pointer, n: int) -> Any:
        """Return the `n` elements at a pointer as an array."""
        return pointer[:n]

    def prefetch(pointer: Pointer, n: int) -> None:
        """Do nothing: plain Python cannot prefetch."""

    def cast_to(kind: Any) -> Any:
        """Return `cast(pointer, n)`: the same place as integers of a numba type, n farther on."""
        return lambda pointer, n: pointer.view(np.dtype(str(kind)), Widening)[n:]

    def room_of(n: int) -> Any:
        """Return `room()`: n words, not filled in, that are its caller's until that returns."""
        return lambda: np.zeros(n, np.uint64)

    def as_words(pointer: Pointer) -> Pointer:
        """Return the same place as uint64 words."""
        return pointer[: len(pointer) // 2 * 2].view(np.uint64)
else:
    at, offset, view = intrinsic(_at), intrinsic(_offset), numba.carray
    prefetch, as_words = intrinsic(_prefetch), intrinsic(_as_words)
    cast_to, room_of = _cast_to, _room_of

call_address = intrinsic(_call)


@jit
def copy(target: Pointer, source: Pointer, n: int) -> None:
    """Copy `n` elements."""
    for k in range(n):
        target[k] = source[k]
