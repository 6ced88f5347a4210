"""Places of the discs on an Othello board, regions of empty squares, and how edges are held.

Rose: a side wedges where it takes a square between two discs of the other on an edge.
"""

from __future__ import annotations

import numpy as np

from samuel.games.othello.bits import neighbours
from samuel.games.othello.features.board import (
    Areas,
    empty_of,
    moves_on,
    of_both_sides,
    of_the_position,
    region_of,
)
from samuel.kernels.bits import ONE, ZERO, Word, popcount
from samuel.kernels.jit import jit

_8 = np.uint64(8)


@of_both_sides
def interior_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs without an empty square next to them."""
    return popcount(player & ~neighbours(empty_of(player, opponent, board)))


@of_the_position
def regions(player: Word, opponent: Word, board: Areas) -> float:
    """Number of regions of empty squares."""
    return count_regions(empty_of(player, opponent, board))


@jit
def count_regions(word: Word) -> int:
    """Return how many pieces a set of squares has, joined in the eight directions."""
    count = 0
    while word:
        word &= ~region_of(word & (~word + ONE), word)
        count += 1
    return count


@of_the_position
def odd_quadrants(player: Word, opponent: Word, board: Areas) -> float:
    """Number of quarters of the board with an odd number of empty squares."""
    empty, odd = empty_of(player, opponent, board), 0
    for quadrant in board.quadrants:
        odd += popcount(empty & quadrant) & 1
    return odd


@of_both_sides
def odd_access(player: Word, opponent: Word, board: Areas) -> float:
    """Number of regions of odd size where the side can move."""
    moves, empty, odd = moves_on(player, opponent, board), empty_of(player, opponent, board), 0
    while empty:
        region = region_of(empty & (~empty + ONE), empty)
        odd += popcount(region) & 1 if moves & region != ZERO else 0
        empty &= ~region
    return odd


@of_the_position
def disc_ratio(player: Word, opponent: Word, board: Areas) -> float:
    """Discs as a ratio (a - b) / (a + b + 2), player a, opponent b."""
    a, b = popcount(player), popcount(opponent)
    return (a - b) / (a + b + 2)


@of_both_sides
def ring_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs in the ring next to the edges."""
    return popcount(player & board.ring)


@of_both_sides
def inner_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs at least two squares from the edges."""
    return popcount(player & board.inner)


@of_both_sides
def centre_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs on the four centre squares."""
    return popcount(player & board.centre)


@of_both_sides
def quadrant_majorities(player: Word, opponent: Word, board: Areas) -> float:
    """Number of quarters of the board in which the side has more discs."""
    count = 0
    for quadrant in board.quadrants:
        count += 1 if popcount(player & quadrant) > popcount(opponent & quadrant) else 0
    return count


@of_both_sides
def groups(player: Word, opponent: Word, board: Areas) -> float:
    """Number of groups of discs joined in the eight directions."""
    return count_regions(player)


@of_both_sides
def edge_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs on the edges, without the corners."""
    return popcount(player & board.edges)


@of_the_position
def full_edges(player: Word, opponent: Word, board: Areas) -> float:
    """Number of edges without an empty square."""
    count = 0
    for line in board.lines:
        count += 1 if (player | opponent) & line == line else 0
    return count


@of_both_sides
def wedges(player: Word, opponent: Word, board: Areas) -> float:
    """Number of empty edge squares between two edge discs of the other side."""
    across = board.rows & (opponent << ONE) & (opponent >> ONE)
    down = board.columns & (opponent << _8) & (opponent >> _8)
    return popcount((across | down) & ~(player | opponent))
