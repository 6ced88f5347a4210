"""Estimators as bytes, by way of skops: what comes back is built from trusted types alone."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import skops.io

from samuel.common.errors import PluginNeededError, UserError, printable
from samuel.games.plugins import loaded_plugins
from samuel.models.compiled.model import members_in

_SCHEMA = "schema.json"
"""In the zip file that skops writes: a tree of nodes, each with a type and the way to read it."""
_JSON = {"__loader__": "JsonNode", "__module__": "builtins", "__class__": "str"}
_PLUGIN = re.compile(r"plugin_(.{1,100})_[0-9a-f]{8,16}")
"""The module of a person's file (games.plugins.Plugin.module)."""
_NOT_READ = {"memory": "null", "n_jobs": "null", "verbose": "false"}
"""Parameters that a file does not set: a folder of pickles, processes, what is printed."""
_TRUSTED = (
    "samuel.features.transformer.Features",
    "samuel.features.transformer.Positions",
    "samuel.models.sparse_network.SparseNetwork",
    "samuel.models.staged.Staged",
    "samuel.models.tapered.TaperedLogistic",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
)
"""Types that are read besides those that skops trusts: ours, and the state of a network's fit."""


def estimator_bytes(estimator: Any) -> bytes:
    """Return a fitted estimator as the content of a file."""
    try:
        content = bytes(skops.io.dumps(estimator))
        # what cannot be found by its name, a lambda say, is written and fails to come back
        skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))
    except Exception as error:
        raise UserError(
            f"{type(estimator).__name__} cannot be saved: skops cannot store it ({error}); "
            "define functions and classes at the top of a module"
        ) from error
    return content


def untrusted_types(content: bytes) -> list[str]:
    """Return the types in the content of a file that a person must name for it to be read."""
    names = set(skops.io.get_untrusted_types(data=content))
    # a class of the person's is built, and not called with what the file holds
    called = {name for name, way in _types_in(content) if way != "ObjectNode"}
    return sorted(names.difference(_TRUSTED, set(_estimators_of_plugins()) - called))


def read_estimator(
    content: bytes, path: str, trusted: Sequence[str] = (), versions: Any = None
) -> Any:
    """Return the estimator that `estimator_bytes` wrote."""
    try:
        content = _prepared(members_in(content))
        untrusted = [name for name in untrusted_types(content) if name not in trusted]
    except Exception as error:
        raise UserError(
            f"{path} is damaged: it contains no estimator ({error}); train the model again"
        ) from error
    if untrusted:
        raise _refusal(path, untrusted)
    try:
        return skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))
    except Exception as error:
        raise UserError(
            f"{path} cannot be read with the packages installed here ({error}); "
            f"it was written with {versions}"
        ) from error


def modules_in(content: bytes) -> set[str]:
    """Return the modules of the types in the content of a file."""
    return {name.rpartition(".")[0] for name, _ in _types_in(content)}


def _types_in(content: bytes) -> set[tuple[str, str]]:
    """Return the names of types, each with the way of skops to read it."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        nodes = _nodes(json.loads(archive.read(_SCHEMA)))
    return {(f"{node['__module__']}.{node['__class__']}", node["__loader__"]) for node in nodes}


def _refusal(path: str, untrusted: list[str]) -> UserError:
    module, _, name = untrusted[0].rpartition(".")
    found = _PLUGIN.fullmatch(module)
    if found and module not in {plugin.module for plugin in loaded_plugins()}:
        return PluginNeededError(
            f"{path} contains {printable(name)}, which is not known", [f"{printable(found[1])}.py"]
        )
    names = ",".join(untrusted)
    return UserError(
        f"{path} contains types that are loaded only if you name them. If you trust the author of "
        f"the file, add --trust {printable(shlex.quote(names))} (in Python, trusted=)"
    )


def _estimators_of_plugins() -> Iterator[str]:
    """Yield the names of the estimators that the person's files define themselves.

    An imported estimator, or a function, may call what the file chooses.
    """
    for plugin in loaded_plugins():
        for name, thing in vars(sys.modules[plugin.module]).items():
            is_own = isinstance(thing, type) and thing.__module__ == plugin.module
            if is_own and hasattr(thing, "fit") and {"predict", "transform"} & {*dir(thing)}:
                yield f"{plugin.module}.{name}"


def _nodes(part: Any) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a schema, at any depth."""
    waiting = [part]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if "__loader__" in part:
                yield part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _module_now(module: str) -> str:
    """Return where a type is here: a person's file may have been edited."""
    found = _PLUGIN.fullmatch(module)
    loaded = [plugin.module for plugin in loaded_plugins()]
    if found is None or module in loaded:
        return module
    same = [one for one in loaded if (_PLUGIN.fullmatch(one) or found)[1] == found[1]]
    return same[-1] if same else module


def _prepared(members: dict[str, bytes]) -> bytes:
    """Return a file's content with types as named now, without what is not read or `__id__`."""
    schema = json.loads(members.pop(_SCHEMA))
    for node in _nodes(schema):
        node["__module__"] = _module_now(str(node["__module__"]))
        held = node.get("content")
        if isinstance(held, dict):
            for name in _NOT_READ.keys() & held.keys():
                held[name] = _JSON | {"content": _NOT_READ[name]}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in [*members.items(), (_SCHEMA, json.dumps(schema).encode())]:
            archive.writestr(name, content)
    return buffer.getvalue()
