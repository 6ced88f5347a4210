"""Ratings of many players: `rate` the `Games` between them (ratings.py).

The model is that of bradley_terry.py, intervals come from resampling.py, and informative.py says
which games would narrow them the most.
"""

from arena.rating.ratings import Ratings, anchor_weights, elo_per_logit, rate
from arena.rating.resampling import Games, games_of

__all__ = ["Games", "Ratings", "anchor_weights", "elo_per_logit", "games_of", "rate"]
