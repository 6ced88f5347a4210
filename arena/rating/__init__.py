"""Ratings of many players: `rate` the `Games` between them (ratings.py).

The model is that of bradley_terry.py, intervals come from resampling.py, and informative.py says
which games would narrow them the most.
"""

from samuel.arena.rating.bradley_terry import Ints
from samuel.arena.rating.informative import GOAL, MOST_RATING_PAIRS
from samuel.arena.rating.ratings import Ratings, elo_per_logit, only_player, rate, require_anchor
from samuel.arena.rating.resampling import Games, games_of

__all__ = [
    "GOAL",
    "MOST_RATING_PAIRS",
    "Games",
    "Ints",
    "Ratings",
    "elo_per_logit",
    "games_of",
    "only_player",
    "rate",
    "require_anchor",
]
