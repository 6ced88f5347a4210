"""Search: methods over any game and any evaluator, alpha-beta before all, compiled once.

Knows the interface of a game (games/game.py), and nothing of any game, feature or model.
"""

from samuel.search.alphabeta.memory import Memory, new_memory
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.options import SearchOptions
from samuel.search.analysis import analyse
from samuel.search.limits import Limits, stop
from samuel.search.result import Result
from samuel.search.solving import solve, solve_sign

__all__ = [
    "AlphaBeta",
    "Limits",
    "Memory",
    "Result",
    "SearchOptions",
    "analyse",
    "new_memory",
    "solve",
    "solve_sign",
    "stop",
]
