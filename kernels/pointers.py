"""Plain C pointers to the rows of numpy arrays.

Between kernels, positions, move lists and parameters travel as pointers. A numba array is seven
words and a reference count that every call raises and lowers atomically: measured on a call
through a function pointer, 24 to 49 ns against 2 to 10 ns (docs/decisions/002). Whoever passes
a pointer keeps the array alive; nothing checks an index.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeAlias

import numba
import numpy as np
from llvmlite import ir
from numba import float32, int32, int64, types, uint64
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.pythonapi import _unboxers
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.experimental.function_type import unbox_function_type
from numba.extending import NativeValue, intrinsic, models, register_model

from samuel.kernels.jit import DISABLED, jit

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


class _Packed(types.Type):
    """A pointer to a tuple with names, whose fields are read where they are named.

    A tuple itself is passed field by field: of forty, each call of a helper is eighty instructions
    to compile.
    """

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        which = hashlib.sha256(str(kind).encode()).hexdigest()[:8]
        super().__init__(name=f"{kind.instance_class.__name__}_{which}")


@register_model(_Packed)
class _PackedModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64).as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = _Packed

    def generic_resolve(self, its: Any, name: str) -> Any:
        """Return the type of a field."""
        if name not in its.kind.fields:
            return None
        field = its.kind[its.kind.fields.index(name)]
        return _Packed(field) if isinstance(field, types.BaseNamedTuple) else field


def _load(builder: Any, place: Any) -> Any:
    """Load part by part: of what is not used, nothing remains."""
    if not isinstance(place.type.pointee, ir.LiteralStructType):
        return builder.load(place)
    value = ir.Constant(place.type.pointee, ir.Undefined)
    for k in range(len(place.type.pointee)):
        part = cgutils.gep_inbounds(builder, place, 0, k)
        value = builder.insert_value(value, _load(builder, part), k)
    return value


@lower_getattr_generic(_Packed)
def _read_field(context: Any, builder: Any, its: Any, value: Any, name: str) -> Any:
    tuples = context.get_value_type(its.kind).as_pointer()
    number = its.kind.fields.index(name)
    place = cgutils.gep_inbounds(builder, builder.bitcast(value, tuples), 0, number)
    if isinstance(its.kind[number], types.BaseNamedTuple):
        return builder.bitcast(place, ir.IntType(64).as_pointer())
    return _load(builder, place)


def _thaw(numba_type: Any) -> Any:
    def thaw(_typing: Any, _pointer: Any) -> Any:
        def generate(_context: Any, _builder: Any, _signature: Any, arguments: Any) -> Any:
            return arguments[0]

        return _Packed(numba_type)(COUNTS), generate

    return intrinsic(thaw)


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


def _as_words(_typing: Any, pointer: Any) -> Any:
    """Return the same place as a pointer to uint64 words."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64).as_pointer())

    return WORDS(pointer), generate


