"""Options that are declared once: parameters of public functions, and fields of option classes.

The signature and the docstring of a public function say of each option what it is called, of which
kind it is, what it is by default and between which bounds it lies. Callers in Python and the
command line (cli/derive.py) both go by that.

A public function takes objects, or the text that stands for them ("classic" for an evaluator), and
option classes, or their fields by name: `match(a, b, depth=4)` is `match(a, b,
limits=Limits(depth=4))`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import inspect
import math
import operator
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias, TypeVar

from samuel.errors import OptionError as OptionError
from samuel.errors import UserError, nearest, require_number, unknown

R = TypeVar("R")

INFERRED: Any = None
"""Default of a parameter that `public` fills in: the game, by that of the other arguments."""

RESOLVERS: dict[str, str] = {}
"""For a class, by its name, the place ("module:function") of `resolve(text, game)`, which makes an
object of text. The facade fills it, so that no module knows those above it."""
GAME = "Game"
"""The class that other texts are read by."""
DATASET = "Dataset"
"""The class that no game is needed to read, and that says which it is."""


@dataclass(frozen=True)
class Range:
    """The least and the largest number that an option may be; whole numbers where `least` is."""

    least: float
    most: float = math.inf


@dataclass(frozen=True)
class Suffix:
    """Stands behind the names of the fields of a second set of options: `depth_b`."""

    text: str


@dataclass(frozen=True)
class Also:
    """A further name of an option.

    Attributes
    ----------
    name
        The keyword.
    scale
        What a number by that name is multiplied by; -1 of a flag that means the opposite.
    is_old
        Whether it is what the option was called before: help does not list it.
    about
        What help says of it, where the numbers have another unit.
    """

    name: str
    scale: float = 1
    is_old: bool = False
    about: str = ""


@dataclass(frozen=True)
class Text:
    """An option may be given as text, which `read` turns into its value.

    Attributes
    ----------
    read
        Raises ValueError where the text is none.
    like
        An example of such a text, for the message.
    """

    read: Callable[[str], Any]
    like: str


class Without:
    """Names fields of a nested option class that are not options: whoever holds it sets them."""

    def __init__(self, *names: str) -> None:
        self.names = names


class Several:
    """Marks a field whose numbers, where they are several, make several sets: `depth="2,4,6"`."""


class Argument:
    """Marks what the command line takes without a name, by its place."""


class _ByAnyName(type):
    """Classes that take fields by any name, those of nested classes too, and as text."""

    def __call__(cls, *arguments: Any, **given: Any) -> Any:
        fields = fields_of(cls)
        with _as_given(fields, given):
            return cls._made(fields, arguments, given)

    def _made(cls, fields: dict[str, Option], arguments: tuple[Any, ...], given: Any) -> Any:
        hints = hints_of(cls)
        given |= dict(zip(hints, arguments, strict=False))
        given = {
            name: read_text(fields[name], value) if name in fields else value
            for name, value in _own_names(fields, given, is_replacing=True).items()
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
        for name, kind in hints_of(type(self)).items():
            require_range(name, getattr(self, name), kind)

    @classmethod
    def usual(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what stands for fields that are not given, or empty, if not their defaults."""
        return {}

    @classmethod
    def of(cls, values: Mapping[str, Any], source: str) -> Self:
        """Return the options that a file has.

        Parameters
        ----------
        values
            Fields as TOML and JSON have them, by any of their names; those of a nested class may
            stand in a table of its name. None leaves a field as it is by default.
        source
            What errors call the file.

        Raises
        ------
        UserError
            There is no such field, or a value is of a wrong type or out of its range.
        """
        try:
            with _as_given(fields_of(cls), values):
                return cls(**typed_fields(cls, values))
        except UserError as error:
            raise UserError(f"{source}: {error}") from None

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
    """One option of a public function.

    Attributes
    ----------
    name
        The keyword; the command line writes hyphens in it.
    kind
        The annotation, with what it is `Annotated` with.
    default
        `inspect.Parameter.empty` where it must be given.
    about
        What the docstring says of it.
    parameter, field
        The parameter of the function; where that is an option class, which of its fields, one of
        a nested class after the name of that and a dot.
    takes_list
        Whether several numbers make several sets of the option class.
    group
        The option class that declares it, by name.
    """

    name: str
    kind: Any
    default: Any
    about: str
    parameter: str
    field: str | None = None
    takes_list: bool = False
    group: str = ""


def hints_of(what: Any) -> dict[str, Any]:
    """Return the annotations of a function's parameters, or of a class's fields, by name."""
    return _hints_of(what)


