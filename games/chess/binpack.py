"""Stockfish's `.binpack`: chains of positions of one game, compressed by their moves.

A file is chunks: `BINP`, a size in 4 bytes (little-endian) and so many bytes of chains. A chain is

    8 bytes   squares that are occupied
    16 bytes  a nibble for each: 2 * kind + colour for pawn 0 to king 5, and packed.PASSED and so on
    2 bytes   move: kind (1 promotes, 2 castles from the king to the rook), start, end (6 bits
              each), piece promoted to
    2 bytes   score for the side to move, centipawns, its sign in the lowest bit
    2 bytes   result for the side to move (2 bits, 2 won, 1 lost), plies before (14 bits)
    2 bytes   plies without a capture or a pawn's move
    2 bytes   number of further positions

and for each of these, the highest bit of a byte first: number of the piece that moves among those
of its side; number of its square among those that it might reach, or of the right by which a king
castles; then, in groups of four bits and one that says whether another follows, the lowest first,
the difference of its score from that before with the other sign. A number among n has the bits that
n - 1 needs. Squares are those of pseudo-legal moves. Numbers are big-endian
(github.com/official-stockfish/Stockfish, branch tools, docs/binpack.md; nnue-pytorch reads so).
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
from samuel.games.chess.moves import (
    list_legal,
    pieces_of,
    takers_en_passant,
)
from samuel.games.chess.packed import (
    CENTI,
    PACKED_GAMES,
    REASONS,
    RESULT,
    cut_off,
    move_of,
    new_games,
    note,
    read_board,
    records_in,
    signed,
    word_at,
)
from samuel.games.chess.rules import play
from samuel.games.chess.squares import (
    BISHOP,
    BLACK_TO_MOVE,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    PAWN,
    QUEEN,
    RANK_1,
    ROOK,
    STATE,
    THEIRS,
    UP,
    WORDS,
    bishop_attacks,
    pawn_attacks,
    rook_attacks,
)
from samuel.games.game import Game
from samuel.games.playing import is_among
from samuel.games.records import GAMES_AT_ONCE, RecordFormat, Records
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, swapped_bytes, trailing_zeros
from samuel.kernels.jit import jit

_MAGIC, _MOST_BYTES = b"BINP", 100 << 20
"""Start of a chunk, and its largest size (that of Stockfish)."""
_CHAIN, _MOST_PLIES, _ROOM = 34, 1 << 16, 1 << 18
_CODES = np.arange(16, dtype=np.int8)
_CUT_OFF, _ILLEGAL = len(REASONS), len(REASONS) + 1
_REASONS = (*REASONS, "it ends too late", "illegal move")
_RANK_2, _RANK_7 = np.uint64(0xFF << 8), np.uint64(0xFF << 48)


@jit
def _big(data: Any, at: int) -> int:
    return int64(data[at]) << 8 | int64(data[at + 1])


@jit
def _with_sign(number: int) -> int:
    """Return a number whose lowest bit is its sign."""
    return -(number >> 1) - 1 if number & 1 else number >> 1


@jit
def _bits(data: Any, cursor: Any, count: int) -> int:
    """Return up to 8 bits, and go on behind them; there are two bytes behind all chains."""
    at = cursor[0]
    cursor[0] += count
    window = _big(data, min(at >> 3, int64(len(data)) - 2))
    return (window >> (16 - (at & 7) - count)) & ((1 << count) - 1)


@jit
def _one_of(data: Any, cursor: Any, n: int) -> int:
    """Return a number among n."""
    count = int64(0)
    while 1 << count < n:
        count += 1
    return _bits(data, cursor, count)


@jit
def _difference(data: Any, cursor: Any) -> int:
    """Return the difference of a score from the one before."""
    found = shift = int64(0)
    while shift < 16:
        group = _bits(data, cursor, 5)
        found |= (group & 15) << shift
        if group < 16:
            break
        shift += 4
    return _with_sign(found)


@jit
def _nth(squares: Word, n: int) -> int:
    """Return the square that n others of a set are below; 64 for none."""
    for _ in range(n):
        squares &= squares - ONE
    return trailing_zeros(squares)


@jit
def _passed(position: Row, occupied: Word, square: int) -> Word:
    """Return the square that a pawn has just gone over, where the format has it captured there.

    This is nnue-pytorch's `isEpPossible`: no slider may attack the king afterwards, but both
    squares of the pawn that is captured count as occupied.
    """
    target = bit(square)
    king, queens = trailing_zeros(position[2 * KING]), position[2 * QUEEN + THEIRS]
    straight, slanting = (
        position[2 * ROOK + THEIRS] | queens,
        position[2 * BISHOP + THEIRS] | queens,
    )
    takers = takers_en_passant(position, target)
    while takers:
        start = takers & (~takers + ONE)
        after = (occupied | target | target << UP) & ~start
        if (rook_attacks(king, after) & straight) | (
            bishop_attacks(king, after) & slanting
        ) == ZERO:
            return target
        takers ^= start
    return ZERO


@jit
def _reached(
    position: Row, kind: int, square: int, occupied: Word, own: Word, target: Word
) -> Word:
    """Return the squares that a piece of the mover might reach."""
    here = bit(square)
    if kind == PAWN:
        found = pawn_attacks(here) & ((occupied & ~own) | target)
        once = (here << UP) & ~occupied
        twice = ((once & (_RANK_2 << UP)) << UP) & ~occupied
        return found | once | twice
    found = ZERO
    if kind == KNIGHT:
        found = KNIGHT_ATTACKS[square]
    elif kind == KING:
        found = KING_ATTACKS[square]
    if kind in (BISHOP, QUEEN):
        found |= bishop_attacks(square, occupied)
    if kind in (ROOK, QUEEN):
        found |= rook_attacks(square, occupied)
    return found & ~own


@jit
def _seen(squares: Word, flip: int) -> Word:
    """Return squares of the mover as White sees them."""
    return swapped_bytes(squares) if flip else squares


@jit
def _read_move(position: Row, passed: int, data: Any, cursor: Any) -> int:
    """Return the next move; -1 where there is none of its number."""
    flip = int64(position[BLACK_TO_MOVE]) * int64(56)
    own = pieces_of(position, 0)
    occupied = own | pieces_of(position, THEIRS)
    start = _nth(_seen(own, flip), _one_of(data, cursor, popcount(own)))
    if start > 63:
        return int64(-1)
    here, kind = bit(start ^ flip), int64(PAWN)
    while position[2 * kind] & here == ZERO:
        kind += 1
    target = _passed(position, occupied, passed ^ flip) if passed >= 0 else ZERO
    reached = _seen(_reached(position, kind, start ^ flip, occupied, own, target), flip)
    n = popcount(reached)
    if kind == PAWN and here & _RANK_7:
        number = _one_of(data, cursor, 4 * n)
        end = _nth(reached, number >> 2)
        return move_of(start, end, number & 3, True, False) if end < 64 else int64(-1)
    rights = _seen(position[STATE] & RANK_1, flip) if kind == KING else ZERO
    number = _one_of(data, cursor, n + popcount(rights))
    end = _nth(reached, number) if number < n else _nth(rights, number - n)
    return move_of(start, end, int64(0), False, number >= n) if end < 64 else int64(-1)


@jit
def _gone_over(position: Row, move: int) -> int:
    """Return the square that a pawn goes over with two steps, as White sees it; -1 for none."""
    start, end = (move >> 6) & 63, move & 63
    flip = int64(position[BLACK_TO_MOVE]) * int64(56)
    is_pawn = position[2 * PAWN] & bit(start ^ flip) != ZERO
    return (start + end) // 2 if is_pawn and abs(end - start) == 16 else int64(-1)


@jit
def _read_further(
    data: Any, cursor: Any, packed: Any, m: int, count: int, room: Any, listed: Any
) -> bool:
    """Read the moves behind move m, of the position in `room[0]`; return whether all are legal."""
    position, child = room[0], room[1]
    for k in range(m, m + count):
        move = int64(packed.moves[k])
        if not is_among(listed, list_legal(position, False, listed), move):
            return False
        passed = _gone_over(position, move)
        play(position, move, child)
        position, child = child, position
        packed.moves[k + 1] = _read_move(position, passed, data, cursor)
        packed.scores[k + 1] = signed(_difference(data, cursor) - packed.scores[k])
    last, n = int64(packed.moves[m + count]), list_legal(position, False, listed)
    return count == 0 or is_among(listed, n, last)


@jit
def _read_stem(data: Any, at: int, packed: Any, n: int, m: int) -> tuple[int, int]:
    """Fill in where chain n begins, and its first move m; return a fault and the moves behind."""
    row, occupied = packed.starts[n], swapped_bytes(word_at(data, at))
    fault, side, rights, target = read_board(occupied, data, at + 8, _CODES, row)
    fault = fault or turn_to(side, rights, target, row)
    move, about = _big(data, at + 24), _big(data, at + 28)
    if fault == 0 and about >> 14 == 3:
        fault = int64(RESULT)
    result = _with_sign(about >> 14) * (1 - 2 * side)
    note(packed, n, n, fault, at, side, about & 0x3FFF, result)
    kind = move >> 14
    packed.moves[m] = move_of((move >> 8) & 63, (move >> 2) & 63, move & 3, kind == 1, kind == 2)
    packed.scores[m] = _with_sign(_big(data, at + 26))
    return fault, _big(data, at + 32)


@jit(types.UniTuple(int64, 3)(uint8[::1], int64, PACKED_GAMES))
def _read(data: Any, at: int, packed: Any) -> tuple[int, int, int]:
    """Read chains from a place on, as many as there is room for.

    Returns how many there are, the place behind, and the number of the fault that is there.
    """
    room, listed = np.zeros((2, WORDS), np.uint64), np.zeros(256, np.int32)
    cursor = np.zeros(1, np.int64)
    size = int64(len(data)) - 2
    n = m = int64(0)
    while at < size and n < len(packed.ends) and m + _MOST_PLIES < len(packed.moves):
        if at + _CHAIN > size:
            return n, at, int64(_CUT_OFF)
        fault, count = _read_stem(data, at, packed, n, m)
        if fault:
            return n, at, fault
        room[0, :] = packed.starts[n]
        cursor[0] = 8 * (at + _CHAIN)
        if not _read_further(data, cursor, packed, m, count, room, listed):
            return n, at, int64(_ILLEGAL)
        m += 1 + count
        packed.ends[n] = m
        n, at = n + 1, (cursor[0] + 7) >> 3
        if at > size:
            return n, packed.places[n - 1], int64(_CUT_OFF)
    return n, at, int64(0)


def _read_binpack(path: Path, game: Game) -> Iterator[Records]:
    """Yield the chains of a file as games, which may stop anywhere."""
    place = 0
    with open_file(path) as stream:
        while header := stream.read(8):
            size = int.from_bytes(header[4:], "little")
            if len(header) < 8 or not header.startswith(_MAGIC) or size > _MOST_BYTES:
                raise UserError(f"{path} is damaged: no chunk of chains begins at byte {place}")
            content, place = stream.read(size), place + 8
            if len(content) < size:
                raise cut_off(path, place - 8)
            data, at = np.frombuffer(content + bytes(2), np.uint8).copy(), 0
            while at < size:
                packed = new_games(GAMES_AT_ONCE, _ROOM)
                found, at, fault = _read(data, at, packed)
                if fault:
                    reason = f"the chain at byte {place + at}: {_REASONS[fault]}"
                    raise UserError(f"{path} is damaged in {reason}")
                yield records_in(packed, found, found, place, game)
            place += size


FORMATS = (
    RecordFormat(
        *("binpack", "binpack", lambda start: start[:4] == _MAGIC, _read_binpack), score_unit=CENTI
    ),
)
