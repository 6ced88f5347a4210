"""Legal moves of chess: what pieces may do, less what leaves one's own king attacked.

Checks and pins are found once. A piece that is pinned stays on the line to its king, and a check
is met by its capture or between; so only the king's own steps, captures en passant and castling
are tried one by one.

A move is 4096 times its kind, 64 times the square it goes from and the one it goes to, as White
sees them. Castling goes from the king to the rook, which tells it apart in Chess960 too.
"""

from __future__ import annotations

from typing import Any

from numba import int64

from samuel.games.chess.squares import (
    ANTIDIAGONALS,
    BISHOP,
    BLACK_TO_MOVE,
    DIAGONALS,
    EVERYWHERE,
    FILE_A,
    FILE_H,
    FILES,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    LIGHT,
    PAWN,
    QUEEN,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    RANKS,
    ROOK,
    SQUARES,
    STATE,
    THEIRS,
    UP,
    UP_LEFT,
    UP_RIGHT,
    bishop_attacks,
    pawn_attacks,
    pawn_attacks_down,
    rook_attacks,
)
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit

KIND_OF_MOVE = SQUARES * SQUARES
CASTLING = 5
"""Kind of move; 0 is an ordinary one, and 1 to 4 promote to KNIGHT to QUEEN."""
_KING_TO, _ROOK_TO = (2, 6), (3, 5)
"""Files where king and rook stand after castling to the queen's side, and to the king's."""


@jit
def pieces_of(position: Row, side: int) -> Word:
    """Return the squares of all pieces of the mover (0) or the opponent (THEIRS)."""
    found = ZERO
    for kind in range(6):
        found |= position[2 * kind + side]
    return found


@jit
def attackers_of(position: Row, square: int, occupied: Word) -> Word:
    """Return the opponent's pieces that attack a square, where `occupied` stands in the way."""
    here = bit(square)
    queens = position[2 * QUEEN + THEIRS]
    found = pawn_attacks(here) & position[2 * PAWN + THEIRS]
    found |= KNIGHT_ATTACKS[square] & position[2 * KNIGHT + THEIRS]
    found |= KING_ATTACKS[square] & position[2 * KING + THEIRS]
    straight = position[2 * ROOK + THEIRS] | queens
    if straight & (FILES[square] | RANKS[square]):
        found |= rook_attacks(square, occupied) & straight
    slanting = position[2 * BISHOP + THEIRS] | queens
    if slanting & (DIAGONALS[square] | ANTIDIAGONALS[square]):
        found |= bishop_attacks(square, occupied) & slanting
    return found


@jit
def in_check(position: Row) -> bool:
    """Return whether the mover's king is attacked."""
    occupied = pieces_of(position, 0) | pieces_of(position, THEIRS)
    return attackers_of(position, trailing_zeros(position[2 * KING]), occupied) != ZERO


@jit
def line_through(king: int, square: int) -> Word:
    """Return the line through two squares, or no square where they are on none."""
    here = bit(square)
    if FILES[king] & here:
        return FILES[king]
    if RANKS[king] & here:
        return RANKS[king]
    if DIAGONALS[king] & here:
        return DIAGONALS[king]
    if ANTIDIAGONALS[king] & here:
        return ANTIDIAGONALS[king]
    return ZERO


@jit
def between(a: int, b: int) -> Word:
    """Return the squares between two squares of a line; none where they are on no line."""
    line = line_through(a, b)
    low, high = min(a, b), max(a, b)
    return line & (bit(high) - (bit(low) << ONE))


@jit
def pinned_pieces(position: Row, king: int, own: Word, theirs: Word) -> Word:
    """Return the mover's pieces that alone stand between the king and a slider."""
    queens = position[2 * QUEEN + THEIRS]
    snipers = ZERO
    straight = position[2 * ROOK + THEIRS] | queens
    if straight & (FILES[king] | RANKS[king]):
        snipers |= rook_attacks(king, theirs) & straight
    slanting = position[2 * BISHOP + THEIRS] | queens
    if slanting & (DIAGONALS[king] | ANTIDIAGONALS[king]):
        snipers |= bishop_attacks(king, theirs) & slanting
    pinned = ZERO
    while snipers:
        blockers = between(king, trailing_zeros(snipers)) & own
        if blockers & (blockers - ONE) == ZERO:
            pinned |= blockers
        snipers &= snipers - ONE
    return pinned


