"""Openings: what the games of a match begin with, so that equal players do not repeat one game.

An opening is the moves from the initial position, forced passes included, and the position after
them. They come from random moves, from a book of balanced positions (arena/book.py), or from a
user's transcripts. No two are alike up to symmetry, and none is a finished game.
"""

from __future__ import annotations

import functools
import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.book import SUFFIX, Book, follow, read_book, shipped_book
from arena.opening_kernel import FINISHED, ILLEGAL, draw_lines, mix_all
from errors import UserError
from games.abi import PASS, Game
from games.position import Position
from games.symmetry import canonical_keys
from selfplay.transcripts import read_text, write_transcript

DEFAULT_PAIRS = 200
"""Openings that are drawn where nobody says how many."""
BALANCED, RANDOM = "balanced", "random"
_FRUITLESS_ROUNDS = 8
_LEAST_DRAWN = 4096
"""Lines of a round: so many that what eight rounds do not show is as good as not there."""
_MOST_DRAWN = 1 << 18
_PATIENCE = 10_000
"""Random games in a row that end too soon, before the search for openings is given up."""


@dataclass(frozen=True, eq=False, repr=False)
class Openings:
    """Openings in the order in which a match takes them.

    Attributes
    ----------
    game
        their game.
    name
        what they are, in words for tables: "balanced book, 8 plies, scores up to 0.9 discs".
    moves
        of each, from the initial position, forced passes included.
    positions
        uint64 (n, K), those after the moves, from the side to move.
    """

    game: Game
    name: str
    moves: tuple[tuple[int, ...], ...]
    positions: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.moves)

    def __repr__(self) -> str:
        return f"Openings({self.game.name}, {self.name!r}, {len(self)})"

    def __getitem__(self, part: slice) -> Openings:
        return Openings(self.game, self.name, self.moves[part], self.positions[part])

    def take(self, places: Sequence[int] | NDArray[np.int64]) -> Openings:
        """Return the openings at some places, in that order."""
        chosen = np.asarray(places, np.int64)
        moves = tuple(self.moves[place] for place in chosen)
        return Openings(self.game, self.name, moves, self.positions[chosen])

    def ply(self, place: int) -> int:
        """Return the number of plies of an opening; a pass is one."""
        return len(self.moves[place])

    @functools.cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of the game and the lines, in their order; not of the name."""
        lines = ";".join(" ".join(map(str, line)) for line in self.moves)
        return hashlib.sha256(f"{self.game.name}:{lines}".encode()).hexdigest()[:16]

    def transcripts(self) -> list[str]:
        """Return the openings as text; a pass is written down only where it is the last move."""
        start = Position.start(self.game)
        return [
            write_transcript(start, 0, line) + (" pass" if line and line[-1] == PASS else "")
            for line in self.moves
        ]


def random_openings(
    game: Game, n: int, plies: int, seed: int = 0, *, fewer: bool = False
) -> Openings:
    """Return n openings of `plies` uniformly random moves, all different up to symmetry.

    More openings of the same seed begin with these. Where there are not so many, all that were
    found are returned if `fewer`, with a warning.

    Raises
    ------
    UserError
        There are fewer than n such openings, or so it seems after many tries.
    """
    lines = np.zeros((0, plies), np.int32)
    positions, keys = np.zeros((0, game.words), np.uint64), np.zeros(0, np.uint64)
    drawn = fruitless = 0
    size = min(_MOST_DRAWN, max(_LEAST_DRAWN, n))
    while len(lines) < n and fruitless < _FRUITLESS_ROUNDS:
        more, places = _drawn(game, plies, seed, drawn, size)
        drawn += size
        both = np.concatenate([keys, canonical_keys(game, places)])
        first = np.sort(np.unique(both, return_index=True)[1])
        fruitless = fruitless + 1 if len(first) == len(keys) else 0
        keys = both[first]
        lines = np.concatenate([lines, more])[first]
        positions = np.concatenate([positions, places])[first]
        if not len(lines) and drawn >= _PATIENCE:
            raise UserError(
                f"random games of {game.name} hardly ever last {plies} plies and more; "
                "ask for fewer plies"
            )
    if fewer and len(lines) < n:
        warnings.warn(f"only {len(lines)} openings of {plies} plies differ", stacklevel=3)
    elif len(lines) < n:
        raise UserError(
            f"only {len(lines)} different openings of {plies} plies were found, not {n}; "
            f"play at most {len(lines)} pairs, or from more opening plies"
        )
    moves = tuple(map(tuple, lines[:n].tolist()))
    return Openings(game, f"random, {plies} plies", moves, positions[:n])


def _drawn(
    game: Game, plies: int, seed: int, first: int, n: int
) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Return the lines with the numbers from `first` to `first + n`, and the positions after."""
    lines, positions = np.zeros((n, plies), np.int32), np.zeros((n, game.words), np.uint64)
    found = draw_lines(
        game.rules_of_play,
        game.row(game.start),
        np.uint64(seed % (1 << 64)),
        first,
        np.zeros((2, game.words), np.uint64),
        np.zeros(game.max_moves, np.int32),
        np.zeros(1, np.uint64),
        lines,
        positions,
    )
    return lines[:found], positions[:found]


