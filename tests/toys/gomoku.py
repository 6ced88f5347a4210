"""Five stones in a row on 15 by 15 squares: four words a side."""

from __future__ import annotations

from typing import Any

from samuel.games import Board, Game, register_game
from samuel.games.grid_notation import GridNotation
from samuel.kernels.bits import bit, popcount
from samuel.kernels.jit import jit

N, WORDS, LENGTH = 15, 4, 5
SIZE = N * N


@jit
def holds(position: Any, side: int, square: int) -> bool:
    return position[WORDS * side + square // 64] & bit(square % 64) != 0


@jit
def has_line(position: Any, side: int) -> bool:
    for square in range(SIZE):
        if not holds(position, side, square):
            continue
        row, column = square // N, square % N
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            end, far = row + (LENGTH - 1) * down, column + (LENGTH - 1) * right
            if end >= N or not 0 <= far < N:
                continue
            length = 1
            while length < LENGTH and holds(position, side, square + length * (N * down + right)):
                length += 1
            if length == LENGTH:
                return True
    return False


@jit
def plies_left(position: Any) -> int:
    stones = 0
    for word in range(2 * WORDS):
        stones += popcount(position[word])
    return SIZE - stones


@jit
def is_terminal(position: Any) -> bool:
    return plies_left(position) == 0 or has_line(position, 1)


@jit
def utility(position: Any) -> float:
    return -1.0 if has_line(position, 1) else 0.0


@jit
def legal_moves(position: Any, moves: Any) -> int:
    n = 0
    if has_line(position, 1):
        return 0
    for square in range(SIZE):
        if not holds(position, 0, square) and not holds(position, 1, square):
            moves[n] = square
            n += 1
    return n


@jit
def play(position: Any, move: int, child: Any) -> None:
    for word in range(WORDS):
        child[word], child[WORDS + word] = position[WORDS + word], position[word]
    child[WORDS + move // 64] |= bit(move % 64)


BOARD = Board(N, N, symmetric="all")
GAME = register_game(
    Game(
        name="five_in_a_row",
        start=(0,) * 2 * WORDS,
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=plies_left,
        notation=GridNotation(BOARD, BOARD.squares),
        max_moves=SIZE,
        max_plies=SIZE,
    )
)
