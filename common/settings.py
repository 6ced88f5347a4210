"""Options of a file of settings, TOML or JSON: fields of an option class, of their types."""

from __future__ import annotations

import functools
import operator
import re
import reprlib
import typing
from collections.abc import Mapping
from typing import Any, Self

from samuel.common.errors import OptionError, UserError, unknown
from samuel.common.options import (
    Option,
    OptionClass,
    Text,
    as_given,
    fields_of,
    hints_of,
    marks_of,
    option_class_of,
    own_names,
    parts_of,
    read_text,
)


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
