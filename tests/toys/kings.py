"""A game with two kinds of pieces a side: men that go forward, and kings that take straight, too.

Five rows of four squares, men on the first two. A man steps forward, straight or aslant, and takes
aslant; on the middle row it becomes a king, which takes straight as well. Who gets to the far row,
or leaves the other no move, has won. Each side sees its own pieces go up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.games import Board, Game, register_game
from samuel.games.grid_notation import GridNotation
from samuel.games.groups import Defaults
from samuel.kernels.bits import ZERO, bit, popcount
from samuel.kernels.jit import jit

ROWS, COLUMNS = 5, 4
SIZE = ROWS * COLUMNS
MIDDLE = 2
ROW = tuple(np.uint64(0b1111 << COLUMNS * row) for row in range(ROWS))


@jit
def turned(word: Any) -> Any:
    found = ZERO
    for row in range(ROWS):
        other = ROWS - 1 - row
        found |= (word & ROW[row]) >> np.uint64(COLUMNS * row) << np.uint64(COLUMNS * other)
    return found


@jit
def plies_left(position: Any) -> int:
    steps = 0
    for row in range(ROWS):
        mine, theirs = position[0] | position[2], position[1] | position[3]
        steps += popcount(mine & ROW[row]) * (ROWS - 1 - row)
        steps += popcount(theirs & ROW[row]) * row
    return steps


@jit
def legal_moves(position: Any, moves: Any) -> int:
    mine, theirs = position[0] | position[2], position[1] | position[3]
    n = 0
    if theirs & ROW[0]:
        return 0
    for start in range(SIZE - COLUMNS):
        if mine & bit(start) == ZERO:
            continue
        for way in range(-1, 2):
            if not 0 <= start % COLUMNS + way < COLUMNS:
                continue
            end = start + COLUMNS + way
            takes = way != 0 or position[2] & bit(start) != ZERO
            if mine & bit(end) or (theirs & bit(end) and not takes):
                continue
            moves[n] = SIZE * start + end
            n += 1
    return n


@jit
def is_terminal(position: Any) -> bool:
    return legal_moves(position, np.zeros(64, np.int32)) == 0


@jit
def utility(position: Any) -> float:
    return -1.0  # who cannot move has lost


@jit
def play(position: Any, move: int, child: Any) -> None:
    start, end = bit(move // SIZE), bit(move % SIZE)
    men, kings = position[0] & ~start, position[2] & ~start
    if position[2] & start or end & ROW[MIDDLE]:
        kings |= end
    else:
        men |= end
    child[0], child[1] = turned(position[1] & ~end), turned(men)
    child[2], child[3] = turned(position[3] & ~end), turned(kings)


BOARD = Board(
    *(ROWS, COLUMNS),
    [COLUMNS * row + column for row in range(ROWS)[::-1] for column in range(COLUMNS)],
    pieces=("XO", "KQ"),
    symmetric="sideways",
    row_names="54321",
)
_NAMES = [f"{'abcd'[k % COLUMNS]}{k // COLUMNS + 1}" for k in range(SIZE)]
GAME = register_game(
    Game(
        name="kings",
        start=(0xFF, 0xFF << SIZE - 2 * COLUMNS, 0, 0),
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=plies_left,
        notation=GridNotation(
            BOARD, [one + other for one in _NAMES for other in _NAMES], second_sees="mirrored"
        ),
        max_moves=3 * 2 * COLUMNS,
        max_plies=2 * COLUMNS * (2 * ROWS - 3),
        defaults=Defaults(opening_plies=2),
    )
)
