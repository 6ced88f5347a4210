"""Discs and empty squares of Othello that touch: moves that may come, and discs that bear them.

Rosenbloom's IAGO measures potential mobility in three ways: frontier discs, empty squares next to
a disc (both in features/othello/numbers.py), and the contacts between them.
"""

from __future__ import annotations

from typing import Any

from samuel.features.othello.board import (
    Areas,
    empty_of,
    of_both_sides,
    of_the_position,
    steps_from,
)
from samuel.games.othello.bits import neighbours
from samuel.kernels.bits import ZERO, Word, popcount
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
    """Count the other side's discs next to each empty square, summed over the squares."""
    return contacts(opponent, empty_of(player, opponent, board))


@of_both_sides
def exclusive_potential(player: Word, opponent: Word, board: Areas) -> float:
    """Count empty squares that touch discs of the other side alone."""
    empty = empty_of(player, opponent, board)
    return popcount(neighbours(opponent) & ~neighbours(player) & empty)


@of_the_position
def potential_ratio(player: Word, opponent: Word, board: Areas) -> float:
    """(a - b) / (a + b + 2) of the potential mobility a of the player and b of the opponent."""
    empty = empty_of(player, opponent, board)
    a, b = popcount(neighbours(opponent) & empty), popcount(neighbours(player) & empty)
    return (a - b) / (a + b + 2)


@of_the_position
def frontier_ratio(player: Word, opponent: Word, board: Areas) -> float:
    """(a - b) / (a + b + 2) of the frontier discs a of the player and b of the opponent."""
    open_to = neighbours(empty_of(player, opponent, board))
    a, b = popcount(player & open_to), popcount(opponent & open_to)
    return (a - b) / (a + b + 2)


@of_both_sides
def exposure(player: Word, opponent: Word, board: Areas) -> float:
    """The empty squares next to a disc, on average; 0 without discs."""
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
    """Count frontier discs with one of their side at both hands in a line: a wall faces outward.

    Walls are Rose's: a long frontier in one line takes moves from the side that built it.
    """
    open_discs = player & neighbours(empty_of(player, opponent, board))
    return popcount(_between(open_discs, steps_from(open_discs)))


@of_both_sides
def interior_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Count discs next to no empty square."""
    return popcount(player & ~neighbours(empty_of(player, opponent, board)))


@of_both_sides
def deep_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Count discs with no empty square within two steps."""
    return popcount(player & ~neighbours(neighbours(empty_of(player, opponent, board))))
