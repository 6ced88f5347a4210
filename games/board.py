"""The board of a game: its squares, what a square can have, and where a position keeps that.

A position keeps everything but emptiness in a bit a square. Each kind of piece takes as many words
as the squares' bits need, the mover's pieces before the opponent's, kind after kind:

    Board(8, 8)                          the mover's stones; the opponent's
    Board(8, 8, pieces=("XO", "KQ"))     the mover's men; the opponent's; the mover's kings; ...
    Board(10, 10, pieces=("XO", "#"))    queens, and arrows that are nobody's; two words each

Words after those are the game's own. Squares are numbered row by row from the top as printed.
"""

from __future__ import annotations

import functools
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.common.errors import UserError

MOVER, OPPONENT, NOBODY = range(3)
EMPTY = "-"
"""The sign of an empty square."""
_WORD = 64
_ONE = np.uint64(1)
_LETTERS = string.ascii_lowercase


def crossing_lines(rows: int, columns: int) -> list[tuple[int, int]]:
    """Return a line for each row and each column of a board whose pieces stand where they cross."""
    last = (rows - 1) * columns
    across = [(row * columns, row * columns + columns - 1) for row in range(rows)]
    return across + [(column, last + column) for column in range(columns)]


class Content(NamedTuple):
    """Contents that a square can have."""

    signs: str
    whose: int
    word: int | None


