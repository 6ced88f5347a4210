"""Binary files of chess: boards of nibbles, moves of 16 bits, and two formats made of them.

bulletformat has positions of 32 bytes (ChessBoard of github.com/jw1912/bulletformat):

    8 bytes   squares that are occupied, as the side to move sees them: it moves up the board
    16 bytes  a nibble for each: pawn 0 to king 5, and 8 for the other side
    2 bytes   score, centipawns
    1 byte    result: 0 lost, 1 drawn, 2 won
    2 bytes   squares of the kings, the other one as its side sees it; then 3 bytes of nothing

Score and result are those of the side to move. Which side that is, rights to castle, a capture en
passant and the number of the move are not known: White is to move.

viriformat has games (github.com/cosmobobak/viriformat): a board of 32 bytes as marlinformat has it,
moves with scores, and four zeros. The board:

    24 bytes  as above, but as White sees it; a rook that may castle is 6, and 8 is for Black
    1 byte    square of a capture en passant, or 64; and 128 if Black is to move
    5 bytes   clock (1), number of the move (2), score (2)
    1 byte    result: 0 Black won, 1 drawn, 2 White won; then 1 byte of nothing

A move has 2 bytes: start, end (6 bits each), piece promoted to, kind (2 castles from the king to
the rook, 3 promotes); its score has 2: White's centipawns. A record that begins with 8 zeros is an
extension (number and length in 2 bytes each, content, four zeros), which is read over.

Squares are numbered from a1 (0) along the ranks to h8 (63), and numbers are little-endian.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int8, int16, int32, int64, types, uint8, uint64

from samuel.common.errors import UserError
from samuel.common.text_files import open_file
from samuel.games.chess.fen import FAULTS, turn_to
from samuel.games.chess.moves import CASTLING, KIND_OF_MOVE
from samuel.games.chess.squares import KING, ROOK, SQUARES, THEIRS, UP, WORDS
from samuel.games.game import Game
from samuel.games.records import RecordFormat, Records, Refusals
from samuel.games.rules import NO_MOVE, Row
from samuel.kernels.bits import ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit
from samuel.kernels.records import allocate, array, array_type, record

CODE, RESULT, OTHER_KINGS = range(len(FAULTS), len(FAULTS) + 3)
REASONS = (
    *(*FAULTS, "a code of a piece is unknown", "the result is unknown"),
    "the squares of the kings are not those of the pieces",
)
"""Why a board is refused, by the number of a fault; 0 is none."""
PASSED, WHITE_CASTLES, BLACK_CASTLES, BLACK_MOVES = 12, 13, 14, 15
"""Codes of a pawn that just went two squares, of rooks that may castle, and of the black king if
Black is to move; codes below are numbers of words of a position (squares.py)."""
_BULLET = np.array([0, 2, 4, 6, 8, 10, -1, -1, 1, 3, 5, 7, 9, 11, -1, -1], np.int8)
_MARLIN = np.array([0, 2, 4, 6, 8, 10, 13, -1, 1, 3, 5, 7, 9, 11, 14, -1], np.int8)
_BOARD, _MOVE, _EXTENSION = 32, 4, 12
_NO_SCORE, CENTI = 32002, 100.0
"""Stockfish's VALUE_NONE; units of a score per pawn."""
_LATEST = 30_000
"""Largest ply of a beginning: those of the game are numbers of 16 bits, too."""
_AT_ONCE, _BLOCK = 1 << 14, 1 << 20
"""Records of one size, and bytes of games, that are read at once; no game has more."""


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
    packed: PackedGames, found: int, sound: int, place: int, game: Game, are_positions: bool = False
) -> Records:
    """Return the sound games, with scores as in the file, and why others of `found` are not."""
    faults, places = packed.faults[:found], place + packed.places[:found]
    refused, most = Refusals(), np.float32(game.scores.max_utility)
    for fault in np.unique(faults[faults != 0]).tolist():
        those = places[faults == fault]
        refused.add(REASONS[fault], int(those[0]), len(those))
    moves = int(packed.ends[sound - 1]) if sound else 0
    scores = packed.scores[:moves].astype(np.float32)
    scores[np.abs(scores) == _NO_SCORE] = np.nan
    return Records(
        *(packed.starts[:sound], packed.plies[:sound], packed.sides[:sound]),
        *(packed.moves[:moves], packed.ends[:sound], most * packed.results[:sound]),
        dict(refused.counts),
        may_stop=True,
        lines=places[faults == 0].tolist(),
        first_refused=refused.first,
        place="byte",
        scores=scores,
        are_positions=are_positions,
    )


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
    side, rights, target, k = int64(0), ZERO, ZERO, int64(0)
    if popcount(occupied) > 32:
        return int64(CODE), side, rights, target
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
            code, side = int64(2 * KING + THEIRS), int64(1)
        row[code] |= here
        occupied ^= here
        k += 1
    return int64(0), side, rights, target


@jit
def move_of(start: int, end: int, promoted: int, is_promotion: bool, is_castling: bool) -> int:
    """Return a move by its squares, the piece from knight (0) to queen (3), and its kind."""
    kind = promoted + 1 if is_promotion else int64(CASTLING) * int64(is_castling)
    return kind * KIND_OF_MOVE + SQUARES * start + end


@jit
def note(
    packed: Any, found: int, n: int, fault: int, place: int, side: int, ply: int, result: int
) -> None:
    """Note what is known of a game that is found, but for its moves: it is number n if sound."""
    packed.faults[found], packed.places[found] = fault, place
    packed.sides[n], packed.plies[n] = side, min(ply, int64(_LATEST))
    packed.results[n] = result


