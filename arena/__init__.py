"""The arena: matches between evaluators, and what their results mean.

`match` plays paired games by search between two players, and an `Sprt` may stop it; `tournament`
lets many meet and rates them; `bench` ranks all who play a game here. A player is an evaluator or
an outside engine, and a game begins with one of the `Openings`. An event with a folder keeps its
games there and goes on after a kill (journal.py). `match_statistics` turns counts into Elo,
intervals and LOS, `rate` the games of many players into `Ratings`.

    engines/      outside engines by GTP and NBoard, and our own as one
    openings/     what games begin with: books of balanced positions, random moves, transcripts
    sequential/   tests that stop by themselves
    rating/       everyone's strength from the games of many
"""

from samuel.arena.bench import bench
from samuel.arena.bench_result import BenchResult
from samuel.arena.event import EventOptions
from samuel.arena.match import match
from samuel.arena.openings import DEFAULT_PAIRS, Openings, openings_for
from samuel.arena.rating import Ratings, rate
from samuel.arena.results import MatchResult
from samuel.arena.sequential import Sprt
from samuel.arena.standings import TournamentResult, read_tournament
from samuel.arena.statistics import MatchStatistics, match_statistics
from samuel.arena.tournament import tournament

__all__ = [
    "DEFAULT_PAIRS",
    "BenchResult",
    "EventOptions",
    "MatchResult",
    "MatchStatistics",
    "Openings",
    "Ratings",
    "Sprt",
    "TournamentResult",
    "bench",
    "match",
    "match_statistics",
    "openings_for",
    "rate",
    "read_tournament",
    "tournament",
]
