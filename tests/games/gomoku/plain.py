"""Boards of stones in plain Python, square by square."""

from __future__ import annotations

import numpy as np
from numba import int64, types

from samuel.games import Game, Position
from samuel.games.interface import ORDER, ROW
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at

Board = list[list[str]]
Window = tuple[tuple[int, int], ...]
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
_MOVES = types.Array(types.int32, 1, "C")


@jit(types.void(types.FunctionType(ORDER), ROW, _MOVES, int64, _MOVES))
def _order(order, position, moves, n, hints) -> None:
    order(at(position, 0), at(moves, 0), n, at(hints, 0))


def length_of(game: Game) -> int:
    """Return how many stones in a row win."""
    return int(game.name.split("_")[3]) if game.name.startswith("mnk") else 5


def board_of(position: Position) -> Board:
    """Return the signs of a position, row by row."""
    _, columns = position.game.shape or (0, 0)
    signs = position.text.split()[0]
    return [list(signs[k : k + columns]) for k in range(0, len(signs), columns)]


def open_windows(board: Board, sign: str, length: int, stones: int, exact: bool) -> list[Window]:
    """Return the windows with so many stones of a sign and none of the other."""
    rows, columns, found = len(board), len(board[0]), []

    def sign_at(row: int, column: int) -> str:
        return board[row][column] if 0 <= row < rows and 0 <= column < columns else ""

    for row, column in np.ndindex(rows, columns):
        for down, right in STEPS:
            window = tuple((row + k * down, column + k * right) for k in range(length))
            signs = [sign_at(*square) for square in window]
            ends = {sign_at(row + k * down, column + k * right) for k in (-1, length)}
            is_longer = exact and sign in ends
            if set(signs) <= {sign, "-"} and signs.count(sign) == stones and not is_longer:
                found.append(window)
    return found


def hints_of(position: Position) -> dict[str, int]:
    """Return how the game rates each legal move."""
    game = position.game
    moves = game.moves_in(position.row)
    listed = np.zeros(game.max_moves, np.int32)
    listed[: len(moves)] = moves
    hints = np.zeros_like(listed)
    _order(game.rules_of_play.order, position.row, listed, len(moves), hints)
    names = [game.notation.write_move(int(move)) for move in moves]
    return dict(zip(names, hints.tolist(), strict=False))
