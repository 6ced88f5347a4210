"""Records: what kernels read and write, each declared once.

A record is a `NamedTuple` under `@record` whose fields say their dtype, their shape and what they
mean:

    @record
    class Line(NamedTuple):
        "A line of play."

        moves: Pointer = array(int32, ("plies",), "the moves from the root on")
        room: int = length("moves", "how many there is room for")

What else is known of it follows: its arrays (`allocate`), its numba type with arrays, as Python
passes it (`array_type`), or with pointers, as kernels pass it on (`pointer_type`, `to_pointers`),
and the attributes in its documentation.

A tuple that is passed on by value is passed field by field: of forty, each call of a helper is
eighty instructions to compile. So Python can lay a record out in memory (`packed`), and a kernel
reads each field where it is named (`thawing`).
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import int64, types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, register_model, typeof_impl

from samuel.kernels.jit import DISABLED
from samuel.kernels.pointers import COUNTS, at

Class = TypeVar("Class", bound=type)
Value = TypeVar("Value")


@dataclass(frozen=True)
class _Field:
    """One field: a number, an array if it has a shape, an entry point, or a record."""

    kind: Any
    meaning: str
    shape: tuple[int | str, ...] | None = None
    fill: float = 0
    of: tuple[str, int] | None = None
    is_room: bool = False

    @property
    def is_part(self) -> bool:
        """True if it is a record inside the record, or an evaluator."""
        return isinstance(self.kind, type)

    @functools.cached_property
    def dtype(self) -> Any:
        """The dtype of an array, or of a number."""
        return np.dtype(str(self.kind))

    @property
    def sizes(self) -> tuple[int | str, ...]:
        """The shape of an array."""
        assert self.shape is not None
        return self.shape

    @property
    def described(self) -> str:
        """Description for the documentation."""
        if self.shape is None:
            return self.meaning
        sizes = ", ".join(map(str, self.shape)) + ("," if len(self.shape) == 1 else "")
        return f"{self.kind} ({sizes}), {self.meaning}"


_records: dict[type, dict[str, _Field]] = {}


def array(kind: Any, shape: tuple[int | str, ...], meaning: str, fill: float = 0) -> Any:
    """Declare a C-contiguous array of a numba type; `allocate` is told the sizes that are names."""
    return _Field(kind, meaning, shape, fill)


def room(kind: Any, shape: tuple[int | str, ...], meaning: str) -> Any:
    """Declare an array that kernels write: of a record that is laid out, each thread its own."""
    return _Field(kind, meaning, shape, is_room=True)


def number(meaning: str, kind: Any = int64, value: float = 0) -> Any:
    """Declare a number, which is `value` where `allocate` is told no other."""
    return _Field(kind, meaning, fill=value)


def length(of: str, meaning: str, axis: int = 0) -> Any:
    """Declare the length of an array of the record, which a pointer does not carry."""
    return _Field(int64, meaning, of=(of, axis))


def entry(signature: Any, meaning: str) -> Any:
    """Declare a pointer to a compiled function of that signature."""
    return _Field(types.FunctionType(signature), meaning)


def part(record_class: Any, meaning: str) -> Any:
    """Declare a record inside the record."""
    return _Field(record_class, meaning)


def inner_evaluator(meaning: str) -> Any:
    """Declare an evaluator inside the record, with `integers` and `floats` for its kernel."""
    return _Field(object, meaning)


def record(cls: Class) -> Class:
    """Return a NamedTuple whose fields are declared as a record."""
    text = inspect.cleandoc(cls.__doc__ or "")
    made: Any = cls
    if "_fields" in vars(cls):  # made by NamedTuple, which took the declarations for defaults
        fields = dict(made._field_defaults)
        made._field_defaults = {}
        made.__new__.__defaults__ = None
        names = made._fields
    else:
        own = inspect.get_annotations(cls)
        fields = fields_of(cls.__base__) | {k: v for k, v in vars(cls).items() if k in own}
        names = *fields_of(cls.__base__), *own
        make: Any = namedtuple
        made = make(cls.__name__, names, module=cls.__module__)
        made.__qualname__ = cls.__qualname__
    for name in names:
        if not isinstance(fields.get(name), _Field):
            raise TypeError(f"{cls.__name__}.{name} is not declared as a field of a record")
    made.__doc__ = f"{text}\n\nAttributes\n----------{_listed(fields)}\n"
    _records[made] = fields
    typeof_impl.register(made, lambda _value, _context: array_type(made))
    return cast(Class, made)


def declared(cls: Class) -> Class:
    """Return a class some of whose attributes are declared as fields of a record.

    It is to be made a dataclass, in which a number may be left out; its docstring ends in a list of
    attributes. `fields_of` returns its fields.
    """
    fields = {name: value for name, value in vars(cls).items() if isinstance(value, _Field)}
    for name, field in fields.items():
        if field.shape is None:
            setattr(cls, name, field.fill)
        else:
            delattr(cls, name)
    cls.__doc__ = f"{inspect.cleandoc(cls.__doc__ or '')}{_listed(fields)}\n"
    _records[cls] = fields
    return cls


def _listed(fields: Mapping[str, _Field]) -> str:
    return "".join(f"\n{name}\n    {field.described}" for name, field in fields.items())


def is_record(value: Any) -> bool:
    """Return whether a class is a record."""
    return isinstance(value, type) and value in _records


def fields_of(record_class: Any) -> dict[str, _Field]:
    """Return the fields of a record by name, in their order."""
    return _records[record_class]


@functools.cache
def array_type(record_class: Any) -> Any:
    """Return the numba type of a record with arrays, as Python passes it."""
    return _type(record_class, lambda field: types.Array(field.kind, len(field.shape), "C"))


@functools.cache
def pointer_type(record_class: Any) -> Any:
    """Return the numba type of a record with pointers in place of its arrays."""
    return _type(record_class, lambda field: types.CPointer(field.kind))


def _type(record_class: Any, of_array: Any) -> Any:
    def of_field(field: _Field) -> Any:
        if field.kind in _records:
            return _type(field.kind, of_array)
        return field.kind if field.shape is None else of_array(field)

    kinds = [of_field(field) for field in fields_of(record_class).values()]
    return types.BaseTuple.from_types(kinds, record_class)


def allocate(
    record_class: type[Value], sizes: Mapping[str, int] | None = None, **values: Any
) -> Value:
    """Return a record with new arrays."""
    made: dict[str, Any] = {}
    for name, field in fields_of(record_class).items():
        if name in values:
            made[name] = values.pop(name)
        elif field.shape is not None:
            shape = [(sizes or {})[n] if isinstance(n, str) else n for n in field.shape]
            made[name] = np.zeros(shape, field.dtype)
            if field.fill:
                made[name].fill(field.fill)
        elif is_record(field.kind):
            made[name] = allocate(field.kind, sizes)
        else:
            made[name] = field.fill
    if values:
        raise TypeError(f"{record_class.__name__} has no field {next(iter(values))!r}")
    return filled(record_class, made)


def filled(record_class: type[Value], values: Mapping[str, Any]) -> Value:
    """Return a record of values by name, its lengths measured; other names are passed over."""
    found = []
    for name, field in fields_of(record_class).items():
        if field.of is None:
            found.append(values[name])
        else:
            of, axis = field.of
            found.append(values[of].shape[axis])
    return record_class(*found)


def _to_pointers(_typing: Any, its: Any) -> Any:
    """Return a record with pointers in place of its arrays."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = []
        for k, kind in enumerate(signature.args[0].types):
            value = builder.extract_value(arguments[0], k)
            if isinstance(kind, types.Array):
                value = context.make_array(kind)(context, builder, value).data
            found.append(value)
        return context.make_tuple(builder, signature.return_type, found)

    return pointer_type(its.instance_class)(its), generate


