"""A position as either side sees it: its own pieces go up the board."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from samuel.games.chess.squares import (
    BISHOP,
    FILE_A,
    FILE_H,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    THEIRS,
)
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, Word, swapped_bytes
from samuel.kernels.jit import jit

SIDES = (0, THEIRS)


class Side(NamedTuple):
    """Pieces of a side and of the other one, as the former sees them."""

    pawns: Word
    knights: Word
    bishops: Word
    rooks: Word
    queens: Word
    king: Word
    their_pawns: Word
    their_knights: Word
    their_bishops: Word
    their_rooks: Word
    their_queens: Word
    their_king: Word


@jit
def _seen(word: Word, side: int) -> Word:
    return word if side == 0 else swapped_bytes(word)


@jit
def side_of(position: Row, side: int) -> Side:
    """Return the position as the player (0) or the opponent (THEIRS) sees it."""
    other = 1 - side
    return Side(
        _seen(position[2 * PAWN + side], side),
        _seen(position[2 * KNIGHT + side], side),
        _seen(position[2 * BISHOP + side], side),
        _seen(position[2 * ROOK + side], side),
        _seen(position[2 * QUEEN + side], side),
        _seen(position[2 * KING + side], side),
        _seen(position[2 * PAWN + other], side),
        _seen(position[2 * KNIGHT + other], side),
        _seen(position[2 * BISHOP + other], side),
        _seen(position[2 * ROOK + other], side),
        _seen(position[2 * QUEEN + other], side),
        _seen(position[2 * KING + other], side),
    )


@jit
def own_of(it: Side) -> Word:
    """Return all pieces of the side."""
    return it.pawns | it.knights | it.bishops | it.rooks | it.queens | it.king


@jit
def theirs_of(it: Side) -> Word:
    """Return all pieces of the other side."""
    pieces = it.their_knights | it.their_bishops | it.their_rooks | it.their_queens
    return it.their_pawns | pieces | it.their_king


_8, _16, _32 = (np.uint64(n) for n in (8, 16, 32))


@jit
def above(squares: Word) -> Word:
    """Return the squares in front of some squares, on their files."""
    found = squares << _8
    found |= found << _8
    found |= found << _16
    return found | (found << _32)


@jit
def below(squares: Word) -> Word:
    """Return the squares behind some squares, on their files."""
    found = squares >> _8
    found |= found >> _8
    found |= found >> _16
    return found | (found >> _32)


@jit
def beside(squares: Word) -> Word:
    """Return the squares to the left and the right of some squares."""
    return ((squares & ~FILE_A) >> ONE) | ((squares & ~FILE_H) << ONE)


@jit
def files_of(squares: Word) -> Word:
    """Return the whole files that some squares are on."""
    return squares | above(squares) | below(squares)
