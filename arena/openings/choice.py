"""The openings that a match asks for: of a book, at random, or of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from samuel.arena.openings.drawing import random_lines, warn_of_fewer
from samuel.common.displayable import with_unit
from samuel.common.errors import UserError, require_number
from samuel.games.catalog import known_game
from samuel.games.game import Game
from samuel.kernels.jit import DISABLED
from samuel.search.score import MOST_REMAINING
from samuel.selfplay.openings.books import BALANCED, RANDOM, START, at_start, of_game, shipped_book
from samuel.selfplay.openings.openings import Line, Openings, shuffled
from samuel.selfplay.openings.reading import read_openings

DEFAULT_PAIRS = 200
"""Openings that are drawn where nobody says how many."""


def openings_for(
    game: Game | str,
    source: str | Path | Openings | None = None,
    pairs: int | None = None,
    plies: int | None = None,
    balance: float | None = None,
    seed: int = 0,
) -> Openings:
    """Choose the openings of a match, in an order that the seed determines.

    Parameters
    ----------
    game
        Game, or its name.
    source
        `balanced` (the game's book), `random`, `start` (the initial position), a file of
        transcripts, of games (PGN) or of positions (EPD, FEN), also in zip or gz, or openings,
        which keep their order. By default the book if the game has one, `balance` is None and
        `plies` is None or the book's length; else random ones.
    pairs
        Number of openings that are needed. Default: 200, or as many as there are. A book or a file
        gives all it has.
    plies
        Length of random openings in plies. By default the game's own.
    balance
        Largest absolute score of a random opening, in the game's unit, by a search of 6 plies with
        the game's usual evaluator. By default random openings are not searched.
    seed
        Seed of the order, and of random openings.

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
    openings, lines = source_of(game, source, pairs, plies, balance, seed)
    if lines is not None:
        openings = openings.with_lines(lines, pairs or DEFAULT_PAIRS)
    if pairs is not None:
        warn_of_fewer(openings, pairs)
    return openings


def source_of(
    game: Game,
    source: str | Path | Openings | None,
    pairs: int | None,
    plies: int | None,
    balance: float | None,
    seed: int,
) -> tuple[Openings, Iterator[Line] | None]:
    """Return the openings that exist, in their order, or none and random lines to draw from."""
    require_number("pairs", pairs, 1)
    if isinstance(source, Openings):
        return of_game(source, game), None
    require_number("balance", balance, 0.0)
    require_number("opening_plies", plies, 0, MOST_REMAINING)
    words = None if source is None else str(source)
    if words == START:
        if plies or balance is not None:
            raise UserError(
                "opening plies and balance cannot be given with openings from the initial "
                "position (start)"
            )
        return at_start(game, pairs or DEFAULT_PAIRS), None
    if balance is not None and words not in (None, RANDOM):
        raise UserError("balance is for random openings; leave it out, or use --openings random")
    book = _book_of(game, words, plies, balance)
    if book is not None:
        return shuffled(book, seed), None
    if words in (None, RANDOM):
        plies = game.defaults.opening_plies if plies is None else plies
        name = f"random, {plies} plies"
        if balance is not None:
            name += f", scores up to {balance:.3g}{with_unit(game.scores.unit)}"
        none = Openings(game, name, (), np.zeros((0, game.words), np.uint64))
        return none, random_lines(game, plies, seed, balance)
    if plies is not None:
        raise UserError("opening plies cannot be chosen for openings from a file; leave them out")
    return shuffled(read_openings(str(words), game), seed), None


def _book_of(
    game: Game, source: str | None, plies: int | None, balance: float | None
) -> Openings | None:
    """Return the game's book if it is asked for, by its name or by default."""
    if source not in (None, BALANCED):
        return None
    if source is None and (balance is not None or DISABLED):
        return None  # plain Python takes a minute to play a book through
    book = shipped_book(game)
    if source is None:
        return book if book is not None and plies in (None, len(book.moves[0])) else None
    if book is None or plies not in (None, len(book.moves[0])):
        has = "no book" if book is None else f"only a book of {len(book.moves[0])} plies"
        raise UserError(
            f"{game.name} has {has} of balanced openings; use --openings random, with --balance "
            "for balanced ones"
        )
    return book
