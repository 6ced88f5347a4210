"""Estimators as bytes, by way of skops: what comes back is built from known types alone."""

from __future__ import annotations

import io
import json
import re
import reprlib
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import skops.io

from samuel.errors import PluginNeededError, UserError, printable
from samuel.games.catalog import loaded_plugins
from samuel.models.saved.estimator_checks import UnsoundError, built, require_plain
from samuel.models.saved.skops_types import REFUSED, own_homes, reviewed

_SCHEMA = "schema.json"
"""In the zip file that skops writes: a tree of nodes, each with a type and the way to read it."""
_OURS = ("samuel", "features", "models")
"""Packages that our types are in, or were in before."""
_PLUGIN = re.compile(r"plugin_(.{1,100})_[0-9a-f]{8,16}")
"""The module of a person's file (games.catalog.Plugin.module)."""


def estimator_bytes(estimator: Any) -> bytes:
    """Return a fitted estimator as the content of a file.

    Raises
    ------
    UserError
        It holds something that skops cannot write, or that could not be read again.
    """
    try:
        content = bytes(skops.io.dumps(estimator))
        # what cannot be found by its name, a lambda say, is written and fails to come back
        built(content, skops.io.get_untrusted_types(data=content))
    except UnsoundError as error:
        raise UserError(
            f"{type(estimator).__name__} cannot be saved: {error}, and would not be read again"
        ) from None
    except Exception as error:
        raise UserError(
            f"{type(estimator).__name__} cannot be saved: skops finds no form for it that can be "
            f"read again ({error}); define functions and classes at the top of a module"
        ) from error
    return content


def strange_types(content: bytes, trusted: Sequence[str] = ()) -> list[str]:
    """Return the types in the content of a file that are not known to be safe.

    skops finds those that it does not trust; some that it does are refused. A reviewed one is safe
    where each node of that type is read in the way that was reviewed; so is an estimator of a file
    that a person has named.
    """
    ways = defaultdict(set)
    for node in _nodes(_schema(content)):
        ways[f"{node['__module__']}.{node['__class__']}"].add(node["__loader__"])
    known = reviewed() | _of_plugins()
    doubtful = set(skops.io.get_untrusted_types(data=content))
    doubtful = (doubtful | {name for name in ways if name.startswith(REFUSED)}) - set(trusted)
    return sorted(name for name in doubtful if ways.get(name) != {known.get(name)})


def read_estimator(
    content: bytes, path: str, trusted: Sequence[str] = (), versions: Any = None
) -> Any:
    """Return the estimator that `estimator_bytes` wrote.

    Parameters
    ----------
    path
        What errors call the file.
    trusted
        Names of types that may be built besides those known to be safe.
    versions
        The packages it was written with, for errors.

    Raises
    ------
    UserError
        It is damaged, or holds a type that is not trusted.
    """
    try:
        require_plain(content)
        content = _renamed(content)
        strange = strange_types(content, trusted)
    except Exception as error:
        raise UserError(
            f"{path} is damaged: it holds no estimator ({error}); train the model again"
        ) from error
    if strange:
        raise _refusal(path, strange)
    try:
        return built(content, skops.io.get_untrusted_types(data=content))
    except UnsoundError as error:
        raise UserError(f"{path} is damaged: {error}; train the model again") from None
    except Exception as error:
        raise UserError(
            f"{path} cannot be read with the packages installed here ({error}); "
            f"it was written with {versions}"
        ) from error


def modules_in(content: bytes) -> set[str]:
    """Return the modules of the types in the content of a file."""
    return {str(node["__module__"]) for node in _nodes(_schema(content))}


def _refusal(path: str, strange: list[str]) -> UserError:
    module, _, name = strange[0].rpartition(".")
    found = _PLUGIN.fullmatch(module)
    if found and module not in {plugin.module for plugin in loaded_plugins()}:
        return PluginNeededError(
            f"{path} holds {reprlib.repr(name)}, which is not known", [f"{printable(found[1])}.py"]
        )
    return UserError(
        f"{path} holds the type {strange[0]}, which is not known to be safe; where you trust "
        f"whoever made the file, load_model(..., trusted={strange}) reads it in Python; an "
        "estimator of your own (a class with fit, and predict or transform) may be defined in a "
        "file that is named with --plugin FILE"
    )


def _of_plugins() -> dict[str, str]:
    """Return the estimators that the person's files define, and the way they may be read.

    Not what the files import, nor their functions and other classes: an estimator of scikit-learn's
    calls what it holds, with arguments that the content of the file chooses.
    """
    return {
        f"{plugin.module}.{name}": "ObjectNode"
        for plugin in loaded_plugins()
        for name, thing in vars(sys.modules[plugin.module]).items()
        if isinstance(thing, type) and thing.__module__ == plugin.module and _is_estimator(thing)
    }


def _is_estimator(kind: type) -> bool:
    return hasattr(kind, "fit") and (hasattr(kind, "predict") or hasattr(kind, "transform"))


def _schema(content: bytes) -> Any:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return json.loads(archive.read(_SCHEMA))


def _nodes(part: Any) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a schema, in whatever they stand."""
    waiting = [part]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if "__loader__" in part:
                yield part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _module_now(module: str, name: str) -> str:
    """Return where a type is here: ours may have moved, a person's file may have been edited."""
    if module.split(".")[0] in _OURS:
        return own_homes().get(name, module)
    found = _PLUGIN.fullmatch(module)
    loaded = [plugin.module for plugin in loaded_plugins()]
    if found is None or module in loaded:
        return module
    same = [one for one in loaded if (_PLUGIN.fullmatch(one) or found)[1] == found[1]]
    return same[-1] if same else module


def _renamed(content: bytes) -> bytes:
    """Return the content of a file with the names that its types have now."""
    schema, changed = _schema(content), False
    for node in _nodes(schema):
        module = str(node["__module__"])
        now = _module_now(module, str(node["__class__"]))
        if now != module:
            node["__module__"], changed = now, True
    if not changed:
        return content
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as before,
        zipfile.ZipFile(buffer, "w") as after,
    ):
        for name in set(before.namelist()) - {_SCHEMA}:
            after.writestr(name, before.read(name))
        after.writestr(_SCHEMA, json.dumps(schema))
    return buffer.getvalue()
