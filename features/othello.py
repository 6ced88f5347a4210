"""Features of Othello on each of its boards, the same everywhere.

Where there are two numbers, the player's (who is to move) comes first. Sources: the classic
vocabulary of B. Rose, "Othello: a minute to learn, a lifetime to master", and of M. Buro's
Logistello.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from features.feature import feature
from features.squares import columns_of_bits, fill_squares
from games.abi import Game, Row
from games.bits import ONE, ZERO, Word, popcount
from games.othello import GAME, GAME_4X4, GAME_6X6, SQUARES, squares_of
from games.othello_bits import moves_of, neighbours, stable_discs_within
from jit import jit

BOTH = ("player", "opponent")


def classes_of(size: int) -> tuple[str, ...]:
    """Return one square for each class of squares that the symmetries of a board leave."""
    half = size // 2
    return tuple(SQUARES[8 * row + column] for row in range(half) for column in range(row, half))


CLASSES = classes_of(8)


def class_of(square: int, size: int = 8) -> int:
    """Return the index in `classes_of(size)` of the square of a bit."""
    place = divmod(SQUARES.index(squares_of(size)[square]), 8)
    row, column = sorted(min(k, size - 1 - k) for k in place)
    return classes_of(size).index(SQUARES[8 * row + column])


def _mask(size: int, *classes: str) -> Word:
    """Return the squares of some classes; of all, where none is named."""
    chosen = [classes_of(size).index(name) for name in classes or classes_of(size)]
    return np.uint64(sum(1 << s for s in squares_of(size) if class_of(s, size) in chosen))


def _define(game: Game, size: int) -> None:
    """Define the features of Othello on a board."""
    board, corner_squares = _mask(size), _mask(size, "a1")
    x_mask, c_mask = _mask(size, "b2"), _mask(size, "b1")
    class_masks = tuple(_mask(size, name) for name in classes_of(size))
    columns, n_squares = columns_of_bits(game), size * size

    @jit
    def empty_squares(position: Row) -> Word:
        return board & ~(position[0] | position[1])

    @jit
    def beside_empty_corners(position: Row) -> Word:
        return neighbours(corner_squares & empty_squares(position))

    @feature(game=game.name, outputs=[name for name, _ in game.squares])
    def squares(position: Row, values: Any) -> None:
        """+1 for a disc of the player on the square, -1 for one of the opponent."""
        fill_squares(position, columns, n_squares, values)

    @feature(game=game.name, outputs=classes_of(size))
    def square_classes(position: Row, values: Any) -> None:
        """Discs of the player less discs of the opponent, by class of square."""
        for k, mask in enumerate(class_masks):
            values[k] = popcount(position[0] & mask) - popcount(position[1] & mask)

    @feature(game=game.name, outputs=BOTH)
    def mobility(position: Row, values: Any) -> None:
        """Count legal moves."""
        values[0] = popcount(moves_of(position[0], position[1]) & board)
        values[1] = popcount(moves_of(position[1], position[0]) & board)

    @feature(game=game.name, outputs=BOTH)
    def potential_mobility(position: Row, values: Any) -> None:
        """Count empty squares next to a disc of the other side: moves that may come."""
        empty = empty_squares(position)
        values[0] = popcount(neighbours(position[1]) & empty)
        values[1] = popcount(neighbours(position[0]) & empty)

    @feature(game=game.name, outputs=BOTH)
    def frontier(position: Row, values: Any) -> None:
        """Count discs next to an empty square: they give the other side moves."""
        open_to = neighbours(empty_squares(position))
        values[0] = popcount(position[0] & open_to)
        values[1] = popcount(position[1] & open_to)

    @feature(game=game.name, outputs=BOTH)
    def stability(position: Row, values: Any) -> None:
        """Count discs that can never be flipped (games/othello_bits.stable_discs_within)."""
        values[0] = popcount(stable_discs_within(position[0], position[1], ~board))
        values[1] = popcount(stable_discs_within(position[1], position[0], ~board))

    @feature(game=game.name, outputs=BOTH)
    def corners(position: Row, values: Any) -> None:
        """Count corners held."""
        values[0] = popcount(position[0] & corner_squares)
        values[1] = popcount(position[1] & corner_squares)

    @feature(game=game.name, outputs=BOTH)
    def x_squares(position: Row, values: Any) -> None:
        """Count discs diagonally next to an empty corner."""
        near = beside_empty_corners(position) & x_mask
        values[0] = popcount(position[0] & near)
        values[1] = popcount(position[1] & near)

    @feature(game=game.name, outputs=BOTH)
    def c_squares(position: Row, values: Any) -> None:
        """Count discs on an edge next to an empty corner."""
        near = beside_empty_corners(position) & c_mask
        values[0] = popcount(position[0] & near)
        values[1] = popcount(position[1] & near)

    @feature(game=game.name, outputs=("odd_regions", "odd_empties"))
    def parity(position: Row, values: Any) -> None:
        """Count regions of empty squares of odd size; +1 where all empties are odd, else -1.

        A region is a set of empty squares joined in the eight directions. The side to move would
        like to play last in each, which an odd number of squares lets it do.
        """
        empty = empty_squares(position)
        values[1] = 1 if popcount(empty) & 1 else -1
        odd = 0
        while empty:
            region, grown = ZERO, empty & (~empty + ONE)
            while region != grown:
                region = grown
                grown = neighbours(region) & empty
            odd += popcount(region) & 1
            empty &= ~region
        values[0] = odd

    @feature(game=game.name)
    def empties(position: Row) -> float:
        """Empty squares: how much of the game is left."""
        return popcount(empty_squares(position))

    @feature(game=game.name)
    def disc_difference(position: Row) -> float:
        """Discs of the player less discs of the opponent."""
        return popcount(position[0]) - popcount(position[1])


for _game, _size in ((GAME, 8), (GAME_6X6, 6), (GAME_4X4, 4)):
    _define(_game, _size)
