"""Files of JSON: written whole, and read as records, whose types and ranges are checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from samuel.common.errors import UserError
from samuel.common.files import MOST_OF_JSON, but_is, read_bytes, whole

T = TypeVar("T")


def write_json(path: Path | str, content: Any) -> None:
    """Write `content` as indented JSON, whole or not at all."""
    data = json_bytes(content, path)
    with whole(path) as partial:
        partial.write_bytes(data)


def json_bytes(content: Any, path: Path | str) -> bytes:
    """Return what `write_json` writes, or raise as it does."""
    text = json.dumps(plain(content), indent=1, ensure_ascii=False, allow_nan=False)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError as error:
        name = error.object[: error.end].rpartition('"')[2] + "..."
        raise UserError(
            f"the name {name!a} is not valid Unicode and cannot be stored in {path}; rename it"
        ) from None


def plain(value: Any) -> Any:
    """Return a value as JSON has it: no infinities and no NaN, which are null, and no numpy."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_record(
    path: Path | str, kind: type[T], what: str, again: str, *, format: int | None = None
) -> T:
    """Read a JSON file as a record with the types and ranges of `kind`; nothing is coerced."""
    path = Path(path)
    if not path.exists():
        raise UserError(f"{path} is missing: {path.parent} is not {what}{but_is(path.parent)}")
    return record_in(read_bytes(path, MOST_OF_JSON), kind, str(path), again, format=format)


def record_in(
    content: bytes | str, kind: type[T], name: str, again: str, *, format: int | None = None
) -> T:
    """Return the record that JSON holds; `name` is what errors call it. See `read_record`."""
    import msgspec

    try:
        found = msgspec.json.decode(content)
    except RecursionError:
        raise UserError(f"{name} is damaged: it is nested too deep; {again}") from None
    except ValueError as error:  # msgspec's and those of UTF-8
        raise UserError(f"{name} is damaged: {_said(error)}; {again}") from None
    if format is not None:
        _require_format(found, format, name, again)
    return as_record(found, kind, name, again)


def as_record(found: Any, kind: type[T], name: str, again: str) -> T:
    """Return what JSON held as a record; `name` is what errors call it. See `read_record`."""
    import msgspec

    try:
        return msgspec.convert(found, kind, str_keys=True)
    except msgspec.ValidationError as error:
        raise UserError(f"{name} is damaged: {_said(error)}; {again}") from None


def _require_format(found: Any, format: int, name: str, again: str) -> None:
    theirs = found.get("format") if isinstance(found, dict) else None
    if type(theirs) is int and theirs > format:
        raise UserError(f"{name} was written by a newer samuel; update this one to read it")
    if type(theirs) is not int or theirs != format:
        raise UserError(
            f"{name} is damaged, or of another version of samuel (format {theirs!r}; this "
            f"version reads {format}); {again}"
        )


def _said(error: Exception) -> str:
    """Return an error of msgspec without its sign for the whole file, which is `$`."""
    text = str(error).removesuffix(" - at `$`").replace("`$.", "`")
    return text if text.startswith("JSON") else text[:1].lower() + text[1:]
