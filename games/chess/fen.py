"""FEN, read from many texts at once by compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int8, int16, int64, types, uint8
from numpy.typing import NDArray

from samuel.games.chess.moves import pieces_of
from samuel.games.chess.sound import EN_PASSANT, REASONS, fault_of, is_passable
from samuel.games.chess.squares import (
    BLACK_TO_MOVE,
    KING,
    PAWN,
    ROOK,
    SIZE,
    STATE,
    THEIRS,
    UP,
    WORDS,
)
from samuel.games.rules import ROWS, Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, swapped_bytes
from samuel.kernels.jit import jit

NOT_FEN, NO_RIGHT = len(REASONS), len(REASONS) + 1
FAULTS = (*REASONS, "not a position in FEN", "a castling right has no king and rook to castle with")
"""Reasons why a text is refused, by the number that `read_fens` gives; 0 is none."""
_BLANK, _SLASH, _DASH, _WHITE, _BLACK = (np.uint8(ord(sign)) for sign in " /-wb")
_ZERO_SIGN, _UPPER, _LOWER = (np.int64(ord(sign)) for sign in "0Aa")
_K, _Q = np.int64(ord("k")), np.int64(ord("q"))
_LONGEST = 120
"""Characters; no FEN has more."""


_PIECES = np.full(256, -1, np.int8)
_PIECES[list(b"PpNnBbRrQqKk")] = range(12)
_RANK = np.uint64(0xFF)


@jit
def _read_board(data: Any, at: int, end: int, row: Row) -> int:
    """Fill in the pieces as White sees them; return the place after the field, or -1."""
    rank, file = int64(SIZE - 1), int64(0)
    while at < end and data[at] != _BLANK:
        sign = data[at]
        digit = int64(sign) - _ZERO_SIGN
        if sign == _SLASH:
            if file != SIZE or rank == 0:
                return int64(-1)
            rank, file = rank - 1, int64(0)
        elif 1 <= digit <= SIZE:
            file += digit
            if file > SIZE:
                return int64(-1)
        else:
            word = int64(_PIECES[sign])
            if word < 0 or file >= SIZE:
                return int64(-1)
            row[word] |= bit(SIZE * rank + file)
            file += 1
        at += 1
    return int64(at) if rank == 0 and file == SIZE else int64(-1)


@jit
def right_of(row: Row, sign: int) -> Word:
    """Return the rook, as White sees it, that a sign of the castling field means; 0 for none."""
    is_black = sign >= _LOWER
    letter = sign if is_black else sign + _LOWER - _UPPER
    shift = np.uint64(56 if is_black else 0)
    kings = (row[2 * KING + int64(is_black)] >> shift) & _RANK
    rooks = (row[2 * ROOK + int64(is_black)] >> shift) & _RANK
    if kings == ZERO:
        return ZERO
    if letter == _K:
        rooks &= ~(kings | (kings - ONE))
        while rooks & (rooks - ONE):
            rooks &= rooks - ONE
    elif letter == _Q:
        rooks &= kings - ONE
        rooks &= ~rooks + ONE
    elif 0 <= letter - _LOWER < SIZE:
        rooks &= bit(letter - _LOWER)
    else:
        return ZERO
    return rooks << shift


@jit
def _next(data: Any, at: int, end: int) -> int:
    """Return the place of the next field."""
    while at < end and data[at] == _BLANK:
        at += 1
    return int64(at)


@jit
def _whole_number(data: Any, at: int, end: int) -> int:
    """Return the number of digits that begins there; -1 for none."""
    number = int64(-1)
    while at < end and 0 <= int64(data[at]) - _ZERO_SIGN <= 9 and number < 100_000:
        number = 10 * max(number, int64(0)) + int64(data[at]) - _ZERO_SIGN
        at += 1
    return number


@jit
def _after_field(data: Any, at: int, end: int) -> int:
    while at < end and data[at] != _BLANK:
        at += 1
    return _next(data, at, end)


@jit
def _is_dash(data: Any, at: int, end: int) -> bool:
    """Return whether the field that begins there is a dash, for nothing."""
    return at < end and data[at] == _DASH and (at + 1 == end or data[at + 1] == _BLANK)


@jit
def _read_fen(data: Any, at: int, end: int, row: Row) -> tuple[int, int]:
    """Fill in a position; return the number of its fault, and the plies before it."""
    if end - at > _LONGEST:
        return int64(NOT_FEN), int64(0)
    at = _read_board(data, at, end, row)
    if at < 0:
        return int64(NOT_FEN), int64(0)
    at = _next(data, at, end)
    if at >= end or (data[at] != _WHITE and data[at] != _BLACK):
        return int64(NOT_FEN), int64(0)
    side = int64(data[at] == _BLACK)
    at += 1
    if at < end and data[at] != _BLANK:
        return int64(NOT_FEN), int64(0)
    at = _next(data, at, end)
    rights, target, missing = ZERO, ZERO, False
    if not _is_dash(data, at, end):
        while at < end and data[at] != _BLANK:
            right = right_of(row, int64(data[at]))
            missing = missing or right == ZERO
            rights |= right
            at += 1
    at = _after_field(data, at, end)
    if at < end and not _is_dash(data, at, end):
        if not 0 <= int64(data[at]) - _LOWER < SIZE or not (
            at + 2 == end or (at + 2 < end and data[at + 2] == _BLANK)
        ):
            return int64(EN_PASSANT), int64(0)
        rank = int64(data[at + 1]) - _ZERO_SIGN - 1
        if rank != (2 if side else 5):
            return int64(EN_PASSANT), int64(0)
        target = bit(SIZE * rank + int64(data[at]) - _LOWER)
    at = _after_field(data, _after_field(data, at, end), end)
    number = _whole_number(data, at, end)
    plies = max(int64(0), 2 * (number - 1) + side)
    fault = turn_to(side, rights, target, row)
    if fault == 0 and missing:
        fault = int64(NO_RIGHT)
    return fault, plies


@jit
def turn_to(side: int, rights: Word, target: Word, row: Row) -> int:
    """Turn the pieces as White sees them to the side to move; return the number of a fault."""
    if side:
        for kind in range(6):
            mine = swapped_bytes(row[2 * kind + THEIRS])
            row[2 * kind + THEIRS] = swapped_bytes(row[2 * kind])
            row[2 * kind] = mine
        rights, target = swapped_bytes(rights), swapped_bytes(target)
    row[STATE], row[BLACK_TO_MOVE] = rights, np.uint64(side)
    fault = fault_of(row)
    if fault == 0 and target:
        fault = _pass(row, target)
    return fault


@jit
def _pass(row: Row, target: Word) -> int:
    """Note a capture en passant if it is legal; return a fault if no pawn can have gone by."""
    occupied = pieces_of(row, 0) | pieces_of(row, THEIRS)
    pushed = (target >> UP) & row[2 * PAWN + THEIRS]
    if pushed == ZERO or occupied & (target | (target << UP)):
        return int64(EN_PASSANT)
    if is_passable(row, occupied, target):
        row[STATE] |= target
        return fault_of(row)
    return int64(0)


@jit(types.void(uint8[::1], int64[::1], ROWS, int8[::1], int16[::1]))
def _read_fens(data: Any, offsets: Any, rows: Any, faults: Any, plies: Any) -> None:
    for i in range(rows.shape[0]):
        fault, before = _read_fen(data, offsets[i], offsets[i + 1], rows[i])
        faults[i] = fault
        plies[i] = min(before, 32767)


def read_fens(
    data: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int8], NDArray[np.int16]]:
    """Return the words (n, 14) of FENs, the numbers of their faults, and the plies before them."""
    n = len(offsets) - 1
    rows, faults = np.zeros((n, WORDS), np.uint64), np.zeros(n, np.int8)
    plies = np.zeros(n, np.int16)
    _read_fens(data, offsets, rows, faults, plies)
    return rows, faults, plies
