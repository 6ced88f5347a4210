"""Where the discs of an Othello board stand, and how close together.

Rose: few discs (evaporation), in the centre, in one piece, are worth more than many until late.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from samuel.features.othello.board import Areas, of_both_sides, of_the_position, steps_from
from samuel.features.othello.frontier import contacts
from samuel.features.othello.regions import count_regions
from samuel.kernels.bits import ZERO, Word, popcount
from samuel.kernels.jit import jit

_ROWS = tuple(np.uint64(0xFF << 8 * k) for k in range(8))
_COLUMNS = tuple(np.uint64(0x0101010101010101 << k) for k in range(8))


@of_the_position
def disc_ratio(player: Word, opponent: Word, board: Areas) -> float:
    """(a - b) / (a + b + 2) of the discs a of the player and b of the opponent."""
    a, b = popcount(player), popcount(opponent)
    return (a - b) / (a + b + 2)


@of_both_sides
def ring_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Count discs next to the edges."""
    return popcount(player & board.ring)


@of_both_sides
def inner_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Count discs two squares or more from the edges."""
    return popcount(player & board.inner)


@of_both_sides
def centre_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Count discs on the four squares in the middle."""
    return popcount(player & board.centre)


@of_both_sides
def quadrant_majorities(player: Word, opponent: Word, board: Areas) -> float:
    """Count quarters of the board in which the side has more discs than the other."""
    count = 0
    for quadrant in board.quadrants:
        count += 1 if popcount(player & quadrant) > popcount(opponent & quadrant) else 0
    return count


@of_both_sides
def groups(player: Word, opponent: Word, board: Areas) -> float:
    """Count pieces of discs joined in the eight directions."""
    return count_regions(player)


@of_both_sides
def isolated_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Count discs with none of their side next to them."""
    beside = ZERO
    for step in steps_from(player):
        beside |= step
    return popcount(player & ~beside)


@of_both_sides
def cohesion(player: Word, opponent: Word, board: Areas) -> float:
    """The discs of its side next to a disc, on average; 0 without discs."""
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
    """Distance of the centroid of the discs from the middle, in squares; 0 without discs."""
    x, y, _ = _moments(player)
    return math.sqrt(x * x + y * y) / (2 * max(popcount(player), 1))


@of_both_sides
def spread(player: Word, opponent: Word, board: Areas) -> float:
    """Mean squared distance of discs from their centroid, in squares; 0 without discs."""
    x, y, squares = _moments(player)
    n = max(popcount(player), 1)
    return (squares - (x * x + y * y) / n) / (4 * n)
