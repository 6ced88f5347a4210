"""Static exchange evaluation: what a move gains where both sides go on capturing on its square.

Each side captures with its least piece, and stops where going on would lose. Along this one line
of captures that is alpha-beta with stand-pat scores, so two bounds serve in the place of a list
(Chess Programming Wiki, "SEE - The Swap Algorithm"). Pins and checks are not looked for.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from samuel.games.chess.moves import CASTLING, KIND_OF_MOVE, pieces_of
from samuel.games.chess.squares import (
    BISHOP,
    BLACK_TO_MOVE,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    PAWN,
    QUEEN,
    RANK_6,
    ROOK,
    SQUARES,
    STATE,
    THEIRS,
    UP,
    bishop_attacks,
    pawn_attacks,
    pawn_attacks_down,
    rook_attacks,
)
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, Word, bit
from samuel.kernels.jit import jit

UNIT = 1000
"""A pawn in the hints of `order` and in exchanges: thousandths of the game's unit."""
WORTH = np.array([1000, 3200, 3300, 5000, 9000, 100_000], np.int64)
"""Pieces from PAWN to KING (T. Michniewski, "Simplified evaluation function", 1995)."""
_ALL = 1 << 40


@jit
def kind_at(position: Row, side: int, here: Word) -> int:
    """Return the kind of a side's piece on a square; -1 for none."""
    for kind in range(6):
        if position[2 * kind + side] & here:
            return int64(kind)
    return int64(-1)


@jit
def _attackers(position: Row, square: int, occupied: Word) -> Word:
    """Return the pieces of both sides that attack a square, among those that `occupied` has."""
    here = bit(square)
    queens = position[2 * QUEEN] | position[2 * QUEEN + THEIRS]
    found = pawn_attacks_down(here) & position[2 * PAWN]
    found |= pawn_attacks(here) & position[2 * PAWN + THEIRS]
    found |= KNIGHT_ATTACKS[square] & (position[2 * KNIGHT] | position[2 * KNIGHT + THEIRS])
    found |= KING_ATTACKS[square] & (position[2 * KING] | position[2 * KING + THEIRS])
    straight = position[2 * ROOK] | position[2 * ROOK + THEIRS] | queens
    found |= rook_attacks(square, occupied) & straight
    slanting = position[2 * BISHOP] | position[2 * BISHOP + THEIRS] | queens
    return (found | (bishop_attacks(square, occupied) & slanting)) & occupied


@jit
def exchange(position: Row, move: int) -> int:
    """Return what a move gains by captures on its square, in thousandths of a pawn."""
    flip = int64(position[BLACK_TO_MOVE]) * int64(56)
    made, squares = move // KIND_OF_MOVE, move % KIND_OF_MOVE
    if made == CASTLING:
        return int64(0)
    start, end = (squares // SQUARES) ^ flip, (squares % SQUARES) ^ flip
    here, there = bit(start), bit(end)
    occupied = pieces_of(position, 0) | pieces_of(position, THEIRS)
    taken, standing = kind_at(position, THEIRS, there), kind_at(position, 0, here)
    balance = int64(0)
    if taken >= 0:
        balance = WORTH[taken]
    elif standing == PAWN and position[STATE] & RANK_6 & there:
        balance = WORTH[PAWN]
        occupied ^= there >> UP
    if made:
        balance += WORTH[made] - WORTH[PAWN]
        standing = int64(made)
    occupied &= ~here
    occupied |= there
    low, high, side = int64(-_ALL), int64(_ALL), int64(THEIRS)
    attackers = _attackers(position, end, occupied & ~there)
    while True:
        if side == 0:
            if balance >= high:
                return high
            low = max(low, balance)
        else:
            if balance <= low:
                return low
            high = min(high, balance)
        found, least = ZERO, int64(-1)
        for kind in range(6):
            found = attackers & position[2 * kind + side]
            if found:
                least = int64(kind)
                break
        if least < 0:
            break
        occupied ^= found & (~found + ONE)
        attackers = _attackers(position, end, occupied & ~there)
        if least == KING and attackers & pieces_of(position, 1 - side):
            break
        balance += WORTH[standing] if side == 0 else -WORTH[standing]
        standing, side = least, 1 - side
    return max(low, min(high, balance))