def book_openings(book: Book, balance: float | None = None, n: int = 0) -> Openings:
    """Return the openings of a book with |score| <= balance, in the book's order.

    Where no balance is given it is the book's usual one, or as much more as n openings take.
    """
    limit = max(book.balance, book.limit_for(n)) if balance is None else balance
    places = book.within(limit)
    unit = "" if book.game.unit == "result" else f" {book.game.unit}"
    name = f"balanced book, {book.plies} plies, scores up to {limit:.3g}{unit}"
    moves = tuple(map(tuple, book.moves[places].tolist()))
    return Openings(book.game, name, moves, book.positions[places])


def read_openings(path: Path | str, game: Game) -> Openings:
    """Read transcripts from the initial position, one a line; forced passes may be missing.

    Raises
    ------
    UserError
        The file is missing or no text; a line is no transcript, plays an illegal move or finishes
        the game.

    Warns
    -----
    UserWarning
        Openings are alike up to symmetry: all but the first are left out.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"there is no file {path}; openings are {BALANCED}, {RANDOM} or a file")
    lines = [(k, line) for k, line in enumerate(_text(path).splitlines(), 1) if line.strip()]
    if not lines:
        raise UserError(f"{path} holds no openings; write one transcript a line")
    given = [_moves_in(line, game, f"{path}, line {number}") for number, line in lines]
    moves, positions, faults = follow(game, given)
    for place in np.flatnonzero(faults)[:1]:
        number, line = lines[place]
        raise UserError(f"{path}, line {number}: {_what_is_wrong(faults[place], line, game)}")
    first = np.sort(np.unique(canonical_keys(game, positions), return_index=True)[1])
    if len(first) < len(lines):
        warnings.warn(
            f"{path}: {len(lines) - len(first)} of {len(lines)} openings are like others "
            "up to symmetry and are left out",
            stacklevel=2,
        )
    return Openings(game, path.name, tuple(moves[k] for k in first), positions[first])


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except UserError:
        raise UserError(f"{path} is no text; openings are transcripts, one a line") from None


def _moves_in(line: str, game: Game, where: str) -> list[int]:
    if ":" in line:
        raise UserError(f"{where}: an opening starts from the initial position; give its moves")
    try:
        return game.notation.read_moves(line)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None


def _what_is_wrong(fault: int, line: str, game: Game) -> str:
    if fault == FINISHED:
        return f"the game is over after {line.strip()!r}; an opening leaves something to play"
    assert fault == ILLEGAL
    try:
        Position.from_transcript(line, game)
    except UserError as error:
        return str(error)
    return f"{line.strip()!r} is not legal"


def openings_for(
    game: Game,
    source: str | Path | Openings | None = None,
    pairs: int | None = None,
    plies: int | None = None,
    balance: float | None = None,
    seed: int = 0,
    *,
    fewer: bool = False,
) -> Openings:
    """Return the openings of a match, in an order that the seed gives: pair k takes opening k.

    Parameters
    ----------
    game
        the game.
    source
        `balanced`, the book of the package; `random`; a file of transcripts or, ending in .npz, a
        book; or openings, which keep their order. By default the book where there is one and
        `plies` is None or its length, else random ones.
    pairs
        how many are needed. Of random openings so many are drawn; by default 200, or as many as
        there are. A book or a file gives all it has, `pairs` or more.
    plies
        of random openings; by default the game's own.
    balance
        the greatest |score| of an opening from a book, in the game's unit; by default the
        book's, or as much more as `pairs` takes.
    seed
        of the order, and of random openings. The order of two of them does not depend on others;
        what a book has beyond its usual balance comes last.
    fewer
        rather fewer than `pairs` than an error; with a warning where they are very few.

    Raises
    ------
    UserError
        The source does not suffice, or does not go with the other settings.
    """
    if isinstance(source, Openings):
        return _enough(source, game, pairs, fewer)
    if balance is not None and not balance >= 0:
        raise UserError(f"the balance of openings is a score of 0 or more, not {balance}")
    words = None if source is None else str(source)
    book = _book_of(game, words, plies, balance)
    if book is not None:
        wanted = book_openings(book, balance, pairs or 0)
        wanted = _enough(wanted, game, pairs, fewer, len(book))
        usual = book_openings(book, balance)
        if len(wanted) > len(usual):
            wanted = replace(wanted, name=f"{usual.name}, then others")
        return shuffled(wanted, seed, first=usual)
    if balance is not None:
        raise UserError("a balance is chosen among the openings of a book; leave it out")
    if words in (None, RANDOM):
        length = game.opening_plies if plies is None else plies
        if pairs is None:
            return random_openings(game, DEFAULT_PAIRS, length, seed, fewer=True)
        return random_openings(game, pairs, length, seed, fewer=fewer)
    if plies is not None:
        raise UserError("the openings of a file have the plies they have; leave the plies out")
    return shuffled(_enough(read_openings(str(words), game), game, pairs, fewer), seed)


def _book_of(
    game: Game, source: str | None, plies: int | None, balance: float | None
) -> Book | None:
    """Return the book that is asked for, by its name or by default, or None."""
    if source not in (None, BALANCED):
        is_book = str(source).endswith(SUFFIX) and plies is None
        return read_book(str(source), game) if is_book else None
    book = shipped_book(game)
    fits = book is not None and plies in (None, book.plies)
    if not fits and (source == BALANCED or balance is not None):
        has = "no book" if book is None else f"a book of {book.plies} plies alone"
        raise UserError(
            f"{game.name} has {has} of balanced openings; make one with samuel openings, "
            "or take random ones"
        )
    return book if fits else None


def _enough(
    openings: Openings, game: Game, pairs: int | None, fewer: bool, in_book: int = 0
) -> Openings:
    """Return the openings if they are of the game and suffice for the pairs."""
    if openings.game.name != game.name:
        raise UserError(f"these are openings of {openings.game.name}, not of {game.name}")
    n = len(openings)
    if n == 0:
        raise UserError("no opening is so balanced; allow a larger balance")
    if pairs is not None and n < pairs:
        if not fewer:
            raise UserError(
                f"only {n} different openings ({openings.name}), not {pairs}; play at most {n} "
                f"pairs, or {'allow a larger balance' if n < in_book else 'take random ones'}"
            )
        if n < DEFAULT_PAIRS:
            warnings.warn(f"only {n} different openings ({openings.name})", stacklevel=3)
    return openings


def shuffled(openings: Openings, seed: int, *, first: Openings | None = None) -> Openings:
    """Return the openings in an order that the seed gives; that of two depends on no third.

    Those that are among `first`, where it is given, come before all others.
    """
    keys = canonical_keys(openings.game, openings.positions)
    mixed = np.zeros_like(keys)
    mix_all(np.uint64(seed % (1 << 64)), keys, mixed)
    later = np.zeros(len(keys), np.bool_)
    if first is not None:
        later = ~np.isin(keys, canonical_keys(first.game, first.positions))
    return openings.take(np.lexsort((mixed, later)))
