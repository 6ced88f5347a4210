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
from numba import int64, uint8

from samuel.games.chess.fen import NO_RIGHT, right_of, turn_to
from samuel.games.chess.packed import (
    CODE,
    PACKED_GAMES,
    RESULT,
    move_of,
    note,
    number_at,
    positions_format,
    signed,
)
from samuel.games.chess.squares import KING, QUEEN, SQUARES, THEIRS
from samuel.games.rules import NO_MOVE, Row
from samuel.kernels.bits import ZERO, bit
from samuel.kernels.jit import jit

_SIZE, _BITS = 40, 256
_RIGHTS = np.frombuffer(b"KQkq", np.uint8).astype(np.int64)


@jit
def _bits(record: Any, at: int, count: int) -> int:
    """Return up to 8 bits from a place on, which is before the 257th."""
    byte = at >> 3
    return (number_at(record, byte) >> (at & 7)) & ((1 << count) - 1)


@jit
def _read_pieces(record: Any, row: Row) -> int:
    """Fill in the pieces as White sees them; return the place behind them, or -1."""
    row[:] = ZERO
    white, black = _bits(record, int64(1), 6), _bits(record, int64(7), 6)
    row[2 * KING], row[2 * KING + THEIRS] = bit(white), bit(black)
    at = int64(13)
    for k in range(SQUARES):
        square = k ^ 56
        if square in (white, black):
            continue
        if at > _BITS - 5:
            return int64(-1)
        code = _bits(record, at, 5)
        if code & 1 == 0:
            at += 1
            continue
        kind = (code >> 1) & 7
        if kind > QUEEN:
            return int64(-1)
        row[2 * kind + (code >> 4)] |= bit(square)
        at += 5
    return at


@jit
def _read_position(record: Any, row: Row) -> tuple[int, int]:
    """Fill in a position; return the number of its fault, and the side to move."""
    side, at = _bits(record, int64(0), 1), _read_pieces(record, row)
    if at < 0 or at > _BITS - 11:
        return int64(CODE), side
    rights, target, missing = ZERO, ZERO, False
    for k in range(4):
        if _bits(record, at + k, 1):
            right = right_of(row, int64(_RIGHTS[k]))
            missing = missing or right == ZERO
            rights |= right
    if _bits(record, at + 4, 1):
        target = bit(_bits(record, at + 5, 6))
    fault = turn_to(side, rights, target, row)
    return fault or int64(missing) * int64(NO_RIGHT), side


@jit
def _move(record: Any) -> int:
    """Return the move; NO_MOVE where it goes nowhere, as Stockfish's MOVE_NONE and MOVE_NULL."""
    move = number_at(record, 34)
    end, start, kind = move & 63, (move >> 6) & 63, move >> 14
    if start == end:
        return int64(NO_MOVE)
    return move_of(start, end, (move >> 12) & 3, kind == 1, kind == 3)


@jit(int64(uint8[:, ::1], PACKED_GAMES))
def _read(records: Any, packed: Any) -> int:
    n = int64(0)
    for i in range(records.shape[0]):
        record = records[i]
        fault, side = _read_position(record, packed.starts[n])
        result = (int64(record[38]) ^ 128) - 128
        if fault == 0 and abs(result) > 1:
            fault = int64(RESULT)
        ply = number_at(record, 36)
        note(packed, i, n, fault, _SIZE * i, side, ply, result * (1 - 2 * side))
        packed.moves[n], packed.scores[n] = _move(record), signed(number_at(record, 32))
        packed.ends[n] = n + 1
        n += int64(fault == 0)
    return n


FORMATS = (positions_format("bin", _SIZE, _read),)
