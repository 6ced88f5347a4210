"""Regions of empty squares in Othello, and who may play in them: parity.

A region is a set of empty squares joined in the eight directions. Who moves last in a region
keeps what it flips there (Rose; Buro's Logistello counts parity too). `parity` is in
features/othello/numbers.py.
"""

from __future__ import annotations

from samuel.features.othello.board import (
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


@of_the_position
def regions(player: Word, opponent: Word, board: Areas) -> float:
    """Count regions of empty squares."""
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
    """Squares of the largest region of empty squares."""
    empty, largest = empty_of(player, opponent, board), 0
    while empty:
        region = region_of(empty & (~empty + ONE), empty)
        largest = max(largest, popcount(region))
        empty &= ~region
    return largest


@of_the_position
def holes(player: Word, opponent: Word, board: Areas) -> float:
    """Count empty squares with no other next to them."""
    empty = empty_of(player, opponent, board)
    beside = ZERO
    for step in steps_from(empty):
        beside |= step
    return popcount(empty & ~beside)


@of_the_position
def odd_quadrants(player: Word, opponent: Word, board: Areas) -> float:
    """Count quarters of the board with an odd number of empty squares."""
    empty, odd = empty_of(player, opponent, board), 0
    for quadrant in board.quadrants:
        odd += popcount(empty & quadrant) & 1
    return odd


@jit
def _accessible(player: Word, opponent: Word, board: Areas, rest: int) -> int:
    """Return the regions where `player` may move whose size has that rest divided by two."""
    empty, moves = empty_of(player, opponent, board), moves_on(player, opponent, board)
    count = 0
    while empty:
        region = region_of(empty & (~empty + ONE), empty)
        count += 1 if popcount(region) & 1 == rest and moves & region != ZERO else 0
        empty &= ~region
    return count


@of_both_sides
def odd_access(player: Word, opponent: Word, board: Areas) -> float:
    """Count regions of odd size where the side may move."""
    return _accessible(player, opponent, board, 1)


@of_both_sides
def even_access(player: Word, opponent: Word, board: Areas) -> float:
    """Count regions of even size where the side may move."""
    return _accessible(player, opponent, board, 0)


@of_both_sides
def own_regions(player: Word, opponent: Word, board: Areas) -> float:
    """Count regions where the side may move and the other may not."""
    empty, count = empty_of(player, opponent, board), 0
    mine, theirs = moves_on(player, opponent, board), moves_on(opponent, player, board)
    while empty:
        region = region_of(empty & (~empty + ONE), empty)
        count += 1 if mine & region != ZERO and theirs & region == ZERO else 0
        empty &= ~region
    return count
