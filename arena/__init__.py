"""The arena: matches between evaluators, and what their results mean.

`match` plays paired games by search, `league` games of one-ply players; `arena.statistics` turns
counts into Elo, intervals and LOS.
"""

from arena.allowance import Allowance
from arena.league import LeagueResult, league
from arena.match import match
from arena.openings import DEFAULT_PAIRS, Openings, openings_for, random_openings
from arena.results import MatchResult
from arena.sprt import Sprt
from arena.statistics import MatchStatistics, match_statistics
from arena.tournament import TournamentResult, tournament

__all__ = [
    "DEFAULT_PAIRS",
    "Allowance",
    "LeagueResult",
    "MatchResult",
    "MatchStatistics",
    "Openings",
    "Sprt",
    "TournamentResult",
    "league",
    "match",
    "match_statistics",
    "openings_for",
    "random_openings",
    "tournament",
]
