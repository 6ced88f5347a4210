"""bulletformat: positions of 32 bytes (ChessBoard of github.com/jw1912/bulletformat).

    24 bytes  a board of nibbles as the side to move sees it: it moves up the board; pawn 0 to king
              5, and 8 for the other side
    2 bytes   score, centipawns
    1 byte    result: 0 lost, 1 drawn, 2 won
    2 bytes   squares of the kings, the other one as its side sees it; then 3 bytes of nothing

Score and result are those of the side to move. Which side that is, rights to castle, a capture en
passant and the number of the move are not known: White is to move. Numbers are little-endian.
"""

from __future__ import annotations

import numpy as np

from samuel.games.chess.packed import BOARD, OTHER_KINGS, Packed, binary_format, read_boards
from samuel.games.chess.squares import KING, THEIRS
from samuel.games.rules import NO_MOVE
from samuel.kernels.bits import ONE

_BOARD = np.dtype(
    [*BOARD, ("score", "<i2"), ("result", "u1"), ("king", "u1"), ("other", "u1"), ("_", "V3")]
)
_CODES = np.array([0, 2, 4, 6, 8, 10, -1, -1, 1, 3, 5, 7, 9, 11, -1, -1], np.int8)


def _decode(data: bytes) -> tuple[Packed, int]:
    n = len(data) // _BOARD.itemsize
    boards = np.frombuffer(data, _BOARD, n)
    starts, faults = read_boards(boards, _CODES)
    kings, others = ONE << (boards["king"] & 63), ONE << (boards["other"] & 63 ^ 56)
    same = (starts[:, 2 * KING] == kings) & (starts[:, 2 * KING + THEIRS] == others)
    faults[(faults == 0) & ~same] = OTHER_KINGS
    packed = Packed(
        *(_BOARD.itemsize * np.arange(n), starts, faults, np.zeros(n)),
        *(boards["result"].astype(np.int8) - 1, np.ones(n, np.int64)),
        *(np.full(n, NO_MOVE), boards["score"]),
    )
    return packed, n * _BOARD.itemsize


FORMATS = (binary_format("bulletformat", _decode, are_positions=True),)