if DISABLED:

    def to_pointers(value: Any) -> Any:
        """Return a record with flat views in place of its arrays."""
        flat = (at(its, 0) if isinstance(its, np.ndarray) else its for its in value)
        return type(value)(*flat)
else:
    to_pointers = intrinsic(_to_pointers)


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
        return _Packed(numba_type)(COUNTS), lambda _context, _builder, _signature, given: given[0]

    return intrinsic(thaw)


class _Kept:
    """Owner of what lies at the addresses in an array."""

    def __init__(self, block: Any, kept: list[Any]) -> None:
        self.block, self.kept = block, kept
        self.__array_interface__ = block.__array_interface__


def packed(values: Any) -> Any:
    """Return a record as an int64 array, which keeps what it points to.

    It lies in memory as a tuple of its numba type (`pointer_type`) would: what `thawing` of that
    type returns reads it at `at(packed, 0)`, each field where it is named.
    """
    if DISABLED:
        return _flattened(values)
    words: list[int] = []
    kept: list[Any] = []
    _lay(values, words, kept)
    return np.asarray(_Kept(np.array(words, np.int64), kept))


def _lay(values: Any, words: list[int], kept: list[Any]) -> None:
    """Append the words of a record, and what they point to."""
    for value, (name, field) in zip(values, fields_of(type(values)).items(), strict=True):
        if field.shape is not None:
            if value.dtype != field.dtype or not value.flags.c_contiguous:
                wanted = f"a contiguous array of {field.dtype}"
                raise TypeError(f"{name} must be {wanted} (got {value.dtype})")
            words.append(value.__array_interface__["data"][0])  # 7 times as fast as value.ctypes
            kept.append(value)
        elif field.is_part:
            _lay(value, words, kept)
        elif type(field.kind) is types.FunctionType:  # isinstance would ask the class's metaclass
            # in the order of numba's model: the C function, the Python object, the machine code
            words += value.wrapper_address, id(value), value.jit_address
            kept.append(value)
        elif field.kind is types.float64:
            words.append(int(np.float64(value).view(np.int64)))
        else:
            words.append(int(value))


def _flattened(value: Any) -> Any:
    if isinstance(value, tuple):
        return type(value)(*map(_flattened, value))
    return value.reshape(-1) if isinstance(value, np.ndarray) else value
