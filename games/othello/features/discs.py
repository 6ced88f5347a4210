"""Places of the discs on an Othello board, how close together they are, and how edges are held.

Rose: few discs (evaporation), in the centre, in one piece, are worth more than many until late.

The vocabulary of edges is Rose's: a side wedges where it takes a square between two discs of the
other on an edge; an edge of six discs between empty corners is balanced, one of five unbalanced,
since the other side may give up the corner beside the gap and take the next one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from samuel.games.othello.bits import neighbours
from samuel.games.othello.features.board import (
    Areas,
    empty_of,
    moves_on,
    of_both_sides,
    of_the_position,
    region_of,
    steps_from,
)
from samuel.kernels.bits import ONE, ZERO, Word, popcount
from samuel.kernels.jit import jit


@jit
def contacts(word: Word, other: Word) -> int:
    """Return how many pairs of neighbours there are, one square in each word."""
    pairs = 0
    for step in steps_from(word):
        pairs += popcount(step & other)
    return pairs


@of_both_sides
def frontier_contacts(player: Word, opponent: Word, board: Areas) -> float:
    """Number of pairs of an empty square and a disc of the other side next to it."""
    return contacts(opponent, empty_of(player, opponent, board))


@of_both_sides
def exclusive_potential(player: Word, opponent: Word, board: Areas) -> float:
    """Number of empty squares that touch only discs of the other side."""
    empty = empty_of(player, opponent, board)
    return popcount(neighbours(opponent) & ~neighbours(player) & empty)


@of_the_position
def potential_ratio(player: Word, opponent: Word, board: Areas) -> float:
    """Potential mobility as a ratio (a - b) / (a + b + 2), player a, opponent b."""
    empty = empty_of(player, opponent, board)
    a, b = popcount(neighbours(opponent) & empty), popcount(neighbours(player) & empty)
    return (a - b) / (a + b + 2)


@of_the_position
def frontier_ratio(player: Word, opponent: Word, board: Areas) -> float:
    """Frontier discs as a ratio (a - b) / (a + b + 2), player a, opponent b."""
    open_to = neighbours(empty_of(player, opponent, board))
    a, b = popcount(player & open_to), popcount(opponent & open_to)
    return (a - b) / (a + b + 2)


@of_both_sides
def exposure(player: Word, opponent: Word, board: Areas) -> float:
    """Mean number of empty squares next to a disc; 0 without discs."""
    return contacts(player, empty_of(player, opponent, board)) / max(popcount(player), 1)


@jit
def _between(word: Word, ways: Any) -> Word:
    """Return the squares of `word` that lie in line between two of its squares."""
    found = ZERO
    for way in range(0, 8, 2):
        found |= ways[way] & ways[way + 1]
    return found & word


@of_both_sides
def walls(player: Word, opponent: Word, board: Areas) -> float:
    """Number of frontier discs directly between two frontier discs in a line."""
    open_discs = player & neighbours(empty_of(player, opponent, board))
    return popcount(_between(open_discs, steps_from(open_discs)))


@of_both_sides
def interior_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs without an empty square next to them."""
    return popcount(player & ~neighbours(empty_of(player, opponent, board)))


@of_both_sides
def deep_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs without an empty square within two steps."""
    return popcount(player & ~neighbours(neighbours(empty_of(player, opponent, board))))


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
def largest_region(player: Word, opponent: Word, board: Areas) -> float:
    """Size of the largest region of empty squares."""
    empty, largest = empty_of(player, opponent, board), 0
    while empty:
        region = region_of(empty & (~empty + ONE), empty)
        largest = max(largest, popcount(region))
        empty &= ~region
    return largest


@of_the_position
def holes(player: Word, opponent: Word, board: Areas) -> float:
    """Number of empty squares without another empty square next to them."""
    return _alone(empty_of(player, opponent, board))


@jit
def _alone(word: Word) -> int:
    """Return how many squares of a set have none of it next to them."""
    beside = ZERO
    for step in steps_from(word):
        beside |= step
    return popcount(word & ~beside)


@of_the_position
def odd_quadrants(player: Word, opponent: Word, board: Areas) -> float:
    """Number of quarters of the board with an odd number of empty squares."""
    empty, odd = empty_of(player, opponent, board), 0
    for quadrant in board.quadrants:
        odd += popcount(empty & quadrant) & 1
    return odd


@jit
def _accessible(player: Word, opponent: Word, board: Areas) -> tuple[int, int, int]:
    """Return the regions where `player` may move: even, odd, and only `player`."""
    mine, theirs = moves_on(player, opponent, board), moves_on(opponent, player, board)
    empty, even, odd, own = empty_of(player, opponent, board), 0, 0, 0
    while empty:
        region = region_of(empty & (~empty + ONE), empty)
        if mine & region != ZERO:
            odd += popcount(region) & 1
            even += 1 - (popcount(region) & 1)
            own += 1 if theirs & region == ZERO else 0
        empty &= ~region
    return even, odd, own


@of_both_sides
def odd_access(player: Word, opponent: Word, board: Areas) -> float:
    """Number of regions of odd size where the side can move."""
    return _accessible(player, opponent, board)[1]


@of_both_sides
def even_access(player: Word, opponent: Word, board: Areas) -> float:
    """Number of regions of even size where the side can move."""
    return _accessible(player, opponent, board)[0]


@of_both_sides
def own_regions(player: Word, opponent: Word, board: Areas) -> float:
    """Number of regions where the side can move and the other side cannot."""
    return _accessible(player, opponent, board)[2]


_ROWS = tuple(np.uint64(0xFF << 8 * k) for k in range(8))
_COLUMNS = tuple(np.uint64(0x0101010101010101 << k) for k in range(8))


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
def isolated_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs without a disc of their side next to them."""
    return _alone(player)


