"""Games by name: those of the package, imported when asked for, and a user's own."""

from __future__ import annotations

import contextlib
import copyreg
import functools
import importlib
import pkgutil
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samuel.common.errors import UserError, require_plain_name, unknown
from samuel.games.game import Game
from samuel.games.plugins import (
    Plugin,
    is_of_a_plugin,
    load_plugin,
    load_sent,
    loaded_plugin,
    loaded_plugins,
    own_games,
)

_NUMBERS = re.compile("([a-z]+)[-_ ]*([1-9][0-9]{0,8}(?:[-_ ]+[1-9][0-9]{0,8})*)")
_making = threading.Lock()


@dataclass(frozen=True)
class _OfThePackage:
    """Games that the folders beside this file declare."""

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
    return [*_of_the_package().games, *own_games]


def register_game(game: Game) -> Game:
    """Register your own game, so that its name works everywhere.

    Parameters
    ----------
    game
        Game with a name that no other game has.

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
    own_games[game.name] = game
    return game


def is_of_the_package(name: str) -> bool:
    """Return whether a game of the package has exactly this name."""
    member = None
    with contextlib.suppress(UserError):
        member = _of_a_family(name)
    return name in _of_the_package().games or (member is not None and member.name == name)


def is_known_elsewhere(thing: Any) -> bool:
    """Return whether a process that loads the same plugins knows a user's evaluator, or a game."""
    if not isinstance(thing, Game):
        return is_of_a_plugin((thing.game, thing.name), thing)
    if is_of_the_package(thing.name):
        return known_game(thing.name) is thing
    return is_of_a_plugin(thing.name, thing)


def known_alone(what: str) -> UserError:
    """Return the error that something cannot be sent to other processes."""
    return UserError(
        f"{what} exists only in this process, so other processes cannot load it; define it in a "
        "plugin file (--plugin FILE), or use threads"
    )


def _sent_game(name: str, plugins: Sequence[Plugin]) -> Game:
    load_sent(plugins)
    return known_game(name)


def _reduced(game: Game) -> tuple[Any, ...]:
    """Pickle a game by its name, and a user's with the plugins that are loaded here."""
    if not is_known_elsewhere(game):
        raise known_alone(f"the game {game.name}")
    return _sent_game, (game.name, () if is_of_the_package(game.name) else loaded_plugins())


copyreg.pickle(Game, _reduced)


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
    """Return the game called `name`; case, hyphens, blanks and underscores do not matter."""
    if not isinstance(name, str):
        raise UserError(f"game must be a name, such as 'othello' (got {name!r})")
    if name.endswith(".py"):
        things = vars(loaded_plugin(name)).values()
        # once each, under however many names the file knows it
        own = list(dict.fromkeys(v for v in things if isinstance(v, Game) and v.name in own_games))
        if len(own) != 1:
            raise UserError(f"{name} registers {len(own)} games; it must register one")
        return own[0]
    key = _plain(name)
    ours = _of_the_package()
    key = _plain(ours.also.get(key, key))
    for known in game_names():
        if _plain(known) == key:
            if known in own_games:
                return own_games[known]
            game: Game = _at(ours.games[known])
            return game
    if (member := _of_a_family(name)) is not None:
        return member
    more = "for your own game add --plugin FILE, or import the file"
    raise unknown("game", name, game_names(), more)


def _of_a_family(name: str) -> Game | None:
    """Return the game of a name such as `pig_50`; None where no such game has such numbers."""
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