@jit
def _put(moves: Any, n: int, flip: int, start: int, targets: Word) -> int:
    """Write the moves from a square to each of the targets; without a list, count them."""
    if moves is None:
        return n + popcount(targets)
    origin = int64(SQUARES) * (start ^ flip)
    while targets:
        moves[n] = origin + (trailing_zeros(targets) ^ flip)
        n += 1
        targets &= targets - ONE
    return n


@jit
def _put_pawns(moves: Any, n: int, flip: int, targets: Word, step: int, least: int) -> int:
    """Write the moves of pawns by `step` to each of the targets."""
    if moves is None:
        last = targets & RANK_8
        return n + popcount(targets ^ last) + (KING - least) * popcount(last)
    while targets:
        end = trailing_zeros(targets)
        move = int64(SQUARES) * ((end - step) ^ flip) + (end ^ flip)
        if end >= SQUARES - 8:
            for kind in range(QUEEN, least - 1, -1):
                moves[n] = kind * KIND_OF_MOVE + move
                n += 1
        else:
            moves[n] = move
            n += 1
        targets &= targets - ONE
    return n


@jit
def takers_en_passant(position: Row, target: Word) -> Word:
    """Return the mover's pawns that stand where they might capture on `target` en passant."""
    return pawn_attacks_down(target) & position[2 * PAWN]


@jit
def may_take_en_passant(position: Row, occupied: Word, start: Word, target: Word) -> bool:
    """Return whether a capture en passant leaves the mover's king out of check."""
    taken = target >> UP
    after = (occupied ^ start ^ taken) | target
    king = trailing_zeros(position[2 * KING])
    return attackers_of(position, king, after) & ~taken == ZERO


@jit
def is_taken_en_passant(position: Row, occupied: Word, target: Word) -> bool:
    """Return whether one of the mover's pawns may capture on `target` en passant."""
    takers = takers_en_passant(position, target)
    while takers:
        start = takers & (~takers + ONE)
        if may_take_en_passant(position, occupied, start, target):
            return True
        takers ^= start
    return False


@jit
def _span(a: int, b: int) -> Word:
    """Return the squares of the first rank from one to another, both of them in it."""
    return (bit(max(a, b) + 1) - ONE) ^ (bit(min(a, b)) - ONE)


@jit
def _castles(position: Row, occupied: Word, king: int, rook: int) -> bool:
    """Return whether the way is free for castling with a rook, and safe for the king."""
    side = int64(rook > king)
    king_to, rook_to = int64(_KING_TO[side]), int64(_ROOK_TO[side])
    both = bit(king) | bit(rook)
    way = _span(king, king_to) | _span(rook, rook_to)
    if occupied & way & ~both:
        return False
    after = (occupied & ~both) | bit(king_to) | bit(rook_to)
    if attackers_of(position, king_to, after):
        return False
    steps = _span(king, king_to) & ~bit(king) & ~bit(king_to)
    while steps:
        if attackers_of(position, trailing_zeros(steps), occupied & ~bit(king)):
            return False
        steps &= steps - ONE
    return True


@jit
def castled_to(king: int, rook: int) -> tuple[int, int]:
    """Return the squares of king and rook after castling."""
    side = int64(rook > king)
    return int64(_KING_TO[side]), int64(_ROOK_TO[side])


