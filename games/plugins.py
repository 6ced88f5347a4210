"""A user's Python files: each is run once for its content and that of the files it imports."""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import importlib.util
import os
import shlex
import sys
import threading
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from samuel.common.errors import UserError
from samuel.common.files import read_bytes
from samuel.games.game import Game
from samuel.games.sound import require_sound

_NEVER = sys.stdlib_module_names | {"samuel"}
"""Names that a file beside never stands for."""


own_games: dict[str, Game] = {}
"""A user's games by name (games.catalog.register_game)."""
known_features: dict[tuple[str, str], Any] = {}
"""Features by game and name (games.feature)."""
own_evaluators: dict[tuple[str, str], Any] = {}
"""A user's evaluators by game and name (models.register_evaluator)."""


@dataclass(frozen=True)
class Plugin:
    """A user's Python file as it was when it was run."""

    path: str
    digest: str

    @property
    def module(self) -> str:
        """The name of its module: by its digest, so that saved types do not say where it lay."""
        return f"plugin_{Path(self.path).stem}_{self.digest[:16]}"


loading = threading.RLock()
"""Held while a plugin runs, and while an evaluator that has a name is made: each is made once."""
_plugins: dict[str, Plugin] = {}
"""Plugins that this process has loaded, by path, in order."""
_of_plugins: dict[Hashable, tuple[Any, str]] = {}
"""The games and evaluators that plugins registered, each with the module; keys as above."""
registries: tuple[dict[Any, Any], ...] = (_plugins, own_games, own_evaluators, _of_plugins)


def load_plugin(path: str | Path) -> ModuleType:
    """Run your own Python file, which registers games, features or evaluators.

    The file may import Python files beside it, which become plugins too. Loading it again returns
    the same module, unless the file or one of those that it imports has changed: then it is run
    again, and what it registers replaces what it registered before.

    Parameters
    ----------
    path
        Path of the Python file.

    Returns
    -------
    ModuleType
        Module of the file.

    Raises
    ------
    UserError
        The file is missing, or fails.
    """
    file = _resolved(path)
    if not file.is_file() or file.suffix != ".py":
        raise UserError(f"{path} is missing, or is not a Python file (its name must end in .py)")
    with loading:  # else another thread would be given a module that is half done
        plugin, old = _plugin_at(file), _plugins.get(str(file))
        if plugin.module not in {known.module for known in _plugins.values()}:
            _load(str(path), plugin)
        _plugins[plugin.path] = plugin  # which may be a copy of another
        if old is not None and old != plugin:
            _forget(old)
        return sys.modules[plugin.module]


def _plugin_at(file: Path) -> Plugin:
    """Return a file as it is now."""
    found, waiting = {file: read_bytes(file)}, [file]
    while waiting:
        for name in _imports(found[waiting.pop()]):
            beside = _beside(file, name)
            if beside is not None and beside not in found:
                found[beside] = read_bytes(beside)
                waiting.append(beside)
    source = found.pop(file)
    named = (f"{one.name} {hashlib.sha256(found[one]).hexdigest()}" for one in sorted(found))
    content = b"\n".join([source, *map(str.encode, named)])
    return Plugin(str(file), hashlib.sha256(content).hexdigest())


def _imports(source: bytes) -> Iterator[str]:
    """Yield the names of the modules that a file imports anywhere in it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # running it says what is wrong
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def _beside(file: Path, name: str) -> Path | None:
    """Return the other file beside a file that `import name` means there."""
    if "." in name or name in _NEVER:
        return None
    beside = file.with_name(f"{name}.py")
    return beside if beside != file and beside.is_file() else None


def load_plugins(paths: Iterable[str | Path]) -> None:
    """Run several of a user's files, in an order in which none fails for want of another."""
    waiting = list(paths)
    while waiting:
        failed: dict[str | Path, UserError] = {}
        for path in waiting:
            try:
                load_plugin(path)
            except UserError as error:
                failed[path] = error
        if len(failed) == len(waiting):
            raise failed[waiting[0]]
        waiting = list(failed)


