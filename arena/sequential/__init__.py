"""Sequential tests: matches that stop by themselves."""

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
