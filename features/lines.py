"""Features of games won by a line of stones: Connect Four and tic-tac-toe."""

from __future__ import annotations

from typing import Any

import numpy as np

from features.feature import feature
from features.squares import columns_of_bits, fill_squares
from games import connect_four, tic_tac_toe
from games.abi import Row
from games.bits import ZERO, popcount
from jit import jit


def _fours() -> tuple[Any, ...]:
    """Return the 69 lines of Connect Four."""
    lines = []
    for column in range(connect_four.COLUMNS):
        for row in range(connect_four.ROWS):
            for step_column, step_row in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(column + k * step_column, row + k * step_row) for k in range(4)]
                if all(c < connect_four.COLUMNS and 0 <= r < connect_four.ROWS for c, r in cells):
                    lines.append(np.uint64(sum(1 << 7 * c + r for c, r in cells)))
    return tuple(lines)


_FOURS = np.array(_fours(), np.uint64)
_THREES = np.array(tic_tac_toe.LINES, np.uint64)
_FOUR_COLUMNS = columns_of_bits(connect_four.GAME)
_THREE_COLUMNS = columns_of_bits(tic_tac_toe.GAME)


@jit
def count_open(position: Row, lines: Any, longest: int, values: Any) -> None:
    """Count lines with 1 to `longest` stones of one side and none of the other.

    The player's counts come first, then the opponent's.
    """
    for i in range(2 * longest):
        values[i] = 0
    for i in range(lines.shape[0]):
        line = lines[i]
        mine, theirs = position[0] & line, position[1] & line
        if mine != ZERO and theirs == ZERO:
            values[min(popcount(mine), longest) - 1] += 1
        elif theirs != ZERO and mine == ZERO:
            values[longest + min(popcount(theirs), longest) - 1] += 1


def _sides(longest: int) -> tuple[str, ...]:
    return tuple(f"{side}_{k}" for side in ("player", "opponent") for k in range(1, longest + 1))


def _connect_four() -> None:
    @feature(game="connect_four", outputs=[name for name, _ in connect_four.GAME.squares])
    def squares(position: Row, values: Any) -> None:
        fill_squares(position, _FOUR_COLUMNS, connect_four.CELLS, values)

    @feature(game="connect_four", outputs=_sides(3))
    def open_lines(position: Row, values: Any) -> None:
        count_open(position, _FOURS, 3, values)


def _tic_tac_toe() -> None:
    @feature(game="tic_tac_toe", outputs=tic_tac_toe.SQUARES)
    def squares(position: Row, values: Any) -> None:
        fill_squares(position, _THREE_COLUMNS, 9, values)

    @feature(game="tic_tac_toe", outputs=_sides(2))
    def open_lines(position: Row, values: Any) -> None:
        count_open(position, _THREES, 2, values)


_connect_four()
_tic_tac_toe()
