"""Connect Four, 7 columns by 6 rows: two words, the stones of the player and of the opponent.

Column c takes bits 7c to 7c + 5, from the bottom; bit 7c + 6 stays empty, so that no line runs
from one column's top into the next (a layout known since J. Tromp's programs of the 1980s).
Moves are the columns, written 1 to 7.

Features of Connect Four; of two numbers the player's (who is to move) comes first.

A threat is an empty cell that completes a line of a side. Source: V. Allis, "A knowledge-based
approach of Connect-Four" (1988): on which rows threats stand decides who is forced to move under
them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32

from samuel.common.errors import UserError
from samuel.games.board import Board
from samuel.games.feature import define_squares, feature
from samuel.games.game import Game
from samuel.games.grid_notation import GridNotation, require_turns
from samuel.games.groups import Defaults, Handmade, SearchRules, Solver
from samuel.games.lines import BOTH, count_forks, count_open, counts_of_sides, threats_of
from samuel.games.rules import Row, Words
from samuel.kernels.bits import ONE, ZERO, Word, popcount
from samuel.kernels.jit import jit

COLUMNS, ROWS = 7, 6
_HEIGHT = 7
CELLS = COLUMNS * ROWS
BITS = tuple(_HEIGHT * c + r for r in reversed(range(ROWS)) for c in range(COLUMNS))
"""The bit of each cell, row by row from the top."""

_BOTTOM = tuple(np.uint64(1 << _HEIGHT * c) for c in range(COLUMNS))
_UPPERMOST = tuple(np.uint64(_HEIGHT * c + ROWS - 1) for c in range(COLUMNS))
_TOP = np.uint64(sum(1 << int(cell) for cell in _UPPERMOST))
_STEPS = tuple(np.uint64(k) for k in (1, _HEIGHT - 1, _HEIGHT, _HEIGHT + 1))
_TWO = np.uint64(2)


@jit
def has_four(stones: Word) -> bool:
    """Return whether four stones stand in a row, in any of the four directions."""
    fours = ZERO
    for step in _STEPS:
        pairs = stones & (stones >> step)
        fours |= pairs & (pairs >> (_TWO * step))
    return fours != ZERO


@jit
def is_terminal(position: Row) -> bool:
    """Return whether the last stone made four, or the board is full."""
    return popcount(position[0] | position[1]) == CELLS or has_four(position[1])


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List the columns that are not full, from the left."""
    if has_four(position[1]):
        return 0
    free = ~(position[0] | position[1]) & _TOP
    n = 0
    for column in range(COLUMNS):
        moves[n] = int32(column)
        n += int32(free >> _UPPERMOST[column]) & 1
    return popcount(free)


@jit
def play(position: Row, move: int, child: Row) -> None:
    """Drop a stone: adding the bottom bit carries to the lowest empty cell of the column."""
    player, opponent = position[0], position[1]
    occupied = player | opponent
    child[0], child[1] = opponent, player | ((occupied + _BOTTOM[move]) & ~occupied)


@jit
def utility(position: Row) -> float:
    """Return -1 where the opponent has four, else 0: a full board is a draw."""
    return -1.0 if has_four(position[1]) else 0.0


@jit
def plies_left(position: Row) -> int:
    """Return the number of empty cells."""
    return CELLS - popcount(position[0] | position[1])


@jit
def order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Prefer the middle columns, where most lines run."""
    for i in range(n):
        hints[i] = -60 * abs(moves[i] - COLUMNS // 2)


_four_in = getattr(has_four, "py_func", has_four)
"""`has_four` outside the kernels, where compiling it would take longer."""


def _check(words: Words, side: int) -> None:
    """Refuse stones in the air, counts that alternate play cannot give, and moves after a win."""
    require_turns(words, side)
    for column in range(COLUMNS):
        stones = (words[0] | words[1]) >> _HEIGHT * column & 0x3F
        if stones & (stones + 1):
            raise UserError(f"a stone of column {column + 1} has an empty cell below it")
    if _four_in(np.uint64(words[0])):
        raise UserError(f"{'XO'[side]} has four in a row and cannot be to move: the game was over")


# The side to move is a stone ahead of its count.
CLASSIC = Handmade(
    "open lines, weighted by hand",
    ("open_lines",),
    {
        "open_lines_player_1": (0.01,),
        "open_lines_player_2": (0.05,),
        "open_lines_player_3": (0.2,),
        "open_lines_opponent_1": (-0.01,),
        "open_lines_opponent_2": (-0.04,),
        "open_lines_opponent_3": (-0.15,),
    },
)
GAME = Game(
    name="connect_four",
    start=(0, 0),
    legal_moves=legal_moves,
    play=play,
    is_terminal=is_terminal,
    utility=utility,
    plies_left=plies_left,
    notation=GridNotation(
        Board(ROWS, COLUMNS, BITS, symmetric="sideways", row_names="654321"),
        [str(c + 1) for c in range(COLUMNS)],
        check=_check,
        header="1234567",
    ),
    max_moves=COLUMNS,
    max_plies=CELLS,
    defaults=Defaults(
        title="Connect Four",
        features_in="samuel.games.connect_four.rules",
        features=("squares", "open_lines"),
        evaluators={"classic": CLASSIC},
    ),
    search=SearchRules(order=order),
    solver=Solver(exact_from=8),
)


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
_CELLS = np.uint64(sum(0x3F << 7 * c for c in range(COLUMNS)))
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
