"""What stands on each square: the most literal feature of a board game.

A number a square and kind of piece: +1 for one of the player's, -1 for one of the opponent's, and
+1 for one that is nobody's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.board import OPPONENT, Board
from samuel.games.interface import Game, Row
from samuel.kernels.bits import ONE, trailing_zeros
from samuel.kernels.jit import jit


def board_of(game: Game) -> Board:
    """Return the board of a game; raise UserError where it has none."""
    if game.board is None:
        raise UserError(f"{game.name} has no board of squares, so no patterns")
    return game.board


def square_columns(game: Game) -> tuple[str, ...]:
    """Return the name of each number: the square, and but for the first kind the kind's sign."""
    board = board_of(game)
    kinds = ["", *(f"{signs[0]}_" for signs in board.pieces[1:])]
    return tuple(kind + square for kind in kinds for square in board.squares)


def columns_of_bits(game: Game) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each bit of the board's words its column (words, 64), and what it counts (words,).

    Bits that no square has count as the first square's.
    """
    board = board_of(game)
    columns, counts = np.zeros((board.words, 64), np.int64), np.ones(board.words, np.int64)
    size, kind = len(board.bits), -1
    for content in board.kept:
        assert content.word is not None
        if content.whose == OPPONENT:
            counts[content.word : content.word + board.words_each] = -1
        else:
            kind += 1
        for square, bit in enumerate(board.bits):
            columns[content.word + bit // 64, bit % 64] = kind * size + square
    return columns, counts


@jit
def fill_squares(position: Row, columns: Any, counts: Any, n: int, values: Any) -> None:
    """Fill in the n numbers of all squares; `columns` and `counts` are those of the board."""
    for k in range(n):
        values[k] = 0
    for word in range(columns.shape[0]):
        pieces = position[word]
        while pieces:
            values[columns[word, trailing_zeros(pieces)]] = counts[word]
            pieces &= pieces - ONE
