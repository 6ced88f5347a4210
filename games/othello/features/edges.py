"""How the edges and corners of an Othello board are held.

The vocabulary is Rose's: a side wedges where it takes a square between two discs of the other on
an edge; an edge of six discs between empty corners is balanced, one of five unbalanced, since the
other side may give up the corner beside the gap and take the next one.
"""

from __future__ import annotations

from samuel.games.othello.bits import neighbours
from samuel.games.othello.features.board import Areas, of_both_sides, of_the_position, steps_from
from samuel.kernels.bits import ZERO, Word, popcount
from samuel.kernels.jit import jit


@of_both_sides
def edge_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Count discs on the edges, corners apart."""
    return popcount(player & board.edges)


@of_both_sides
def edge_majorities(player: Word, opponent: Word, board: Areas) -> float:
    """Count edges on which the side has more discs than the other, corners included."""
    count = 0
    for line in board.lines:
        count += 1 if popcount(player & line) > popcount(opponent & line) else 0
    return count


@of_the_position
def full_edges(player: Word, opponent: Word, board: Areas) -> float:
    """Count edges without an empty square."""
    count = 0
    for line in board.lines:
        count += 1 if (player | opponent) & line == line else 0
    return count


@of_both_sides
def balanced_edges(player: Word, opponent: Word, board: Areas) -> float:
    """Count edges that the side fills from C square to C square, with both corners empty."""
    return _edges_missing(player, opponent, board, 0)


@of_both_sides
def unbalanced_edges(player: Word, opponent: Word, board: Areas) -> float:
    """Count edges that the side fills but for one empty C square and both corners."""
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
    """Count empty edge squares between two edge discs of the other side."""
    east, west, up, down = steps_from(opponent)[:4]
    empty = ~(player | opponent)
    return popcount(empty & ((board.rows & east & west) | (board.columns & up & down)))


@of_both_sides
def anchored_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Count edge discs joined to a corner of their side by an unbroken run along the edge."""
    anchored, grown = ZERO, player & board.corners
    while anchored != grown:
        anchored = grown
        east, west, up, down = steps_from(anchored)[:4]
        grown |= player & board.edges & (east | west | up | down)
    return popcount(anchored & board.edges)


@of_both_sides
def corner_company(player: Word, opponent: Word, board: Areas) -> float:
    """Count discs on X and C squares whose corner is of their side."""
    near = neighbours(player & board.corners) & (board.x_squares | board.c_squares)
    return popcount(player & near)
