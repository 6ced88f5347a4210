"""Books of openings: positions after some plies with their scores, so that balanced ones are found.

A book is one file, of numpy's npz format without pickle:

    card     JSON: game, plies, evaluator, its digest, depth
    moves    (plies, n), the lines from the initial position, forced passes included
    scores   float32 (n,), in older books float16, for the side to move after them, in the game's
             unit

All scores are kept, so that how balanced an opening has to be is chosen when it is played. The
books of the package lie in `books/`; making.py makes them.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from samuel.arena.openings.kernel import follow_lines
from samuel.common.errors import UserError
from samuel.common.files import read_bytes, whole
from samuel.common.json_files import record_in
from samuel.games.catalog import known_game
from samuel.games.interface import Game
from samuel.games.playing import new_game_state
from samuel.games.rows import possible_rows
from samuel.games.symmetry import canonical_keys
from samuel.models.compiled.arrays import array_in, members_in

SUFFIX = ".npz"
FORMAT = 1
_SHIPPED = Path(__file__).parent / "books"
_AGAIN = "samuel openings makes one anew"
_MOST_MOVES = 1 << 26
"""Most moves of all lines of a book that is read."""
_SHARE = 4
"""The usual balance leaves one opening in so many."""


@dataclass(frozen=True)
class _Card:
    game: str
    plies: Annotated[int, Meta(ge=0, le=1 << 15)]
    evaluator: str
    digest: str
    depth: Annotated[int, Meta(ge=0, le=1 << 15)]


@dataclass(frozen=True, eq=False)
class Book:
    """Openings of one length, no two alike up to symmetry, each with its score.

    Attributes
    ----------
    moves
        int32 (n, plies), from the initial position.
    positions
        uint64 (n, K), those after the moves, from the side to move.
    scores
        float32 (n,), for that side, in the game's unit.
    evaluator
        the name of what scored them.
    digest
        digest of that evaluator (selfplay.digest.evaluator_digest).
    depth
        depth of the search that scored them, in plies.
    """

    game: Game
    moves: NDArray[np.int32]
    positions: NDArray[np.uint64]
    scores: NDArray[np.float32]
    evaluator: str
    digest: str
    depth: int

    def __len__(self) -> int:
        return len(self.moves)

    @property
    def plies(self) -> int:
        """The length of the openings."""
        return self.moves.shape[1]

    def limit_for(self, n: int) -> float:
        """Return the least |score| within which n openings lie, or all where there are fewer."""
        distances = np.sort(np.abs(self.scores))
        return float(distances[min(n, len(self)) - 1]) if n > 0 else 0.0

    @functools.cached_property
    def balance(self) -> float:
        """The usual balance: the most balanced quarter, and a little more for a round number."""
        return _rounded_up(self.limit_for(-(-len(self) // _SHARE)))

    def within(self, balance: float) -> NDArray[np.int64]:
        """Return the places of the openings with |score| <= balance."""
        # what single precision cannot hold would overflow where the two are compared
        largest = float(np.finfo(self.scores.dtype).max)
        return np.flatnonzero(np.abs(self.scores) <= min(balance, largest))


def _rounded_up(x: float) -> float:
    """Return x, or the next number above it, with two significant digits."""
    if x <= 0:
        return 0.0
    decimals = 1 - math.floor(math.log10(x))
    return round(math.ceil(x * 10.0**decimals - 1e-6) / 10.0**decimals, decimals)


def write_book(path: Path | str, book: Book) -> None:
    """Write a book to a file, whole or not at all."""
    card = {
        "format": FORMAT,
        "game": book.game.name,
        "plies": book.plies,
        "evaluator": book.evaluator,
        "digest": book.digest,
        "depth": book.depth,
    }
    narrow = np.int8 if book.moves.size == 0 or book.moves.max() < 128 else np.int32
    with whole(path) as partial, open(partial, "wb") as file:
        np.savez_compressed(
            file,
            card=np.array(json.dumps(card)),
            moves=book.moves.T.astype(narrow),  # a ply of all lines together: packs best
            scores=book.scores,
        )


def read_book(path: Path | str, game: Game | None = None) -> Book:
    """Read a book, and play every line of it through.

    Parameters
    ----------
    game
        the game it has to be of; that of its card where None.

    Raises
    ------
    UserError
        There is no such file, it is damaged or no book, or it is of another game.
    """
    path = Path(path)
    if not path.exists():
        raise UserError(f"file {path} does not exist")
    try:
        members = members_in(read_bytes(path))
        arrays = {name: array_in(members[f"{name}.npy"]) for name in ("moves", "scores")}
        text = _text_in(members["card.npy"])
    except (KeyError, ValueError):
        raise _damaged(path) from None
    card = record_in(text, _Card, f"the card of {path}", _AGAIN, format=FORMAT)
    moves, scores = arrays["moves"].T, arrays["scores"].astype(np.float32)
    if not _is_sound(card, moves, scores):
        raise _damaged(path)
    if game is not None and card.game != game.name:
        raise UserError(f"{path} holds openings for {card.game}, not for {game.name}")
    game = game or known_game(card.game)
    lines = np.array(moves, np.int32, order="C")  # a copy: arrays of files are read-only
    ends = card.plies * np.arange(1, len(lines) + 1)
    _, lengths, positions, _, faults = _followed(game, lines.ravel(), ends)
    whole_lines = bool(np.all(lengths == card.plies))
    is_in_range = bool(np.all(np.abs(scores) <= game.max_utility))
    distinct = len(np.unique(canonical_keys(game, positions))) == len(positions)
    if faults.any() or not (whole_lines and distinct and is_in_range):
        raise _damaged(path)
    return Book(game, lines, positions, scores, card.evaluator, card.digest, card.depth)


def _is_sound(card: _Card, moves: NDArray[Any], scores: NDArray[np.float32]) -> bool:
    return (
        moves.ndim == 2
        and moves.dtype in (np.int8, np.int32)
        and moves.shape[1] == card.plies
        and scores.shape == (len(moves),)
        and len(moves) > 0
        and moves.size <= _MOST_MOVES
    )


def _text_in(member: bytes) -> str:
    """Return the text of an array of one; ValueError where it is none.

    After numpy's header, whose length stands in its bytes 8 and 9, a text is padded UTF-32.
    """
    start = 10 + int.from_bytes(member[8:10], "little")
    return member[start:].decode("utf-32-le").rstrip("\0")


def _damaged(path: Path) -> UserError:
    return UserError(f"{path} is damaged, or no book of openings; {_AGAIN}")


class Followed(NamedTuple):
    """Lines of moves played through.

    Attributes
    ----------
    lines
        n, whole.
    positions
        uint64 (n, K), those after them.
    sides
        int8 (n,), who is to move there, 0 for the side that began the game.
    faults
        int8 (n,), what is wrong with each: FINE, ILLEGAL, FINISHED or AFTER_END (kernel.py).
    """

    lines: list[tuple[int, ...]]
    positions: NDArray[np.uint64]
    sides: NDArray[np.int8]
    faults: NDArray[np.int8]


class Starts(NamedTuple):
    """Positions where lines begin.

    Attributes
    ----------
    positions
        uint64 (n, K), from the side to move; or (1, K), the one of all lines.
    sides
        int8 (n,), who is to move there, 0 for the side that begins games; or (1,).
    """

    positions: NDArray[np.uint64]
    sides: NDArray[np.int8]

    @classmethod
    def initial(cls, game: Game) -> Starts:
        """Return the initial position, for all lines."""
        return cls(game.rows([game.start]), np.zeros(1, np.int8))

    @classmethod
    def parse(cls, game: Game, texts: Sequence[str]) -> Starts:
        """Read the positions of n lines; an empty text is the initial one.

        Raises
        ------
        UserError
            A text is no position.
        """
        if not any(texts):
            n = len(texts)
            return cls(np.repeat(game.rows([game.start]), n, axis=0), np.zeros(n, np.int8))
        read = game.notation.read
        found = [read(text) if text else (game.start, 0) for text in texts]
        words, sides = zip(*found, strict=True)
        return cls(possible_rows(game, words), np.array(sides, np.int8))


def follow_line(
    game: Game, lines: Sequence[Sequence[int]], starts: Starts | None = None
) -> Followed:
    """Play n lines of moves through, and put in the forced passes that are missing.

    They begin at the initial position where `starts` is None.
    """
    ends = np.cumsum([len(line) for line in lines], dtype=np.int64)
    moves = np.array([move for line in lines for move in line], np.int32)
    played, lengths, positions, sides, faults = _followed(game, moves, ends, starts)
    firsts, all_played = 2 * np.append(0, ends)[:-1], played.tolist()
    whole_lines = [
        tuple(all_played[first : first + length])
        for first, length in zip(firsts.tolist(), lengths.tolist(), strict=True)
    ]
    return Followed(whole_lines, positions, sides, faults)


def _followed(
    game: Game, moves: NDArray[np.int32], ends: NDArray[np.int64], starts: Starts | None = None
) -> tuple[Any, ...]:
    """Return what `follow_lines` makes of lines that lie one behind another, up to `ends`.

    The moves played, each line from twice where it began, their lengths, and the rest of Followed.
    """
    n = len(ends)
    positions = np.zeros((n, game.words), np.uint64)
    sides, faults = np.zeros(n, np.int8), np.zeros(n, np.int8)
    played, lengths = np.zeros(2 * len(moves), np.int32), np.zeros(n, np.int64)
    follow_lines(
        game.rules_of_play,
        *(starts or Starts.initial(game)),
        new_game_state(game),
        moves,
        ends,
        played,
        lengths,
        positions,
        sides,
        faults,
    )
    return played, lengths, positions, sides, faults


def shipped_path(game: Game) -> Path:
    """Return where the book of the package for a game lies, if there is one."""
    return _SHIPPED / f"{game.name}{SUFFIX}"


@functools.lru_cache(maxsize=8)
def shipped_book(game: Game) -> Book | None:
    """Return the book that comes with the package for a game, or None where it has none."""
    path = shipped_path(game)
    return read_book(path, game) if path.exists() else None