@jit
def list_legal(position: Row, only_noisy: bool, moves: Any) -> int:
    """List the legal moves, or of those the captures and the promotions to a queen."""
    flip = int64(position[BLACK_TO_MOVE]) * int64(56)
    own, theirs = pieces_of(position, 0), pieces_of(position, THEIRS)
    occupied = own | theirs
    king = trailing_zeros(position[2 * KING])
    checkers = attackers_of(position, king, occupied)
    wanted = theirs if only_noisy else ~own
    n = int64(0)

    steps, safe = KING_ATTACKS[king] & wanted, ZERO
    steps &= ~pawn_attacks_down(position[2 * PAWN + THEIRS])
    while steps:
        step = steps & (~steps + ONE)
        if attackers_of(position, trailing_zeros(step), occupied ^ position[2 * KING]) == ZERO:
            safe |= step
        steps ^= step
    n = _put(moves, n, flip, king, safe)
    if checkers & (checkers - ONE):
        return n
    evasions = EVERYWHERE
    if checkers:
        evasions = checkers | between(king, trailing_zeros(checkers))
    wanted &= evasions
    pinned = pinned_pieces(position, king, own, theirs)

    pieces = position[2 * KNIGHT] & ~pinned
    while pieces:
        start = trailing_zeros(pieces)
        n = _put(moves, n, flip, start, KNIGHT_ATTACKS[start] & wanted)
        pieces &= pieces - ONE
    pieces = position[2 * BISHOP] | position[2 * QUEEN]
    while pieces:
        start = trailing_zeros(pieces)
        targets = bishop_attacks(start, occupied) & wanted
        if pinned & bit(start):
            targets &= line_through(king, start)
        n = _put(moves, n, flip, start, targets)
        pieces &= pieces - ONE
    pieces = position[2 * ROOK] | position[2 * QUEEN]
    while pieces:
        start = trailing_zeros(pieces)
        targets = rook_attacks(start, occupied) & wanted
        if pinned & bit(start):
            targets &= line_through(king, start)
        n = _put(moves, n, flip, start, targets)
        pieces &= pieces - ONE

    pawns, least = position[2 * PAWN], QUEEN if only_noisy else KNIGHT
    advancing = ((pawns & (~pinned | FILES[king])) << UP) & ~occupied
    twice = ((advancing & RANK_3) << UP) & ~occupied & evasions
    advancing &= evasions
    if only_noisy:
        advancing &= RANK_8
    else:
        n = _put_pawns(moves, n, flip, twice, 16, least)
    n = _put_pawns(moves, n, flip, advancing, 8, least)
    left = ((pawns & (~pinned | ANTIDIAGONALS[king]) & ~FILE_A) << UP_LEFT) & theirs & evasions
    right = ((pawns & (~pinned | DIAGONALS[king]) & ~FILE_H) << UP_RIGHT) & theirs & evasions
    n = _put_pawns(moves, n, flip, left, 7, least)
    n = _put_pawns(moves, n, flip, right, 9, least)
    target = position[STATE] & RANK_6
    if target:
        pieces = takers_en_passant(position, target)
        while pieces:
            start = pieces & (~pieces + ONE)
            if may_take_en_passant(position, occupied, start, target):
                n = _put(moves, n, flip, trailing_zeros(start), target)
            pieces ^= start
    if only_noisy or checkers:
        return n
    rooks = position[STATE] & RANK_1
    while rooks:
        rook = trailing_zeros(rooks)
        if _castles(position, occupied, king, rook):
            if moves is not None:
                moves[n] = CASTLING * KIND_OF_MOVE + SQUARES * (king ^ flip) + (rook ^ flip)
            n += 1
        rooks &= rooks - ONE
    return n


@jit
def is_dead(position: Row) -> bool:
    """Return whether neither side has what it takes to mate."""
    strong = position[2 * PAWN] | position[2 * PAWN + THEIRS] | position[2 * ROOK]
    strong |= position[2 * ROOK + THEIRS] | position[2 * QUEEN] | position[2 * QUEEN + THEIRS]
    if strong:
        return False
    knights = position[2 * KNIGHT] | position[2 * KNIGHT + THEIRS]
    bishops = position[2 * BISHOP] | position[2 * BISHOP + THEIRS]
    minors = knights | bishops
    if minors & (minors - ONE) == ZERO:
        return True
    return knights == ZERO and (bishops & LIGHT == ZERO or bishops & ~LIGHT == ZERO)
