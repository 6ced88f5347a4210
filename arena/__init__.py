"""The arena: matches between evaluators, and what their results mean.

`match` plays paired games by search between two players, and an `Sprt` may stop it; `tournament`
lets many meet; `add_to_pool` rates new players with few games, in a folder that `Pool` reads;
`league` plays games of one-ply players. A player is an evaluator or an outside engine
(arena/engines), and a game begins with one of the `Openings`. An event with a folder keeps its
games there and goes on after a kill (arena/journal.py).

`match_statistics` turns counts into Elo, intervals and LOS, `rate` the games of many players into
`Ratings`; `arena.sequential` says what a test that was stopped has found.
"""

from arena.allowance import Allowance
from arena.league import LeagueResult, league
from arena.match import match
from arena.openings import DEFAULT_PAIRS, Openings, openings_for, random_openings
from arena.pool import Pool
from arena.pool import add as add_to_pool
from arena.ratings import Ratings, rate
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
    "Pool",
    "Ratings",
    "Sprt",
    "TournamentResult",
    "add_to_pool",
    "league",
    "match",
    "match_statistics",
    "openings_for",
    "random_openings",
    "rate",
    "tournament",
]
