"""The arena: matches between evaluators, and what their results mean.

`match` plays paired games by search, `league` games of one-ply players; `arena.statistics` turns
counts into Elo, intervals and LOS.
"""

from arena.league import LeagueResult, league
from arena.match import DEFAULT_PAIRS, Allowance, MatchResult, match
from arena.openings import random_openings
from arena.statistics import MatchStatistics, match_statistics

__all__ = [
    "DEFAULT_PAIRS",
    "Allowance",
    "LeagueResult",
    "MatchResult",
    "MatchStatistics",
    "league",
    "match",
    "match_statistics",
    "random_openings",
]
