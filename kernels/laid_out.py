"""Records laid out in the two arrays of an evaluator, and read there by the names of their fields.

Fields that a kernel only reads lie in `integers` (int32), whatever their own dtype. Fields that it
writes, declared by `room`, lie in `floats` (float32), of which each thread has its own. The
integers begin with a word for each field: a number itself, or the place where an array begins; two
words for a record inside, one for each array. Places are counted from the record's own beginning,
so arrays can be copied, compared and sent, and a record can lie inside another.
"""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import numpy as np
from llvmlite import ir
from numba import float32, int64, types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, register_model
from numpy.typing import NDArray

from samuel.kernels.jit import DISABLED
from samuel.kernels.pointers import FLOATS, INTS, LINE, Widening, aligned_room
from samuel.kernels.records import fields_of, is_record

_BOTH = ("integers", "floats")
"""Names for the beginning of a record, which no field has; an inner evaluator gets them."""


def _words_of(record_class: Any) -> dict[str, int]:
    """Return the place of each field's word."""
    places, word = {}, 0
    for name, field in fields_of(record_class).items():
        places[name], word = word, word + (2 if field.is_part else 1)
    places[""] = word
    return places


def _is_first_written(record_class: Any, name: str) -> bool:
    """Return whether a field is the first of a record that has a share in the floats."""
    fields = fields_of(record_class).items()
    return name == next(name for name, field in fields if field.is_room or field.is_part)