@functools.cache
def _hints_of(what: Any) -> dict[str, Any]:
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
    """Return what of a sort an annotation is marked with."""
    return [part for part in parts_of(kind) if isinstance(part, mark)]


def require_range(name: str, value: Any, kind: Any) -> None:
    """Raise OptionError where a number is out of the range that its annotation gives."""
    for bounds in marks_of(kind, Range):
        least = float(bounds.least) if float in parts_of(kind) else int(bounds.least)
        require_number(name, value, least, bounds.most)


def option_class_of(kind: Any) -> type[OptionClass] | None:
    """Return the option class that a parameter takes."""
    for part in parts_of(kind):
        if isinstance(part, type) and issubclass(part, OptionClass):
            return part
    return None


def is_several(kind: Any) -> bool:
    """Return whether a parameter takes several sets of an option class."""
    return any(
        option_class_of(one) is not None for part in parts_of(kind) for one in typing.get_args(part)
    )


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


def typed_fields(held: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields of an option class as a file has them (`OptionClass.of`), of their types."""
    fields, flat = fields_of(held), dict[str, Any]()
    for name, value in values.items():
        if option_class_of(hints_of(held).get(name)) is None:
            flat[name] = value
        elif isinstance(value, Mapping):
            known = [one for one in fields if fields[one].parameter == name]
            for one in _own_names(fields, value):
                if one not in known:
                    raise unknown("setting", one, known, of=f"[{name}]")
            flat |= value
        else:
            raise UserError(f"{name} must be a table, [{name}] (got {value!r})")
    found = {name: value for name, value in _own_names(fields, flat).items() if value is not None}
    for name in found:
        if name not in fields:
            raise unknown("setting", name, fields)
    return {name: _of_type(fields[name], value) for name, value in found.items()}


def _of_type(option: Option, value: Any) -> Any:
    """Return a value as TOML and JSON have it as the type of its option."""
    import msgspec

    if isinstance(value, str) and marks_of(option.kind, Text):
        return read_text(option, value)
    kinds = [part for part in parts_of(option.kind) if _is_type(part)]
    try:
        return msgspec.convert(value, functools.reduce(operator.or_, kinds))
    except msgspec.ValidationError as error:
        wanted = re.match("Expected `([^`]*)`[^$]*$", str(error))
        said = _WANTED.get(wanted[1].removesuffix(" | null"), "") if wanted else ""
        fault = f"must be {said} (got {value!r})" if said else f"cannot be {value!r}: {error}"
        raise OptionError(option.name, fault) from None


_WANTED = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "array": "a list",
}
"""Words of messages for the types of msgspec."""


def _is_type(part: Any) -> bool:
    return isinstance(part, type) or typing.get_origin(part) is not None


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


def as_written(options: OptionClass) -> dict[str, Any]:
    """Return the fields of options by the names that files have: the oldest, once published."""
    fields = fields_of(type(options))
    return {
        (
            [also.name for also in also_called(fields[name]) if also.is_old and also.scale == 1]
            or [name]
        )[0]: value
        for name, value in options.flat().items()
    }


_NOW = {"explore": "epsilon", "patience": "timeout", "allowances": "limits"}
"""Entries of datasets, matches and pools that are called otherwise as options."""


def called_now(entry: str) -> str:
    """Return what the option is called that a file has under the name `entry`."""
    return _NOW.get(entry, entry)


def names_in(text: str) -> list[str]:
    """Return the names of a list joined by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


Names: TypeAlias = Annotated[
    tuple[str, ...], Text(lambda text: tuple(names_in(text)), "classic,wpc")
]
"""Names, or a list of them joined by commas."""


def counts_in(text: str) -> list[int]:
    """Return the whole numbers, from 0 up, of a list joined by commas; else ValueError."""
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


Ends: typing.TypeAlias = Annotated[tuple[int, int] | None, Text(range_in, "10-40")]
"""The least and the most; as text 10-40."""


@functools.cache
def options_of(function: Callable[..., Any]) -> dict[str, Option]:
    """Return the options of a public function by name, those of option classes among them."""
    function = inspect.unwrap(function)
    hints, about = hints_of(function), described(function)
    found: dict[str, Option] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        kind = hints[name]
        held = option_class_of(kind)
        if held is None:
            found[name] = Option(name, kind, parameter.default, about.get(name, ""), name)
            continue
        suffix = "".join(mark.text for mark in marks_of(kind, Suffix))
        usual = parameter.default
        if usual is not None and not isinstance(usual, held):
            usual = held()
        several = is_several(kind)
        for one, field in fields_of(held).items():
            found[one + suffix] = dataclasses.replace(
                field,
                name=one + suffix,
                default=None if usual is None else usual.flat()[one],
                parameter=name,
                takes_list=several and bool(marks_of(field.kind, Several)),
            )
    return found


def also_called(option: Option) -> tuple[Also, ...]:
    """Return the other names of an option."""
    own = (option.field or option.name).rpartition(".")[2]
    return _other_names(option.kind, option.name.removeprefix(own))


@functools.cache
def _other_names(kind: Any, suffix: str) -> tuple[Also, ...]:
    return tuple(
        dataclasses.replace(also, name=also.name + suffix) for also in marks_of(kind, Also)
    )


_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def described(what: Any) -> dict[str, str]:
    """Return what the numpydoc docstring of a function or a class says of each parameter."""
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


def public(function: Callable[..., R]) -> Callable[..., R]:
    """Make a function public: it takes texts for objects, and fields for option classes.

    Raises
    ------
    UserError
        When called: a text stands for nothing, or a number is out of its range.
    """

    @functools.wraps(function)
    def called(*arguments: Any, **given: Any) -> R:
        if not given:
            return run(arguments, given)
        with _as_given(options_of(function), given):
            return run(arguments, given)

    def run(arguments: tuple[Any, ...], given: dict[str, Any]) -> R:
        bound = _bound(function, arguments, given)
        hints = hints_of(function)
        for name, parameter in bound.signature.parameters.items():
            has_default = parameter.default is not inspect.Parameter.empty
            admits_none = types.NoneType in parts_of(hints.get(name))
            if bound.arguments.get(name, 0) is None and has_default and not admits_none:
                del bound.arguments[name]
        _resolve(bound.arguments, hints)
        for name, value in bound.arguments.items():
            require_range(name, value, hints.get(name))
        return function(*bound.args, **bound.kwargs)

    return called


def _bound(
    function: Callable[..., Any], arguments: Sequence[Any], given: dict[str, Any]
) -> inspect.BoundArguments:
    """Return the arguments by parameter; fields that are given are put into option classes."""
    signature, hints = inspect.signature(function), hints_of(function)
    fields: dict[str, dict[str, Any]] = {}
    lists: set[tuple[str, str]] = set()
    if given:
        options = options_of(function)
        given = _own_names(options, given)
        for name in [*given]:
            option = options.get(name)
            value = given[name] if option is None else read_text(option, given[name])
            if option is None or option.field is None:
                given[name] = value
            else:
                fields.setdefault(option.parameter, {})[option.field] = value
                lists |= {(option.parameter, option.field)} if option.takes_list else set()
                del given[name]
    kinds = {one.kind for one in signature.parameters.values()}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for name in [one for one in given if one not in signature.parameters]:
            near = nearest(name, {**options_of(function), **signature.parameters})
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"{function.__name__}() has no argument {name!r}{hint}")
    bound = signature.bind_partial(*arguments, **given)
    for name, values in fields.items():
        held, usual = option_class_of(hints[name]), signature.parameters[name].default
        assert held is not None
        value = bound.arguments.get(name, usual)
        listed = [one for one in values if (name, one) in lists]
        value = held() if value in (None, inspect.Parameter.empty) else value
        try:
            bound.arguments[name] = changed(value, values, listed)
        except OptionError as error:
            suffix = "".join(mark.text for mark in marks_of(hints[name], Suffix))
            raise error.called(error.name + suffix) from None
    return bound