if DISABLED:

    def at(array: Any, row: int) -> Pointer:
        """Return the elements from row `row` of a C-contiguous array on."""
        if isinstance(array, tuple):  # of `packed`
            return array
        return array.reshape(-1)[row * (array.size // max(1, len(array))) :]

    def offset(pointer: Pointer, n: int) -> Pointer:
        """Return the elements `n` farther on."""
        return pointer[n:]

    def view(pointer: Pointer, n: int) -> Any:
        """Return the `n` elements at a pointer as an array."""
        return pointer[:n]

    def thawing(numba_type: Any) -> Any:
        """Return what reads what `packed` gave."""
        return lambda value: value

    def prefetch(pointer: Pointer, n: int) -> None:
        """Do nothing: plain Python has no say in it."""

    def cast_to(kind: Any) -> Any:
        """Return `cast(pointer, n)`: the same place as integers of a numba type, n farther on."""
        return lambda pointer, n: pointer.view(np.dtype(str(kind)))[n:]

    def as_words(pointer: Pointer) -> Pointer:
        """Return the same place as uint64 words."""
        return pointer[: len(pointer) // 2 * 2].view(np.uint64)
else:
    at, offset, view = intrinsic(_at), intrinsic(_offset), numba.carray
    thawing = _thaw
    prefetch, as_words = intrinsic(_prefetch), intrinsic(_as_words)
    cast_to = _cast_to

call_address = intrinsic(_call)


def _unbox_function(numba_type: Any, entry: Any, c: Any) -> Any:
    """Take a function pointer from Python: read the addresses that an EntryPoint keeps.

    numba would call Python twice a pointer, for 20 us, and may lose a Ctrl-C that comes meanwhile.
    """
    builder, api = c.builder, c.pyapi
    value = cgutils.alloca_once(builder, c.context.get_value_type(numba_type))
    is_error = cgutils.alloca_once_value(builder, cgutils.false_bit)
    wrapper = api.object_getattr_string(entry, "wrapper_address")
    with builder.if_else(cgutils.is_null(builder, wrapper)) as (otherwise, then):
        with otherwise:  # not compiled yet, or no EntryPoint
            api.err_clear()
            slow = unbox_function_type(numba_type, entry, c)
            builder.store(slow.value, value)
            builder.store(slow.is_error, is_error)
        with then:
            machine_code = api.object_getattr_string(entry, "jit_address")
            pointer = cgutils.create_struct_proxy(numba_type)(c.context, builder)
            pointer.c_addr = api.long_as_voidptr(wrapper)
            pointer.jit_addr = api.long_as_voidptr(machine_code)
            pointer.py_addr = builder.ptrtoint(entry, c.context.get_value_type(types.voidptr))
            api.decref(wrapper)
            api.decref(machine_code)
            builder.store(pointer._getvalue(), value)
    return NativeValue(builder.load(value), is_error=builder.load(is_error))


_unboxers.functions[types.FunctionType] = _unbox_function


class _Kept:
    """What an array of addresses rests on: what lies at those addresses."""

    def __init__(self, block: Any, kept: list[Any]) -> None:
        self.block, self.kept = block, kept
        self.__array_interface__ = block.__array_interface__


def packed(values: Any, kind: Any) -> Any:
    """Return a NamedTuple as an int64 array, which keeps what it points to.

    Its fields are C-contiguous arrays, integers, compiled entry points and such tuples. It lies in
    memory as a tuple of the numba type `kind` would, with pointers for the arrays: what
    `thawing(kind)` returns reads it at `at(packed, 0)`, each field where it is named.

    Raises
    ------
    TypeError
        An array has another dtype than the pointer, or is not contiguous.
    """
    if DISABLED:
        return _flattened(values)
    words: list[int] = []
    kept: list[Any] = []
    _lay(values, kind, words, kept)
    return np.asarray(_Kept(np.array(words, np.int64), kept))


def _lay(values: Any, kind: Any, words: list[int], kept: list[Any]) -> None:
    """Append the words of a tuple, and what they point to."""
    for name, value, its in zip(values._fields, values, kind.types, strict=True):
        if isinstance(its, types.BaseNamedTuple):
            _lay(value, its, words, kept)
        elif isinstance(its, types.FunctionType):
            # in the order of numba's model: the C function, the Python object, the machine code
            words += [value.wrapper_address, id(value), value.jit_address]
            kept.append(value)
        elif not isinstance(its, types.CPointer):
            words.append(int(value))
        elif value.flags.c_contiguous and value.dtype == np.dtype(str(its.dtype)):
            words.append(value.ctypes.data)
            kept.append(value)
        else:
            raise TypeError(f"{name} is a contiguous array of {its.dtype}, not {value.dtype}")


def _flattened(value: Any) -> Any:
    if isinstance(value, tuple):
        return type(value)(*map(_flattened, value))
    return value.reshape(-1) if isinstance(value, np.ndarray) else value


@jit
def copy(target: Pointer, source: Pointer, n: int) -> None:
    """Copy `n` elements."""
    for k in range(n):
        target[k] = source[k]
