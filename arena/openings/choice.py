"""The openings that a match asks for: of a book, at random, or of a file."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from samuel.arena.openings.book import SUFFIX, Book, read_book, shipped_book
from samuel.arena.openings.openings import Openings, random_openings, shuffled
from samuel.arena.openings.reading import read_openings
from samuel.errors import UserError, require_number
from samuel.games.catalog import known_game
from samuel.games.interface import Game
from samuel.kernels.jit import DISABLED
from samuel.search.score import MOST_REMAINING
from samuel.units import with_unit

DEFAULT_PAIRS = 200
"""Openings that are drawn where nobody says how many."""
BALANCED, RANDOM, START = "balanced", "random", "start"


def openings_for(
    game: Game | str,
    source: str | Path | Openings | None = None,
    pairs: int | None = None,
    plies: int | None = None,
    balance: float | None = None,
    seed: int = 0,
    *,
    fewer: bool = False,
) -> Openings:
    """Choose the openings of a match, in an order that the seed determines.

    Parameters
    ----------
    game
        Game, or its name.
    source
        `balanced` (the game's book), `random`, `start` (the initial position), a file of
        transcripts, of games (PGN) or of positions (EPD, FEN), also in zip, a book (.npz), or
        openings, which keep their order. By default the book if the game has one and `plies` is
        None or its length, else random ones.
    pairs
        Number of openings that are needed. Default: 200, or as many as there are. A book or a file
        gives all it has.
    plies
        Length of random openings in plies. By default the game's own.
    balance
        Largest absolute score of an opening from a book, in the game's unit. By default the book's,
        or more if `pairs` needs it.
    seed
        Seed of the order, and of random openings.
    fewer
        Accept fewer openings than `pairs`, with a warning if they are very few.

    Returns
    -------
    Openings
        Openings; pair k of a match plays opening k.

    Raises
    ------
    UserError
        The source has too few openings, or does not fit the other settings.

    Examples
    --------
    >>> import samuel
    >>> samuel.openings_for("othello", "random", pairs=10)
    Openings(othello, 'random, ... plies', 10)
    """
    game = known_game(game) if isinstance(game, str) else game
    if isinstance(source, Openings):
        return _enough(source, game, pairs, fewer)
    require_number("pairs", pairs, 1)
    require_number("balance", balance, 0.0)
    require_number("opening_plies", plies, 0, MOST_REMAINING)
    words = None if source is None else str(source)
    if words == START:
        if plies or balance is not None:
            raise UserError(
                "opening plies and balance cannot be given with openings from the initial "
                "position (start)"
            )
        return at_start(game, pairs or DEFAULT_PAIRS)
    book = _book_of(game, words, plies, balance)
    if book is not None:
        wanted = book_openings(book, balance, pairs or 0)
        wanted = _enough(wanted, game, pairs, fewer, len(book))
        usual = book_openings(book, balance)
        if len(wanted) > len(usual):
            wanted = replace(wanted, name=f"{usual.name}, then {len(wanted) - len(usual)} others")
        return shuffled(wanted, seed, first=usual)
    if balance is not None:
        raise UserError("balance is for openings from a book; leave it out, or take a book")
    if words in (None, RANDOM):
        length = game.opening_plies if plies is None else plies
        if pairs is None:
            return random_openings(game, DEFAULT_PAIRS, length, seed, fewer=True)
        return random_openings(game, pairs, length, seed, fewer=fewer)
    if plies is not None:
        raise UserError("opening plies cannot be chosen for openings from a file; leave them out")
    return shuffled(_enough(read_openings(str(words), game), game, pairs, fewer), seed)


def at_start(game: Game, n: int) -> Openings:
    """Return the initial position n times, for players who draw moves, and for games with dice."""
    positions = np.repeat(game.row(game.start)[None], n, axis=0)
    return Openings(game, "initial position", ((),) * n, positions)


def _book_of(
    game: Game, source: str | None, plies: int | None, balance: float | None
) -> Book | None:
    """Return the book that is asked for, by its name or by default, or None."""
    if source not in (None, BALANCED):
        is_book = str(source).endswith(SUFFIX) and plies is None
        return read_book(str(source), game) if is_book else None
    if source is None and balance is None and DISABLED:
        return None  # plain Python takes a minute to play a book through
    book = shipped_book(game)
    fits = book is not None and plies in (None, book.plies)
    if not fits and (source == BALANCED or balance is not None):
        has = "no book" if book is None else f"a book of {book.plies} plies alone"
        raise UserError(
            f"{game.name} has {has} of balanced openings; make a book with samuel openings, "
            "or use --openings random"
        )
    return book if fits else None


def _enough(
    openings: Openings, game: Game, pairs: int | None, fewer: bool, in_book: int = 0
) -> Openings:
    """Return the openings if they are of the game and suffice for the pairs."""
    if openings.game.name != game.name:
        raise UserError(f"these openings are for {openings.game.name}, not for {game.name}")
    n = len(openings)
    if n == 0:
        raise UserError("no opening is that balanced; give a larger balance")
    if pairs is not None and n < pairs:
        if not fewer:
            raise UserError(
                f"only {n} different openings ({openings.name}), not {pairs}; play at most {n} "
                f"pairs, or {'allow a larger balance' if n < in_book else 'take random ones'}"
            )
        if n < DEFAULT_PAIRS:
            warnings.warn(f"only {n} different openings ({openings.name})", stacklevel=3)
    return openings


def book_openings(book: Book, balance: float | None = None, n: int = 0) -> Openings:
    """Return the openings of a book with |score| <= balance, in the book's order.

    Where no balance is given it is the book's usual one, or as much more as n openings take.
    """
    limit = max(book.balance, book.limit_for(n)) if balance is None else balance
    places = book.within(limit)
    unit = with_unit(book.game.unit)
    name = f"balanced book, {book.plies} plies, scores up to {limit:.3g}{unit}"
    moves = tuple(map(tuple, book.moves[places].tolist()))
    return Openings(book.game, name, moves, book.positions[places])
