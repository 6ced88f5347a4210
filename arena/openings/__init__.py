"""Openings: what the games of a match begin with, so that equal players do not repeat one game.

An opening is moves from the initial position or another one, forced passes included, and the
position after them. They come from random moves, from a book of balanced openings in `books/`, or
from a user's file (reading.py): transcripts, games, positions. No two are alike up to symmetry, and
none is a finished game. `openings_for` gives a match what it asks for.
"""

from samuel.arena.openings.choice import (
    BALANCED,
    DEFAULT_PAIRS,
    RANDOM,
    START,
    openings_for,
    supply_for,
)
from samuel.arena.openings.drawing import OpeningSupply
from samuel.arena.openings.openings import Openings, shuffled
from samuel.arena.openings.reading import read_openings

__all__ = [
    "BALANCED",
    "DEFAULT_PAIRS",
    "RANDOM",
    "START",
    "OpeningSupply",
    "Openings",
    "openings_for",
    "read_openings",
    "shuffled",
    "supply_for",
]