def laid_out(value: Any) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return a record as the two arrays of an evaluator, both as `aligned` lays them."""
    pieces: tuple[list[Any], list[Any]] = [], []
    ends = _lay(value, (0, 0), pieces)
    integers, floats = (
        _written(of_array, end, dtype)
        for of_array, end, dtype in zip(pieces, ends, (np.int32, np.float32), strict=True)
    )
    integers.flags.writeable = False
    return integers, floats


def _lay(value: Any, start: tuple[int, int], pieces: Any) -> tuple[int, int]:
    """Note the pieces of a record, and where each goes; return where the two arrays end."""
    if not isinstance(value, tuple):
        ends = []
        for name, begin, found in zip(_BOTH, start, pieces, strict=True):
            found.append((begin, getattr(value, name)))
            ends.append(begin + len(getattr(value, name)))
        return ends[0], ends[1]
    words = _words_of(type(value))
    header = np.zeros(words[""], np.int32)
    pieces[0].append((start[0], header))
    ends = [start[0] + len(header), start[1]]
    for (name, field), part in zip(fields_of(type(value)).items(), value, strict=True):
        word = words[name]
        if field.is_part:
            begins = [_line_from(end) for end in ends]
            header[word : word + 2] = begins[0] - start[0], begins[1] - start[1]
            ends = list(_lay(part, (begins[0], begins[1]), pieces))
        elif field.shape is not None:
            if part.dtype != np.dtype(str(field.kind)):
                raise TypeError(f"{name} must be an array of {field.kind} (got {part.dtype})")
            which = int(field.is_room)
            begin_at = _line_from(ends[which])
            header[word] = begin_at - start[which]
            pieces[which].append((begin_at, part))
            ends[which] = begin_at + -(-part.nbytes // 4)
        elif field.kind == float32:
            header[word : word + 1].view(np.float32)[:] = part
        else:
            header[word] = part
    return ends[0], ends[1]


def _line_from(end: int) -> int:
    """Return where the next line of the processor's cache begins."""
    return -(-end // LINE) * LINE


def _written(pieces: list[Any], end: int, dtype: Any) -> NDArray[Any]:
    """Return the pieces in one array, with zeros between."""
    room = aligned_room(end, np.dtype(dtype))
    behind, content = 0, room.view(np.uint8)
    for begin, piece in pieces:
        room[behind:begin] = 0
        content[4 * begin : 4 * begin + piece.nbytes] = np.ravel(piece).view(np.uint8)
        behind = begin + piece.nbytes // 4
        content[4 * begin + piece.nbytes : 4 * (begin + -(-piece.nbytes // 4))] = 0
    return room


class _Read(types.Type):
    """Beginning of a record in both arrays; its fields are read where they are named."""

    def __init__(self, record_class: Any) -> None:
        self.record_class = record_class
        fields = fields_of(record_class) if is_record(record_class) else {}
        text = str(
            [(name, field.kind, field.shape, field.is_room) for name, field in fields.items()]
        )
        which = hashlib.sha256(text.encode()).hexdigest()[:8]
        super().__init__(name=f"{record_class.__name__}_{which}")


@register_model(_Read)
class _ReadModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [("integers", INTS), ("floats", FLOATS)])


@infer_getattr
class _Fields(AttributeTemplate):
    key = _Read

    def generic_resolve(self, its: Any, name: str) -> Any:
        """Return the type of a field."""
        if name in _BOTH:
            return INTS if name == "integers" else FLOATS
        field = fields_of(its.record_class).get(name)
        if field is None:
            return None
        if field.is_part:
            return _Read(field.kind)
        if field.shape is not None:
            return types.CPointer(field.kind)
        return float32 if field.kind == float32 else int64


@lower_getattr_generic(_Read)
def _read_field(context: Any, b: Any, its: Any, value: Any, name: str) -> Any:
    both = cgutils.create_struct_proxy(its)(context, b, value=value)
    if name in _BOTH:
        return getattr(both, name)
    field, word = fields_of(its.record_class)[name], _words_of(its.record_class)[name]

    def in_header(word: int) -> Any:
        return b.load(b.gep(both.integers, [ir.IntType(64)(word)]))

    def in_floats(word: int) -> Any:
        # where the first begins need not be read, which leaves a register free
        return ir.IntType(32)(0) if _is_first_written(its.record_class, name) else in_header(word)

    if field.is_part:
        found = cgutils.create_struct_proxy(_Read(field.kind))(context, b)
        found.integers = b.gep(both.integers, [in_header(word)])
        found.floats = b.gep(both.floats, [in_floats(word + 1)])
        return found._getvalue()
    if field.shape is None and field.kind == float32:
        return b.bitcast(in_header(word), ir.FloatType())
    if field.shape is None:
        return b.sext(in_header(word), ir.IntType(64))
    if field.is_room:
        place = b.gep(both.floats, [in_floats(word)])
    else:
        place = b.gep(both.integers, [in_header(word)])
    return b.bitcast(place, context.get_value_type(types.CPointer(field.kind)))


class FieldsIn:
    """The fields of what is `laid_out`, for Python: an array is a flat view of the rest."""

    def __init__(self, record_class: Any, integers: Any, floats: Any) -> None:
        self.record_class, self.integers, self.floats = record_class, integers, floats

    def __getattr__(self, name: str) -> Any:
        field, word = fields_of(self.record_class)[name], _words_of(self.record_class)[name]
        at = int(np.asarray(self.integers)[word])
        if field.is_part:
            in_floats = int(np.asarray(self.integers)[word + 1])
            return FieldsIn(field.kind, self.integers[at:], self.floats[in_floats:])
        if field.shape is not None:
            rest = (self.floats if field.is_room else self.integers)[at:]
            return rest.view(np.dtype(str(field.kind)), Widening)
        return np.int32(at).view(np.float32) if field.kind == float32 else np.int64(at)


def reading(record_class: Any) -> Any:
    """Return `read(integers, floats)`, which gives the fields of what is `laid_out` there."""
    if DISABLED:
        return functools.partial(FieldsIn, record_class)

    def read(_typing: Any, _integers: Any, _floats: Any) -> Any:
        made = _Read(record_class)

        def generate(context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
            found = cgutils.create_struct_proxy(made)(context, b)
            found.integers, found.floats = arguments
            return found._getvalue()

        return made(INTS, FLOATS), generate

    return intrinsic(read)
