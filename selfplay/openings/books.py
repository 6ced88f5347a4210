"""Openings by a name: those of the book that comes with a game, and the initial position."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np

from samuel.games.game import Game
from samuel.selfplay.openings.openings import Openings
from samuel.selfplay.openings.reading import read_openings

BALANCED, RANDOM, START = "balanced", "random", "start"
_BOOKS = Path(__file__).parent / "books"


def at_start(game: Game, n: int) -> Openings:
    """Return the initial position n times, for players who draw moves, and for games with dice."""
    positions = np.repeat(game.row(game.start)[None], n, axis=0)
    return Openings(game, "initial position", ((),) * n, positions)


@functools.lru_cache(maxsize=8)
def shipped_book(game: Game) -> Openings | None:
    """Return the balanced openings that come with the package for a game, if any."""
    path = _BOOKS / f"{game.name}.txt"
    if not path.exists():
        return None
    book = read_openings(path, game)
    return replace(book, name=f"balanced book, {len(book.moves[0])} plies")
