"""The rules of the games: one interface (`abi`), one file a game, positions for people."""

from games.abi import NO_MOVE, PASS, Evaluator, Game
from games.catalog import game_named, game_names, register_game
from games.position import Position

__all__ = [
    "NO_MOVE",
    "PASS",
    "Evaluator",
    "Game",
    "Position",
    "game_named",
    "game_names",
    "register_game",
]
