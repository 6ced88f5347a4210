"""The board of chess in words, and what each piece attacks from each square.

Square a1 is bit 0, b1 is bit 1 and h8 is bit 63, as the side to move sees them: it moves up the
board. Black sees the board with its ranks exchanged: each word has its bytes in the reverse order.

A slider's attacks along a file or a diagonal come from two subtractions, one on the word and one
on its mirror image (G. Rasmussen, "Hyperbola Quintessence", 2007); those along a rank are looked
up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from samuel.games.board import Board
from samuel.kernels.bits import Word, bit, swapped_bytes
from samuel.kernels.jit import jit

SIZE, SQUARES = 8, 64
KINDS = PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = tuple(range(6))
THEIRS = 1
"""Word `2 * kind` has the mover's pieces of a kind, and `2 * kind + THEIRS` the opponent's."""
STATE, BLACK_TO_MOVE = 12, 13
"""The words after those of the pieces.

STATE has, on rank 1, the mover's rooks that may still castle, on rank 8 the opponent's, and on rank
6 the square of a legal capture en passant. BLACK_TO_MOVE is 1 or 0.
"""
WORDS = 14

FILE_A, FILE_H = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
RANK_1, RANK_3, RANK_6, RANK_8 = (np.uint64(0xFF << 8 * row) for row in (0, 2, 5, 7))
LIGHT = np.uint64(0x55AA55AA55AA55AA)
"""The light squares."""
EVERYWHERE = np.uint64(2**64 - 1)
UP, UP_LEFT, UP_RIGHT = np.uint64(8), np.uint64(7), np.uint64(9)

BOARD = Board(
    SIZE,
    SIZE,
    bits=[SIZE * row + column for row in reversed(range(SIZE)) for column in range(SIZE)],
    pieces=["Pp", "Nn", "Bb", "Rr", "Qq", "Kk"],
    row_names=[str(row) for row in range(SIZE, 0, -1)],
)

SQUARE_NAMES = tuple(BOARD.squares[BOARD.bits.index(square)] for square in range(SQUARES))
NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")


PAWN_SQUARES = SQUARES - 2 * SIZE
"""Pawns stand on no square of the first and the last rank."""
CLASSES = tuple(
    f"{name}_{square}"
    for kind, name in enumerate(NAMES)
    for square in (SQUARE_NAMES[SIZE:-SIZE] if kind == 0 else SQUARE_NAMES)
)
"""Columns of the feature `piece_squares`: pawns from a2 on, the other pieces from a1 on."""

_ORTHOGONAL = ((0, 1), (0, -1), (1, 0), (-1, 0))
_DIAGONAL = ((1, 1), (-1, -1), (1, -1), (-1, 1))
_LEAPS = [(r, c) for r in (-2, -1, 1, 2) for c in (-2, -1, 1, 2) if abs(r) != abs(c)]


def _reached(square: int, steps: Sequence[tuple[int, int]], far: int) -> int:
    """Return the squares up to `far` steps away in each direction, as a word."""
    found = 0
    for rows, columns in steps:
        for k in range(1, far + 1):
            row, column = square // SIZE + k * rows, square % SIZE + k * columns
            if 0 <= row < SIZE and 0 <= column < SIZE:
                found |= 1 << SIZE * row + column
    return found


def _from_each(steps: Sequence[tuple[int, int]], far: int) -> NDArray[np.uint64]:
    return np.array([_reached(square, steps, far) for square in range(SQUARES)], np.uint64)


def _rank_attacks() -> NDArray[np.uint8]:
    """Return a rook's attacks along a rank, by its file and by the six inner squares' content."""
    found = np.zeros((SIZE, SQUARES), np.uint8)
    for column in range(SIZE):
        for inner in range(SQUARES):
            for step in (-1, 1):
                at = column + step
                while 0 <= at < SIZE:
                    found[column, inner] |= 1 << at
                    if inner << 1 >> at & 1:
                        break
                    at += step
    return found


KNIGHT_ATTACKS, KING_ATTACKS = _from_each(_LEAPS, 1), _from_each(_ORTHOGONAL + _DIAGONAL, 1)
FILES, RANKS = _from_each(_ORTHOGONAL[2:], SIZE), _from_each(_ORTHOGONAL[:2], SIZE)
DIAGONALS, ANTIDIAGONALS = _from_each(_DIAGONAL[:2], SIZE), _from_each(_DIAGONAL[2:], SIZE)
"""The lines through each square, without the square itself; diagonals go up to the right."""
_RANK_ATTACKS = _rank_attacks()
_56, _INNER = np.uint64(56), np.uint64(63)
_ONE = np.uint64(1)


@jit
def _along(square: int, line: Word, occupied: Word) -> Word:
    """Return a slider's attacks along a line that has one square a rank at most."""
    here, forward = bit(square), occupied & line
    backward = swapped_bytes(forward) - swapped_bytes(here)
    return ((forward - here) ^ swapped_bytes(backward)) & line


@jit
def bishop_attacks(square: int, occupied: Word) -> Word:
    """Return the squares that a bishop attacks, up to the first piece each way."""
    return _along(square, DIAGONALS[square], occupied) | _along(
        square, ANTIDIAGONALS[square], occupied
    )


@jit
def rook_attacks(square: int, occupied: Word) -> Word:
    """Return the squares that a rook attacks, up to the first piece each way."""
    row = np.uint64(square) & _56
    inner = (occupied >> (row + _ONE)) & _INNER
    along_rank = np.uint64(_RANK_ATTACKS[square & 7, np.int64(inner)]) << row
    return along_rank | _along(square, FILES[square], occupied)


@jit
def attacks_of(kind: int, square: int, occupied: Word) -> Word:
    """Return what a knight (0), bishop, rook or queen (3) attacks."""
    if kind == 0:
        return KNIGHT_ATTACKS[square]
    if kind == 1:
        return bishop_attacks(square, occupied)
    if kind == 2:
        return rook_attacks(square, occupied)
    return bishop_attacks(square, occupied) | rook_attacks(square, occupied)


@jit
def pawn_attacks(pawns: Word) -> Word:
    """Return the squares that pawns going up the board attack."""
    return ((pawns & ~FILE_A) << UP_LEFT) | ((pawns & ~FILE_H) << UP_RIGHT)


@jit
def pawn_attacks_down(pawns: Word) -> Word:
    """Return the squares that pawns going down the board attack, as the opponent's do."""
    return ((pawns & ~FILE_H) >> UP_LEFT) | ((pawns & ~FILE_A) >> UP_RIGHT)
