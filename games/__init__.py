"""The rules of the games: one interface (`abi`), one file a game, positions for people."""

from samuel.games.board import Board
from samuel.games.catalog import game_named, game_names, known_game, register_game
from samuel.games.evaluator import Evaluator
from samuel.games.interface import NO_MOVE, PASS, Game
from samuel.games.plugins import load_plugin
from samuel.games.position import Position

__all__ = [
    "NO_MOVE",
    "PASS",
    "Board",
    "Evaluator",
    "Game",
    "Position",
    "game_named",
    "game_names",
    "known_game",
    "load_plugin",
    "register_game",
]