def renew_plugins(game: str, evaluator: str) -> None:
    """Run the files behind a game and an evaluator of it again that were edited since."""
    for plugin in plugins_behind(game, evaluators=[evaluator]):
        file = Path(plugin.path)
        if file.is_file() and _plugin_at(file) != plugin:
            load_plugin(file)


def loaded_plugin(path: str | Path) -> ModuleType:
    """Return the module of a user's file that this process has run; nothing is run here."""
    with loading:
        plugin = _plugins.get(str(_resolved(path)))
        module = sys.modules.get(plugin.module) if plugin else None
    if module is None:
        typed = shlex.quote(str(path))
        raise UserError(
            f"{str(path)!r} is a file of code, which data cannot start; if you trust it, add "
            f"--plugin {typed} to the command (in Python, load_plugin)"
        )
    return module


def _resolved(path: str | Path) -> Path:
    try:
        file = Path(path).resolve()
        file.exists()
    except (OSError, RuntimeError, ValueError):  # too long, a loop of links, not to be encoded
        raise UserError(f"{str(path)!r} cannot be the name of a file") from None
    return file


def _load(called: str, plugin: Plugin) -> None:
    """Run a plugin; where it fails, everything stays as it was."""
    before, features = [dict(registry) for registry in registries], dict(known_features)
    try:
        _run(called, plugin)
    except BaseException:
        stays = {known.module for known in before[0].values()}
        for name in {known.module for known in _plugins.values()} - stays:
            sys.modules.pop(name, None)
            _forget_features(name)
        for registry, content in zip(registries, before, strict=True):
            for key in registry.keys() - content.keys():
                del registry[key]
            registry.update(content)  # other threads never miss what was known before
        known_features.update(features)
        raise


def _forget(plugin: Plugin) -> None:
    """Forget what only an earlier version of a file registered."""
    if plugin.module in {known.module for known in _plugins.values()}:
        return
    _forget_features(plugin.module)
    for key, (thing, module) in list(_of_plugins.items()):
        if module == plugin.module:
            del _of_plugins[key]
            for registry in (own_games, own_evaluators):
                if registry.get(key) is thing:  # type: ignore[call-overload]
                    del registry[key]  # type: ignore[arg-type]


def _forget_features(module: str) -> None:
    for key, feature in list(known_features.items()):
        if feature.function.__module__ == module:
            del known_features[key]


