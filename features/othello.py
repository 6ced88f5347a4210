"""Features of Othello. Where there are two numbers, the player's (who is to move) comes first.

Sources: the classic vocabulary of B. Rose, "Othello: a minute to learn, a lifetime to master",
and of M. Buro's Logistello.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from features.feature import feature
from features.squares import columns_of_bits, fill_squares
from games.abi import Row
from games.bits import ONE, ZERO, Word, popcount
from games.othello import GAME, SQUARES
from games.othello_bits import CORNERS, moves_of, neighbours, stable_discs
from jit import jit

BOTH = ("player", "opponent")
CLASSES = ("a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4")
"""One square for each of the ten classes of squares that the board's symmetries leave."""


def class_of(square: int) -> int:
    """Return the index in CLASSES of a square."""
    row, column = sorted(min(k, 7 - k) for k in divmod(square, 8))
    return CLASSES.index(SQUARES[8 * row + column])


_CLASS_MASKS = tuple(
    np.uint64(sum(1 << s for s in range(64) if class_of(s) == k)) for k in range(len(CLASSES))
)
_COLUMNS = columns_of_bits(GAME)
_X_SQUARES = np.uint64(0x0042000000004200)
_C_SQUARES = np.uint64(0x4281000000008142)


@feature(outputs=SQUARES)
def squares(position: Row, values: Any) -> None:
    """+1 for a disc of the player on the square, -1 for one of the opponent."""
    fill_squares(position, _COLUMNS, 64, values)


@feature(outputs=CLASSES)
def square_classes(position: Row, values: Any) -> None:
    """Discs of the player less discs of the opponent, by class of square."""
    for k, mask in enumerate(_CLASS_MASKS):
        values[k] = popcount(position[0] & mask) - popcount(position[1] & mask)


@feature(outputs=BOTH)
def mobility(position: Row, values: Any) -> None:
    """Count legal moves."""
    values[0] = popcount(moves_of(position[0], position[1]))
    values[1] = popcount(moves_of(position[1], position[0]))


@feature(outputs=BOTH)
def potential_mobility(position: Row, values: Any) -> None:
    """Count empty squares next to a disc of the other side: moves that may come."""
    empty = ~(position[0] | position[1])
    values[0] = popcount(neighbours(position[1]) & empty)
    values[1] = popcount(neighbours(position[0]) & empty)


@feature(outputs=BOTH)
def frontier(position: Row, values: Any) -> None:
    """Count discs next to an empty square: they give the other side moves."""
    open_to = neighbours(~(position[0] | position[1]))
    values[0] = popcount(position[0] & open_to)
    values[1] = popcount(position[1] & open_to)


@feature(outputs=BOTH)
def stability(position: Row, values: Any) -> None:
    """Count discs that can never be flipped (games/othello_bits.stable_discs)."""
    values[0] = popcount(stable_discs(position[0], position[1]))
    values[1] = popcount(stable_discs(position[1], position[0]))


@feature(outputs=BOTH)
def corners(position: Row, values: Any) -> None:
    """Count corners held."""
    values[0] = popcount(position[0] & CORNERS)
    values[1] = popcount(position[1] & CORNERS)


@jit
def _beside_empty_corners(position: Row) -> Word:
    return neighbours(CORNERS & ~(position[0] | position[1]))


@feature(outputs=BOTH)
def x_squares(position: Row, values: Any) -> None:
    """Count discs diagonally next to an empty corner."""
    near = _beside_empty_corners(position) & _X_SQUARES
    values[0] = popcount(position[0] & near)
    values[1] = popcount(position[1] & near)


@feature(outputs=BOTH)
def c_squares(position: Row, values: Any) -> None:
    """Count discs on an edge next to an empty corner."""
    near = _beside_empty_corners(position) & _C_SQUARES
    values[0] = popcount(position[0] & near)
    values[1] = popcount(position[1] & near)


@feature(outputs=("odd_regions", "odd_empties"))
def parity(position: Row, values: Any) -> None:
    """Count regions of empty squares of odd size; +1 where all empty squares are odd, else -1.

    A region is a set of empty squares joined in the eight directions. The side to move would
    like to play last in each, which an odd number of squares lets it do.
    """
    empty = ~(position[0] | position[1])
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


@feature()
def empties(position: Row) -> float:
    """Empty squares: how much of the game is left."""
    return 64 - popcount(position[0] | position[1])


@feature()
def disc_difference(position: Row) -> float:
    """Discs of the player less discs of the opponent."""
    return popcount(position[0]) - popcount(position[1])
