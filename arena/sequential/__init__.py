"""Sequential tests: matches that stop by themselves, and what they have found when they do.

An `Sprt` tells two Elo apart (sprt.py, over the log-likelihood ratios of likelihood.py), `forecast`
says how long it takes, `estimate` what one that was stopped has found (analysis.py, over the
Brownian motion of brownian.py).
"""

from samuel.arena.sequential.analysis import (
    DRAW_RATIO,
    Forecast,
    SequentialEstimate,
    estimate,
    forecast,
    pair_probabilities,
    statistics_of,
)
from samuel.arena.sequential.sprt import Sprt, SprtState, claim

__all__ = [
    "DRAW_RATIO",
    "Forecast",
    "SequentialEstimate",
    "Sprt",
    "SprtState",
    "claim",
    "estimate",
    "forecast",
    "pair_probabilities",
    "statistics_of",
]