def _run(called: str, plugin: Plugin) -> None:
    """Run a plugin, which is known while it runs: it may name itself."""
    spec = importlib.util.spec_from_file_location(plugin.module, plugin.path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    importing = {"__import__": _import_beside(Path(plugin.path))}
    module.__dict__["__builtins__"] = vars(builtins) | importing
    sys.modules[plugin.module] = module
    _plugins[plugin.path] = plugin
    before = _registered()
    with running(called):
        spec.loader.exec_module(module)
        for key, thing in _registered().items():
            if before.get(key) is not thing and not is_of_a_plugin(key, thing):  # that it loads
                if isinstance(thing, Game):
                    require_sound(thing)
                _warn_of_another(key, plugin)
                _of_plugins[key] = thing, plugin.module
    _plugins[plugin.path] = _plugins.pop(plugin.path)  # after those that it needs


def _import_beside(file: Path) -> Callable[..., ModuleType]:
    """Return the `__import__` of a plugin, which finds the files beside it."""

    def import_(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> ModuleType:
        beside = None if level else _beside(file, name)
        if beside is None:
            return builtins.__import__(name, globals, locals, fromlist, level)
        try:
            return load_plugin(beside)
        except UserError as error:
            if isinstance(error.__cause__, ImportError):  # which the plugin may catch
                raise error.__cause__ from None
            raise

    return import_


def _registered() -> dict[Hashable, Any]:
    return dict([*own_games.items(), *own_evaluators.items()])


def _warn_of_another(key: Hashable, plugin: Plugin) -> None:
    """Warn where a file that lies elsewhere has registered something of the same name before."""
    _, module = _of_plugins.get(key, (None, ""))
    before = next((one for one in _plugins.values() if one.module == module), plugin)
    if before.path != plugin.path:
        name = key if isinstance(key, str) else " of ".join(reversed(key))  # type: ignore[call-overload]
        warnings.warn(
            f"{Path(before.path).name} and {plugin.path} both register {name}; the second one "
            "is used",
            stacklevel=2,
        )


def is_of_a_plugin(key: Hashable, thing: object) -> bool:
    """Return whether a plugin has registered this very game or evaluator under a key."""
    return _of_plugins.get(key, (None, ""))[0] is thing


def things_in(module: ModuleType, kinds: tuple[type, ...]) -> list[Any]:
    """Return what a plugin's names stand for, and what it registers, of some kinds; each once."""
    registered = (thing for thing, name in _of_plugins.values() if name == module.__name__)
    things = [*vars(module).values(), *registered]
    return list(dict.fromkeys(one for one in things if isinstance(one, kinds)))


@contextlib.contextmanager
def running(what: str) -> Iterator[None]:
    """Run a user's code: what it prints is no output of ours, what it raises is one sentence."""
    try:
        with contextlib.redirect_stdout(sys.stderr), contextlib.chdir(os.curdir):
            yield
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        raise UserError(f"{what} failed: {type(error).__name__}: {error}") from error


def loaded_plugins() -> tuple[Plugin, ...]:
    """Return the user's files that this process has loaded, in order."""
    with loading:
        return tuple(_plugins.values())


def plugins_behind(
    game: str, modules: Iterable[str] = (), evaluators: Iterable[str] = ()
) -> list[Plugin]:
    """Return the plugins that define a game or evaluators of it, or are modules of these names."""
    keys: list[Hashable] = [game, *((game, name) for name in evaluators)]
    wanted = {*modules, *(_of_plugins.get(key, (None, ""))[1] for key in keys)}
    behind = {plugin.module: plugin for plugin in loaded_plugins() if plugin.module in wanted}
    return list(behind.values())


def plugin_options(game: str) -> str:
    """Return the options that a command for a game needs, each after a blank; "" for most games."""
    return _options_for(plugins_behind(game))


def options_of_loaded_plugins() -> str:
    """Return the options that load every plugin of this process again, each after a blank."""
    return _options_for(loaded_plugins())


def _options_for(plugins: Iterable[Plugin]) -> str:
    paths = [(os.path.relpath(plugin.path), plugin.path) for plugin in plugins]
    return "".join(f" --plugin {shlex.quote(min(names, key=len))}" for names in paths)


def install_plugins(plugins: Sequence[Plugin]) -> None:
    """Load the plugins that another process of the same user had loaded, and forget others."""
    with loading:
        if list(plugins) == list(_plugins.values()):
            return
        _plugins.clear()  # even those that are wanted: a name may have had another meaning since
        for plugin in plugins:
            sys.modules.pop(plugin.module, None)
        for plugin in plugins:
            _load_same(plugin)


def load_sent(plugins: Sequence[Plugin]) -> None:
    """Load the plugins behind something that was pickled, of which those that are missing here."""
    with loading:
        known = {plugin.module for plugin in _plugins.values()}
        for plugin in plugins:
            if plugin.module not in known:
                _load_same(plugin)


def _load_same(plugin: Plugin) -> None:
    """Load a plugin that another process has loaded; its file must be the same here."""
    file = Path(plugin.path)
    if not file.is_file() or _plugin_at(file) != plugin:
        raise UserError(
            f"{file} is missing or another file on a worker; put the same file there on every "
            "machine"
        )
    load_plugin(file)
