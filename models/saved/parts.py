"""What an estimator holds, part by part."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np


def all_in(thing: Any) -> Iterator[Any]:
    """Yield a thing and all it holds, each once."""
    waiting, seen = [thing], {id(thing): thing}
    while waiting:
        thing = waiting.pop()
        yield thing
        for part in _parts_of(thing):
            if id(part) not in seen:
                seen[id(part)] = part
                waiting.append(part)


def _parts_of(thing: Any) -> list[Any]:
    if isinstance(thing, type):
        return []
    if isinstance(thing, dict):
        return [*thing, *thing.values()]
    if isinstance(thing, list | tuple | set | frozenset):
        return list(thing)
    if isinstance(thing, np.ndarray):
        return thing.ravel().tolist() if thing.dtype == object else []
    if isinstance(thing, functools.partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    return list(attributes(thing).values())


def is_count(number: Any) -> bool:
    """Return whether it is a whole number of 0 or more."""
    return isinstance(number, int | np.integer) and type(number) is not bool and int(number) >= 0


def attributes(thing: Any) -> dict[str, Any]:
    """Return what was given to an object; functions and modules are names for code that is here."""
    is_code = isinstance(thing, np.ufunc) or inspect.isroutine(thing) or inspect.ismodule(thing)
    return {} if is_code else getattr(thing, "__dict__", {})
