"""Features of games won by a line of stones: Connect Four and tic-tac-toe.

The player's numbers come first. A threat is an empty cell that completes a line of a side.
Source: V. Allis, "A knowledge-based approach of Connect-Four" (1988): on which rows threats stand
decides who is forced to move under them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.features.feature import feature
from samuel.features.squares import columns_of_bits, fill_squares
from samuel.games import connect_four, tic_tac_toe
from samuel.games.interface import Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit


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
_FOUR_COLUMNS, _FOUR_COUNTS = columns_of_bits(connect_four.GAME)
_THREE_COLUMNS, _THREE_COUNTS = columns_of_bits(tic_tac_toe.GAME)
_BOTH = ("player", "opponent")


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


@jit
def threats_of(stones: Word, others: Word, lines: Any, length: int) -> Word:
    """Return the empty cells that complete a line of `length` stones."""
    cells = ZERO
    for i in range(lines.shape[0]):
        if popcount(stones & lines[i]) == length - 1 and others & lines[i] == ZERO:
            cells |= lines[i] & ~stones
    return cells


@jit
def count_forks(position: Row, side: int, playable: Word, lines: Any, length: int) -> int:
    """Count the playable cells whose stone makes at least two threats more of a side."""
    stones, others = position[side], position[1 - side]
    before = threats_of(stones, others, lines, length)
    count = 0
    while playable:
        stone = bit(trailing_zeros(playable))
        after = threats_of(stones | stone, others, lines, length)
        count += 1 if popcount(after & ~before) >= 2 else 0
        playable &= playable - ONE
    return count


def _sides(longest: int) -> tuple[str, ...]:
    return tuple(f"{side}_{k}" for side in _BOTH for k in range(1, longest + 1))


def _connect_four() -> None:
    columns = [np.uint64(0x3F << 7 * c) for c in range(connect_four.COLUMNS)]
    cells = np.bitwise_or.reduce(columns)
    middle, inner = columns[3], columns[2] | columns[3] | columns[4]
    floor = np.uint64(sum(1 << 7 * c for c in range(connect_four.COLUMNS)))
    odd_rows = floor | (floor << np.uint64(2)) | (floor << np.uint64(4))

    @jit
    def playable(position: Row) -> Word:
        return ((position[0] | position[1]) + floor) & cells

    @jit
    def threats_for(position: Row, side: int) -> Word:
        return threats_of(position[side], position[1 - side], _FOURS, 4)

    @feature(game="connect_four", outputs=connect_four.GAME.squares)
    def squares(position: Row, values: Any) -> None:
        """+1 for a stone of the player on the cell, -1 for one of the opponent."""
        fill_squares(position, _FOUR_COLUMNS, _FOUR_COUNTS, connect_four.CELLS, values)

    @feature(game="connect_four", outputs=_sides(3))
    def open_lines(position: Row, values: Any) -> None:
        """Count lines of four with 1, 2 or 3 stones of the side and none of the other."""
        count_open(position, _FOURS, 3, values)

    @feature(game="connect_four")
    def empties(position: Row) -> float:
        """Empty cells: how much of the game is left."""
        return connect_four.CELLS - popcount(position[0] | position[1])

    @feature(game="connect_four", outputs=_BOTH)
    def middle_stones(position: Row, values: Any) -> None:
        """Count stones in the middle column."""
        for side in range(2):
            values[side] = popcount(position[side] & middle)

    @feature(game="connect_four", outputs=_BOTH)
    def inner_stones(position: Row, values: Any) -> None:
        """Count stones in the three columns in the middle."""
        for side in range(2):
            values[side] = popcount(position[side] & inner)

    @feature(game="connect_four", outputs=_BOTH)
    def heights(position: Row, values: Any) -> None:
        """Sum the rows of stones, the bottom one being 0."""
        for side in range(2):
            values[side] = 0
            for row in range(1, connect_four.ROWS):
                values[side] += row * popcount(position[side] & (floor << np.uint64(row)))

    @feature(game="connect_four", outputs=_BOTH)
    def winning_moves(position: Row, values: Any) -> None:
        """Count threats that a stone dropped now would fill."""
        for side in range(2):
            values[side] = popcount(threats_for(position, side) & playable(position))

    @feature(game="connect_four", outputs=_BOTH)
    def odd_threats(position: Row, values: Any) -> None:
        """Count threats on the first, third and fifth row."""
        for side in range(2):
            values[side] = popcount(threats_for(position, side) & odd_rows)

    @feature(game="connect_four", outputs=_BOTH)
    def even_threats(position: Row, values: Any) -> None:
        """Count threats on the second, fourth and sixth row."""
        for side in range(2):
            values[side] = popcount(threats_for(position, side) & ~odd_rows)

    @feature(game="connect_four", outputs=_BOTH)
    def stacked_threats(position: Row, values: Any) -> None:
        """Count threats right above another: one of the two will be filled."""
        for side in range(2):
            found = threats_for(position, side)
            values[side] = popcount(found & (found << ONE))

    @feature(game="connect_four", outputs=_BOTH)
    def forks(position: Row, values: Any) -> None:
        """Count cells playable now that make two threats more, or more."""
        for side in range(2):
            values[side] = count_forks(position, side, playable(position), _FOURS, 4)


def _tic_tac_toe() -> None:
    centre, corner_cells, full = np.uint64(0o020), np.uint64(0o505), np.uint64(0o777)

    @feature(game="tic_tac_toe", outputs=tic_tac_toe.SQUARES)
    def squares(position: Row, values: Any) -> None:
        """+1 for a stone of the player on the cell, -1 for one of the opponent."""
        fill_squares(position, _THREE_COLUMNS, _THREE_COUNTS, 9, values)

    @feature(game="tic_tac_toe", outputs=_sides(2))
    def open_lines(position: Row, values: Any) -> None:
        """Count lines of three with 1 or 2 stones of the side and none of the other."""
        count_open(position, _THREES, 2, values)

    @feature(game="tic_tac_toe")
    def empties(position: Row) -> float:
        """Empty cells: how much of the game is left."""
        return 9 - popcount(position[0] | position[1])

    @feature(game="tic_tac_toe", outputs=_BOTH)
    def middle(position: Row, values: Any) -> None:
        """1 with a stone in the middle, else 0."""
        for side in range(2):
            values[side] = popcount(position[side] & centre)

    @feature(game="tic_tac_toe", outputs=_BOTH)
    def corners(position: Row, values: Any) -> None:
        """Count corners held."""
        for side in range(2):
            values[side] = popcount(position[side] & corner_cells)

    @feature(game="tic_tac_toe", outputs=_BOTH)
    def winning_moves(position: Row, values: Any) -> None:
        """Count threats."""
        for side in range(2):
            values[side] = popcount(threats_of(position[side], position[1 - side], _THREES, 3))

    @feature(game="tic_tac_toe", outputs=_BOTH)
    def forks(position: Row, values: Any) -> None:
        """Count empty cells that make two threats more, or more."""
        empty = full & ~(position[0] | position[1])
        for side in range(2):
            values[side] = count_forks(position, side, empty, _THREES, 3)


_connect_four()
_tic_tac_toe()
