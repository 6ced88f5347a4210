"""Features of Connect Four; of two numbers the player's (who is to move) comes first.

A threat is an empty cell that completes a line of a side. Source: V. Allis, "A knowledge-based
approach of Connect-Four" (1988): on which rows threats stand decides who is forced to move under
them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.games.connect_four.rules import CELLS, COLUMNS, GAME, ROWS
from samuel.games.feature import define_squares, feature
from samuel.games.lines import BOTH, count_forks, count_open, counts_of_sides, threats_of
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, Word, popcount
from samuel.kernels.jit import jit


def _fours() -> tuple[Any, ...]:
    """Return the 69 lines of Connect Four."""
    lines = []
    for column in range(COLUMNS):
        for row in range(ROWS):
            for step_column, step_row in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(column + k * step_column, row + k * step_row) for k in range(4)]
                if all(c < COLUMNS and 0 <= r < ROWS for c, r in cells):
                    lines.append(np.uint64(sum(1 << 7 * c + r for c, r in cells)))
    return tuple(lines)


_FOURS = np.array(_fours(), np.uint64)
_COLUMNS_OF_CELLS = [np.uint64(0x3F << 7 * c) for c in range(COLUMNS)]
_CELLS = np.bitwise_or.reduce(_COLUMNS_OF_CELLS)
_MIDDLE, _INNER = (
    _COLUMNS_OF_CELLS[3],
    _COLUMNS_OF_CELLS[2] | _COLUMNS_OF_CELLS[3] | _COLUMNS_OF_CELLS[4],
)
_FLOOR = np.uint64(sum(1 << 7 * c for c in range(COLUMNS)))
_ODD_ROWS = _FLOOR | (_FLOOR << np.uint64(2)) | (_FLOOR << np.uint64(4))


@jit
def _playable(position: Row) -> Word:
    return ((position[0] | position[1]) + _FLOOR) & _CELLS


@jit
def _threats_for(position: Row, side: int) -> Word:
    return threats_of(position[side], position[1 - side], _FOURS, 4)


define_squares(GAME)


@feature(game="connect_four", outputs=counts_of_sides(3))
def open_lines(position: Row, values: Any) -> None:
    """Number of lines of four with 1, 2 or 3 stones of the side and none of the other."""
    count_open(position, _FOURS, 3, values)


@feature(game="connect_four")
def empties(position: Row) -> float:
    """Number of empty cells."""
    return CELLS - popcount(position[0] | position[1])


@feature(game="connect_four", outputs=BOTH)
def middle_stones(position: Row, values: Any) -> None:
    """Number of stones in the middle column."""
    for side in range(2):
        values[side] = popcount(position[side] & _MIDDLE)


@feature(game="connect_four", outputs=BOTH)
def inner_stones(position: Row, values: Any) -> None:
    """Number of stones in the three middle columns."""
    for side in range(2):
        values[side] = popcount(position[side] & _INNER)


@feature(game="connect_four", outputs=BOTH)
def heights(position: Row, values: Any) -> None:
    """Sum of the rows of all stones, 0 at the bottom."""
    for side in range(2):
        values[side] = 0
        for row in range(1, ROWS):
            values[side] += row * popcount(position[side] & (_FLOOR << np.uint64(row)))


@feature(game="connect_four", outputs=BOTH)
def winning_moves(position: Row, values: Any) -> None:
    """Number of threats (cells that complete a line) that the next stone can fill."""
    for side in range(2):
        values[side] = popcount(_threats_for(position, side) & _playable(position))


@feature(game="connect_four", outputs=BOTH)
def odd_threats(position: Row, values: Any) -> None:
    """Number of threats on rows 1, 3 and 5."""
    for side in range(2):
        values[side] = popcount(_threats_for(position, side) & _ODD_ROWS)


@feature(game="connect_four", outputs=BOTH)
def even_threats(position: Row, values: Any) -> None:
    """Number of threats on rows 2, 4 and 6."""
    for side in range(2):
        values[side] = popcount(_threats_for(position, side) & ~_ODD_ROWS)


@feature(game="connect_four", outputs=BOTH)
def stacked_threats(position: Row, values: Any) -> None:
    """Number of threats directly above another threat."""
    for side in range(2):
        found = _threats_for(position, side)
        values[side] = popcount(found & (found << ONE))


@feature(game="connect_four", outputs=BOTH)
def forks(position: Row, values: Any) -> None:
    """Number of playable cells where a stone makes at least two new threats."""
    for side in range(2):
        values[side] = count_forks(position, side, _playable(position), _FOURS, 4)
