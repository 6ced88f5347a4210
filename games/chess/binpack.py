"""Stockfish's `.binpack`: chains of positions of one game, compressed by their moves.

A file is chunks: `BINP`, a size in 4 bytes (little-endian) and so many bytes of chains. A chain is

    24 bytes  a board of nibbles: 2 * kind + colour for pawn 0 to king 5, and packed.PASSED etc.
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
from numba import int16, int32, int64, types, uint8
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.common.text_files import open_file
from samuel.games.chess.moves import attackers_of, list_legal, pieces_of, takers_en_passant
from samuel.games.chess.packed import (
    CENTI,
    REASONS,
    RESULT,
    Packed,
    cut_off,
    move_of,
    read_board,
    records_of,
)
from samuel.games.chess.rules import play
from samuel.games.chess.squares import (
    BISHOP,
    BLACK_TO_MOVE,
    KING,
    KING_ATTACKS,
    PAWN,
    STATE,
    THEIRS,
    UP,
    WORDS,
    attacks_of,
    pawn_attacks,
)
from samuel.games.game import Game
from samuel.games.playing import is_among
from samuel.games.records import GAMES_AT_ONCE, RecordFormat, Records
from samuel.games.rules import ROWS, Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, swapped_bytes, trailing_zeros
from samuel.kernels.jit import jit

_STEM = np.dtype(
    [
        *(("occupied", ">u8"), ("nibbles", "u1", 16), ("move", ">u2"), ("score", ">u2")),
        *(("about", ">u2"), ("clock", ">u2"), ("further", ">u2")),
    ]
)
_SIZE = _STEM.itemsize
_MAGIC, _MOST_BYTES = b"BINP", 100 << 20
"""Start of a chunk, and its largest size (that of Stockfish)."""
_MOST_PLIES, _ROOM = 1 << 16, 1 << 18
_CODES = np.arange(16, dtype=np.int8)
_CUT_OFF, _ILLEGAL = len(REASONS), len(REASONS) + 1
_REASONS = (*REASONS, "it ends too late", "illegal move")
_move_of = jit(move_of)


@jit
def _big(data: Any, at: int) -> int:
    """Return the 16 bits at a place."""
    return int64(data[at]) << 8 | int64(data[at + 1])


@jit
def _with_sign(number: int) -> int:
    """Return a number whose lowest bit is its sign."""
    return -(number >> 1) - 1 if number & 1 else number >> 1


@jit
def _bits(data: Any, cursor: Any, count: int) -> int:
    """Return up to 8 bits, and move the cursor behind them; behind the data are zeros."""
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
    found = int64(0)
    for shift in range(0, 16, 4):
        group = _bits(data, cursor, 5)
        found |= (group & 15) << shift
        if group < 16:
            break
    return _with_sign(found)


@jit
def _nth(found: Word, n: int) -> int:
    """Return the square that n others of a set are below; 64 for none."""
    for _ in range(n):
        found &= found - ONE
    return trailing_zeros(found)


@jit
def _passed(position: Row, occupied: Word, flip: int, before: int) -> Word:
    """Return the square that a pawn went over, where the format has it captured there.

    This is nnue-pytorch's `isEpPossible`: no slider may attack the king afterwards, but both
    squares of the pawn that is captured count as occupied.
    """
    start, end = ((before >> 6) & 63) ^ flip, (before & 63) ^ flip
    if start - end != 16 or position[2 * PAWN + THEIRS] & bit(end) == ZERO:
        return ZERO
    target, king, sliders = bit(end) << UP, trailing_zeros(position[2 * KING]), ZERO
    for kind in range(BISHOP, KING):
        sliders |= position[2 * kind + THEIRS]
    takers = takers_en_passant(position, target)
    while takers:
        taker = takers & (~takers + ONE)
        after = (occupied | target | target << UP) & ~taker
        if attackers_of(position, king, after) & sliders == ZERO:
            return target
        takers ^= taker
    return ZERO


@jit
def _reached(position: Row, kind: int, square: int, occupied: Word, passed: Word) -> Word:
    """Return the squares that a piece of the mover might reach."""
    here, own = bit(square), pieces_of(position, 0)
    if kind == PAWN:
        once = (here << UP) & ~occupied
        twice = (once << UP) & ~occupied if square < 16 else ZERO
        return (pawn_attacks(here) & ((occupied & ~own) | passed)) | once | twice
    if kind == KING:
        return KING_ATTACKS[square] & ~own
    return attacks_of(kind - 1, square, occupied) & ~own


@jit
def _read_move(position: Row, before: int, data: Any, cursor: Any) -> int:
    """Return the move behind one; it may be illegal, and is -1 where none has its number."""
    flip, own = int64(position[BLACK_TO_MOVE]) * int64(56), pieces_of(position, 0)
    occupied = own | pieces_of(position, THEIRS)
    start = _nth(_seen(own, flip), _one_of(data, cursor, popcount(own)))
    if start > 63:
        return int64(-1)
    kind = int64(PAWN)
    while position[2 * kind] & bit(start ^ flip) == ZERO:
        kind += 1
    passed = _passed(position, occupied, flip, before)
    reached = _seen(_reached(position, kind, start ^ flip, occupied, passed), flip)
    rights = _seen(position[STATE] & own, flip) if kind == KING else ZERO
    n, promotes = popcount(reached), kind == PAWN and (start ^ flip) >= 48
    number = _one_of(data, cursor, 4 * n if promotes else n + popcount(rights))
    promoted, castles = number & 3, number >= n and not promotes
    if promotes:
        number >>= 2
    end = _nth(rights, number - n) if castles else _nth(reached, number)
    return _move_of(start, end, promoted, promotes, castles) if end < 64 else int64(-1)


@jit
def _seen(found: Word, flip: int) -> Word:
    """Return squares of the mover as White sees them."""
    return swapped_bytes(found) if flip else found


@jit
def _read_chain(data: Any, cursor: Any, room: Any, listed: Any, moves: Any, scores: Any) -> bool:
    """Read all but the first move from `room[0]` on; return whether those before are legal."""
    position, child = room[0], room[1]
    for k in range(len(moves) - 1):
        move = int64(moves[k])
        if not is_among(listed, list_legal(position, False, listed), move):
            return False
        play(position, move, child)
        position, child = child, position
        moves[k + 1] = _read_move(position, move, data, cursor)
        scores[k + 1] = int16(_difference(data, cursor) - scores[k])
    return True


@jit(
    types.UniTuple(int64, 3)(
        uint8[::1], int64, ROWS, int64[::1], int64[::1], int32[::1], int16[::1]
    )
)
def _read(
    data: Any, at: int, starts: Any, places: Any, ends: Any, moves: Any, scores: Any
) -> tuple[int, int, int]:
    """Read chains from a place on, as many as there is room for.

    Returns how many there are, the place behind, and the number of the fault that is there.
    """
    room, listed = np.zeros((2, WORDS), np.uint64), np.zeros(256, np.int32)
    cursor = np.zeros(1, np.int64)
    size = int64(len(data)) - _SIZE
    n = m = int64(0)
    while at < size and n < len(ends) and m + _MOST_PLIES < len(moves):
        occupied = ZERO
        for k in range(8):
            occupied = occupied << UP | np.uint64(data[at + k])
        fault = read_board(occupied, data[at + 8 :], _CODES, int64(0), ZERO, starts[n])
        if fault:
            return n, at, fault
        move = _big(data, at + 24)
        kind, end = move >> 14, m + 1 + _big(data, at + 32)
        moves[m] = _move_of((move >> 8) & 63, (move >> 2) & 63, move & 3, kind == 1, kind == 2)
        scores[m] = int16(_with_sign(_big(data, at + 26)))
        places[n], ends[n], room[0, :], cursor[0] = at, end, starts[n], 8 * (at + _SIZE)
        if not _read_chain(data, cursor, room, listed, moves[m:end], scores[m:end]):
            return n, at, int64(_ILLEGAL)
        n, m, at = n + 1, end, (cursor[0] + 7) >> 3
        if at > size:
            return n, places[n - 1], int64(_CUT_OFF)
    return n, at, int64(0)


def _chains(data: NDArray[np.uint8], at: int) -> tuple[Packed, int, int]:
    """Return chains from a place on, the place behind, and the number of the fault there."""
    starts = np.zeros((GAMES_AT_ONCE, WORDS), np.uint64)
    places, ends = np.zeros((2, GAMES_AT_ONCE), np.int64)
    moves, scores = np.zeros(_ROOM, np.int32), np.zeros(_ROOM, np.int16)
    n, at, fault = _read(data, at, starts, places, ends, moves, scores)
    starts, places, lengths = starts[:n], places[:n], np.diff(ends[:n], prepend=0)
    about = data[places[:, None] + np.arange(_SIZE)].view(_STEM)["about"].ravel()
    result = np.array([0, -1, 1, 0])[about >> 14]
    faults = np.where(about >> 14 == 3, RESULT, 0)
    results, m = np.where(starts[:, BLACK_TO_MOVE] == ONE, -result, result), sum(lengths)
    packed = Packed(
        *(places, starts, faults, about & 0x3FFF, results, lengths, moves[:m], scores[:m])
    )
    return packed, at, fault


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
            data, at = np.frombuffer(content + bytes(_SIZE), np.uint8).copy(), 0
            while at < size:
                packed, at, fault = _chains(data, at)
                if fault:
                    reason = f"the chain at byte {place + at}: {_REASONS[fault]}"
                    raise UserError(f"{path} is damaged in {reason}")
                yield records_of(packed, place, game)
            place += size


FORMATS = (
    RecordFormat(
        *("binpack", "binpack", lambda start: start[:4] == _MAGIC, _read_binpack), score_unit=CENTI
    ),
)
