"""Counts of checkers programs besides Samuel's terms."""

from __future__ import annotations

from typing import Any

from samuel.games.checkers.features.terms import (
    BOTH,
    Side,
    of_both_sides,
    opponent_of,
    player_of,
    row,
    steps_of,
)
from samuel.games.checkers.listing import LAST_ROW, PLACES, VALID, place_of, shifted
from samuel.games.feature import feature
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, popcount, trailing_zeros

_ROWS = tuple(row(k) for k in range(1, 9))
_OWN_ROW = row(1)


@feature(game="checkers", outputs=BOTH)
def men(position: Row, values: Any) -> None:
    """Number of men."""
    values[0], values[1] = popcount(position[0]), popcount(position[1])


@feature(game="checkers", outputs=BOTH)
def kings(position: Row, values: Any) -> None:
    """Number of kings."""
    values[0], values[1] = popcount(position[2]), popcount(position[3])


@of_both_sides
def advancement(side: Side) -> float:
    """Sum of the rows that the men have advanced."""
    rows = 0
    for k in range(1, 7):
        rows += k * popcount(side.men & _ROWS[k])
    return rows


@of_both_sides
def back_row(side: Side) -> float:
    """Number of men on the side's first row."""
    return popcount(side.men & _OWN_ROW)


@of_both_sides
def runaways(side: Side) -> float:
    """Sum of the rows advanced by men whose way to the last row has no opposing piece nearby."""
    danger = side.theirs
    for direction in range(4):
        danger |= shifted(side.theirs, direction)
    worth = 0
    for k in range(2, 7):
        ways = side.men & _ROWS[k]
        while ways != ZERO:
            man = ways & (~ways + ONE)
            ways ^= man
            cone, is_free = man, True
            for _ in range(k, 7):
                cone = (shifted(cone, 0) | shifted(cone, 1)) & VALID
                if cone & danger != ZERO:
                    is_free = False
                    break
            worth += k if is_free else 0
    return worth


@of_both_sides
def protected(side: Side) -> float:
    """Number of pieces with a piece of their side diagonally behind them."""
    behind = (shifted(side.pieces, 0) | shifted(side.pieces, 1)) & side.pieces
    return popcount(behind)


@of_both_sides
def trapped_kings(side: Side) -> float:
    """Number of kings without a step."""
    free = ZERO
    for direction in range(4):
        free |= shifted(side.empty, direction)
    return popcount(side.kings & ~free)


@of_both_sides
def crownings(side: Side) -> float:
    """Number of men that can step to the last row."""
    free = side.empty & LAST_ROW
    return popcount(side.men & (shifted(free, 2) | shifted(free, 3)))


@of_both_sides
def takes(side: Side) -> float:
    """Number of opposing pieces that the side could capture if it were to move."""
    prey = ZERO
    for up in range(2):
        prey |= shifted(side.pieces, up) & side.theirs & shifted(side.empty, up + 2)
        prey |= shifted(side.kings, up + 2) & side.theirs & shifted(side.empty, up)
    return popcount(prey)


@feature(game="checkers")
def tempo(position: Row) -> float:
    """Difference in the rows that all men still have to go, player minus opponent."""
    return advancement(opponent_of(position)) - advancement(player_of(position))


@feature(game="checkers")
def is_ahead(position: Row) -> float:
    """Sign of the difference in pieces: 1 if the player has more, -1 if fewer, else 0."""
    difference = popcount(position[0] | position[2]) - popcount(position[1] | position[3])
    return 1 if difference > 0 else -1 if difference < 0 else 0


@feature(game="checkers")
def exchange(position: Row) -> float:
    """Lead in points (man 2, king 3) divided by all points plus 1: larger with few pieces."""
    a = 2 * popcount(position[0]) + 3 * popcount(position[2])
    b = 2 * popcount(position[1]) + 3 * popcount(position[3])
    return (a - b) / (a + b + 1)


@feature(game="checkers", outputs=BOTH)
def stuck(position: Row, values: Any) -> None:
    """Flag: 1 if the side has no step, else 0."""
    values[0] = 1 if steps_of(player_of(position)) == ZERO else 0
    values[1] = 1 if steps_of(opponent_of(position)) == ZERO else 0


_PIECES = ("man", "their_man", "king", "their_king")
_NUMBERS = len(_PIECES) * PLACES


@feature(
    game="checkers",
    outputs=tuple(f"{piece}_{place + 1}" for piece in _PIECES for place in range(PLACES)),
)
def places(position: Row, values: Any) -> None:
    """Flag per piece and square: 1 if it is there; squares 1 to 4 are the player's first row."""
    for k in range(_NUMBERS):
        values[k] = 0
    for word in range(len(_PIECES)):
        left = position[word]
        while left != ZERO:
            values[PLACES * word + place_of(trailing_zeros(left))] = 1
            left &= left - ONE
