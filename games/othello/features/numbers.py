"""Features of Othello that every program has: mobility, stability, parity, squares by class."""

from __future__ import annotations

from typing import Any

from samuel.games.catalog import known_game
from samuel.games.feature import define_squares, feature
from samuel.games.othello.bits import flips_of, neighbours, stable_discs_within
from samuel.games.othello.features.board import (
    BOARDS,
    CLASSES,
    Areas,
    beside_empty_corners,
    class_of,
    class_squares,
    classes_of,
    empty_of,
    moves_on,
    of_both_sides,
    of_the_position,
    region_of,
)
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, Word, popcount, trailing_zeros
from samuel.kernels.jit import jit

__all__ = ["CLASSES", "class_of"]


@of_both_sides
def mobility(player: Word, opponent: Word, board: Areas) -> float:
    """Number of legal moves."""
    return popcount(moves_on(player, opponent, board))


@of_both_sides
def potential_mobility(player: Word, opponent: Word, board: Areas) -> float:
    """Number of empty squares next to a disc of the other side, which may become moves."""
    return popcount(neighbours(opponent) & empty_of(player, opponent, board))


@of_both_sides
def frontier(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs next to an empty square, which give the other side moves."""
    return popcount(player & neighbours(empty_of(player, opponent, board)))


@of_both_sides
def stability(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs that are proven stable: no later move can flip them."""
    return popcount(stable_discs_within(player, opponent, ~board.squares))


@of_both_sides
def corners(player: Word, opponent: Word, board: Areas) -> float:
    """Number of corners that the side occupies."""
    return popcount(player & board.corners)


@of_both_sides
def x_squares(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs diagonally next to an empty corner."""
    return popcount(player & board.x_squares & beside_empty_corners(player, opponent, board))


@of_both_sides
def c_squares(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs on an edge next to an empty corner."""
    return popcount(player & board.c_squares & beside_empty_corners(player, opponent, board))


@of_the_position
def empties(player: Word, opponent: Word, board: Areas) -> float:
    """Number of empty squares."""
    return popcount(empty_of(player, opponent, board))


@of_the_position
def disc_difference(player: Word, opponent: Word, board: Areas) -> float:
    """Difference in discs, player minus opponent."""
    return popcount(player) - popcount(opponent)


@jit
def odd_regions(empty: Word) -> int:
    """Return how many regions of `empty`, joined in the eight directions, are of odd size."""
    odd = 0
    while empty:
        region = region_of(empty & (~empty + ONE), empty)
        odd += popcount(region) & 1
        empty &= ~region
    return odd


def _define_what_differs(game: str, board: Areas) -> None:
    """Define the features whose numbers have names of their own."""
    classes = classes_of(board.size)
    masks = tuple(class_squares(board.size, k) for k in range(len(classes)))

    define_squares(known_game(game))

    @feature(game=game, outputs=classes)
    def square_classes(position: Row, values: Any) -> None:
        """Difference in discs, player minus opponent, on each class of symmetric squares."""
        for k, mask in enumerate(masks):
            values[k] = popcount(position[0] & mask) - popcount(position[1] & mask)

    @feature(game=game, outputs=("odd_regions", "odd_empties"))
    def parity(position: Row, values: Any) -> None:
        """Parity of the empty squares.

        `odd_regions`: number of empty regions of odd size; `odd_empties`: 1 if the number of empty
        squares is odd, else -1.
        """
        empty = empty_of(position[0], position[1], board)
        values[0] = odd_regions(empty)
        values[1] = 1 if popcount(empty) & 1 else -1


for _game, _board in BOARDS.items():
    _define_what_differs(_game, _board)


@jit
def _stable(player: Word, opponent: Word, board: Areas) -> Word:
    return stable_discs_within(player, opponent, ~board.squares)


@jit
def _flippable(player: Word, opponent: Word, board: Areas) -> Word:
    """Return the discs of `player` that some move of the other side flips now."""
    found = ZERO
    moves = moves_on(opponent, player, board)
    while moves:
        found |= flips_of(opponent, player, trailing_zeros(moves))
        moves &= moves - ONE
    return found


@of_both_sides
def edge_stability(player: Word, opponent: Word, board: Areas) -> float:
    """Number of stable discs on the edges, without the corners."""
    return popcount(_stable(player, opponent, board) & board.edges)


@of_both_sides
def interior_stability(player: Word, opponent: Word, board: Areas) -> float:
    """Number of stable discs off the edges."""
    return popcount(_stable(player, opponent, board) & (board.ring | board.inner))


@of_both_sides
def unstable_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs that the other side can flip with its next move."""
    return popcount(_flippable(player, opponent, board))


@of_both_sides
def semi_stable_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs that are not stable, but safe from the other side's next move."""
    at_risk = _flippable(player, opponent, board) | _stable(player, opponent, board)
    return popcount(player & ~at_risk)
