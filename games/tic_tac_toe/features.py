"""Features of tic-tac-toe; the player's numbers come first."""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.games.feature import feature
from samuel.games.interface import Row
from samuel.games.lines import BOTH, count_forks, count_open, counts_of_sides, threats_of
from samuel.games.squares import columns_of_bits, fill_squares
from samuel.games.tic_tac_toe.rules import GAME, LINES, SQUARES
from samuel.kernels.bits import popcount

_THREES = np.array(LINES, np.uint64)
_THREE_COLUMNS, _THREE_COUNTS = columns_of_bits(GAME)
_CENTRE, _CORNER_CELLS, _FULL = np.uint64(0o020), np.uint64(0o505), np.uint64(0o777)


@feature(game="tic_tac_toe", outputs=SQUARES)
def squares(position: Row, values: Any) -> None:
    """+1 for a stone of the player on the cell, -1 for one of the opponent."""
    fill_squares(position, _THREE_COLUMNS, _THREE_COUNTS, 9, values)


@feature(game="tic_tac_toe", outputs=counts_of_sides(2))
def open_lines(position: Row, values: Any) -> None:
    """Count lines of three with 1 or 2 stones of the side and none of the other."""
    count_open(position, _THREES, 2, values)


@feature(game="tic_tac_toe")
def empties(position: Row) -> float:
    """Empty cells: how much of the game is left."""
    return 9 - popcount(position[0] | position[1])


@feature(game="tic_tac_toe", outputs=BOTH)
def middle(position: Row, values: Any) -> None:
    """1 with a stone in the middle, else 0."""
    for side in range(2):
        values[side] = popcount(position[side] & _CENTRE)


@feature(game="tic_tac_toe", outputs=BOTH)
def corners(position: Row, values: Any) -> None:
    """Count corners held."""
    for side in range(2):
        values[side] = popcount(position[side] & _CORNER_CELLS)


@feature(game="tic_tac_toe", outputs=BOTH)
def winning_moves(position: Row, values: Any) -> None:
    """Count threats."""
    for side in range(2):
        values[side] = popcount(threats_of(position[side], position[1 - side], _THREES, 3))


@feature(game="tic_tac_toe", outputs=BOTH)
def forks(position: Row, values: Any) -> None:
    """Count empty cells that make two threats more, or more."""
    empty = _FULL & ~(position[0] | position[1])
    for side in range(2):
        values[side] = count_forks(position, side, empty, _THREES, 3)
