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
from samuel.games.lines import BOTH, count_open, counts_of_sides
from samuel.games.rules import Row, Words
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
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
_TWO, _THREE = np.uint64(2), np.uint64(3)
_FLOOR = np.uint64(sum(1 << _HEIGHT * c for c in range(COLUMNS)))
_CELLS = np.uint64(0x3F * int(_FLOOR))


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
def _playable(position: Row) -> Word:
    """Return the cells that the next stone can fill."""
    return ((position[0] | position[1]) + _FLOOR) & _CELLS


@jit
def _threats_for(position: Row, side: int) -> Word:
    """Return the empty cells that complete a line of a side."""
    stones = position[side]
    found = (stones << ONE) & (stones << _TWO) & (stones << _THREE)
    for step in _STEPS[1:]:
        before, after = stones << step, stones >> step
        found |= before & (stones << (_TWO * step)) & ((stones << (_THREE * step)) | after)
        found |= after & (stones >> (_TWO * step)) & ((stones >> (_THREE * step)) | before)
    return found & _CELLS & ~(position[0] | position[1])


@jit
def candidates(position: Row, moves: Any) -> int:
    """List moves that win; else those that keep the opponent from it; else all moves."""
    if has_four(position[1]):
        return 0
    playable, theirs = _playable(position), _threats_for(position, 1)
    chosen = _threats_for(position, 0) & playable
    if chosen == ZERO:
        chosen = theirs & playable
    if chosen == ZERO:
        chosen = playable & ~(theirs >> ONE)
    if chosen == ZERO:
        chosen = playable
    n = 0
    while chosen:
        moves[n] = int32(trailing_zeros(chosen) // _HEIGHT)
        chosen &= chosen - ONE
        n += 1
    return n


@jit
def noisy(position: Row, _move: int, _beyond: int, moves: Any) -> int:
    """List the candidates where either side could win by the next stone: one must be played."""
    found = _threats_for(position, 0) | _threats_for(position, 1)
    return -candidates(position, moves) if found & _playable(position) else 0


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
    search=SearchRules(order=order, candidates=candidates, noisy=noisy),
    solver=Solver(exact_from=20, second_from=28),
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
_COLUMN = np.uint64(0x3F)
_PLACES = np.argsort(np.array([*BITS, *set(range(64)) - set(BITS)]))
"""The place of a cell among the squares, by its bit."""
_ROLES = ("first", "second")


define_squares(GAME)


@feature(game="connect_four", outputs=counts_of_sides(3))
def open_lines(position: Row, values: Any) -> None:
    """Number of lines of four with 1, 2 or 3 stones of the side and none of the other."""
    count_open(position, _FOURS, 3, values)


@feature(
    game="connect_four",
    outputs=[f"{f}_{s}_{c}" for f in _ROLES for s in BOTH for c in GAME.squares],
)
def threats(position: Row, values: Any) -> None:
    """1 for each empty cell that completes a line of a side; `first_`: the side to move began."""
    for k in range(4 * CELLS):
        values[k] = 0
    second = popcount(position[0] | position[1]) & 1
    for side in range(2):
        found, start = _threats_for(position, side), (2 * second + side) * CELLS
        while found:
            values[start + _PLACES[trailing_zeros(found)]] = 1
            found &= found - ONE


@feature(
    game="connect_four",
    outputs=[f"{f}_{s}_{row}" for f in _ROLES for row in ("odd", "even") for s in (*BOTH, "both")],
)
def lowest_threats(position: Row, values: Any) -> None:
    """Number of columns by lowest threat above the free cell: owner, odd (1, 3, 5) or even row."""
    for k in range(12):
        values[k] = 0
    second, above = popcount(position[0] | position[1]) & 1, ~_playable(position)
    mine, theirs = _threats_for(position, 0) & above, _threats_for(position, 1) & above
    for column in range(COLUMNS):
        found = (mine | theirs) >> np.uint64(_HEIGHT * column) & _COLUMN
        if found:
            row = trailing_zeros(found)
            lowest = bit(_HEIGHT * column + row)
            owner = 2 if mine & theirs & lowest else 0 if mine & lowest else 1
            values[6 * second + 3 * (row & 1) + owner] += 1


@feature(game="connect_four")
def began(position: Row) -> float:
    """Flag: 1 if the side to move began the game, else 0."""
    return 1 - (popcount(position[0] | position[1]) & 1)
