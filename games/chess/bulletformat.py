"""bulletformat, positions of 32 bytes (ChessBoard of github.com/jw1912/bulletformat).

    8 bytes   squares that are occupied, as the side to move sees them: it moves up the board
    16 bytes  a nibble for each: pawn 0 to king 5, and 8 for the other side
    2 bytes   score, centipawns
    1 byte    result: 0 lost, 1 drawn, 2 won
    2 bytes   square of the mover's king, and of the other as its side sees it
    3 bytes   nothing

Numbers are little-endian; score and result are those of the side to move. Which side that is,
rights to castle, a capture en passant and the number of the move are not known: White is to move.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba import int64, uint8

from samuel.games.chess.fen import turn_to
from samuel.games.chess.packed import (
    OTHER_KINGS,
    PACKED_GAMES,
    RESULT,
    looks_like,
    note_start,
    number_at,
    positions_in,
    read_board,
    signed,
    word_at,
)
from samuel.games.chess.squares import KING, THEIRS
from samuel.games.game import Game
from samuel.games.records import RecordFormat, Records
from samuel.games.rules import NO_MOVE
from samuel.kernels.bits import bit
from samuel.kernels.jit import jit

_SIZE = 32
_CODES = np.array([0, 2, 4, 6, 8, 10, -1, -1, 1, 3, 5, 7, 9, 11, -1, -1], np.int8)


@jit(int64(uint8[:, ::1], PACKED_GAMES))
def _read(boards: Any, packed: Any) -> int:
    """Read boards (n, 32); return how many are sound."""
    n = int64(0)
    for i in range(boards.shape[0]):
        board, row = boards[i], packed.starts[n]
        fault, _, rights, target = read_board(word_at(board, 0), board, 8, _CODES, row)
        if fault == 0:
            fault = turn_to(int64(0), rights, target, row)
        if fault == 0 and (
            row[2 * KING] != bit(board[27] & 63)
            or row[2 * KING + THEIRS] != bit((board[28] & 63) ^ 56)
        ):
            fault = int64(OTHER_KINGS)
        if fault == 0 and board[26] > 2:
            fault = int64(RESULT)
        packed.faults[i], packed.places[i] = fault, _SIZE * i
        if fault == 0:
            note_start(packed, n, int64(0), int64(0), int64(board[26]) - 1)
            packed.moves[n], packed.scores[n] = NO_MOVE, signed(number_at(board, 24))
            n += 1
            packed.ends[n - 1] = n
    return n


def read_bulletformat(path: Path, game: Game) -> Iterator[Records]:
    """Yield the positions of a file."""
    return positions_in(path, _SIZE, _read, game.scores.max_utility)


FORMAT = RecordFormat(
    *("bulletformat", "bulletformat"),
    lambda start: looks_like(start, _SIZE, _read),
    read_bulletformat,
)
