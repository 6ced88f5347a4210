"""Tuples with names that kernels read behind one pointer.

A tuple that is passed on by value is passed field by field: of forty, each call of a helper is
eighty instructions to compile. Python lays one out as an array (`packed`); a kernel reads each
field where it is named (`thawing`).
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, register_model

from samuel.kernels.jit import DISABLED
from samuel.kernels.pointers import COUNTS


class _Packed(types.Type):
    """A pointer to a tuple with names, whose fields are read where they are named."""

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


def thawing(numba_type: Any) -> Any:
    """Return `thaw(pointer)`, which reads what `packed` laid out there for that type."""
    if DISABLED:
        return lambda value: value

    def thaw(_typing: Any, _pointer: Any) -> Any:
        def generate(_context: Any, _builder: Any, _signature: Any, arguments: Any) -> Any:
            return arguments[0]

        return _Packed(numba_type)(COUNTS), generate

    return intrinsic(thaw)


class _Kept:
    """What an array of addresses rests on: what lies at those addresses."""

    def __init__(self, block: Any, kept: list[Any]) -> None:
        self.block, self.kept = block, kept
        self.__array_interface__ = block.__array_interface__


def packed(values: Any, kind: Any) -> Any:
    """Return a NamedTuple as an int64 array, which keeps what it points to.

    Its fields are C-contiguous arrays, integers, floats, compiled entry points and such tuples. It
    lies in memory as a tuple of the numba type `kind` would, with pointers for the arrays: what
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
        elif its == types.float64:
            words.append(int(np.float64(value).view(np.int64)))
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
