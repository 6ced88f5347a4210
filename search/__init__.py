"""Search: methods over any game and any evaluator, alpha-beta before all, compiled once.

Knows the interface of a game (games/interface.py), and nothing of any game, feature or model.
"""

from samuel.search.alphabeta.memory import Memory, new_memory
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.switches import Switches
from samuel.search.api import PositionLike, Result, search, solve, solve_sign
from samuel.search.limits import Limits, stop

__all__ = [
    "AlphaBeta",
    "Limits",
    "Memory",
    "PositionLike",
    "Result",
    "Switches",
    "new_memory",
    "search",
    "solve",
    "solve_sign",
    "stop",
]
