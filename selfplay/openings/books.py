"""Openings by name (of a book, or the start), in shuffled passes, so that each has equal use."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.selfplay.kernel import OpeningLines
from samuel.selfplay.openings.kernel import mix_all
from samuel.selfplay.openings.openings import Openings, Starts
from samuel.selfplay.openings.reading import read_book, read_openings

BALANCED, RANDOM, START = "balanced", "random", "start"
_BOOKS = Path(__file__).parent / "books"


def is_book(source: Openings | Path | str | None) -> bool:
    """Return whether openings come from a book, and not from random moves only."""
    return source not in (None, RANDOM)


def book_file(source: Openings | Path | str | None) -> Path | None:
    """Return the file that openings come from; None if they come from none."""
    is_name = source in (None, BALANCED, RANDOM, START)
    return None if is_name or isinstance(source, Openings) else Path(str(source))


def book_of(game: Game, source: Openings | Path | str | None) -> Openings:
    """Return the openings of a book for self-play; of none the initial position."""
    if isinstance(source, Openings):
        return of_game(source, game)
    if not is_book(source) or source == START:
        return at_start(game, 1)
    if file := book_file(source):
        return read_openings(file, game)
    if (book := shipped_book(game)) is None:
        raise UserError(
            f"{game.name} has no book of balanced openings; use --openings random, or a file"
        )
    return book


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
    book = read_book(path, game)
    return replace(book, name=f"balanced book, {len(book.moves[0])} plies")


def of_game(openings: Openings, game: Game) -> Openings:
    """Return openings if they are of the game, and any."""
    if openings.game.name != game.name:
        raise UserError(f"these openings are for {openings.game.name}, not for {game.name}")
    if not len(openings):
        raise UserError("there are no openings")
    return openings


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
    starts = openings.starts or Starts.initial(openings.game, len(openings))
    moves = np.array([move for line in openings.moves for move in line], np.int32)
    return OpeningLines(*starts, moves, np.cumsum([0, *map(len, openings.moves)], dtype=np.int64))
