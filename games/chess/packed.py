"""Parts that the binary files of chess share: boards of nibbles, moves, and the reading of blocks.

Squares are numbered from a1 (0) along the ranks to h8 (63). A board of nibbles has the 64 squares
that are occupied as 8 bytes, and 16 bytes with a nibble for each, the lowest first.

viriformat: games (github.com/cosmobobak/viriformat).

A game is a board of 32 bytes as marlinformat has it, moves with scores, and four zeros. The board:

    24 bytes  a board of nibbles: pawn 0 to king 5, a rook that may castle 6, and 8 for Black
    1 byte    square of a capture en passant, or 64; and 128 if Black is to move
    5 bytes   clock (1), number of the move (2), score (2)
    1 byte    result: 0 Black won, 1 drawn, 2 White won; then 1 byte of nothing

A move has 2 bytes: start, end (6 bits each), piece promoted to, kind (2 castles from the king to
the rook, 3 promotes); its score has 2: White's centipawns. A record that begins with 8 zeros is an
extension (number and length in 2 bytes each, content, four zeros), which is read over. Numbers are
little-endian.

bulletformat: positions of 32 bytes (ChessBoard of github.com/jw1912/bulletformat).

    24 bytes  a board of nibbles as the side to move sees it: it moves up the board; pawn 0 to king
              5, and 8 for the other side
    2 bytes   score, centipawns
    1 byte    result: 0 lost, 1 drawn, 2 won
    2 bytes   squares of the kings, the other one as its side sees it; then 3 bytes of nothing

Score and result are those of the side to move. Which side that is, rights to castle, a capture en
passant and the number of the move are not known: White is to move. Numbers are little-endian.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import int8, int64, types, uint8, uint64
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.common.text_files import open_file
from samuel.games.chess.fen import FAULTS, turn_to
from samuel.games.chess.moves import CASTLING, KIND_OF_MOVE
from samuel.games.chess.squares import BLACK_TO_MOVE, KING, ROOK, SQUARES, THEIRS, UP, WORDS
from samuel.games.game import Game
from samuel.games.records import RecordFormat, Records, Refusals
from samuel.games.rules import NO_MOVE, ROWS, Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit

CODE, RESULT, OTHER_KINGS = range(len(FAULTS), len(FAULTS) + 3)
REASONS = (
    *(*FAULTS, "a code of a piece is unknown", "the result is unknown"),
    "the squares of the kings are not those of the pieces",
)
"""Why a board is refused, by the number of a fault; 0 is none."""
PASSED, WHITE_CASTLES, BLACK_CASTLES, BLACK_MOVES = 12, 13, 14, 15
"""Codes of a pawn that just went two squares, of rooks that may castle, and of the black king if
Black is to move; codes below are numbers of words of a position (squares.py)."""
BOARD = [("occupied", "<u8"), ("nibbles", "u1", 16)]
"""First fields of a record with a board of nibbles; `result` (0 to 2) is another."""
CENTI, _NO_SCORE = 100.0, 32002
"""Units of a score per pawn; Stockfish's VALUE_NONE."""
_LATEST, _BLOCK = 30_000, 1 << 20
"""Largest ply of a beginning, as plies have 16 bits; bytes that are read at once."""


class Packed(NamedTuple):
    """Games, or positions, of a part of a file, sound or not; the first fields have a row each."""

    places: NDArray[np.int64]  # the first byte of each in the part
    starts: NDArray[np.uint64]  # where it begins
    faults: NDArray[np.int8]  # number of REASONS
    plies: NDArray[Any]  # plies before it
    results: NDArray[Any]  # 1, 0 or -1 for White
    lengths: NDArray[np.int64]  # number of its moves
    moves: NDArray[Any]  # moves of all games
    scores: NDArray[Any]  # score before each move, for the side to move, in the file's units