@of_both_sides
def cohesion(player: Word, opponent: Word, board: Areas) -> float:
    """Mean number of discs of its side next to a disc; 0 without discs."""
    return contacts(player, player) / max(popcount(player), 1)


@jit
def _moments(discs: Word) -> Any:
    """Return the sums of x, y and x^2 + y^2, in half squares from the middle of the board."""
    x = y = squares = 0
    for k in range(8):
        across, down = popcount(discs & _COLUMNS[k]), popcount(discs & _ROWS[k])
        place = 2 * k - 7
        x += place * across
        y += place * down
        squares += place * place * (across + down)
    return x, y, squares


@of_both_sides
def off_centre(player: Word, opponent: Word, board: Areas) -> float:
    """Distance of the discs' centroid from the centre, in squares; 0 without discs."""
    x, y, _ = _moments(player)
    return math.sqrt(x * x + y * y) / (2 * max(popcount(player), 1))


@of_both_sides
def spread(player: Word, opponent: Word, board: Areas) -> float:
    """Mean squared distance of the discs from their centroid; 0 without discs."""
    x, y, squares = _moments(player)
    n = max(popcount(player), 1)
    return (squares - (x * x + y * y) / n) / (4 * n)


@of_both_sides
def edge_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs on the edges, without the corners."""
    return popcount(player & board.edges)


@of_both_sides
def edge_majorities(player: Word, opponent: Word, board: Areas) -> float:
    """Number of edges, with corners, on which the side has more discs."""
    count = 0
    for line in board.lines:
        count += 1 if popcount(player & line) > popcount(opponent & line) else 0
    return count


@of_the_position
def full_edges(player: Word, opponent: Word, board: Areas) -> float:
    """Number of edges without an empty square."""
    count = 0
    for line in board.lines:
        count += 1 if (player | opponent) & line == line else 0
    return count


@of_both_sides
def balanced_edges(player: Word, opponent: Word, board: Areas) -> float:
    """Number of edges that the side fills, except for two empty corners."""
    return _edges_missing(player, opponent, board, 0)


@of_both_sides
def unbalanced_edges(player: Word, opponent: Word, board: Areas) -> float:
    """Number of edges that the side fills, except for two empty corners and one empty C square."""
    return _edges_missing(player, opponent, board, 1)


@jit
def _edges_missing(player: Word, opponent: Word, board: Areas, gaps: int) -> int:
    """Return the edges with empty corners that lack `gaps` discs, the squares being empty C's."""
    count = 0
    for line in board.lines:
        missing = line & ~board.corners & ~player
        allowed = (line & board.corners) | (board.c_squares & missing)
        clear = (player | opponent) & allowed == ZERO and missing & ~board.c_squares == ZERO
        count += 1 if clear and popcount(missing) == gaps else 0
    return count


@of_both_sides
def wedges(player: Word, opponent: Word, board: Areas) -> float:
    """Number of empty edge squares between two edge discs of the other side."""
    east, west, up, down = steps_from(opponent)[:4]
    empty = ~(player | opponent)
    return popcount(empty & ((board.rows & east & west) | (board.columns & up & down)))


@of_both_sides
def anchored_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Number of edge discs that a row of discs joins to a corner of their side."""
    anchored, grown = ZERO, player & board.corners
    while anchored != grown:
        anchored = grown
        east, west, up, down = steps_from(anchored)[:4]
        grown |= player & board.edges & (east | west | up | down)
    return popcount(anchored & board.edges)


@of_both_sides
def corner_company(player: Word, opponent: Word, board: Areas) -> float:
    """Number of discs on X and C squares whose corner belongs to their side."""
    near = neighbours(player & board.corners) & (board.x_squares | board.c_squares)
    return popcount(player & near)
