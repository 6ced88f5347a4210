"""The openings that a match asks for: of a book, at random, or of a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from samuel.arena.openings.book import SUFFIX, Book, read_book, shipped_book
from samuel.arena.openings.drawing import FEW, OpeningSupply, RandomLines, warn_of_fewer
from samuel.arena.openings.openings import Openings, shuffled
from samuel.arena.openings.reading import read_openings
from samuel.common.errors import UserError, require_number
from samuel.common.units import with_unit
from samuel.games.catalog import known_game
from samuel.games.interface import Game
from samuel.kernels.jit import DISABLED
from samuel.search.score import MOST_REMAINING

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
        Warn only if there are fewer than 200.

    Returns
    -------
    Openings
        Openings; pair k of a match plays opening k. With fewer than `pairs` there is a warning.

    Raises
    ------
    UserError
        The source has no openings, or does not fit the other settings.

    Examples
    --------
    >>> import samuel
    >>> samuel.openings_for("othello", "random", pairs=10)
    Openings(othello, 'random, ... plies', 10)
    """
    game = known_game(game) if isinstance(game, str) else game
    found = _source_of(game, source, pairs, plies, balance, seed)
    openings = found.first(pairs or DEFAULT_PAIRS) if isinstance(found, RandomLines) else found
    if pairs is not None:
        warn_of_fewer(openings, min(pairs, FEW) if fewer else pairs)
    return openings


def supply_for(
    game: Game,
    source: str | Path | Openings | None,
    pairs: int,
    plies: int | None,
    balance: float | None,
    seed: int,
    *,
    is_asked: bool,
) -> OpeningSupply:
    """Return the openings of an event as its pairs need them: those of `openings_for`."""
    found = _source_of(game, source, pairs, plies, balance, seed)
    return OpeningSupply(pairs, found, is_asked=is_asked)


def _source_of(
    game: Game,
    source: str | Path | Openings | None,
    pairs: int | None,
    plies: int | None,
    balance: float | None,
    seed: int,
) -> Openings | RandomLines:
    """Return the openings that exist, in their order, or random lines to draw from."""
    require_number("pairs", pairs, 1)
    if isinstance(source, Openings):
        return _of_game(source, game)
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
        wanted = _of_game(book_openings(book, balance, pairs or 0), game)
        usual = book_openings(book, balance)
        if len(wanted) > len(usual):
            wanted = replace(wanted, name=f"{usual.name}, then {len(wanted) - len(usual)} others")
        return shuffled(wanted, seed, first=usual)
    if balance is not None:
        raise UserError("balance is for openings from a book; leave it out, or take a book")
    if words in (None, RANDOM):
        return RandomLines(game, game.opening_plies if plies is None else plies, seed)
    if plies is not None:
        raise UserError("opening plies cannot be chosen for openings from a file; leave them out")
    return shuffled(read_openings(str(words), game), seed)


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


def _of_game(openings: Openings, game: Game) -> Openings:
    """Return openings if they are of the game, and any."""
    if openings.game.name != game.name:
        raise UserError(f"these openings are for {openings.game.name}, not for {game.name}")
    if not len(openings):
        raise UserError("no opening is that balanced; give a larger balance")
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
