"""viriformat, whole games (github.com/cosmobobak/viriformat).

A game is a board of 32 bytes, as marlinformat has it, moves with scores, and four zeros:

    8 bytes   squares that are occupied
    16 bytes  a nibble for each: pawn 0 to king 5, a rook that may castle 6, and 8 for Black
    1 byte    square of a capture en passant, or 64; and 128 if Black is to move
    1 byte    plies without a capture or a pawn's move
    2 bytes   number of the move
    2 bytes   score of the board
    1 byte    result: 0 Black won, 1 drawn, 2 White won
    1 byte    nothing

A move has 2 bytes: start, end (6 bits each), piece promoted to, kind (2 castles from the king to
the rook, 3 promotes); its score has 2: White's centipawns. Numbers are little-endian. A record
that begins with 8 zeros is an extension (number and length in 2 bytes each, content, four zeros),
which is read over.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba import int64, types, uint8

from samuel.common.errors import UserError
from samuel.common.text_files import open_file
from samuel.games.chess.fen import turn_to
from samuel.games.chess.packed import (
    PACKED_GAMES,
    RESULT,
    cut_off,
    move_of,
    new_games,
    note_start,
    number_at,
    read_board,
    records_in,
    signed,
    word_at,
)
from samuel.games.chess.squares import SQUARES
from samuel.games.game import Game
from samuel.games.records import RecordFormat, Records
from samuel.games.rules import Row
from samuel.kernels.bits import ZERO, bit
from samuel.kernels.jit import jit

_BOARD, _MOVE, _EXTENSION = 32, 4, 12
_CODES = np.array([0, 2, 4, 6, 8, 10, 13, -1, 1, 3, 5, 7, 9, 11, 14, -1], np.int8)
_BLOCK = 1 << 20
"""Bytes that are read at once; no game or extension has more."""


@jit
def _end_of(data: Any, at: int) -> int:
    """Return the place behind a game or an extension; -1 where it is not whole."""
    size = int64(len(data))
    if at + _BOARD + _MOVE > size and at + _EXTENSION + _MOVE > size:
        return int64(-1)
    if word_at(data, at) == ZERO:
        at += _EXTENSION + number_at(data, at + 10)
        return at + _MOVE if at + _MOVE <= size else int64(-1)
    at += _BOARD
    while at + _MOVE <= size:
        if number_at(data, at) == 0 and number_at(data, at + 2) == 0:
            return at + _MOVE
        at += _MOVE
    return int64(-1)


@jit
def _read_start(data: Any, at: int, row: Row) -> tuple[int, int]:
    """Fill in where a game begins; return the number of a fault, and the side to move."""
    fault, _, rights, target = read_board(word_at(data, at), data, at + 8, _CODES, row)
    side, passed = int64(data[at + 24] >> 7), int64(data[at + 24] & 127)
    if passed < SQUARES:
        target = bit(passed)
    if fault == 0:
        fault = turn_to(side, rights, target, row)
    if fault == 0 and data[at + 30] > 2:
        fault = int64(RESULT)
    return fault, side


@jit(types.UniTuple(int64, 3)(uint8[::1], PACKED_GAMES))
def _read(data: Any, packed: Any) -> tuple[int, int, int]:
    """Read whole games; return how many there are, how many are sound, and the place behind."""
    found = n = m = at = int64(0)
    end = _end_of(data, at)
    while end >= 0:
        if word_at(data, at) != ZERO:
            fault, side = _read_start(data, at, packed.starts[n])
            packed.faults[found], packed.places[found] = fault, at
            found += 1
            if fault == 0:
                ply = 2 * max(number_at(data, at + 26) - 1, 0) + side
                note_start(packed, n, ply, side, int64(data[at + 30]) - 1)
                for place in range(at + _BOARD, end - _MOVE, _MOVE):
                    move, score = number_at(data, place), signed(number_at(data, place + 2))
                    kind, promoted = move >> 14, (move >> 12) & 3
                    squares = move & 63, (move >> 6) & 63
                    packed.moves[m] = move_of(*squares, promoted, kind == 3, kind == 2)
                    packed.scores[m] = max(-score, -32767) if side else score
                    side, m = 1 - side, m + 1
                packed.ends[n] = m
                n += 1
        at = end
        end = _end_of(data, at)
    return found, n, at


def _games(data: bytes) -> tuple[Any, int, int, int]:
    games = new_games(len(data) // (_BOARD + _MOVE) + 1, len(data) // _MOVE)
    return games, *_read(np.frombuffer(data, np.uint8).copy(), games)


def read_viriformat(path: Path, game: Game) -> Iterator[Records]:
    """Yield the games of a file."""
    with open_file(path) as stream:
        place, rest = 0, b""
        while block := stream.read(_BLOCK - len(rest)):
            packed, found, sound, used = _games(rest + block)
            if not used and len(rest + block) == _BLOCK:
                raise UserError(f"{path} is damaged: the game at byte {place} has no end")
            yield records_in(packed, found, sound, place, game.scores.max_utility, False)
            place, rest = place + used, (rest + block)[used:]
    if rest:
        raise cut_off(path, place)


def _is_viriformat(start: bytes) -> bool:
    if b"\0" not in start:
        return False
    _, found, sound, _ = _games(start)
    return 2 * sound > found


FORMAT = RecordFormat("viriformat", "viriformat", _is_viriformat, read_viriformat)
