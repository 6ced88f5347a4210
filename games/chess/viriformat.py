"""viriformat: games (github.com/cosmobobak/viriformat).

A game is a board of 32 bytes as marlinformat has it, moves with scores, and four zeros. The board:

    24 bytes  a board of nibbles: pawn 0 to king 5, a rook that may castle 6, and 8 for Black
    1 byte    square of a capture en passant, or 64; and 128 if Black is to move
    5 bytes   clock (1), number of the move (2), score (2)
    1 byte    result: 0 Black won, 1 drawn, 2 White won; then 1 byte of nothing

A move has 2 bytes: start, end (6 bits each), piece promoted to, kind (2 castles from the king to
the rook, 3 promotes); its score has 2: White's centipawns. A record that begins with 8 zeros is an
extension (number and length in 2 bytes each, content, four zeros), which is read over. Numbers are
little-endian.
"""

from __future__ import annotations

import numpy as np

from samuel.games.chess.packed import (
    BLACK_CASTLES,
    BOARD,
    WHITE_CASTLES,
    Packed,
    binary_format,
    move_of,
    read_boards,
)
from samuel.games.chess.squares import SQUARES
from samuel.kernels.bits import ONE, ZERO

_BOARD = np.dtype(
    [
        *(*BOARD, ("passed", "u1"), ("clock", "u1"), ("number", "<u2"), ("score", "<i2")),
        *(("result", "u1"), ("_", "u1")),
    ]
)
_MOVE = np.dtype([("move", "<u2"), ("score", "<i2")])
_EXTENSION, _END = bytes(8), bytes(4)
_CODES = np.array(
    [0, 2, 4, 6, 8, 10, WHITE_CASTLES, -1, 1, 3, 5, 7, 9, 11, BLACK_CASTLES, -1], np.int8
)


def _end_of(data: bytes, at: int) -> int:
    """Return the place of the four zeros of what begins there; -1 where it is not whole."""
    if data.startswith(_EXTENSION, at):
        end = at + 12 + int.from_bytes(data[at + 10 : at + 12], "little")
        return end if end + len(_END) <= len(data) else -1
    end = data.find(_END, at + _BOARD.itemsize)
    while end >= 0 and (end - at) % _MOVE.itemsize:
        end = data.find(_END, end + 1)
    return end


def _decode(data: bytes) -> tuple[Packed, int]:
    at, places, ends = 0, [], []
    while (end := _end_of(data, at)) >= 0:
        if not data.startswith(_EXTENSION, at):
            places.append(at)
            ends.append(end)
        at = end + len(_END)
    size, spans = _BOARD.itemsize, list(zip(places, ends, strict=True))
    boards = np.frombuffer(b"".join(data[a : a + size] for a, _ in spans), _BOARD)
    played = np.frombuffer(b"".join(data[a + size : b] for a, b in spans), _MOVE)
    found = np.array(places, np.int64)
    lengths = (np.array(ends, np.int64) - found - size) // _MOVE.itemsize

    sides, passed = boards["passed"] >> 7, (boards["passed"] & 127).astype(np.uint64)
    targets = np.where(passed < SQUARES, ONE << passed % SQUARES, ZERO)
    starts, faults = read_boards(boards, _CODES, sides, targets)
    move = played["move"].astype(np.int32)
    kind = move >> 14
    moves = move_of(move & 63, move >> 6 & 63, move >> 12 & 3, kind == 3, kind == 2)
    before = np.cumsum(lengths) - lengths
    is_black = (np.arange(len(move)) + np.repeat(sides - before, lengths)) % 2 == 1
    scores = np.where(is_black, -1, 1) * played["score"]
    plies = 2 * np.maximum(boards["number"].astype(np.int64), 1) - 2 + sides
    results = boards["result"].astype(np.int8) - 1
    return Packed(found, starts, faults, plies, results, lengths, moves, scores), at


FORMATS = (binary_format("viriformat", _decode),)
