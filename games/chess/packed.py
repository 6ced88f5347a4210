"""What binary files of chess have in common: boards of nibbles, moves of 16 bits, games in arrays.

All squares are numbered from a1 (0) along the ranks to h8 (63).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int8, int16, int32, int64, uint64
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.common.text_files import open_file
from samuel.games.chess.fen import FAULTS
from samuel.games.chess.moves import CASTLING, KIND_OF_MOVE
from samuel.games.chess.squares import KING, ROOK, SQUARES, UP, WORDS
from samuel.games.records import Records, Refusals
from samuel.games.rules import Row
from samuel.kernels.bits import ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit
from samuel.kernels.records import allocate, array, array_type, record

CODE, RESULT, OTHER_KINGS = range(len(FAULTS), len(FAULTS) + 3)
REASONS = (
    *FAULTS,
    *("a code of a piece is unknown", "the result is unknown"),
    "the squares of the kings are not those of the pieces",
)
"""Why a board is refused, by the number of a fault; 0 is none."""
PASSED, WHITE_CASTLES, BLACK_CASTLES, BLACK_MOVES = 12, 13, 14, 15
"""Codes of a pawn that just went two squares, of rooks that may castle, of the king to move; codes
below are those of words of a position (squares.py)."""
_NO_SCORE = 32002
"""Stockfish's VALUE_NONE."""
_CENTI = 100.0
_LATEST = 30_000
"""Ply of a beginning at most, so that those of the game are numbers of 16 bits."""
_AT_ONCE = 1 << 14
"""Records of one size that are read at once."""


@record
class PackedGames(NamedTuple):
    """Games, or positions, of a part of a file; the arrays from `starts` on have only the sound."""

    faults: Any = array(int8, ("games",), "fault of each game, sound or not: a number of REASONS")
    places: Any = array(int64, ("games",), "its first byte in the part")
    starts: Any = array(uint64, ("games", "words"), "where it begins")
    plies: Any = array(int16, ("games",), "plies before")
    sides: Any = array(int8, ("games",), "whose turn it is")
    results: Any = array(float32, ("games",), "1, 0 or -1 for White")
    ends: Any = array(int64, ("games",), "number of moves up to its end")
    moves: Any = array(int32, ("moves",), "moves of all games")
    scores: Any = array(int16, ("moves",), "score before each, for the side to move, as written")


PACKED_GAMES = array_type(PackedGames)


def new_games(games: int, moves: int) -> PackedGames:
    """Return room for so many games and moves."""
    return allocate(PackedGames, {"games": games, "words": WORDS, "moves": moves})


def records_in(
    packed: PackedGames, found: int, sound: int, place: int, most: float, are_positions: bool
) -> Records:
    """Return the sound games, and why the others of `found` are refused."""
    faults, places = packed.faults[:found], place + packed.places[:found]
    refused = Refusals()
    for fault in np.unique(faults[faults != 0]).tolist():
        those = places[faults == fault]
        refused.add(REASONS[fault], int(those[0]), len(those))
    moves = int(packed.ends[sound - 1]) if sound else 0
    scores = packed.scores[:moves].astype(np.float32)
    scores[np.abs(scores) == _NO_SCORE] = np.nan
    return Records(
        *(packed.starts[:sound], packed.plies[:sound], packed.sides[:sound]),
        *(packed.moves[:moves], packed.ends[:sound]),
        np.float32(most) * packed.results[:sound],
        dict(refused.counts),
        may_stop=True,
        lines=places[faults == 0],
        first_refused=refused.first,
        place="byte",
        scores=np.clip(scores / np.float32(_CENTI), -most, most),
        are_positions=are_positions,
    )


def blocks_of(path: Path, size: int) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Yield records (n, size) of a file of records of one size, and the place of the first."""
    with open_file(path) as stream:
        place = 0
        while block := stream.read(_AT_ONCE * size):
            if len(block) % size:
                raise cut_off(path, place + len(block) // size * size)
            yield place, np.frombuffer(block, np.uint8).reshape(-1, size).copy()
            place += len(block)


def positions_in(
    path: Path, size: int, read: Callable[[Any, PackedGames], int], most: float
) -> Iterator[Records]:
    """Yield the positions of a file of records of one size, by a kernel that reads records."""
    for place, boards in blocks_of(path, size):
        packed = new_games(len(boards), len(boards))
        sound = read(boards, packed)
        yield records_in(packed, len(boards), sound, place, most, True)


def looks_like(start: bytes, size: int, read: Callable[[Any, PackedGames], int]) -> bool:
    """Return whether most records at the start of a file are sound; text has no zeros."""
    n = len(start) // size
    if not n or b"\0" not in start:
        return False
    boards = np.frombuffer(start, np.uint8, n * size).reshape(n, size).copy()
    return 2 * read(boards, new_games(n, n)) > n


def cut_off(path: Path, place: int) -> UserError:
    """Return the error that a file ends within what begins at a place."""
    return UserError(f"{path} is cut off: what begins at byte {place} is not whole")


@jit
def word_at(data: Any, at: int) -> Word:
    """Return the 64 bits at a place, the lowest byte first."""
    found = ZERO
    for k in range(8):
        found |= np.uint64(data[at + k]) << np.uint64(8 * k)
    return found


@jit
def number_at(data: Any, at: int) -> int:
    """Return the 16 bits at a place, the lower byte first."""
    return int64(data[at]) | int64(data[at + 1]) << 8


@jit
def signed(number: int) -> int:
    """Return 16 bits as a number with a sign."""
    return ((number + (1 << 15)) & ((1 << 16) - 1)) - (1 << 15)


@jit
def read_board(
    occupied: Word, data: Any, at: int, codes: Any, row: Row
) -> tuple[int, int, Word, Word]:
    """Fill in the pieces as White sees them, from a nibble for each square that is occupied.

    Returns the number of a fault, the side to move, and the squares of rights and en passant.
    """
    row[:] = ZERO
    side, rights, target = int64(0), ZERO, ZERO
    if popcount(occupied) > 32:
        return int64(CODE), side, rights, target
    k = int64(0)
    while occupied:
        square = trailing_zeros(occupied)
        here = bit(square)
        code = int64(codes[(data[at + k // 2] >> (4 * (k & 1))) & 15])
        if code < 0:
            return int64(CODE), side, rights, target
        if code == PASSED:
            code = int64(square >= SQUARES // 2)
            target |= here << UP if code else here >> UP
        elif code in (WHITE_CASTLES, BLACK_CASTLES):
            code += 2 * ROOK - WHITE_CASTLES
            rights |= here
        elif code == BLACK_MOVES:
            code = int64(2 * KING + 1)
            side = int64(1)
        row[code] |= here
        occupied ^= here
        k += 1
    return int64(0), side, rights, target


@jit
def move_of(start: int, end: int, promoted: int, is_promotion: bool, is_castling: bool) -> int:
    """Return a move by its squares, the piece from knight (0) to queen (3), and its kind."""
    kind = int64(0)
    if is_promotion:
        kind = promoted + 1
    elif is_castling:
        kind = int64(CASTLING)
    return kind * KIND_OF_MOVE + SQUARES * start + end


@jit
def note_start(packed: Any, n: int, ply: int, side: int, result: int) -> None:
    """Note what is known of sound game n, but for its moves."""
    packed.plies[n] = min(ply, int64(_LATEST))
    packed.sides[n] = side
    packed.results[n] = result
