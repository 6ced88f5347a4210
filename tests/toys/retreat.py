"""Men and kings again, with kings that may retreat: a game with draws by rule.

Five rows of four squares, four men a side. A man steps forward, straight or aslant, and takes
aslant; on the middle row it becomes a king, which steps straight back and sideways too, and takes
in every way that it steps. Who cannot move has lost. The third time that a position stands is a
draw, and so are twenty plies in a row in which no man moves and nothing is taken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from samuel.games import Game, register_game
from samuel.games.grid_notation import GridNotation
from samuel.games.groups import Defaults, DrawRules, Progress
from samuel.games.rules import CHECK, OTHER, REVERSIBLE
from samuel.kernels.bits import ZERO, bit, popcount
from samuel.kernels.jit import jit
from tests.toys.kings import _NAMES, BOARD, COLUMNS, MIDDLE, ROW, ROWS, SIZE, turned

MEN = 4
WAYS = ((1, -1), (1, 0), (1, 1), (0, -1), (0, 1), (-1, 0))
"""Rows and columns of a step; a man takes the first three, and strikes by the first and third."""


@jit
def legal_moves(position: Any, moves: Any) -> int:
    mine, theirs = position[0] | position[2], position[1] | position[3]
    n = 0
    for start in range(SIZE):
        if mine & bit(start) == ZERO:
            continue
        is_king = position[2] & bit(start) != ZERO
        for way in range(6 if is_king else 3):
            row, column = start // COLUMNS + WAYS[way][0], start % COLUMNS + WAYS[way][1]
            if not (0 <= row < ROWS and 0 <= column < COLUMNS):
                continue
            end = COLUMNS * row + column
            if mine & bit(end) or (theirs & bit(end) and way == 1 and not is_king):
                continue
            moves[n] = SIZE * start + end
            n += 1
    return n


@jit
def is_terminal(position: Any) -> bool:
    return legal_moves(position, np.zeros(64, np.int32)) == 0


@jit
def utility(position: Any) -> float:
    return -1.0


@jit
def play(position: Any, move: int, child: Any) -> int:
    start, end = bit(move // SIZE), bit(move % SIZE)
    men, kings = position[0] & ~start, position[2] & ~start
    is_king, takes = position[2] & start != ZERO, (position[1] | position[3]) & end != ZERO
    if is_king or end & ROW[MIDDLE]:
        kings |= end
    else:
        men |= end
    child[0], child[1] = turned(position[1] & ~end), turned(men)
    child[2], child[3] = turned(position[3] & ~end), turned(kings)
    return OTHER | REVERSIBLE if is_king and not takes else OTHER


@jit
def play_with_checks(position: Any, move: int, child: Any) -> int:
    """Play as `play`; a reversible step to a column that is even gives check."""
    turn = play(position, move, child)
    return turn | CHECK if turn & REVERSIBLE and move % SIZE % COLUMNS % 2 == 0 else turn


@jit
def progress(position: Any) -> int:
    return 2 * MEN - popcount(position[0] | position[1] | position[2] | position[3])


QUIET_PLIES = 20
LOUD = 2 * MEN * MIDDLE + 2 * MEN
"""Steps of men and pieces taken, at most."""
RETREAT = register_game(
    Game(
        name="retreat",
        start=(0xF, 0xF << SIZE - COLUMNS, 0, 0),
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=None,
        progress=Progress(progress, 2 * MEN),
        notation=GridNotation(
            BOARD, [one + other for one in _NAMES for other in _NAMES], second_sees="mirrored"
        ),
        max_moves=6 * MEN,
        max_plies=(LOUD + 1) * QUIET_PLIES + LOUD,
        draws=DrawRules(repetitions=3, reversible_plies=QUIET_PLIES),
        defaults=Defaults(opening_plies=2),
    )
)
CHECKED_RETREAT = register_game(replace(RETREAT, name="checked_retreat", play=play_with_checks))
