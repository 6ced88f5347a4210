"""Shapes: sets of squares whose contents are read together, and what their symmetries share.

A shape is a list of squares. Its instances are its images under the symmetries of the board, and
share their weights: the shape `a1 b1 c1 a2 b2 c2 a3 b3 c3` stands for all four corners. The content
of a shape is a number, a digit a square in the order of the list, its base how many contents a
square can have (games.board.Board.contents), counted from all squares empty: with one kind of piece
+1 for one of the player, who is to move, -1 for one of the opponent, in base 3. A symmetry that
maps a shape onto itself makes some of these numbers the same; they share a weight too.

Named sets, for the boards they fit: `tuples2` to `tuples6`, all straight lines of so many squares;
and those that a game has of its own (games.groups).
"""

from __future__ import annotations

import functools
import hashlib
import os
import reprlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError, unknown
from samuel.common.files import read_bytes
from samuel.common.text_files import text_of
from samuel.games.board import Board
from samuel.games.catalog import known_game
from samuel.games.changes import board_of
from samuel.games.game import Game

LARGEST_NUMBER = 32767
"""Largest number of a configuration, counted from all squares empty: what 16 bits hold."""
MOST_INSTANCES = 1024
MOST_CONFIGURATIONS = 1 << 22
"""Most configurations of all shapes: the search keeps a number for each by squares left."""

_LONGEST_NAME = 100
_MOST_BYTES = 1 << 20
"""Largest file of shapes, comments and all."""
_STRAIGHT = ((0, 1), (1, 0), (1, 1), (1, -1))


@dataclass(frozen=True)
class Shape:
    """A pattern's name and its squares.

    Attributes
    ----------
    name
        Name, unique in its set.
    squares
        Names of the squares, such as `a1`.

    Examples
    --------
    >>> import samuel
    >>> samuel.Shape("row", ("a1", "b1", "c1")).squares
    ('a1', 'b1', 'c1')
    """

    name: str
    squares: tuple[str, ...]


Shapes: TypeAlias = str | Path | Sequence[Shape | Sequence[str] | str]
"""The name of a set, a file of shapes, or a list of shapes, each a Shape or its squares."""


