"""Search: alpha-beta over any game and any evaluator, compiled once.

Knows the interface of a game (`games.abi`) and nothing of any particular game, feature or model.
"""

from search.api import PositionLike, Result, search, solve, solve_sign
from search.frontier import scoring_of
from search.memory import Memory, new_memory
from search.running import stop
from search.switches import Switches

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
