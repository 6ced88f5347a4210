"""The rules of the games: what a game declares, one folder a game, positions for people."""

from samuel.games.board import Board
from samuel.games.catalog import game_named, game_names, known_game, register_game
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.grid_notation import GridNotation
from samuel.games.groups import (
    Chance,
    DrawRules,
    PerftRules,
    Progress,
    Scores,
    SearchRules,
    Solver,
    Turns,
)
from samuel.games.notation import Notation
from samuel.games.plugins import load_plugin
from samuel.games.position import Position
from samuel.games.rules import CHANCE, CHECK, NO_MOVE, OTHER, PASS, REVERSIBLE, SAME

__all__ = [
    "CHANCE",
    "CHECK",
    "NO_MOVE",
    "OTHER",
    "PASS",
    "REVERSIBLE",
    "SAME",
    "Board",
    "Chance",
    "DrawRules",
    "Evaluator",
    "Game",
    "GridNotation",
    "Notation",
    "PerftRules",
    "Position",
    "Progress",
    "Scores",
    "SearchRules",
    "Solver",
    "Turns",
    "game_named",
    "game_names",
    "known_game",
    "load_plugin",
    "register_game",
]
