"""Search: methods over any game and any evaluator, alpha-beta before all, compiled once.

Knows the interface of a game (games/interface.py), and nothing of any game, feature or model.
"""

from samuel.search.alphabeta.memory import Memory, new_memory
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.options import SearchOptions
from samuel.search.api import Result, search
from samuel.search.limits import Limits, stop
from samuel.search.solving import solve, solve_sign

__all__ = [
    "AlphaBeta",
    "Limits",
    "Memory",
    "Result",
    "SearchOptions",
    "new_memory",
    "search",
    "solve",
    "solve_sign",
    "stop",
]
