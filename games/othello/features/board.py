"""The boards of Othello as features see them, and how a feature is defined on all of them at once.

A feature of both sides is a function of the discs of the side it speaks of, those of the other
side and the board; it is called once for the player, who is to move, and once for the opponent.

    @of_both_sides
    def corners(player, opponent, board):
        return popcount(player & board.corners)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from samuel.games.feature import feature
from samuel.games.othello.bits import moves_of, neighbours
from samuel.games.othello.rules import GAME, GAME_4X4, GAME_6X6, SQUARES, squares_of
from samuel.games.rules import Row
from samuel.kernels.bits import ZERO, Word
from samuel.kernels.jit import jit

BOTH = ("player", "opponent")


class Areas(NamedTuple):
    """Sets of squares of a board, as words, and its size."""

    size: int
    squares: Word
    corners: Word
    x_squares: Word
    c_squares: Word
    edges: Word
    rows: Word
    columns: Word
    ring: Word
    inner: Word
    centre: Word
    lines: tuple[Word, ...]
    quadrants: tuple[Word, ...]


def classes_of(size: int) -> tuple[str, ...]:
    """Return one square for each class of squares that the symmetries of a board leave."""
    half = size // 2
    return tuple(SQUARES[8 * row + column] for row in range(half) for column in range(row, half))


CLASSES = classes_of(8)


def class_of(square: int, size: int = 8) -> int:
    """Return the index in `classes_of(size)` of the square of a bit."""
    row, column = sorted(min(k, size - 1 - k) for k in _place(square, size))
    return classes_of(size).index(SQUARES[8 * row + column])


def _place(square: int, size: int) -> tuple[int, int]:
    """Return the row and the column of the square of a bit."""
    return divmod(SQUARES.index(squares_of(size)[square]), 8)


def class_squares(size: int, number: int) -> Word:
    """Return the squares of the class at an index of `classes_of(size)`."""
    return np.uint64(sum(1 << s for s in squares_of(size) if class_of(s, size) == number))


def squares_where(size: int, is_in: Callable[[int, int], bool]) -> Word:
    """Return the squares of the board whose row and column `is_in` takes."""
    return np.uint64(sum(1 << s for s in squares_of(size) if is_in(*_place(s, size))))


def areas_of(size: int) -> Areas:
    """Return the board of that size."""
    where, last, half = partial(squares_where, size), size - 1, size // 2

    def distance(row: int, column: int) -> int:
        return min(row, column, last - row, last - column)

    squares, corners = where(lambda row, column: True), class_squares(size, 0)
    rows = where(lambda row, _: row == 0), where(lambda row, _: row == last)
    columns = where(lambda _, column: column == 0), where(lambda _, column: column == last)
    above, left = where(lambda row, _: row < half), where(lambda _, column: column < half)
    return Areas(
        size=size,
        squares=squares,
        corners=corners,
        x_squares=class_squares(size, classes_of(size).index("b2")),
        c_squares=class_squares(size, classes_of(size).index("b1")),
        edges=where(lambda row, column: distance(row, column) == 0) & ~corners,
        rows=(rows[0] | rows[1]) & ~corners,
        columns=(columns[0] | columns[1]) & ~corners,
        ring=where(lambda row, column: distance(row, column) == 1),
        inner=where(lambda row, column: distance(row, column) > 1),
        centre=where(lambda row, column: distance(row, column) == half - 1),
        lines=(*rows, *columns),
        quadrants=(above & left, above & ~left, left & ~above, squares & ~above & ~left),
    )


BOARDS = {game.name: areas_of(size) for game, size in ((GAME, 8), (GAME_6X6, 6), (GAME_4X4, 4))}
"""The board of each game of Othello."""


def of_both_sides(function: Callable[[Word, Word, Any], float]) -> Any:
    """Make `function(player, opponent, board)` a feature of two numbers on every board."""
    side = jit(function)
    for game, board in BOARDS.items():
        _define(_read_both(side, board), function, game, BOTH)
    return side


def of_the_position(function: Callable[[Word, Word, Any], float]) -> Any:
    """Make `function(player, opponent, board)` a feature of one number on every board."""
    whole = jit(function)
    for game, board in BOARDS.items():
        _define(_read_one(whole, board), function, game, None)
    return whole


def _read_both(side: Any, board: Areas) -> Callable[..., Any]:
    def read(position: Row, values: Any) -> None:
        values[0] = side(position[0], position[1], board)
        values[1] = side(position[1], position[0], board)

    return read


def _read_one(whole: Any, board: Areas) -> Callable[..., Any]:
    def read(position: Row) -> Any:
        return whole(position[0], position[1], board)

    return read


def _define(
    read: Callable[..., Any],
    function: Callable[..., Any],
    game: str,
    outputs: tuple[str, ...] | None,
) -> None:
    """Define the feature under the name of the function that it calls."""
    read.__name__ = read.__qualname__ = function.__name__
    read.__doc__, read.__module__ = function.__doc__, function.__module__
    feature(game=game, outputs=outputs)(read)


@jit
def empty_of(player: Word, opponent: Word, board: Areas) -> Word:
    """Return the empty squares of the board."""
    return board.squares & ~(player | opponent)


@jit
def moves_on(player: Word, opponent: Word, board: Areas) -> Word:
    """Return the squares of the board where `player` may move."""
    return moves_of(player, opponent) & board.squares


@jit
def beside_empty_corners(player: Word, opponent: Word, board: Areas) -> Word:
    """Return the X and C squares next to an empty corner, and that corner."""
    return neighbours(board.corners & ~(player | opponent))


@jit
def region_of(seed: Word, within: Word) -> Word:
    """Return the squares of `within` joined to `seed`, in the eight directions."""
    region, grown = ZERO, seed
    while region != grown:
        region = grown
        grown = neighbours(region) & within
    return region
