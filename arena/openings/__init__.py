"""Openings: what the games of a match begin with, so that equal players do not repeat one game."""

from samuel.arena.openings.choice import (
    BALANCED,
    DEFAULT_PAIRS,
    RANDOM,
    START,
    openings_for,
    source_of,
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
    "source_of",
]
