"""Games by name: those of the package, imported when asked for, and a user's own."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from errors import UserError
from games.abi import Game
from games.sound import require_sound

_PLACES = {
    "othello": "games.othello.GAME",
    "othello_6x6": "games.othello.GAME_6X6",
    "othello_4x4": "games.othello.GAME_4X4",
    "connect_four": "games.connect_four.GAME",
    "tic_tac_toe": "games.tic_tac_toe.GAME",
}
_ALIASES = {
    "reversi": "othello",
    "othello8x8": "othello",
    "6x6": "othello6x6",
    "4x4": "othello4x4",
    "connect4": "connectfour",
}
_own: dict[str, Game] = {}


def game_names() -> list[str]:
    """Return the names of all games, the package's own first."""
    return [*_PLACES, *_own]


def register_game(game: Game) -> Game:
    """Make a user's game known by its name; returns it."""
    if game.name in _PLACES:
        raise UserError(f"{game.name} is a game of the package; give yours another name")
    _own[game.name] = game
    return game


def load_plugin(path: str | Path) -> ModuleType:
    """Run a user's Python file, so that the games and features it registers are known.

    Loading the same file again returns the same module.

    Raises
    ------
    UserError
        The file is missing, or fails.
    """
    file = Path(path).resolve()
    name = f"plugin_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.exists():
        raise UserError(f"{path} is not there, or no Python file (its name ends in .py)")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    before = dict(_own)
    try:
        spec.loader.exec_module(module)
        for game in _own.values():
            if before.get(game.name) is not game:
                require_sound(game)
    except Exception as error:
        del sys.modules[name]
        _own.clear()
        _own.update(before)
        if isinstance(error, UserError):
            raise
        raise UserError(f"{path} failed: {type(error).__name__}: {error}") from error
    return module


def game_named(name: str) -> Game:
    """Return the game called `name`; case, hyphens, blanks and underscores do not matter.

    The name of a Python file stands for the one game that the file registers.

    Raises
    ------
    UserError
        There is no such game.
    """
    if name.endswith(".py"):
        things = vars(load_plugin(name)).values()
        # once each, under however many names the file knows it
        own = list(dict.fromkeys(v for v in things if isinstance(v, Game) and v.name in _own))
        if len(own) != 1:
            raise UserError(f"{name} registers {len(own)} games; it should register one")
        return own[0]
    key = _plain(name)
    key = _ALIASES.get(key, key)
    for known in game_names():
        if _plain(known) == key:
            if known in _own:
                return _own[known]
            module, _, attribute = _PLACES[known].rpartition(".")
            game: Game = getattr(importlib.import_module(module), attribute)
            return game
    raise UserError(
        f"there is no game called {name!r}; games: {', '.join(game_names())} "
        "(name the file of your own with --plugin FILE, or import it)"
    )


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")