@dataclass(frozen=True)
class PatternSet:
    """Shapes on the board of a game, with all their instances."""

    game: str
    shapes: tuple[Shape, ...]

    def __repr__(self) -> str:
        return (
            f"PatternSet({self.game}: {len(self.shapes)} shapes, {len(self.instances)} instances, "
            f"{self.n_weights:,} weights)"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return what is kept in a file: not what is computed when first asked for."""
        return {"game": self.game, "shapes": self.shapes}

    @property
    def board(self) -> Board:
        """The board of the game."""
        return board_of(known_game(self.game))

    @property
    def sizes(self) -> list[int]:
        """Number of configurations of each shape: a power of the contents a square can have."""
        return [int(len(self.board.contents) ** len(shape.squares)) for shape in self.shapes]

    @functools.cached_property
    def instances(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Each instance: the number of its shape, and its squares by number, in the shape's order.

        Numbers are those of the board (games.board).
        """
        found = []
        for number, squares in enumerate(self._squares):
            images: dict[frozenset[int], tuple[int, ...]] = {}
            for symmetry in self.board.symmetries:
                image = tuple(int(symmetry[square]) for square in squares)
                images.setdefault(frozenset(image), image)
            found += [(number, image) for image in images.values()]
        return tuple(found)

    @functools.cached_property
    def starts(self) -> NDArray[np.int64]:
        """Start of each shape's configurations among all; one more entry, their number."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def size(self) -> int:
        """Number of configurations of all shapes together."""
        return int(self.starts[-1])

    @functools.cached_property
    def weight_of(self) -> NDArray[np.int32]:
        """The weight (size,) of each configuration; those that a symmetry makes the same share."""
        folded: list[NDArray[np.int64]] = []
        start = 0
        for squares in self._squares:
            least = self._least_images(squares)
            chosen, weight = np.unique(least, return_inverse=True)
            folded.append(start + weight)
            start += len(chosen)
        return np.concatenate(folded).astype(np.int32)

    @functools.cached_property
    def n_weights(self) -> int:
        """Number of weights."""
        return int(self.weight_of.max()) + 1

    @functools.cached_property
    def digest(self) -> str:
        """A digest of the shapes, for what was made with them."""
        text = "; ".join(" ".join(shape.squares) for shape in self.shapes)
        return hashlib.sha256(f"{self.game}: {text}".encode()).hexdigest()[:16]

    def contents(self, shape: int) -> list[str]:
        """Return each configuration of a shape as text, the first player to move: X, O or -."""
        letters = np.array([content.signs[0] for content in self.board.contents])
        return ["".join(row) for row in letters[self._digits(len(self.shapes[shape].squares))]]

    @functools.cached_property
    def _squares(self) -> list[tuple[int, ...]]:
        number = {name: k for k, name in enumerate(self.board.squares)}
        return [tuple(number[name] for name in shape.squares) for shape in self.shapes]

    def _digits(self, squares: int) -> NDArray[np.int64]:
        """Return the digits (configurations, squares) of so many squares."""
        base = len(self.board.contents)
        return np.arange(base**squares)[:, None] // base ** np.arange(squares) % base

    def _least_images(self, squares: tuple[int, ...]) -> NDArray[np.int64]:
        """Return for each configuration the smallest of its images on the same squares."""
        base, digits = len(self.board.contents), self._digits(len(squares))
        least = np.arange(len(digits))
        for symmetry in self.board.symmetries:
            image = [int(symmetry[square]) for square in squares]
            if set(image) == set(squares):
                places = [squares.index(square) for square in image]
                least = np.minimum(least, digits @ base ** np.array(places))
        return least


def most_squares(board: Board) -> int:
    """Return how many squares of a board can be read together: 10 with three contents."""
    base = len(board.contents)
    farthest = max(board.empty, base - 1 - board.empty)
    return max(n for n in range(1, 17) if farthest * (base**n - 1) // (base - 1) <= LARGEST_NUMBER)


def pattern_set(shapes: Shapes | PatternSet, game: Game | str | None = None) -> PatternSet:
    """Return patterns with all their instances on the board of a game.

    Parameters
    ----------
    shapes
        Name of a set (`set_names`), path of a file, or a list. A file has one shape per line: its
        squares, separated by blanks, after an optional name and a colon. A # begins a comment. In a
        list, a shape is a Shape, a sequence of squares, or a line as in a file.
    game
        Game, or its name. By default that of a PatternSet, else Othello.

    Returns
    -------
    PatternSet
        Patterns with all their symmetric instances.

    Raises
    ------
    UserError
        There is no such set or file, or the game has no board. Or a square is not on the board,
        stands twice in a shape, or a shape has more than `most_squares` squares.

    Examples
    --------
    >>> import samuel
    >>> samuel.pattern_set("tuples2")
    PatternSet(othello: 32 shapes, 210 instances, 264 weights)
    """
    if isinstance(shapes, PatternSet) and game is None:
        return shapes
    game = "othello" if game is None else game
    rules = known_game(game) if isinstance(game, str) else game
    if isinstance(shapes, PatternSet):
        if shapes.game != rules.name:
            raise UserError(f"these shapes are for {shapes.game}, not for {rules.name}")
        return shapes
    board_of(rules)
    if isinstance(shapes, str) and (shapes.isidentifier() or shapes in set_names(rules)):
        chosen = _named(shapes, rules)
    elif isinstance(shapes, Path | str):
        chosen = _from_lines(_lines_of(Path(shapes)))
    else:
        chosen = _from_list(shapes)
    _require_sound(chosen, rules)
    found = PatternSet(rules.name, tuple(chosen))
    # a shape has an instance at least, so too many shapes need not be turned
    instances = len(chosen) if len(chosen) > MOST_INSTANCES else len(found.instances)
    if instances > MOST_INSTANCES:
        raise UserError(f"the shapes have {instances:,} instances; the most is {MOST_INSTANCES:,}")
    if found.size > MOST_CONFIGURATIONS:
        raise UserError(
            f"the shapes have {found.size:,} configurations; the most is {MOST_CONFIGURATIONS:,}"
        )
    return found


def set_names(game: Game | str = "othello") -> dict[str, str]:
    """Return the named sets that fit a game, each with a line about it."""
    rules = known_game(game) if isinstance(game, str) else game
    if rules.shape is None:
        return {}
    about = {
        f"tuples{n}": f"all straight lines of {n} squares"
        for n in range(2, 7)
        if _are_read(board_of(rules), n)
    }
    return about | {name: line for name, (line, _) in rules.defaults.shapes.items()}


def _named(name: str, game: Game) -> list[Shape]:
    known = set_names(game)
    if name not in known:
        more = "the file of any set of yours is one, too"
        raise unknown("set of patterns", name, known, more, of=game.name)
    if name in game.defaults.shapes:
        return _from_lines(game.defaults.shapes[name][1])
    return list(_straight(board_of(game), int(name.removeprefix("tuples"))))


def _are_read(board: Board, n: int) -> bool:
    """Return whether a board has straight lines of n squares, and no more than are read."""
    steps = [(n - 1) * abs(np.array(step)) for step in _STRAIGHT]
    lines = sum(max(0, board.rows - d) * max(0, board.columns - r) for d, r in steps)
    if n > most_squares(board) or not 0 < lines <= MOST_INSTANCES:
        return False
    return len(_straight(board, n)) * len(board.contents) ** n <= MOST_CONFIGURATIONS


@functools.lru_cache(maxsize=64)
def _straight(board: Board, n: int) -> tuple[Shape, ...]:
    """Return one straight line of n squares for each class of them that the symmetries leave."""
    rows, columns, names = board.rows, board.columns, board.squares
    seen: set[frozenset[int]] = set()
    found = []
    for row, column in np.ndindex(rows, columns):
        for down, right in _STRAIGHT:
            places = [(row + k * down, column + k * right) for k in range(n)]
            if not all(0 <= r < rows and 0 <= c < columns for r, c in places):
                continue
            line = [r * columns + c for r, c in places]
            if frozenset(line) in seen:
                continue
            seen |= {frozenset(symmetry[line].tolist()) for symmetry in board.symmetries}
            found.append(
                Shape(f"{names[line[0]]}-{names[line[-1]]}", tuple(names[k] for k in line))
            )
    return tuple(found)


def _lines_of(path: Path) -> list[str]:
    if not os.path.exists(path):  # False for what cannot be a name, too
        raise UserError(f"{path} is neither a file of shapes nor the name of a set")
    try:
        text = text_of(read_bytes(path, _MOST_BYTES))
    except ValueError:
        raise UserError(
            f"{path} is not a text file; write one shape per line, as a list of squares"
        ) from None
    return [line for line in (row.split("#")[0].strip() for row in text.split("\n")) if line]


def _from_lines(lines: Iterable[str]) -> list[Shape]:
    found = []
    for line in lines:
        name, colon, squares = line.rpartition(":")
        found.append(Shape(" ".join((name if colon else squares).split()), tuple(squares.split())))
    return found


def _from_list(shapes: Sequence[Shape | Sequence[str] | str]) -> list[Shape]:
    found: list[Shape] = []
    if not isinstance(shapes, Iterable) or isinstance(shapes, bytes):
        raise UserError(
            f"shapes must be the name of a set, a file or a list of shapes (got {shapes!r})"
        )
    for shape in shapes:
        if isinstance(shape, str):
            found += _from_lines([shape])
        elif isinstance(shape, Shape):
            found.append(shape)
        elif isinstance(shape, Iterable) and all(isinstance(square, str) for square in shape):
            found.append(Shape(" ".join(shape), tuple(shape)))
        else:
            raise UserError(
                f"a shape must be a list of squares, such as ['a1', 'b1'] (got {shape!r})"
            )
    return found


def _require_sound(shapes: Sequence[Shape], game: Game) -> None:
    names, most = set(game.squares), most_squares(board_of(game))
    if not shapes:
        raise UserError("give at least one shape")
    for shape in shapes:
        if not shape.name.isprintable() or len(shape.name) > _LONGEST_NAME:
            raise UserError(
                f"the name of a shape must be one line of at most {_LONGEST_NAME} characters "
                f"(got {reprlib.repr(shape.name)})"
            )
        for square in shape.squares:
            if square not in names:
                raise UserError(
                    f"the shape {shape.name!r}: {game.name} has no square {reprlib.repr(square)}"
                )
        if not 1 <= len(shape.squares) <= most:
            raise UserError(
                f"shape {shape.name!r} must have 1 to {most} squares (got {len(shape.squares)})"
            )
        if len(set(shape.squares)) < len(shape.squares):
            raise UserError(f"the shape {shape.name!r} names a square twice")