def positions_format(name: str, size: int, read: Callable[[Any, Any], int]) -> RecordFormat:
    """Return a format of records of one size, by a kernel that returns how many are sound."""

    def rows(data: bytes) -> tuple[PackedGames, int, int]:
        n = len(data) // size
        packed = new_games(n + 1, n)
        records = np.frombuffer(data + bytes(1), np.uint8)[: n * size].reshape(n, size)
        return packed, n, read(records.copy(), packed)

    def is_one(start: bytes) -> bool:
        _, n, sound = rows(start if b"\0" in start else b"")  # text has no zeros
        return 2 * sound > n

    def positions(path: Path, game: Game) -> Iterator[Records]:
        with open_file(path) as stream:
            place = 0
            while block := stream.read(_AT_ONCE * size):
                if len(block) % size:
                    raise cut_off(path, place + len(block) // size * size)
                yield records_in(*rows(block), place, game, True)
                place += len(block)

    return RecordFormat(name, name, is_one, positions, score_unit=CENTI)


@jit(int64(uint8[:, ::1], PACKED_GAMES))
def _read_bullet(boards: Any, packed: Any) -> int:
    n = int64(0)
    for i in range(boards.shape[0]):
        board, row = boards[i], packed.starts[n]
        fault, side, rights, target = read_board(word_at(board, 0), board, 8, _BULLET, row)
        fault = fault or turn_to(side, rights, target, row)
        king, other = bit(board[27] & 63), bit((board[28] & 63) ^ 56)
        if fault == 0 and (row[2 * KING] != king or row[2 * KING + THEIRS] != other):
            fault = int64(OTHER_KINGS)
        if fault == 0 and board[26] > 2:
            fault = int64(RESULT)
        note(packed, i, n, fault, _BOARD * i, side, int64(0), int64(board[26]) - 1)
        packed.moves[n], packed.scores[n] = NO_MOVE, signed(number_at(board, 24))
        packed.ends[n] = n + 1
        n += int64(fault == 0)
    return n


@jit
def _end_of(data: Any, at: int) -> int:
    """Return the place behind a game or an extension; -1 where it is not whole."""
    size = int64(len(data))
    if at + _EXTENSION <= size and word_at(data, at) == ZERO:
        at += _EXTENSION + number_at(data, at + 10) + _MOVE
        return at if at <= size else int64(-1)
    at += _BOARD
    while at + _MOVE <= size:
        at += _MOVE
        if number_at(data, at - 4) == 0 and number_at(data, at - 2) == 0:
            return at
    return int64(-1)


@jit(types.UniTuple(int64, 3)(uint8[::1], PACKED_GAMES))
def _read_games(data: Any, packed: Any) -> tuple[int, int, int]:
    """Read whole games; return how many there are, how many are sound, and the place behind."""
    found = n = m = at = int64(0)
    end = _end_of(data, at)
    while end >= 0:
        occupied = word_at(data, at)
        if occupied:
            row, passed = packed.starts[n], int64(data[at + 24] & 127)
            fault, side, rights, target = read_board(occupied, data, at + 8, _MARLIN, row)
            side = int64(data[at + 24] >> 7)
            if passed < SQUARES:
                target = bit(passed)
            fault = fault or turn_to(side, rights, target, row)
            if fault == 0 and data[at + 30] > 2:
                fault = int64(RESULT)
            ply, result = 2 * number_at(data, at + 26) - 2 + side, int64(data[at + 30]) - 1
            note(packed, found, n, fault, at, side, max(ply, side), result)
            found += 1
            if fault == 0:
                for place in range(at + _BOARD, end - _MOVE, _MOVE):
                    move, score = number_at(data, place), signed(number_at(data, place + 2))
                    start, stop, kind = move & 63, (move >> 6) & 63, move >> 14
                    move = move_of(start, stop, (move >> 12) & 3, kind == 3, kind == 2)
                    packed.moves[m], packed.scores[m] = move, signed(-score) if side else score
                    side, m = 1 - side, m + 1
                packed.ends[n] = m
                n += 1
        at = end
        end = _end_of(data, at)
    return found, n, at


def _games(data: bytes) -> tuple[PackedGames, int, int, int]:
    packed = new_games(len(data) // (_BOARD + _MOVE) + 1, len(data) // _MOVE)
    return packed, *_read_games(np.frombuffer(data, np.uint8).copy(), packed)


def _read_viriformat(path: Path, game: Game) -> Iterator[Records]:
    """Yield the games of a file."""
    with open_file(path) as stream:
        place, rest = 0, b""
        while block := stream.read(_BLOCK - len(rest)):
            packed, found, sound, used = _games(rest + block)
            if not used and len(rest + block) == _BLOCK:
                raise UserError(f"{path} is damaged: the game at byte {place} has no end")
            yield records_in(packed, found, sound, place, game)
            place, rest = place + used, (rest + block)[used:]
    if rest:
        raise cut_off(path, place)


def _is_viriformat(start: bytes) -> bool:
    _, found, sound, _ = _games(start if b"\0" in start else b"")
    return 2 * sound > found


FORMATS = (
    RecordFormat("viriformat", "viriformat", _is_viriformat, _read_viriformat, score_unit=CENTI),
    positions_format("bulletformat", _BOARD, _read_bullet),
)