def _own_names(
    options: Mapping[str, Option], given: Mapping[str, Any], *, is_replacing: bool = False
) -> dict[str, Any]:
    """Return keywords by the names that options have, numbers in the units of these.

    `dataclasses.replace` gives all fields, some by another name besides, which then counts.
    """
    others = {also.name: (one, also) for one in options.values() for also in also_called(one)}
    found = {name: value for name, value in given.items() if name in options or name not in others}
    typed = {name: name for name in found}
    for name in given.keys() - found.keys():
        (option, also), value = others[name], given[name]
        if option.name in found and not is_replacing:
            raise OptionError(typed[option.name], "cannot be given together with", name)
        found[option.name] = value if also.scale == 1 else _scaled(value, also.scale)
        typed[option.name] = name
    return found


def _scaled(value: Any, scale: float) -> Any:
    return not value if isinstance(value, bool) else scale * float(value)


@contextlib.contextmanager
def _as_given(options: Mapping[str, Option], given: Mapping[str, Any]) -> Iterator[None]:
    """Let an OptionError have the name that the option was given by, in the units of that."""
    try:
        yield
    except OptionError as error:
        if error.name in given or error.name not in options:
            raise
        for also in also_called(options[error.name]):
            if also.name in given:
                raise error.called(also.name, also.scale) from None
        raise


