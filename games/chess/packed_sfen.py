"""Stockfish's `.bin`, positions of 40 bytes (PackedSfenValue of its branch `tools`).

    32 bytes  bits, the lowest of a byte first: side to move (1 is Black); squares of the white and
              the black king (6 bits each); the other squares from a8 to h8, then the next rank
              down; rights to castle KQkq; a bit, and behind 1 the square of a capture en passant;
              clocks
    2 bytes   score, centipawns
    2 bytes   move: end, start (6 bits each), piece promoted to, kind (1 promotes, 3 castles from
              the king to the rook)
    2 bytes   plies before
    1 byte    result: 1, 0 or -1
    1 byte    nothing

An empty square is 0; a piece is 1 and 3 bits for pawn 0 to queen 4, and one that is set for Black.
Numbers are little-endian; score and result are those of the side to move.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int8, int64, types, uint8

from samuel.games.chess.fen import NO_RIGHT, right_of, turn_to
from samuel.games.chess.packed import CODE, RESULT, Packed, binary_format, move_of
from samuel.games.chess.squares import KING, QUEEN, SQUARES, THEIRS, WORDS
from samuel.games.rules import NO_MOVE, ROWS, Row
from samuel.kernels.bits import ZERO, bit
from samuel.kernels.jit import jit

_RECORD = np.dtype(
    [
        *(("bits", "u1", 32), ("score", "<i2"), ("move", "<u2"), ("ply", "<u2")),
        *(("result", "i1"), ("_", "u1")),
    ]
)
_BITS, _ROOM = 256, 352
"""Bits of a position, and with zeros behind those that 64 pieces would have."""
_RIGHTS = np.frombuffer(b"KQkq", np.uint8).astype(np.int64)


@jit
def _number(bits: Any, at: int, count: int) -> int:
    """Return the number that some bits from a place on are."""
    found = int64(0)
    for k in range(count):
        found |= int64(bits[at + k]) << k
    return found


@jit
def _read_position(bits: Any, row: Row) -> int:
    """Fill in a position; return the number of its fault."""
    white, black = _number(bits, 1, 6), _number(bits, 7, 6)
    row[2 * KING], row[2 * KING + THEIRS] = bit(white), bit(black)
    at = 13
    for k in range(SQUARES):
        square = k ^ 56
        if square in (white, black):
            continue
        if bits[at]:
            kind = _number(bits, at + 1, 3)
            if kind > QUEEN:
                return int64(CODE)
            row[2 * kind + int64(bits[at + 4])] |= bit(square)
            at += 4
        at += 1
    if at > _BITS - 11:
        return int64(CODE)
    rights, target, missing = ZERO, ZERO, int64(0)
    for k in range(4):
        if bits[at + k]:
            right = right_of(row, int64(_RIGHTS[k]))
            missing |= right == ZERO
            rights |= right
    if bits[at + 4]:
        target = bit(_number(bits, at + 5, 6))
    return turn_to(int64(bits[0]), rights, target, row) or missing * NO_RIGHT


@jit(types.void(uint8[:, ::1], ROWS, int8[::1]))
def _read_positions(bits: Any, starts: Any, faults: Any) -> None:
    for i in range(len(faults)):
        faults[i] = _read_position(bits[i], starts[i])


def _decode(data: bytes) -> tuple[Packed, int]:
    n = len(data) // _RECORD.itemsize
    records = np.frombuffer(data, _RECORD, n)
    bits, results = np.zeros((n, _ROOM), np.uint8), records["result"]
    bits[:, :_BITS] = np.unpackbits(records["bits"], axis=1, bitorder="little")
    starts, faults = np.zeros((n, WORDS), np.uint64), np.zeros(n, np.int8)
    _read_positions(bits, starts, faults)
    faults[(faults == 0) & ((results < -1) | (results > 1))] = RESULT
    move = records["move"].astype(np.int32)
    end, start, kind = move & 63, move >> 6 & 63, move >> 14
    moves = move_of(start, end, move >> 12 & 3, kind == 1, kind == 3)
    moves[start == end] = NO_MOVE  # Stockfish's MOVE_NONE and MOVE_NULL
    packed = Packed(
        *(_RECORD.itemsize * np.arange(n), starts, faults, records["ply"]),
        *(results * (1 - 2 * bits[:, 0].astype(np.int8)), np.ones(n, np.int64)),
        *(moves, records["score"]),
    )
    return packed, n * _RECORD.itemsize


FORMATS = (binary_format("bin", _decode, are_positions=True),)