def records_of(packed: Packed, place: int, game: Game, are_positions: bool = False) -> Records:
    """Return the sound games of a part that begins at a place, and why others are refused."""
    sound, places, refused = packed.faults == 0, place + packed.places, Refusals()
    for fault in np.unique(packed.faults[~sound]).tolist():
        those = places[packed.faults == fault]
        refused.add(REASONS[fault], int(those[0]), len(those))
    of_sound, starts = np.repeat(sound, packed.lengths), packed.starts[sound]
    scores = packed.scores[of_sound].astype(np.float32)
    scores[np.abs(scores) == _NO_SCORE] = np.nan
    return Records(
        starts,
        np.minimum(packed.plies[sound], _LATEST).astype(np.int16),
        starts[:, BLACK_TO_MOVE].astype(np.int8),
        packed.moves[of_sound].astype(np.int32),
        np.cumsum(packed.lengths[sound]),
        packed.results[sound].astype(np.float32) * np.float32(game.scores.max_utility),
        dict(refused.counts),
        may_stop=True,
        lines=places[sound].tolist(),
        first_refused=refused.first,
        place="byte",
        scores=scores,
        are_positions=are_positions,
    )


def cut_off(path: Path, place: int) -> UserError:
    """Return the error that a file ends within what begins at a place."""
    other = "" if place else ", or of another --format"
    return UserError(f"{path} is cut off{other}: what begins at byte {place} is not whole")


def binary_format(
    name: str, decode: Callable[[bytes], tuple[Packed, int]], are_positions: bool = False
) -> RecordFormat:
    """Return a format by a function of bytes that returns the whole games and where they end."""

    def is_one(start: bytes) -> bool:
        faults = decode(start)[0].faults if b"\0" in start else np.zeros(0)  # text has no zeros
        return bool(2 * np.count_nonzero(faults == 0) > len(faults))

    def read(path: Path, game: Game) -> Iterator[Records]:
        with open_file(path) as stream:
            place, data = 0, b""
            while block := stream.read(_BLOCK - len(data)):
                data += block
                packed, used = decode(data)
                if not used and len(data) == _BLOCK:
                    raise UserError(f"{path} is damaged: the game at byte {place} has no end")
                yield records_of(packed, place, game, are_positions)
                place, data = place + used, data[used:]
        if data:
            raise cut_off(path, place)

    return RecordFormat(name, name, is_one, read, score_unit=CENTI)


def move_of(start: Any, end: Any, promoted: Any, promotes: Any, castles: Any) -> Any:
    """Return a move, or many: squares, a piece from knight (0) to queen (3), and what it does."""
    return (promotes * (promoted + 1) + castles * CASTLING) * KIND_OF_MOVE + SQUARES * start + end


