"""Notation of chess: FEN, and moves as UCI writes them.

    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1

Capitals are White's. Castling rights are KQkq, or files (HAha) where another rook stands further
out, as in Chess960. The square of a capture en passant is kept where such a capture is legal, as in
python-chess's `fen(en_passant="legal")`. The half-move clock counts towards the fifty moves of a
position that is read; `write` gives the counts of a game that begins. Moves are `e2e4` and `e7e8q`;
castling is `e1g1` where it begins at the usual squares, and the king takes its rook where it does
not. Moves are read in standard algebraic notation as well, and shown in it. Figurines are Unicode's
for the terminal, and outlines, drawn for samuel, for pictures.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.board import EMPTY
from samuel.games.chess.fen import FAULTS, NO_RIGHT, read_fens
from samuel.games.chess.moves import CASTLING, KIND_OF_MOVE
from samuel.games.chess.san import is_san, read_san, write_san
from samuel.games.chess.sound import EN_PASSANT, are_sound
from samuel.games.chess.squares import (
    BLACK_TO_MOVE,
    BOARD,
    KING,
    ROOK,
    SIZE,
    SQUARE_NAMES,
    SQUARES,
    STATE,
)
from samuel.games.fen import placement_of, signs_of
from samuel.games.notation import Notation
from samuel.games.rules import Words
from samuel.games.scene import Figure

SIGNS = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
"""Figurine of each letter of a FEN."""

_BASE = "h6v10H23V70"
FIGURES = {
    "P": Figure(
        "pawn",
        f"M50 22a12 12 0 0 1 8 21c8 4 12 16 13 27{_BASE}h6c1-11 5-23 13-27a12 12 0 0 1 8-21z",
    ),
    "N": Figure(
        "knight",
        "M44 13l6 8c17 3 26 19 25 49h2v10H25V70h5c1-12 8-17 15-24-5 3-11 3-14 8l-7 5-8-9"
        "c3-8 10-13 12-20 2-6 6-9 10-11z",
        "M36 32h3M58 30c6 9 8 20 8 32",
    ),
    "B": Figure(
        "bishop",
        "M50 14a6 6 0 0 1 4 10c10 7 15 17 15 25 0 7-4 12-9 15l3 6h14v10H23V70h14l3-6c-5-3-9-8-9-15"
        " 0-8 5-18 15-25a6 6 0 0 1 4-10z",
        "M50 34v18M41 42h18",
    ),
    "R": Figure(
        "rook",
        f"M26 20h10v8h9v-8h10v8h9v-8h10v19l-8 7v18l5 6{_BASE}h6l5-6V46l-8-7z",
        "M34 46h32M34 64h32",
    ),
    "Q": Figure(
        "queen",
        "M20 30l11 22 4-28 10 26 5-30 5 30 10-26 4 28 11-22-8 40h5v10H23V70h5z"
        "M16 26a4 4 0 1 0 8 0 4 4 0 1 0-8 0M31 20a4 4 0 1 0 8 0 4 4 0 1 0-8 0"
        "M46 16a4 4 0 1 0 8 0 4 4 0 1 0-8 0M61 20a4 4 0 1 0 8 0 4 4 0 1 0-8 0"
        "M76 26a4 4 0 1 0 8 0 4 4 0 1 0-8 0",
        "M28 70h44",
    ),
    "K": Figure(
        "king",
        f"M46 10h8v6h6v7h-6v8c16-8 27 0 27 13 0 10-8 16-10 26{_BASE}h6c-2-10-10-16-10-26"
        " 0-13 11-21 27-13v-8h-6v-7h6z",
        "M50 31v24M29 70h42",
    ),
}  # fmt: skip


if TYPE_CHECKING:
    from samuel.games.position import Position

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_PLAYERS = ("White", "Black")
_COLUMNS = "abcdefgh"
_PROMOTED = " nbrq"
_LONG_CLOCK = 5
_FIELDS = {NO_RIGHT: (2, "KQkq, some of them, or -"), EN_PASSANT: (3, "- for none")}
"""The field of a FEN that a fault is about, and what to write there."""
_MOVE = re.compile(r"([a-h][1-8])-?([a-h][1-8])=?([nbrqNBRQ])?")
_MOVES = re.compile(r"[a-h][1-8]-?[a-h][1-8](?:=?[nbrqNBRQ](?![1-8]))?")
_ALL_MOVES = re.compile(f"(?:{_MOVES.pattern})+")
_NUMBER = re.compile(r"(?<!\S)\d+\.+")
_RESULT = re.compile(r"\s(1-0|0-1|1/2-1/2|\*)\s*$")
_CASTLED = {"e1g1": "e1h1", "e1c1": "e1a1", "e8g8": "e8h8", "e8c8": "e8a8"}
"""Castling from the usual squares, and the move of the king to its rook."""
_USUAL = {rook: usual for usual, rook in _CASTLED.items()}
_E, _CORNERS = 4, 0x81


class ChessNotation(Notation):
    """Positions of 12 words of pieces, one of rights, and one that says whose turn it is."""

    grid, second_sees, players = BOARD, "mirrored", "wb"
    passes, needs_position = False, True
    faults, figurines, figures = FAULTS, SIGNS, FIGURES

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, K) a game may reach."""
        return are_sound(np.require(positions, np.uint64, ["C", "W"]))

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words, and the side to move (0 for White)."""
        fields = [*text.split(), "-", "-"][:4]
        if fields[1] not in ("w", "b"):
            raise UserError(
                f"{reprlib.repr(text)} is not a position; write it as FEN, like {START_FEN}"
            )
        data = np.frombuffer(" ".join(fields).encode(errors="replace"), np.uint8).copy()
        rows, faults, _ = read_fens(data, np.array([0, len(data)]))
        if fault := int(faults[0]):
            signs_of(fields[0], SIZE, SIZE, "KQRBNP")  # says what is wrong in a row
            field, written = _FIELDS.get(fault, (0, ""))
            hint = f" ({reprlib.repr(fields[field])}; write {written})" if written else ""
            raise UserError(f"{reprlib.repr(text)} is impossible: {FAULTS[fault]}{hint}")
        return tuple(rows[0].tolist()), int(rows[0, BLACK_TO_MOVE])

    def reversible_in(self, text: str) -> int:
        """Return the half-move clock of a text: plies without a capture or a pawn's move."""
        clock = [*text.split(), *"-----"][4]
        return int(clock) if clock.isdecimal() and len(clock) < _LONG_CLOCK else 0

    def read_many(
        self, data: NDArray[np.uint8], offsets: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int8], NDArray[np.int16]]:
        """Return words, faults and plies of many texts (games/chess/fen.py)."""
        return read_fens(data, offsets)

    def write(self, words: Words, side: int) -> str:
        """Return the FEN that `read` takes back, with counts of a game that begins."""
        placement = placement_of(self.signs(words, side), SIZE)
        castling = _written_rights(words, side) or "-"
        target = int(words[STATE]) >> 40 & 0xFF
        passed = "-"
        if target:
            passed = SQUARE_NAMES[_seen(40 + target.bit_length() - 1, side)]
        return f"{placement} {self.players[side]} {castling} {passed} 0 1"

    def board(self, words: Words, side: int) -> str:
        """Return the board as White sees it, and who is to move."""
        return self.board_for(words, side, 0)

    def board_for(self, words: Words, side: int, viewer: int) -> str:
        """Return the board as White sees it (0), or Black (1), and who is to move."""
        signs = self.signs(words, side).replace(EMPTY, ".")
        step = -1 if viewer else 1
        rows = [
            f"{SIZE - row} " + " ".join(signs[SIZE * row :][:SIZE][::step]) for row in range(SIZE)
        ]
        header = "  " + " ".join(_COLUMNS[::step])
        return "\n".join([header, *rows[::step], f"{_PLAYERS[side]} to move"])

    def paths(self, move: int, side: int) -> list[list[str]]:
        """Return the squares to click; to castle the king goes to its rook, or to its square."""
        kind, squares = divmod(move, KIND_OF_MOVE)
        start, end = divmod(squares, SQUARES)
        ends = [end]
        if kind == CASTLING:
            ends = [start - start % SIZE + (6 if end > start else 2), end]
        return [
            [SQUARE_NAMES[start], SQUARE_NAMES[one]] for one in dict.fromkeys(ends) if one != start
        ]

    def read_move(self, text: str) -> int:
        """Return the move that `text` names; castling from the usual squares is an ordinary one."""
        found = _MOVE.fullmatch(text.strip())
        if found is None:
            raise UserError(
                f"{reprlib.repr(text)} is not a move; write moves like e2e4, e7e8q and, to "
                "castle, e1g1, or like Nf3, e8=Q and O-O"
            )
        kind = _PROMOTED.index((found[3] or " ").lower())
        start, end = map(SQUARE_NAMES.index, (found[1], found[2]))
        return KIND_OF_MOVE * kind + SQUARES * start + end

    def among(self, text: str, moves: Sequence[int], words: Words) -> int:
        """Return which of the legal moves `text` means, or what it is where it means none."""
        meanings = self.meanings(text)
        if meanings is None:
            return read_san(text, moves, words)
        if not meanings:
            return self.read_move(text)
        return next((meant for meant in meanings if meant in moves), meanings[0])

    def meanings(self, text: str) -> list[int] | None:
        """Return the moves that `text` may mean, the likeliest first; None for SAN."""
        if _MOVE.fullmatch(text.strip()) is None:
            return None if is_san(text) else []
        move = self.read_move(text)
        castled = self.read_move(_CASTLED.get(text.strip(), text))
        return [move, *(CASTLING * KIND_OF_MOVE + one for one in (move, castled))]

    def texts_of(self, transcript: str) -> list[str]:
        """Return the moves of a transcript as they stand there; `among` reads one."""
        texts = _RESULT.sub("", _NUMBER.sub(" ", transcript)).split()
        return [
            move
            for one in texts
            for move in (_MOVES.findall(one) if _ALL_MOVES.fullmatch(one) else [one])
        ]

    def names_of(self, line: Sequence[str], position: Position) -> list[str]:
        """Return moves played from a position in standard algebraic notation."""
        names = []
        for move in line:
            number = position.number_of(move)
            names.append(write_san(position, number))
            position = position.play(number)
        return names

    def write_move(self, move: int) -> str:
        """Return the move's text."""
        text = self.king_takes_rook(move)
        return _USUAL.get(text, text) if move // KIND_OF_MOVE == CASTLING else text

    def king_takes_rook(self, move: int) -> str:
        """Return the move's text in Chess960, where the king takes its rook to castle."""
        kind, squares = divmod(move, KIND_OF_MOVE)
        text = "".join(SQUARE_NAMES[square] for square in divmod(squares, SQUARES))
        return text if kind == CASTLING else text + _PROMOTED[kind].strip()

    def castles_elsewhere(self, words: Words) -> bool:
        """Return whether a side may castle with a king or a rook that is not where chess has it."""
        for theirs, low in ((0, 0), (1, 56)):
            rooks = int(words[STATE]) >> low & 0xFF
            king = int(words[2 * KING + theirs]) >> low & 0xFF
            if rooks and (king != 1 << _E or rooks & ~_CORNERS):
                return True
        return False


def _seen(square: int, side: int) -> int:
    """Return a square of White's as a side sees it, and back."""
    return square ^ 56 if side else square


def _written_rights(words: Words, side: int) -> str:
    """Return the rights as FEN has them: White's before Black's, the king's side first."""
    text = ""
    for color in (0, 1):
        theirs = color ^ side
        low = 56 if theirs else 0
        king = int(words[2 * KING + theirs]) >> low & 0xFF
        rooks = int(words[2 * ROOK + theirs]) >> low & 0xFF
        rights = int(words[STATE]) >> low & 0xFF
        for file in reversed(range(SIZE)):
            if rights >> file & 1:
                beyond = rooks >> file + 1 if 1 << file > king else rooks & (1 << file) - 1
                usual = "K" if 1 << file > king else "Q"
                sign = _COLUMNS[file].upper() if beyond else usual
                text += sign.lower() if color else sign
    return text


START: Words = ChessNotation().read(START_FEN)[0]