@dataclass(frozen=True, eq=False)
class Board:
    """Rectangle of squares on which a game is played.

    Attributes
    ----------
    rows, columns
        The size.
    bits
        The bit of each square in the words of a kind of piece, row by row from the top; 64 and more
        are in its second word. By default 0, 1, 2 and on.
    pieces
        Signs of the kinds of pieces: two signs, the first player's and the second's, or one for a
        piece of neither. The signs of the first kind name the players.
    symmetric
        Symmetry of the game: "no", "sideways" (left and right exchanged), "all" (all rotations and
        reflections that keep the shape), or an array (S, squares) of permutations of the squares,
        the identity first.
    column_names, row_names
        From the left and from the top; a square is named by both.
    lines
        Pairs of squares, by their numbers, that are joined by lines in pictures. With lines, pieces
        are on crossings instead of squares.
    unused
        Squares, by their numbers, that are always empty. Pictures leave them out.

    Examples
    --------
    >>> import samuel
    >>> board = samuel.Board(3, 3, pieces=("XO",), symmetric="all")
    >>> board.columns
    3
    """

    rows: int
    columns: int
    bits: Sequence[int] = ()
    pieces: Sequence[str] = ("XO",)
    symmetric: Literal["no", "sideways", "all"] | ArrayLike = "no"
    column_names: Sequence[str] = _LETTERS
    row_names: Sequence[str] = ()
    lines: Sequence[tuple[int, int]] = ()
    unused: Sequence[int] = ()

    def __post_init__(self) -> None:
        size = self.rows * self.columns
        object.__setattr__(self, "bits", tuple(map(int, self.bits)) or tuple(range(size)))
        names = self.row_names or [str(row + 1) for row in range(self.rows)]
        object.__setattr__(self, "row_names", names)
        if size < 1 or self.columns > len(self.column_names) or self.rows > len(names):
            raise UserError(
                f"a board of {self.rows} by {self.columns} squares needs a name for each row "
                f"and each column (got {len(names)} and {len(self.column_names)})"
            )
        if len(self.bits) != size or len(set(self.bits)) < size or min(self.bits) < 0:
            raise UserError(f"bits must give each of the board's {size} squares its own bit")
        signs = "".join(self.pieces)
        if not self.pieces or len(self.pieces[0]) != 2 or not set(map(len, self.pieces)) <= {1, 2}:
            raise UserError(
                "pieces must be pairs of signs (the first player's and the second's), at "
                "least one, and then single signs for what belongs to neither (got "
                f"{self.pieces!r})"
            )
        unique = len(set(signs + EMPTY)) == len(signs) + 1
        if not unique or not signs.isprintable() or any(map(str.isspace, signs)):
            raise UserError(
                f"each piece needs its own sign, not a blank and not {EMPTY!r} (got "
                f"{self.pieces!r})"
            )
        identity = np.arange(size)
        if any(not np.array_equal(np.sort(one), identity) for one in self.symmetries):
            raise UserError(f"a symmetry must be a permutation of the squares 0 to {size - 1}")

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.rows, self.columns

    @functools.cached_property
    def squares(self) -> tuple[str, ...]:
        """The names of the squares."""
        columns = self.column_names[: self.columns]
        return tuple(c + r for r in self.row_names[: self.rows] for c in columns)

    @functools.cached_property
    def symmetries(self) -> NDArray[np.int64]:
        """The symmetries (S, squares): a row has for each square the one that it becomes."""
        board = np.arange(self.rows * self.columns).reshape(self.shape)
        if not isinstance(self.symmetric, str):
            return np.atleast_2d(np.asarray(self.symmetric, np.int64))
        if self.symmetric not in ("no", "sideways", "all"):
            raise UserError(f"symmetric must be no, sideways or all (got {self.symmetric!r})")
        turned = [board]
        if self.symmetric == "all":
            turned = [np.rot90(board, k) for k in range(4)]
        if self.symmetric != "no":
            turned += [np.fliplr(one) for one in turned]
        return np.array([one.ravel() for one in turned if one.shape == self.shape])

    @functools.cached_property
    def words_each(self) -> int:
        """Number of words that the squares of a kind of piece take."""
        return max(self.bits) // _WORD + 1

    @functools.cached_property
    def kept(self) -> tuple[Content, ...]:
        """The contents that words keep, in the order of the words."""
        found: list[Content] = []
        for signs in self.pieces:
            owners = (MOVER, OPPONENT) if len(signs) == 2 else (NOBODY,)
            for whose in owners:
                both = signs[::-1] if whose == OPPONENT else signs * (3 - len(signs))
                found.append(Content(both, whose, self.words_each * len(found)))
        return tuple(found)

    @property
    def words(self) -> int:
        """Number of words of a position that are the board's."""
        return self.words_each * len(self.kept)

    @functools.cached_property
    def contents(self) -> tuple[Content, ...]:
        """All contents of a square; a content's digit is its index.

        Those of the opponent, the last kind first; emptiness; nobody's; the mover's. So what the
        other side sees in a square is, counted from emptiness, minus what the mover does, as long
        as nothing is nobody's.
        """
        of = {who: [c for c in self.kept if c.whose == who] for who in (MOVER, OPPONENT, NOBODY)}
        empty = Content(EMPTY * 2, NOBODY, None)
        return (*of[OPPONENT][::-1], empty, *of[NOBODY], *of[MOVER])

    @functools.cached_property
    def empty(self) -> int:
        """The digit of emptiness."""
        return next(digit for digit, content in enumerate(self.contents) if content.word is None)

    @functools.cached_property
    def steps(self) -> tuple[int, ...]:
        """The digit of each content of `kept`, less that of emptiness."""
        return tuple(self.contents.index(content) - self.empty for content in self.kept)

    def digits(self, positions: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Return the digit (squares, n) of each square's content; the first of several counts."""
        found = np.zeros((len(self.bits), len(positions)), np.int8)
        for square, bit in enumerate(self.bits):
            for content, step in zip(self.kept, self.steps, strict=True):
                assert content.word is not None
                word = positions[:, content.word + bit // _WORD]
                held = (word >> np.uint64(bit % _WORD) & _ONE).astype(np.int8)
                found[square] += np.int8(step) * held * (found[square] == 0)
        found += np.int8(self.empty)
        return found

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, K) have pieces on squares only, no two on one."""
        each = self.words_each
        squares = np.zeros(each, np.uint64)
        for bit in self.bits:
            squares[bit // _WORD] |= np.uint64(1 << bit % _WORD)
        columns = np.ascontiguousarray(positions.T)
        taken = np.repeat(~squares[:, None], len(positions), axis=1)
        clash = np.zeros(len(positions), bool)
        for word in range(0, self.words, each):
            pieces = columns[word : word + each]
            clash |= (taken & pieces).any(axis=0)
            taken |= pieces
        return ~clash
