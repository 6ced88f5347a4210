"""Sequential tests: matches that stop by themselves.

An `Sprt` tells two Elo apart (sprt.py, over the log-likelihood ratios of likelihood.py), `forecast`
says how long it takes (forecast.py).
"""

from samuel.arena.sequential.forecast import (
    DRAW_RATIO,
    Forecast,
    forecast,
    pair_probabilities,
    statistics_of,
)
from samuel.arena.sequential.sprt import Sprt, SprtState, claim

__all__ = [
    "DRAW_RATIO",
    "Forecast",
    "Sprt",
    "SprtState",
    "claim",
    "forecast",
    "pair_probabilities",
    "statistics_of",
]
