"""Public functions, which take objects or texts for them, and option classes or their fields.

A text stands for an object ("classic" for an evaluator), and fields of option classes are given by
name: `match(a, b, depth=4)` is `match(a, b, limits=Limits(depth=4))`. The signature and the
docstring of a public function are its options.

Options of a file of settings, TOML or JSON: fields of an option class, of their types.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import re
import reprlib
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Self

from samuel.common.errors import OptionError, UserError, nearest, unknown
from samuel.common.options import (
    Option,
    OptionClass,
    R,
    Suffix,
    Text,
    as_given,
    changed,
    described,
    fields_of,
    hints_of,
    marks_of,
    option_class_of,
    own_names,
    parts_of,
    read_text,
    require_ranges,
)

INFERRED: Any = None
"""Default of a parameter that `public` fills in: the game, by that of the other arguments."""
RESOLVERS: dict[str, str] = {}
"""Place ("module:function") of the function `resolve(text, game)` that makes an object of a class,
by the name of the class. The facade fills it, so that no module names one above it."""
GAME = "Game"
"""Class of the game, by which other texts are read."""
DATASET = "Dataset"
"""Class that is read without a game, and determines it."""


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
        for one, field in fields_of(held).items():
            found[one + suffix] = dataclasses.replace(
                field,
                name=one + suffix,
                default=None if usual is None else usual.flat()[one],
                parameter=name,
            )
    return found


def public(function: Callable[..., R]) -> Callable[..., R]:
    """Make a function public: it takes texts for objects, and fields for option classes."""

    @functools.wraps(function)
    def called(*arguments: Any, **given: Any) -> R:
        if not given:
            return run(arguments, given)
        with as_given(options_of(function), given):
            return run(arguments, given)

    def run(arguments: tuple[Any, ...], given: dict[str, Any]) -> R:
        bound, hints = _bound(function, arguments, given), hints_of(function)
        for name in [name for name, value in bound.arguments.items() if value is None]:
            has_default = bound.signature.parameters[name].default is not inspect.Parameter.empty
            if has_default and types.NoneType not in parts_of(hints.get(name)):
                del bound.arguments[name]
        _resolve(bound.arguments, hints, _resolved_classes(function))
        require_ranges(function, bound.arguments)
        return function(*bound.args, **bound.kwargs)

    return called


def _bound(
    function: Callable[..., Any], arguments: Sequence[Any], given: dict[str, Any]
) -> inspect.BoundArguments:
    """Return the arguments by parameter; fields that are given are put into option classes."""
    signature, hints = _signature(function), hints_of(function)
    fields: dict[str, dict[str, Any]] = {}
    if given:
        options = options_of(function)
        given = own_names(options, given)
        for name in [*given]:
            option = options.get(name)
            value = given[name] if option is None else read_text(option, given[name])
            if option is None or option.field is None:
                given[name] = value
            else:
                fields.setdefault(option.parameter, {})[option.field] = value
                del given[name]
    for name in [one for one in given if one not in signature.parameters]:
        kinds = {one.kind for one in signature.parameters.values()}
        if inspect.Parameter.VAR_KEYWORD not in kinds:
            near = nearest(name, {**options_of(function), **signature.parameters})
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"{function.__name__}() has no argument {name!r}{hint}")
    bound = signature.bind_partial(*arguments, **given)
    for name, values in fields.items():
        held, usual = option_class_of(hints[name]), signature.parameters[name].default
        assert held is not None
        value = bound.arguments.get(name, usual)
        value = held() if value in (None, inspect.Parameter.empty) else value
        try:
            bound.arguments[name] = changed(value, values)
        except OptionError as error:
            suffix = "".join(mark.text for mark in marks_of(hints[name], Suffix))
            raise error.called(error.name + suffix) from None
    return bound


_signature = functools.cache(inspect.signature)


@functools.cache
def _resolved_classes(function: Callable[..., Any]) -> dict[str, str]:
    """Return the classes of the parameters that texts stand for."""
    return {
        name: one
        for name, kind in hints_of(function).items()
        for one in [getattr(part, "__name__", "") for part in parts_of(kind)]
        if one in RESOLVERS
    }


def _resolve(
    arguments: dict[str, Any], hints: Mapping[str, Any], classes: Mapping[str, str]
) -> None:
    """Replace texts by the objects that they stand for, and find the game that is not given."""
    texts = [
        name
        for name in classes
        if name in arguments and _stands_for_another(arguments[name], hints[name])
    ]
    for name in [one for one in texts if classes[one] == DATASET]:
        arguments[name] = resolve_name(RESOLVERS[DATASET])(arguments[name])
        texts.remove(name)
    games = [name for name, kind in classes.items() if kind == GAME]
    wanted = [name for name in games if types.NoneType not in parts_of(hints[name])]
    if not texts and all(arguments.get(name) is not None for name in wanted):
        return
    given = next((arguments.get(name) for name in games), None)
    others = [arguments[name] for name in hints if name in arguments and _says_game(hints[name])]
    game = resolve_name(RESOLVERS[GAME])(given, others)
    for name in games:
        if name in wanted or arguments.get(name) is not None:
            arguments[name] = game
    for name in texts:
        if classes[name] != GAME:
            arguments[name] = resolve_name(RESOLVERS[classes[name]])(arguments[name], game)


@functools.cache
def _says_game(kind: Any) -> bool:
    """Return whether an argument with this annotation can determine the game."""
    names = {getattr(part, "__name__", "") for one in parts_of(kind) for part in _with_items(one)}
    return bool(names & {"Evaluator", "Position", "Dataset"})


def _with_items(kind: Any) -> list[Any]:
    return [kind, *(part for one in typing.get_args(kind) for part in parts_of(one))]


def _stands_for_another(value: Any, kind: Any) -> bool:
    """Return whether an argument must be replaced by an object of the class in the annotation."""
    parts = parts_of(kind)
    if value is None or str in parts:
        return False
    classes = [part for part in parts if getattr(part, "__name__", "") in RESOLVERS]
    is_protocol = any(getattr(one, "_is_protocol", False) for one in classes)
    return isinstance(value, str | Path) if is_protocol else not isinstance(value, *classes)


class FileOptions(OptionClass):
    """An option class that files of TOML and JSON have, too."""

    @classmethod
    def of(cls, values: Mapping[str, Any], source: str) -> Self:
        """Return the options that a file named `source` has, or raise UserError.

        Fields go by any of their names, and those of a nested class may be in a table of its name;
        None leaves a field as it is by default.
        """
        try:
            with as_given(fields_of(cls), values):
                return cls(**typed_fields(cls, values))
        except UserError as error:
            raise UserError(f"{source}: {error}") from None


def typed_fields(held: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields of a file (`FileOptions.of`), converted to their types."""
    fields, flat = fields_of(held), dict[str, Any]()
    for name, value in values.items():
        if option_class_of(hints_of(held).get(name)) is None:
            flat[name] = value
        elif isinstance(value, Mapping):
            known = [one for one in fields if fields[one].parameter == name]
            for one in own_names(fields, value):
                if one not in known:
                    raise unknown("setting", one, known, of=f"[{name}]")
            flat |= value
        else:
            raise UserError(f"{name} must be a table, [{name}] (got {value!r})")
    found = {name: value for name, value in own_names(fields, flat).items() if value is not None}
    for name in found:
        if name not in fields:
            raise unknown("setting", name, fields)
    return {name: _of_type(fields[name], value) for name, value in found.items()}


def _of_type(option: Option, value: Any) -> Any:
    """Return a value of TOML or JSON, converted to the type of its option."""
    import msgspec

    if isinstance(value, str) and marks_of(option.kind, Text):
        return read_text(option, value)
    kinds = [
        part  # of those that a file may have
        for part in parts_of(option.kind)
        if getattr(part, "__module__", "") == "builtins" or typing.get_origin(part) is not None
    ]
    try:
        return msgspec.convert(value, functools.reduce(operator.or_, kinds))
    except msgspec.ValidationError as error:
        wanted = re.match("Expected `([^`]*)`[^$]*$", str(error))
        said = _WANTED.get(wanted[1].removesuffix(" | null"), "") if wanted else ""
        given = reprlib.repr(value)
        fault = f"must be {said} (got {given})" if said else f"cannot be {given}"
        for text in marks_of(option.kind, Text) if not said else []:
            fault += f'; write it like "{text.like}"'
        raise OptionError(option.name, fault) from None


_WANTED = {
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "array": "a list",
}
"""Words of messages for the types of msgspec."""
