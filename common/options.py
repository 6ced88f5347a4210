"""Options that are declared once, as fields of option classes and parameters of public functions.

An annotation says of an option which values it takes, and a docstring says what it means. Callers
in Python (public.py) and the command line (cli/options.py) both go by them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import math
import operator
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self, TypeAlias, TypeVar

from samuel.common.errors import OptionError, require_number

R = TypeVar("R")


@dataclass(frozen=True)
class Range:
    """Least and largest value of an option, whole numbers where `least` is one."""

    least: float
    most: float = math.inf


Seed = Annotated[int, Range(0, (1 << 32) - 1)]
"""Seed of random choices, as numpy and scikit-learn take it."""


@dataclass(frozen=True)
class Suffix:
    """Suffix of the names of a second set of options: `depth_b`."""

    text: str


@dataclass(frozen=True)
class Flag:
    """Name of an option on the command line, where its keyword in Python is another."""

    name: str


@dataclass(frozen=True)
class Also:
    """A further name of an option, for numbers in another unit."""

    name: str  # the keyword
    scale: float  # factor of a number by that name
    about: str  # text of the help


@dataclass(frozen=True)
class Text:
    """An option may be given as text, which `read` turns into its value."""

    read: Callable[[str], Any]  # function that returns the value, or raises ValueError
    like: str  # example of a text, for the message
    rule: str = ""  # which texts it accepts, for the message


class Without:
    """Names fields of a nested option class that the class around it sets; they are no options."""

    def __init__(self, *names: str) -> None:
        self.names = names


class Argument:
    """Marks a positional argument of the command line."""


class _ByAnyName(type):
    """Class of option classes: they take their fields by any name, and as text."""

    def __call__(cls, *arguments: Any, **given: Any) -> Any:
        fields = fields_of(cls)
        with as_given(fields, given):
            return cls._made(fields, arguments, given)

    def _made(cls, fields: dict[str, Option], arguments: tuple[Any, ...], given: Any) -> Any:
        hints = hints_of(cls)
        given |= dict(zip(hints, arguments, strict=False))
        given = {
            name: read_text(fields[name], value) if name in fields else value
            for name, value in own_names(fields, given, is_replacing=True).items()
        }
        usual = cls.usual(given)  # type: ignore[attr-defined]
        for name, value in usual.items():
            if given.get(name) == "" or (name not in given and fields[name].parameter not in given):
                given[name] = value
        own = {name: given.pop(name) for name in [*given] if name in hints or name not in fields}
        for name, values in _by_parameter(fields, given).items():
            own[name] = changed(own[name] if name in own else _default_of(cls, name), values)
        return super().__call__(**own)


class OptionClass(metaclass=_ByAnyName):
    """A frozen dataclass of options: numbers lie within the ranges of their annotations.

    A field may be an option class itself: its fields are options of the class that holds it, and
    are given by their names, or in it.

    Raises
    ------
    UserError
        A number is out of its range.
    """

    def __post_init__(self) -> None:
        require_ranges(type(self), vars(self))

    @classmethod
    def usual(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return values for fields that are not given, or empty, in place of their defaults."""
        return {}

    def flat(self) -> dict[str, Any]:
        """Return the fields by name, those of nested classes too."""
        fields = fields_of(type(self))
        return {name: operator.attrgetter(str(one.field))(self) for name, one in fields.items()}

    def but(self, values: Mapping[str, Any]) -> Self:
        """Return the options with other values of some fields, nested ones by their names too."""
        fields = fields_of(type(self))
        found: Self = changed(
            self, {str(fields[name].field): value for name, value in values.items()}
        )
        return found


@dataclass(frozen=True)
class Option:
    """One option of a public function."""

    name: str  # keyword; on the command line it has hyphens
    kind: Any  # annotation, with its marks
    default: Any  # default value; `inspect.Parameter.empty` if the option must be given
    about: str  # paragraph of the docstring
    # parameter, field: parameter of the function, and the field if it is an option class:
    # `settings.depth` for one of a nested class
    parameter: str
    field: str | None = None
    group: str = ""  # name of the option class that declares it

    @functools.cached_property
    def also_called(self) -> tuple[Also, ...]:
        """Other names of the option."""
        suffix = self.name.removeprefix((self.field or self.name).rpartition(".")[2])
        others = marks_of(self.kind, Also)
        return tuple(dataclasses.replace(also, name=also.name + suffix) for also in others)


@functools.cache
def hints_of(what: Any) -> dict[str, Any]:
    """Return the annotations of a function's parameters, or of a class's fields, by name."""
    is_plain_class = isinstance(what, type) and not dataclasses.is_dataclass(what)
    made_by: Any = what.__init__ if is_plain_class else what
    found = typing.get_type_hints(made_by, include_extras=True)
    found.pop("return", None)
    if dataclasses.is_dataclass(what):
        return {one.name: found[one.name] for one in dataclasses.fields(what)}
    return found


