"""Games by name: those of the package, imported when asked for, and what is a user's own."""

from __future__ import annotations

import builtins
import contextlib
import copyreg
import functools
import hashlib
import importlib
import importlib.util
import os
import pkgutil
import re
import shlex
import sys
import threading
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from samuel.errors import UserError, require_plain_name, unknown
from samuel.files import read_bytes, whole
from samuel.games.interface import Game
from samuel.games.sound import require_sound
from samuel.kernels.cache import cache_folder

_NEVER = sys.stdlib_module_names | {"samuel"}
"""Names that a file beside never stands for."""


def builtins_for(file: Path, load: Callable[[Path], ModuleType]) -> dict[str, Any]:
    """Return builtins whose `import` finds the files beside `file`.

    CPython takes them from `__builtins__` among the globals of the code that imports, so also when
    a function of the file imports later.

    Parameters
    ----------
    load
        What runs a file, once, and returns its module.
    """

    def import_(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        beside = file.with_name(f"{name.partition('.')[0]}.py")
        is_meant = not level and "." not in name and name not in _NEVER
        if is_meant and beside != file and beside.is_file():
            return _loaded(beside, load)
        return builtins.__import__(name, globals, locals, fromlist, level)

    return vars(builtins) | {"__import__": import_}


def _loaded(file: Path, load: Callable[[Path], ModuleType]) -> ModuleType:
    try:
        return load(file)
    except UserError as error:
        if isinstance(error.__cause__, ImportError):  # which whoever imports may expect
            raise error.__cause__ from None
        raise


_NUMBERS = re.compile("([a-z]+)[-_ ]*([1-9][0-9]{0,8}(?:[-_ ]+[1-9][0-9]{0,8})*)")
_own: dict[str, Game] = {}
own_evaluators: dict[tuple[str, str], Any] = {}
"""A user's evaluators by game and name (models.register_evaluator)."""


@dataclass(frozen=True)
class Plugin:
    """A user's Python file as it was when it was run.

    Attributes
    ----------
    path
        Where it lay, absolute.
    source
        Its content.
    """

    path: str
    source: bytes = field(repr=False)

    @property
    def digest(self) -> str:
        """SHA-256 of the content."""
        return hashlib.sha256(self.source).hexdigest()

    @property
    def module(self) -> str:
        """The name of its module: by its content, so that saved types do not say where it lay."""
        return f"plugin_{Path(self.path).stem}_{self.digest[:16]}"


loading = threading.RLock()
"""Held while a plugin runs, and while an evaluator that has a name is made: each is made once."""
_making = threading.Lock()
_plugins: dict[str, Plugin] = {}
"""Plugins that this process has loaded, by path, in order."""
_first: dict[str, str] = {}
"""The digest of what was first run from a path: `jit` reads a source file once a process."""
_of_plugins: dict[Hashable, tuple[Any, str]] = {}
"""The games and evaluators that plugins registered, each with the module; keys as above."""
_registries: tuple[dict[Any, Any], ...] = (_plugins, _own, own_evaluators, _of_plugins)


@dataclass(frozen=True)
class _OfThePackage:
    """Games that the folders beside this file declare.

    Attributes
    ----------
    games
        Each game's place, "module.attribute", by its name.
    also
        What people call them besides: names without hyphens, blanks and underscores.
    families
        Games with numbers behind the name, as pig_50 and mnk_5_4_4: how many, and the place of the
        function that makes one of them, or refuses.
    """

    games: dict[str, str]
    also: dict[str, str]
    families: dict[str, tuple[int, str]]


@functools.cache
def _of_the_package() -> _OfThePackage:
    """Return what the package has: each folder says it in its `__init__`, which imports nothing."""
    found = _OfThePackage({}, {}, {})
    for folder in sorted(pkgutil.iter_modules([str(Path(__file__).parent)]), key=lambda f: f.name):
        if folder.ispkg:
            package = importlib.import_module(f"{__package__}.{folder.name}")
            within = f"{__package__}.{folder.name}"
            found.games.update({n: f"{within}.{at}" for n, at in package.GAMES.items()})
            found.also.update(getattr(package, "ALSO", {}))
            families = getattr(package, "FAMILIES", {}).items()
            found.families.update({name: (n, f"{within}.{at}") for name, (n, at) in families})
    return found


def game_names() -> list[str]:
    """Return the names of all games; those that come with samuel are first.

    Returns
    -------
    list[str]
        Names such as `othello` and `checkers`.

    Examples
    --------
    >>> import samuel
    >>> "othello" in samuel.game_names()
    True
    """
    return [*_of_the_package().games, *_own]


def register_game(game: Game) -> Game:
    """Register your own game, so that its name works everywhere.

    Parameters
    ----------
    game
        Game with a name of its own.

    Returns
    -------
    Game
        The game that was given.

    Raises
    ------
    UserError
        A game of samuel has this name, or the name of the game, of an evaluator or of a set of
        patterns is not valid.
    """
    require_plain_name("a game", game.name)
    for what, named in (
        ("an evaluator", game.defaults.evaluators),
        ("a set of patterns", game.defaults.shapes),
    ):
        for name in named:
            require_plain_name(what, name)
    if is_of_the_package(game.name):
        raise UserError(
            f"{game.name} is the name of a game that ships with samuel; give your game another name"
        )
    _own[game.name] = game
    return game


def load_plugin(path: str | Path) -> ModuleType:
    """Run your own Python file, which registers games, features or evaluators.

    The file may import Python files beside it, which become plugins too. Loading the file again, or
    a copy of it, returns the first module.

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
    with loading:  # else another thread would be given a module that is half done
        return _module_at(file) or _load(path, file)


def load_plugins(paths: Iterable[str | Path]) -> None:
    """Run several of a user's files, in an order in which none fails for want of another.

    Raises
    ------
    UserError
        One of them fails in any order.
    """
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


def loaded_plugin(path: str | Path) -> ModuleType:
    """Return the module of a user's file that this process has run; nothing is run here.

    So a name that stands in a file of data means code only where a person has named that code.

    Raises
    ------
    UserError
        The file was not run.
    """
    with loading:
        module = _module_at(_resolved(path))
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


def _module_at(file: Path) -> ModuleType | None:
    """Return the module of a file that was run."""
    plugin = _plugins.get(str(file))
    return sys.modules.get(plugin.module) if plugin else None


def _load(path: str | Path, file: Path) -> ModuleType:
    """Run a plugin, unless it is a copy of one.

    Where it fails, the games and evaluators that it registered are forgotten.
    """
    if not file.is_file() or file.suffix != ".py":
        raise UserError(f"{path} is missing, or is not a Python file (its name must end in .py)")
    plugin = Plugin(str(file), read_bytes(file))
    if plugin.module in {known.module for known in _plugins.values()}:
        _plugins[plugin.path] = plugin
        return sys.modules[plugin.module]
    before = [dict(registry) for registry in _registries]
    try:
        module = _run(str(path), plugin)
    except BaseException:
        stays = {known.module for known in before[0].values()}
        for name in {known.module for known in _plugins.values()} - stays:
            sys.modules.pop(name, None)
        for registry, content in zip(_registries, before, strict=True):
            for key in registry.keys() - content.keys():
                del registry[key]
            registry.update(content)  # other threads never miss what was known before
        raise
    _first.setdefault(plugin.path, plugin.digest)
    return module


def _run(called: str, plugin: Plugin) -> ModuleType:
    """Run a plugin, which is known while it runs: it may name itself."""
    spec = importlib.util.spec_from_file_location(plugin.module, plugin.path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    beside = builtins_for(Path(plugin.path), load_plugin)
    module.__dict__["__builtins__"] = beside
    sys.modules[plugin.module] = module
    _plugins[plugin.path] = plugin
    before = _registered()
    with running(called):
        spec.loader.exec_module(module)
        for key, thing in _registered().items():
            if before.get(key) is not thing and not _is_of_a_plugin(key, thing):  # that it loads
                if isinstance(thing, Game):
                    require_sound(thing)
                _warn_of_another(key, plugin)
                _of_plugins[key] = thing, plugin.module
    _plugins[plugin.path] = _plugins.pop(plugin.path)  # after those that it needs
    return module


def _registered() -> dict[Hashable, Any]:
    return dict([*_own.items(), *own_evaluators.items()])


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


def _is_of_a_plugin(key: Hashable, thing: object) -> bool:
    return _of_plugins.get(key, (None, ""))[0] is thing


def registered_by(module: ModuleType) -> list[Any]:
    """Return the games and evaluators that a plugin has registered."""
    return [thing for thing, name in _of_plugins.values() if name == module.__name__]


def things_in(module: ModuleType, kinds: tuple[type, ...]) -> list[Any]:
    """Return what a plugin's names stand for, and what it registers, of some kinds; each once."""
    things = [*vars(module).values(), *registered_by(module)]
    return list(dict.fromkeys(one for one in things if isinstance(one, kinds)))


@contextlib.contextmanager
def running(what: str) -> Iterator[None]:
    """Run a user's code: what it prints is no output of ours, what it raises is one sentence.

    Where it changes the directory, that is changed back: paths on the command line are from there.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr), contextlib.chdir(os.curdir):
            yield
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        now = _name_now(error.name or "") if isinstance(error, ModuleNotFoundError) else ""
        raise UserError(f"{what} failed: {type(error).__name__}: {error}{now}") from error


def _name_now(module: str) -> str:
    """Return what to say where a module is missing that is the package's own by another name."""
    now = f"samuel.{module.partition('.')[0]}"
    return f"; it is {now}" if importlib.util.find_spec(now) is not None else ""


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


def is_of_the_package(name: str) -> bool:
    """Return whether a game of the package has exactly this name."""
    member = None
    with contextlib.suppress(UserError):
        member = _of_a_family(name)
    return name in _of_the_package().games or (member is not None and member.name == name)


def is_known_elsewhere(thing: Any) -> bool:
    """Return whether a process that loads the same plugins knows a user's evaluator, or a game."""
    if not isinstance(thing, Game):
        return _is_of_a_plugin((thing.game, thing.name), thing)
    if is_of_the_package(thing.name):
        return known_game(thing.name) is thing
    return _is_of_a_plugin(thing.name, thing)


def install_plugins(plugins: Sequence[Plugin]) -> None:
    """Load the plugins that another process of the same user had loaded, and forget others.

    Where the very files lie here too they are run from their places, and else from a copy in the
    cache folder, so that code compiled for them is found again. Nothing is run where just these
    are loaded already.

    Raises
    ------
    UserError
        One of them fails here, for want of another module of the user's, say.
    """
    with loading:
        if [p.digest for p in plugins] == [p.digest for p in _plugins.values()]:
            return
        _plugins.clear()  # even those that are wanted: a name may have had another meaning since
        for plugin in plugins:
            sys.modules.pop(plugin.module, None)
        for place in [_place_of(plugin, plugins) for plugin in plugins]:
            load_plugin(place)


def load_sent(plugins: Sequence[Plugin]) -> None:
    """Load the plugins behind something that was pickled, of which those that are missing here."""
    with loading:
        known = {plugin.module for plugin in _plugins.values()}
        for plugin in plugins:
            if plugin.module not in known:
                load_plugin(_place_of(plugin, plugins))


def known_alone(what: str) -> UserError:
    """Return the error that something cannot be sent to other processes."""
    return UserError(
        f"{what} exists only in this process, so other processes cannot load it; define it in a "
        "plugin file (--plugin FILE), or use threads"
    )


def _sent_game(name: str, plugins: Sequence[Plugin]) -> Game:
    """Return a game that was pickled."""
    load_sent(plugins)
    return known_game(name)


def _reduced(game: Game) -> tuple[Any, ...]:
    """Pickle a game by its name, and a user's with the plugins that are loaded here."""
    if not is_known_elsewhere(game):
        raise known_alone(f"the game {game.name}")
    return _sent_game, (game.name, () if is_of_the_package(game.name) else loaded_plugins())


copyreg.pickle(Game, _reduced)


def _place_of(plugin: Plugin, plugins: Sequence[Plugin]) -> Path:
    """Return where a plugin lies in this process's file system, beside those that lay beside it."""
    file = Path(plugin.path)
    together = [one for one in plugins if Path(one.path).parent == file.parent]
    if all(_is_here(one) for one in together):
        return file
    names = sorted(f"{Path(one.path).name} {one.digest}" for one in together)
    folder = hashlib.sha256("\n".join(names).encode()).hexdigest()[:24]
    copy = cache_folder().resolve() / "plugins" / folder / file.name
    if not _holds(copy, plugin.source):
        with whole(copy) as partial:
            partial.write_bytes(plugin.source)
    return copy


def _is_here(plugin: Plugin) -> bool:
    first = _first.get(plugin.path, plugin.digest)
    return first == plugin.digest and _holds(Path(plugin.path), plugin.source)


def _holds(file: Path, content: bytes) -> bool:
    try:
        return file.read_bytes() == content
    except OSError:
        return False


def game_named(name: str) -> Game:
    """Return the game that you name; a Python file that you name is run.

    Use it for names that you typed yourself. Names that were read from files are for `known_game`,
    which runs nothing.

    Parameters
    ----------
    name
        Name of a game, or the path of a Python file that registers one.

    Returns
    -------
    Game
        Game with this name.

    Raises
    ------
    UserError
        There is no such game, or the file fails.

    Examples
    --------
    >>> import samuel
    >>> samuel.game_named("connect_four").name
    'connect_four'
    """
    if isinstance(name, str) and name.endswith(".py"):
        load_plugin(name)
    return known_game(name)


def known_game(name: str) -> Game:
    """Return the game called `name`; case, hyphens, blanks and underscores do not matter.

    Nothing of a user's is run. The name of a Python file stands for the one game that the file
    registers, where a person has named that file in this process (`loaded_plugin`).

    Raises
    ------
    UserError
        There is no such game.
    """
    if not isinstance(name, str):
        raise UserError(f"game must be a name, such as 'othello' (got {name!r})")
    if name.endswith(".py"):
        things = vars(loaded_plugin(name)).values()
        # once each, under however many names the file knows it
        own = list(dict.fromkeys(v for v in things if isinstance(v, Game) and v.name in _own))
        if len(own) != 1:
            raise UserError(f"{name} registers {len(own)} games; it must register one")
        return own[0]
    key = _plain(name)
    ours = _of_the_package()
    key = _plain(ours.also.get(key, key))
    for known in game_names():
        if _plain(known) == key:
            if known in _own:
                return _own[known]
            game: Game = _at(ours.games[known])
            return game
    if (member := _of_a_family(name)) is not None:
        return member
    more = "name the file of your own with --plugin FILE, or import it"
    raise unknown("game", name, game_names(), more)


def _of_a_family(name: str) -> Game | None:
    """Return the game of a name such as `pig_50`; None where no such game has such numbers.

    Raises
    ------
    UserError
        There is none of these numbers.
    """
    found = _NUMBERS.fullmatch(name.strip().lower())
    if found is None or found[1] not in _of_the_package().families:
        return None
    numbers = [int(number) for number in re.findall("[0-9]+", found[2])]
    wanted, place = _of_the_package().families[found[1]]
    if len(numbers) != wanted:
        return None
    make = _at(place)
    with _making:  # else two threads would be given two games of one name
        game: Game = make(*numbers)
    return game


def _at(place: str) -> Any:
    """Return what a module of the package has by a name."""
    module, _, attribute = place.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")
