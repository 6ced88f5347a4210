"""Standard algebraic notation of moves (PGN standard, S. Edwards, 1994): Nf3, exd5, O-O, e8=Q+.

It is read as people type it: signs of captures, checks and comments may be missing or wrong, and
the square that a piece leaves may be told although one move alone is possible.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Sequence
from typing import Any

from numba import int64

from samuel.common.errors import UserError
from samuel.games.chess.moves import CASTLING, KIND_OF_MOVE, in_check, list_legal
from samuel.games.chess.squares import BLACK_TO_MOVE, PAWN, SIZE, SQUARE_NAMES, SQUARES, THEIRS
from samuel.games.game import Game
from samuel.games.records import DASHES
from samuel.games.rules import ROW, Row, Words
from samuel.games.words import HoldsWords
from samuel.kernels.jit import jit

_PIECES, _FILES = "PNBRQK", "abcdefgh"
_SAN = re.compile(
    r"(?P<piece>[NBRQK])?(?P<file>[a-h])?(?P<rank>[1-8])?[x:-]?(?P<end>[a-h][1-8])"
    r"(?:=?\(?/?(?P<promoted>[NBRQnbrq])\)?)?(?:e\.?p\.?)?"
)
_CASTLED = re.compile(r"[oO0]-?[oO0](?P<long>-?[oO0])?")
_AFTER = "+#!? \t\n\r"
_SIGNS = DASHES | str.maketrans("♔♕♖♗♘♚♛♜♝♞\u00d7", "KQRBNKQRBNx") | dict.fromkeys(map(ord, "♙♟"))
_LETTER = re.compile(r"(?![KQRBN])[^\W\d_]{1,2}[a-h]?[1-8]?[x:-]?[a-h][1-8](?!\w)")
_CHECK, _MATE = 1, 2


def is_san(text: str) -> bool:
    """Return whether a text can be a move in standard algebraic notation."""
    plain = _plain(text)
    return bool(_CASTLED.fullmatch(plain) or _SAN.fullmatch(plain))


def letter_hint(text: str) -> str:
    """Return what to write for a move whose piece may be a letter of another language."""
    return " (pieces are K, Q, R, B, N)" if _LETTER.match(_plain(text)) else ""


def _plain(text: str) -> str:
    return text.translate(_SIGNS).strip().rstrip(_AFTER)


def read_san(text: str, moves: Sequence[int], words: Words) -> int:
    """Return the legal move that a text means."""
    plain = _plain(text)
    castled = _CASTLED.fullmatch(plain)
    if castled:
        is_long = castled["long"] is not None
        found = [move for move in moves if _castles(move) and _is_long(move) == is_long]
    else:
        told = _SAN.fullmatch(plain)
        found = [] if told is None else _meant(told, moves, words)
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(f"{reprlib.repr(text)} is not legal here")
    names = ", ".join(map(_from_to, found))
    raise UserError(f"{reprlib.repr(text)} may be {names}; name the square that the piece leaves")


def write_san(position: HoldsWords, move: int) -> str:
    """Return a legal move of a position as people write it."""
    return san_of(position.game, position.game.row(position.words), move)


def san_of(game: Game, row: Row, move: int) -> str:
    """Return a legal move of the position in a row."""
    text = _name(row.tolist(), move, game.moves_in(row).tolist())
    return text + ("", "+", "#")[_threat(game.child_of(row, move))]


def _name(words: Words, move: int, moves: Sequence[int]) -> str:
    """Return a move without the sign of a check."""
    if _castles(move):
        return "O-O-O" if _is_long(move) else "O-O"
    kind, (start, end) = move // KIND_OF_MOVE, _squares(move)
    piece = _kind_at(words, start)
    if piece == PAWN:
        file = "" if start % SIZE == end % SIZE else f"{_FILES[start % SIZE]}x"
        return file + SQUARE_NAMES[end] + (f"={_PIECES[kind]}" if kind else "")
    others = [
        other
        for other, to in map(_squares, (m for m in moves if not _castles(m)))
        if to == end and other != start and _kind_at(words, other) == piece
    ]
    is_same_file = any(other % SIZE == start % SIZE for other in others)
    is_same_rank = any(other // SIZE == start // SIZE for other in others)
    by_file = others and (is_same_rank or not is_same_file)
    told = (_FILES[start % SIZE] if by_file else "") + (str(start // SIZE + 1) * is_same_file)
    taken = "x" if _kind_at(words, end, THEIRS) >= 0 else ""
    return _PIECES[piece] + told + taken + SQUARE_NAMES[end]


def _meant(told: re.Match[str], moves: Sequence[int], words: Words) -> list[int]:
    """Return the moves, none of them castling, that a text may mean."""
    promoted = _PIECES.index((told["promoted"] or "P").upper())
    end = SQUARE_NAMES.index(told["end"])
    piece, file, rank = _PIECES.index(told["piece"] or "P"), told["file"], told["rank"]
    return [
        move
        for move in moves
        if move % SQUARES == end
        and move // KIND_OF_MOVE == promoted
        and _kind_at(words, start := move % KIND_OF_MOVE // SQUARES) == piece
        and file in (None, _FILES[start % SIZE])
        and rank in (None, str(start // SIZE + 1))
    ]


def _castles(move: int) -> bool:
    return move // KIND_OF_MOVE == CASTLING


def _is_long(move: int) -> bool:
    start, end = _squares(move)
    return end < start


def _squares(move: int) -> tuple[int, int]:
    return divmod(move % KIND_OF_MOVE, SQUARES)


def _from_to(move: int) -> str:
    start, end = _squares(move)
    promoted = " nbrq"[move // KIND_OF_MOVE].strip()
    return f"{SQUARE_NAMES[start]}{SQUARE_NAMES[end]}{promoted}"


def _kind_at(words: Words, square: int, side: int = 0) -> int:
    """Return the kind of a side's piece on a square of White's; -1 for no piece."""
    seen = square ^ (56 if words[BLACK_TO_MOVE] else 0)
    return next((k for k in range(len(_PIECES)) if words[2 * k + side] >> seen & 1), -1)


@jit(int64(ROW))
def _threat(position: Any) -> int:
    """Return whether the side to move is in check, or in mate."""
    if not in_check(position):
        return int64(0)
    return int64(_CHECK) if list_legal(position, False, None) else int64(_MATE)