@jit
def read_board(occupied: Word, nibbles: Any, codes: Any, side: int, target: Word, row: Row) -> int:
    """Fill in a position from a board of nibbles as White sees it; return the number of a fault.

    The nibbles may have the side to move, or the square of a capture en passant.
    """
    rights = row[:] = ZERO
    if popcount(occupied) > 32:
        return int64(CODE)
    for k in range(popcount(occupied)):
        square = trailing_zeros(occupied)
        here = bit(square)
        code = int64(codes[(nibbles[k // 2] >> (4 * (k & 1))) & 15])
        if code < 0:
            return int64(CODE)
        if code == PASSED:
            code = int64(square >= SQUARES // 2)
            target |= here << UP if code else here >> UP
        elif code in (WHITE_CASTLES, BLACK_CASTLES):
            code += 2 * ROOK - WHITE_CASTLES
            rights |= here
        elif code == BLACK_MOVES:
            code, side = int64(2 * KING + THEIRS), int64(1)
        row[code] |= here
        occupied ^= here
    return turn_to(side, rights, target, row)


@jit(types.void(uint64[::1], uint8[:, ::1], int8[::1], int64[::1], uint64[::1], ROWS, int8[::1]))
def _read_boards(
    occupied: Any, nibbles: Any, codes: Any, sides: Any, targets: Any, starts: Any, faults: Any
) -> None:
    for i in range(len(faults)):
        faults[i] = read_board(occupied[i], nibbles[i], codes, sides[i], targets[i], starts[i])


def read_boards(
    boards: NDArray[Any], codes: NDArray[np.int8], sides: Any = 0, targets: Any = 0
) -> tuple[NDArray[np.uint64], NDArray[np.int8]]:
    """Return the positions of records with the fields of BOARD, and the numbers of their faults."""
    n = len(boards)
    starts, faults = np.zeros((n, WORDS), np.uint64), np.zeros(n, np.int8)
    occupied, nibbles = boards["occupied"].astype(np.uint64), boards["nibbles"].copy()
    sides, targets = np.full(n, sides, np.int64), np.full(n, targets, np.uint64)
    _read_boards(occupied, nibbles, codes, sides, targets, starts, faults)
    faults[(faults == 0) & (boards["result"] > 2)] = RESULT
    return starts, faults


_GAME = np.dtype(
    [
        *(*BOARD, ("passed", "u1"), ("clock", "u1"), ("number", "<u2"), ("score", "<i2")),
        *(("result", "u1"), ("_", "u1")),
    ]
)
_MOVE = np.dtype([("move", "<u2"), ("score", "<i2")])
_EXTENSION, _END = bytes(8), bytes(4)
_WITH_RIGHTS = np.array(
    [0, 2, 4, 6, 8, 10, WHITE_CASTLES, -1, 1, 3, 5, 7, 9, 11, BLACK_CASTLES, -1], np.int8
)


def _end_of(data: bytes, at: int) -> int:
    """Return the place of the four zeros of what begins there; -1 where it is not whole."""
    if data.startswith(_EXTENSION, at):
        end = at + 12 + int.from_bytes(data[at + 10 : at + 12], "little")
        return end if end + len(_END) <= len(data) else -1
    end = data.find(_END, at + _GAME.itemsize)
    while end >= 0 and (end - at) % _MOVE.itemsize:
        end = data.find(_END, end + 1)
    return end


def _decode_games(data: bytes) -> tuple[Packed, int]:
    at, places, ends = 0, [], []
    while (end := _end_of(data, at)) >= 0:
        if not data.startswith(_EXTENSION, at):
            places.append(at)
            ends.append(end)
        at = end + len(_END)
    size, spans = _GAME.itemsize, list(zip(places, ends, strict=True))
    boards = np.frombuffer(b"".join(data[a : a + size] for a, _ in spans), _GAME)
    played = np.frombuffer(b"".join(data[a + size : b] for a, b in spans), _MOVE)
    found = np.array(places, np.int64)
    lengths = (np.array(ends, np.int64) - found - size) // _MOVE.itemsize

    sides, passed = boards["passed"] >> 7, (boards["passed"] & 127).astype(np.uint64)
    targets = np.where(passed < SQUARES, ONE << passed % SQUARES, ZERO)
    starts, faults = read_boards(boards, _WITH_RIGHTS, sides, targets)
    move = played["move"].astype(np.int32)
    kind = move >> 14
    moves = move_of(move & 63, move >> 6 & 63, move >> 12 & 3, kind == 3, kind == 2)
    before = np.cumsum(lengths) - lengths
    is_black = (np.arange(len(move)) + np.repeat(sides - before, lengths)) % 2 == 1
    scores = np.where(is_black, -1, 1) * played["score"]
    plies = 2 * np.maximum(boards["number"].astype(np.int64), 1) - 2 + sides
    results = boards["result"].astype(np.int8) - 1
    return Packed(found, starts, faults, plies, results, lengths, moves, scores), at


_VIRIFORMAT = binary_format("viriformat", _decode_games)


_POSITION = np.dtype(
    [*BOARD, ("score", "<i2"), ("result", "u1"), ("king", "u1"), ("other", "u1"), ("_", "V3")]
)
_WITHOUT_RIGHTS = np.array([0, 2, 4, 6, 8, 10, -1, -1, 1, 3, 5, 7, 9, 11, -1, -1], np.int8)


def _decode_positions(data: bytes) -> tuple[Packed, int]:
    n = len(data) // _POSITION.itemsize
    boards = np.frombuffer(data, _POSITION, n)
    starts, faults = read_boards(boards, _WITHOUT_RIGHTS)
    kings, others = ONE << (boards["king"] & 63), ONE << (boards["other"] & 63 ^ 56)
    same = (starts[:, 2 * KING] == kings) & (starts[:, 2 * KING + THEIRS] == others)
    faults[(faults == 0) & ~same] = OTHER_KINGS
    packed = Packed(
        *(_POSITION.itemsize * np.arange(n), starts, faults, np.zeros(n)),
        *(boards["result"].astype(np.int8) - 1, np.ones(n, np.int64)),
        *(np.full(n, NO_MOVE), boards["score"]),
    )
    return packed, n * _POSITION.itemsize


FORMATS = (_VIRIFORMAT, binary_format("bulletformat", _decode_positions, are_positions=True))
