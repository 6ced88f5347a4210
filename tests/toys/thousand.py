"""The widest and the longest game there may be: 512 moves a position, 1,000 plies.

On 16 by 32 squares a side makes any square its own, taken or not. After 1,000 plies the side with
more squares has won by so many. The last word counts the plies.
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from samuel.games import Board, Game, register_game
from samuel.games.groups import Scores
from samuel.kernels.bits import ONE, bit, popcount
from samuel.kernels.jit import jit
from tests.toys.notation import PlainNotation

ROWS, COLUMNS, WORDS, PLIES = 16, 32, 8, 1000
SIZE = ROWS * COLUMNS
COUNT = 2 * WORDS


@jit
def plies_left(position: Any) -> int:
    return PLIES - np.int64(position[COUNT])


@jit
def is_terminal(position: Any) -> bool:
    return plies_left(position) == 0


@jit
def utility(position: Any) -> float:
    ahead = 0
    for word in range(WORDS):
        ahead += popcount(position[word]) - popcount(position[WORDS + word])
    return np.float32(ahead)


@jit
def legal_moves(position: Any, moves: Any) -> int:
    if is_terminal(position):
        return 0
    for square in range(SIZE):
        moves[square] = square
    return SIZE


@jit
def play(position: Any, move: int, child: Any) -> None:
    for word in range(WORDS):
        child[word], child[WORDS + word] = position[WORDS + word], position[word]
    child[WORDS + move // 64] |= bit(move % 64)
    child[move // 64] &= ~bit(move % 64)
    child[COUNT] = position[COUNT] + ONE


_LETTERS = string.ascii_lowercase
BOARD = Board(
    *(ROWS, COLUMNS),
    symmetric="all",
    column_names=[*_LETTERS, *(f"a{letter}" for letter in _LETTERS)],
)
GAME = register_game(
    Game(
        name="thousand",
        start=(0,) * (2 * WORDS + 1),
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=plies_left,
        notation=PlainNotation(2 * WORDS + 1, dict(enumerate(BOARD.squares)), BOARD),
        max_moves=SIZE,
        max_plies=PLIES,
        scores=Scores("squares", float(SIZE), sooner_is_better=False),
    )
)