def parts_of(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union, at any depth, and an annotation's marks after them."""
    is_list = isinstance(kind, list)  # what a callable takes
    return (kind,) if is_list else _parts_of(kind)


@functools.cache
def _parts_of(kind: Any) -> tuple[Any, ...]:
    if typing.get_origin(kind) is Annotated:
        inner, *marks = typing.get_args(kind)
        return (*parts_of(inner), *marks)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return tuple(part for one in typing.get_args(kind) for part in parts_of(one))
    return (kind,)


def marks_of(kind: Any, mark: type[R]) -> list[R]:
    """Return the marks of a class that an annotation has."""
    return [part for part in parts_of(kind) if isinstance(part, mark)]


def require_ranges(what: Any, values: Mapping[str, Any]) -> None:
    """Raise OptionError where a number is out of the range that its annotation gives."""
    for name, least, most in _ranges_of(what):
        require_number(name, values.get(name), least, most)


@functools.cache
def _ranges_of(what: Any) -> list[tuple[str, float, float]]:
    return [
        (name, (float if float in parts_of(kind) else int)(bounds.least), bounds.most)
        for name, kind in hints_of(what).items()
        for bounds in marks_of(kind, Range)
    ]


def option_class_of(kind: Any) -> type[OptionClass] | None:
    """Return the option class that a parameter takes."""
    for part in parts_of(kind):
        if isinstance(part, type) and issubclass(part, OptionClass):
            return part
    return None


@functools.cache
def fields_of(held: type) -> dict[str, Option]:
    """Return the fields of an option class by name, those of nested classes among them."""
    found, about = {}, described(held)
    for name, kind in hints_of(held).items():
        inner = option_class_of(kind)
        if inner is None:
            found[name] = Option(
                name, kind, None, about.get(name, ""), name, name, group=held.__name__
            )
            continue
        without = {one for mark in marks_of(kind, Without) for one in mark.names}
        for one, option in fields_of(inner).items():
            if one not in without:
                field = f"{name}.{option.field}"
                found[one] = dataclasses.replace(option, parameter=name, field=field)
    return found


def _by_parameter(
    fields: Mapping[str, Option], given: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return values of fields by the parameter that they belong to, and by their places in it."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in given.items():
        found.setdefault(fields[name].parameter, {})[str(fields[name].field).partition(".")[2]] = (
            value
        )
    return found


def _default_of(held: Any, name: str) -> Any:
    one = next(one for one in dataclasses.fields(held) if one.name == name)
    return one.default if one.default_factory is dataclasses.MISSING else one.default_factory()


def names_in(text: str) -> list[str]:
    """Return the names of a list joined by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


Names: TypeAlias = Annotated[
    tuple[str, ...], Text(lambda text: tuple(names_in(text)), "classic,wpc")
]
"""Names, or a list of them joined by commas."""


def counts_in(text: str) -> list[int]:
    """Return the integers, from 0 up, of a list joined by commas; else ValueError."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise ValueError(text)
    return [int(part) for part in parts]


def range_in(text: str) -> tuple[int, int]:
    """Return the two ends of `A-B`, or of `A` alone; else ValueError."""
    first, dash, last = text.partition("-")
    ends = int(first), int(last if dash else first)
    if not 0 <= ends[0] <= ends[1]:
        raise ValueError(text)
    return ends


_ENDS = "must be two integers from 0 up, the first not larger than the second"
Ends: typing.TypeAlias = Annotated[tuple[int, int] | None, Text(range_in, "10-40", _ENDS)]
"""The least and the most; as text 10-40."""
Counts: typing.TypeAlias = Annotated[
    Sequence[int] | None, Text(counts_in, "40,5,30", "must be integers, 0 or more")
]
"""Numbers of games, or a list of them joined by commas."""


def keyword_typed(option: Option) -> str:
    """Return the name by which the command line has an option."""
    return next((mark.name for mark in marks_of(option.kind, Flag)), option.name)


_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def described(what: Any) -> dict[str, str]:
    """Return the paragraph of each parameter in the numpydoc docstring of a function or class."""
    sections = _SECTION.split(inspect.getdoc(what) or "")
    found: dict[str, str] = {}
    for title, text in zip(sections[1::2], sections[2::2], strict=True):
        if title not in ("Parameters", "Attributes"):
            continue
        for entry in re.split(r"\n(?=\S)", text.strip("\n")):
            names, _, about = entry.partition("\n")
            for name in names.split(","):
                found[name.strip()] = " ".join(about.split())
    return found


def own_names(
    options: Mapping[str, Option], given: Mapping[str, Any], *, is_replacing: bool = False
) -> dict[str, Any]:
    """Return keywords by the names that options have, numbers in the units of these."""
    others = {also.name: (one, also) for one in options.values() for also in one.also_called}
    found = {name: value for name, value in given.items() if name in options or name not in others}
    typed = {name: name for name in found}
    for name in given.keys() - found.keys():
        (option, also), value = others[name], given[name]
        if option.name in found and not is_replacing:
            raise OptionError(typed[option.name], "cannot be given together with", name)
        found[option.name] = also.scale * float(value)
        typed[option.name] = name
    return found


@contextlib.contextmanager
def as_given(options: Mapping[str, Option], given: Mapping[str, Any]) -> Iterator[None]:
    """Let an OptionError have the name that the option was given by, in the units of that."""
    try:
        yield
    except OptionError as error:
        if error.name in given or error.name not in options:
            raise
        for also in options[error.name].also_called:
            if also.name in given:
                raise error.called(also.name, also.scale) from None
        raise


def read_text(option: Option, value: Any) -> Any:
    """Return the value of an option that may be given as text."""
    if not isinstance(value, str):
        return value
    for text in marks_of(option.kind, Text):
        try:
            return text.read(value)
        except ValueError:
            said = f"{text.rule} (got {value!r})" if text.rule else f"cannot be {value!r}"
            raise OptionError(option.name, f"{said}; write it like {text.like}") from None
    return value


def changed(options: Any, values: Mapping[str, Any]) -> Any:
    """Return options with other values of some fields."""
    values = dict(values)
    for head in {name.partition(".")[0] for name in values if "." in name}:
        inner = {n[len(head) + 1 :]: values.pop(n) for n in [*values] if n.startswith(f"{head}.")}
        values[head] = changed(values.get(head, getattr(options, head)), inner)
    return dataclasses.replace(options, **values)