def read_text(option: Option, value: Any) -> Any:
    """Return the value of an option that may be given as text.

    Raises
    ------
    OptionError
        The text is none of such an option.
    """
    if not isinstance(value, str):
        return value
    for text in marks_of(option.kind, Text):
        try:
            return text.read(value)
        except ValueError:
            said = f"cannot be {value!r}; write it like {text.like}"
            raise OptionError(option.name, said) from None
    if option.takes_list:
        kind: Any = float if float in parts_of(option.kind) else int
        try:
            numbers = [kind(part) for part in value.split(",")]
        except ValueError:
            whole = "whole " * (kind is int)
            said = f"must be a {whole}number, or several with commas like 2,4,6 (got {value!r})"
            raise OptionError(option.name, said) from None
        return numbers if len(numbers) > 1 else numbers[0]
    return value


def changed(options: Any, values: Mapping[str, Any], listed: Sequence[str] = ()) -> Any:
    """Return options with other values of some fields; of `listed` ones, one set for each value."""
    if isinstance(options, tuple | list):
        return tuple(changed(one, values, listed) for one in options)
    values = dict(values)
    for head in {name.partition(".")[0] for name in values if "." in name}:
        inner = {n[len(head) + 1 :]: values.pop(n) for n in [*values] if n.startswith(f"{head}.")}
        values[head] = changed(values.get(head, getattr(options, head)), inner)
    several = {name: values[name] for name in listed if isinstance(values[name], list | tuple)}
    if not several:
        return dataclasses.replace(options, **values)
    rest = {name: value for name, value in values.items() if name not in several}
    rows = [dict(zip(several, row, strict=True)) for row in zip(*several.values(), strict=True)]
    return tuple(dataclasses.replace(options, **rest, **row) for row in rows)


def _resolve(arguments: dict[str, Any], hints: Mapping[str, Any]) -> None:
    """Replace texts by the objects that they stand for, and find the game that is not given."""
    classes = {name: _resolved_class(kind) for name, kind in hints.items()}
    texts = [
        name
        for name, kind in classes.items()
        if kind and name in arguments and _stands_for_another(arguments[name], hints[name])
    ]
    for name in [one for one in texts if classes[one] == DATASET]:
        arguments[name] = _place(RESOLVERS[DATASET])(arguments[name])
        texts.remove(name)
    games = [name for name, kind in classes.items() if kind == GAME]
    wanted = [name for name in games if types.NoneType not in parts_of(hints[name])]
    if not texts and all(arguments.get(name) is not None for name in wanted):
        return
    given = next((arguments.get(name) for name in games), None)
    others = [arguments[name] for name in hints if name in arguments and _says_game(hints[name])]
    game = _place(RESOLVERS[GAME])(given, others)
    for name in games:
        if name in wanted or arguments.get(name) is not None:
            arguments[name] = game
    for name in texts:
        if classes[name] != GAME:
            arguments[name] = _place(RESOLVERS[str(classes[name])])(arguments[name], game)


@functools.cache
def _says_game(kind: Any) -> bool:
    """Return whether arguments of a sort may say which game is meant."""
    names = {getattr(part, "__name__", "") for one in parts_of(kind) for part in _with_items(one)}
    return bool(names & {"Evaluator", "PositionLike", "Position", "Dataset"})


def _with_items(kind: Any) -> list[Any]:
    return [kind, *(part for one in typing.get_args(kind) for part in parts_of(one))]


def _stands_for_another(value: Any, kind: Any) -> bool:
    """Return whether an argument is to be replaced by an object of the class that is wanted."""
    parts = parts_of(kind)
    if value is None or str in parts:
        return False
    classes = [part for part in parts if getattr(part, "__name__", "") in RESOLVERS]
    is_protocol = any(getattr(one, "_is_protocol", False) for one in classes)
    return isinstance(value, str | Path) if is_protocol else not isinstance(value, *classes)


@functools.cache
def _resolved_class(kind: Any) -> str | None:
    names = (getattr(part, "__name__", "") for part in parts_of(kind))
    return next((name for name in names if name in RESOLVERS), None)


def _place(text: str) -> Callable[..., Any]:
    module, _, name = text.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found
