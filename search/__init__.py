"""Search: alpha-beta over any game and any evaluator, compiled once.

Knows the interface of a game (games/interface.py), and nothing of any game, feature or model.
"""

from samuel.search.alphabeta.frontier import scoring_of
from samuel.search.alphabeta.switches import Switches
from samuel.search.api import PositionLike, Result, search, solve, solve_sign
from samuel.search.memory import Memory, new_memory
from samuel.search.running import stop

__all__ = [
    "Memory",
    "PositionLike",
    "Result",
    "Switches",
    "new_memory",
    "scoring_of",
    "search",
    "solve",
    "solve_sign",
    "stop",
]
