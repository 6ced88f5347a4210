"""Games by name: those of the package, imported when asked for, and a user's own."""

from __future__ import annotations

import importlib

from errors import UserError
from games.abi import Game

_MODULES = {
    "othello": "games.othello",
    "connect_four": "games.connect_four",
    "tic_tac_toe": "games.tic_tac_toe",
}
_ALIASES = {"reversi": "othello", "connect4": "connectfour"}
_own: dict[str, Game] = {}


def game_names() -> list[str]:
    """Return the names of all games, the package's own first."""
    return [*_MODULES, *_own]


def register_game(game: Game) -> Game:
    """Make a user's game known by its name; returns it."""
    if game.name in _MODULES:
        raise UserError(f"{game.name} is a game of the package; give yours another name")
    _own[game.name] = game
    return game


def game_named(name: str) -> Game:
    """Return the game called `name`; case, hyphens, blanks and underscores do not matter.

    Raises:
        UserError: there is no such game.
    """
    key = _plain(name)
    key = _ALIASES.get(key, key)
    for known in game_names():
        if _plain(known) == key:
            if known in _own:
                return _own[known]
            game: Game = importlib.import_module(_MODULES[known]).GAME
            return game
    raise UserError(f"there is no game called {name!r}; games: {', '.join(game_names())}")


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")
