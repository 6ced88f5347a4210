"""Openings of self-play games: shuffled passes over a book, so that each has about equal use."""

from __future__ import annotations

import functools
import hashlib

import numpy as np
from numpy.typing import NDArray

from samuel.selfplay.kernel import OpeningLines
from samuel.selfplay.openings.kernel import mix_all
from samuel.selfplay.openings.lines import Starts
from samuel.selfplay.openings.openings import Openings


def lines_of_games(book: Openings, seed: int, games: range) -> OpeningLines:
    """Return the openings of games by their numbers: the same, whichever are asked for."""
    n = len(book)
    order = _passes(n, seed, games.start // n, -(-games.stop // n))
    return _lines(book.take(order[games.start % n :][: len(games)]))


@functools.lru_cache(maxsize=4)
def _passes(n: int, seed: int, first: int, end: int) -> NDArray[np.int64]:
    """Return the places of n openings in some passes: each game's number is mixed, to sort by."""
    numbers = np.arange(first * n, end * n, dtype=np.uint64)
    mixed = np.zeros_like(numbers)
    mix_all(np.uint64(seed), numbers, mixed)
    return np.argsort(mixed.reshape(-1, n), axis=1, kind="stable").ravel()


def book_text(book: Openings) -> str:
    """Return what a book is, as a manifest has it: name, size, and a digest of the openings."""
    digest = hashlib.sha256(b"".join(column.tobytes() for column in _lines(book)))
    return f"{book.name}: {len(book):,} openings, digest {digest.hexdigest()[:16]}"


def _lines(openings: Openings) -> OpeningLines:
    """Return openings as a kernel takes them."""
    starts = openings.starts or Starts.initial(openings.game, len(openings))
    moves = np.array([move for line in openings.moves for move in line], np.int32)
    return OpeningLines(*starts, moves, np.cumsum([0, *map(len, openings.moves)], dtype=np.int64))
