"""Ratings of many players: `rate` the `Games` between them (ratings.py).

The model is that of bradley_terry.py, intervals come from resampling.py.
"""

from samuel.arena.rating.bradley_terry import Ints
from samuel.arena.rating.ratings import Ratings, elo_per_logit, rate, require_anchor
from samuel.arena.rating.resampling import Games, games_of

__all__ = [
    "Games",
    "Ints",
    "Ratings",
    "elo_per_logit",
    "games_of",
    "rate",
    "require_anchor",
]
