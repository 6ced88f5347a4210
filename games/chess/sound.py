"""Positions that no game of chess reaches, as far as a look at one can tell."""

from __future__ import annotations

import numpy as np
from numba import boolean, int64
from numpy.typing import NDArray

from samuel.games.chess.moves import attackers_of, is_taken_en_passant
from samuel.games.chess.squares import (
    BISHOP,
    BLACK_TO_MOVE,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    RANK_1,
    RANK_6,
    RANK_8,
    ROOK,
    STATE,
    THEIRS,
    UP,
)
from samuel.games.rules import ROWS, Row
from samuel.kernels.bits import ONE, ZERO, Word, popcount, swapped_bytes, trailing_zeros
from samuel.kernels.jit import jit

REASONS = (
    "",
    "each side must have one king",
    "two pieces stand on one square",
    "pawns cannot stand on the first or the last rank",
    "a side has more than 8 pawns or 16 pieces, or more promoted ones than pawns are missing",
    "the side that is not to move is in check",
    "a side that may castle must have its king on its first rank, and a rook there",
    "no pawn can just have moved so that it is captured en passant",
    "no move gives check by these pieces together",
)
"""Reasons why a position is refused, by the number that `fault_of` returns."""
SOUND, KINGS, TWO_ON_ONE, PAWNS, TOO_MANY, OPPOSITE_CHECK, CASTLING_RIGHT, EN_PASSANT, CHECKS = (
    range(len(REASONS))
)


@jit
def _is_too_many(position: Row, side: int) -> bool:
    """Return whether a side has more than 8 pawns with what they became (at most 218 moves)."""
    eight = popcount(position[2 * PAWN + side])
    for kind, begun in ((KNIGHT, 2), (BISHOP, 2), (ROOK, 2), (QUEEN, 1)):
        eight += max(popcount(position[2 * kind + side]) - begun, 0)
    return eight > 8


@jit
def _may_castle(kings: Word, rooks: Word, rights: Word, rank: Word) -> bool:
    """Return whether rights are those of a king and one rook at most on each side of it."""
    if rights == ZERO:
        return True
    if rights & ~rooks or kings & rank == ZERO:
        return False
    below = rights & (kings - ONE)
    above = rights & ~(kings | (kings - ONE))
    return below & (below - ONE) == ZERO and above & (above - ONE) == ZERO


@jit
def is_passable(position: Row, occupied: Word, target: Word) -> bool:
    """Return whether a pawn can just have gone over the square `target`, and can be captured."""
    if target & (target - ONE) or (occupied & (target | (target << UP))):
        return False
    if position[2 * PAWN + THEIRS] & (target >> UP) == ZERO:
        return False
    return is_taken_en_passant(position, occupied, target)


@jit
def _are_possible_checks(position: Row, occupied: Word, king: int, checkers: Word) -> bool:
    """Return whether one move can have given these checks."""
    target = position[STATE] & RANK_6
    if target == ZERO:
        return popcount(checkers) <= 2
    pushed = target >> UP
    if checkers == pushed:
        return True
    before = (occupied & ~pushed) | (target << UP)
    return checkers & (checkers - ONE) == ZERO and (
        attackers_of(position, king, before) & ~pushed == ZERO
    )


@jit
def fault_of(position: Row) -> int:
    """Return the number of the reason why no game reaches a position; 0 for none (REASONS)."""
    for side in (0, THEIRS):
        if popcount(position[2 * KING + side]) != 1:
            return int64(KINGS)
    occupied = ZERO
    for word in range(12):
        if occupied & position[word]:
            return int64(TWO_ON_ONE)
        occupied |= position[word]
    if (position[2 * PAWN] | position[2 * PAWN + THEIRS]) & (RANK_1 | RANK_8):
        return int64(PAWNS)
    if _is_too_many(position, 0) or _is_too_many(position, THEIRS):
        return int64(TOO_MANY)
    state, kings = position[STATE], position[2 * KING]
    if not _may_castle(kings, position[2 * ROOK], state & RANK_1, RANK_1) or not _may_castle(
        position[2 * KING + THEIRS], position[2 * ROOK + THEIRS], state & RANK_8, RANK_8
    ):
        return int64(CASTLING_RIGHT)
    target = state & RANK_6
    if state & ~(RANK_1 | RANK_6 | RANK_8) or position[BLACK_TO_MOVE] > ONE:
        return int64(EN_PASSANT)
    if target and not is_passable(position, occupied, target):
        return int64(EN_PASSANT)
    if _is_attacking(position, occupied):
        return int64(OPPOSITE_CHECK)
    king = trailing_zeros(kings)
    checkers = attackers_of(position, king, occupied)
    if checkers and not _are_possible_checks(position, occupied, king, checkers):
        return int64(CHECKS)
    return int64(SOUND)


@jit
def _is_attacking(position: Row, occupied: Word) -> bool:
    """Return whether the mover attacks the opponent's king."""
    turned = np.empty(12, np.uint64)
    for kind in range(6):
        turned[2 * kind] = swapped_bytes(position[2 * kind + THEIRS])
        turned[2 * kind + THEIRS] = swapped_bytes(position[2 * kind])
    king = trailing_zeros(turned[2 * KING])
    return attackers_of(turned, king, swapped_bytes(occupied)) != ZERO


@jit(boolean[::1](ROWS))
def are_sound(rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which of positions (n, K) a game may reach (bool, (n,))."""
    found = np.empty(len(rows), np.bool_)
    for k in range(len(rows)):
        found[k] = fault_of(rows[k]) == SOUND
    return found
