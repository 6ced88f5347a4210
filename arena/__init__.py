"""The arena: matches between evaluators, and what their results mean.

`match` plays paired games; `arena.statistics` turns counts into Elo, intervals and LOS.
"""

from arena.match import DEFAULT_PAIRS, Allowance, MatchResult, match
from arena.openings import random_openings
from arena.statistics import MatchStatistics, match_statistics

__all__ = [
    "DEFAULT_PAIRS",
    "Allowance",
    "MatchResult",
    "MatchStatistics",
    "match",
    "match_statistics",
    "random_openings",
]
