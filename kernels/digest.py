"""Digest of everything that a compiled function was made from.

It covers everything that the function reaches through its globals: the source files of the
functions it calls, at any distance, and the values of the constants that are frozen into the code.
Functions reached through `getattr`, a dictionary or an argument are not seen; function
pointers are arguments, and each function behind one has a cache file of its own.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import sys
import types as python_types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba import types
from numba.core.typing.templates import Signature

LIBRARIES = {"numba", "numpy", "llvmlite", "math", "builtins", "typing"}
"""Top-level modules whose code is taken as fixed; numba's own cache index holds its version."""

DECLARED = "_samuel_signature"
"""Attribute of a function under `@jit(SIGNATURE)`."""

_COMPILER = ("jit", "linked", "cache")
"""Files of this folder that say how things are compiled, which counts too."""


def source_digest(function: Callable[..., Any]) -> str:
    """Return a SHA-256 over all the code and constants that `function` reaches."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {np.__version__}".encode())
    files = {str(Path(__file__).with_name(f"{name}.py")) for name in _COMPILER}
    for kind, content in _reachable(function):
        if kind == "file":
            files.add(content)
        else:
            digest.update(f"{kind} {content}\n".encode())
    for content in sorted(map(_file_digest, files)):  # wherever the files lie
        digest.update(content.encode())
    return digest.hexdigest()


@functools.cache
def _file_digest(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:  # made by `exec`: the code objects themselves are in the digest
        return "no file"


def _reachable(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Yield ("file" | "code" | "constant", text) for each thing met on a walk over globals."""
    seen: dict[int, Any] = {}  # constants are never skipped: equal ones may be the same object
    waiting: list[tuple[str, Any]] = [("", function)]
    while waiting:
        name, value = waiting.pop()
        value = getattr(value, "py_func", getattr(value, "_defn", value))
        if isinstance(value, types.Type):  # of what `thawing` reads: fields have become places
            waiting.extend(("type", class_of) for class_of in _tuples_in(value))
            yield "constant", f"{name} {value}"
            continue
        if id(value) in seen or _is_library(value):
            continue
        if isinstance(value, python_types.FunctionType):
            seen[id(value)] = value
            code = value.__code__
            yield "file", code.co_filename
            text = f"{value.__name__} {code.co_code.hex()} {_plain_constants(code)}"
            # the names tell sin from cos where there is no file to read: in a notebook
            yield "code", f"{text} {sorted(_names(code))}"
            waiting.extend(_referenced(value))
        elif isinstance(value, type):
            seen[id(value)] = value
            yield "file", getattr(sys.modules.get(value.__module__), "__file__", None) or ""
            yield "constant", f"{name} {value.__qualname__} {getattr(value, '_fields', '')}"
        elif isinstance(value, np.ndarray):
            content = hashlib.sha256(value.tobytes()).hexdigest()
            yield "constant", f"{name} {value.dtype} {value.shape} {content}"
        elif isinstance(value, tuple):
            waiting.extend((f"{name}[{i}]", item) for i, item in enumerate(value))
            waiting.append((name, type(value)))
            yield "constant", f"{name} {len(value)}"
        elif isinstance(value, bool | int | float | complex | str | bytes | np.generic):
            yield "constant", f"{name} {type(value).__name__} {value!r}"


def instructions(functions: Iterable[Any], is_known: Callable[[Any], bool]) -> int:
    """Return the size of the code that compiling functions would go through, each helper once."""
    seen: set[int] = set()
    found, count = list(functions), 0
    while found:
        value = found.pop()
        if is_known(value):
            continue
        value = getattr(value, "py_func", getattr(value, "_defn", value))
        if id(value) in seen or _is_library(value):
            continue
        seen.add(id(value))
        if isinstance(value, python_types.FunctionType):
            count += len(value.__code__.co_code) // 2
            found += [part for _, part in _referenced(value)]
        elif isinstance(value, tuple):
            found += value
    return count


def _referenced(function: python_types.FunctionType) -> list[tuple[str, Any]]:
    """Return the globals, attributes of global modules and closure cells that a function names."""
    code = function.__code__
    names = sorted(_names(code))  # in the same order in every process
    found = []
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, python_types.ModuleType):
            found += _attributes(value, names)
        elif isinstance(value, python_types.FunctionType) and name not in _globals(code):
            continue  # an attribute of the name of a function that is not compiled
        elif value is not None:
            found.append((name, value))
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    found += [(name, cell.cell_contents) for name, cell in cells]
    found += [("default", value) for value in function.__defaults__ or ()]
    tuples = _tuples_in(function.__dict__.get(DECLARED))
    return found + [("signature", class_of) for class_of in tuples]


def _attributes(
    module: python_types.ModuleType, names: Iterable[str], depth: int = 4
) -> list[tuple[str, Any]]:
    """Return what of a module, and of modules in it, a function with these names may use."""
    if module.__name__.split(".")[0] in LIBRARIES or depth == 0:
        return []
    found: list[tuple[str, Any]] = []
    for name in sorted(names):
        value = getattr(module, name, None)
        if isinstance(value, python_types.ModuleType):
            found += _attributes(value, names, depth - 1)
        elif value is not None:
            found.append((f"{module.__name__}.{name}", value))
    return found


def _tuples_in(declared: Any) -> Iterator[type]:
    """Yield the classes of the named tuples in a signature, at any depth."""
    if isinstance(declared, Signature):
        for part in (declared.return_type, *declared.args):
            yield from _tuples_in(part)
    elif isinstance(declared, types.FunctionType):
        yield from _tuples_in(declared.signature)
    elif isinstance(declared, types.BaseTuple):
        if isinstance(declared, types.BaseNamedTuple):
            yield declared.instance_class
        for part in declared.types:
            yield from _tuples_in(part)


@functools.cache
def _names(code: python_types.CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, python_types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))


@functools.cache
def _globals(code: python_types.CodeType) -> set[str]:
    """Return the names that are read as globals, which `_names` has among those of attributes."""
    inner = [c for c in code.co_consts if isinstance(c, python_types.CodeType)]
    read = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return read.union(*map(_globals, inner))


def _plain_constants(code: python_types.CodeType) -> str:
    return repr(
        [_plain_constants(c) if isinstance(c, python_types.CodeType) else c for c in code.co_consts]
    )


def _is_library(value: Any) -> bool:
    module = getattr(value, "__module__", None) if not isinstance(value, np.generic) else None
    return isinstance(module, str) and module.split(".")[0] in LIBRARIES
