"""The arena: matches between evaluators, and what their results mean.

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
