"""The structure of the pawns, and passed pawns."""

from __future__ import annotations

from typing import Any

from samuel.games.chess.features.sides import (
    SIDES,
    Side,
    above,
    below,
    beside,
    files_of,
    own_of,
    side_of,
    theirs_of,
)
from samuel.games.chess.squares import SIZE, UP, pawn_attacks, pawn_attacks_down
from samuel.games.feature import feature
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit

_RANKS = tuple(f"passed_{rank}" for rank in range(2, 8))
_STRUCTURE = ("isolated", "doubled", "backward", "phalanx", "defended")


@jit
def passed_pawns(it: Side) -> Word:
    """Return the pawns of a side that no pawn of the other can stop or take on their way."""
    stoppers = below(it.their_pawns | pawn_attacks_down(it.their_pawns))
    stoppers |= it.their_pawns
    stoppers |= pawn_attacks_down(it.their_pawns)
    return it.pawns & ~stoppers & ~below(it.pawns)


@feature(game="chess", outputs=_RANKS + _STRUCTURE)
def pawns(position: Row, values: Any) -> None:
    """Difference in pawns of a kind, player minus opponent.

    `passed_2` to `passed_7`: passed pawns on that rank; `isolated`: no own pawn on the files next
    to it; `doubled`: an own pawn in front of it; `backward`: an enemy pawn attacks the square in
    front of it, and no own pawn can defend that square; `phalanx`: an own pawn next to it on
    its rank; `defended`: an own pawn defends it.
    """
    for k in range(11):
        values[k] = 0
    for side in SIDES:
        it, sign = side_of(position, side), 1 - 2 * side
        own = it.pawns
        passed = passed_pawns(it)
        while passed:
            values[trailing_zeros(passed) // SIZE - 1] += sign
            passed &= passed - ONE
        files = files_of(own)
        alone = own & ~beside(files)
        values[6] += sign * popcount(alone)
        values[7] += sign * popcount(own & below(own))
        support = pawn_attacks(own | above(own))
        stops = (own & ~alone) << UP
        backward = stops & ~support & pawn_attacks_down(it.their_pawns)
        values[8] += sign * popcount(backward)
        values[9] += sign * popcount(own & beside(own))
        values[10] += sign * popcount(own & pawn_attacks(own))


@jit
def _distance(a: int, b: int) -> int:
    """Return a king's steps from one square to another."""
    return max(abs(a // SIZE - b // SIZE), abs(a % SIZE - b % SIZE))


@feature(game="chess", outputs=("free", "own_king", "their_king", "rook_behind"))
def passers(position: Row, values: Any) -> None:
    """Sums over passed pawns from the fourth rank on, player minus opponent.

    `free`: rank minus 3 if all squares in front of the pawn are empty; `own_king`, `their_king`:
    steps of the king to the square in front of the pawn; `rook_behind`: 1 if an own rook is
    behind the pawn on its file.
    """
    for k in range(4):
        values[k] = 0
    for side in SIDES:
        it, sign = side_of(position, side), 1 - 2 * side
        occupied = own_of(it) | theirs_of(it)
        king, their_king = trailing_zeros(it.king), trailing_zeros(it.their_king)
        left = passed_pawns(it)
        while left:
            square = trailing_zeros(left)
            here = bit(square)
            left &= left - ONE
            rank = square // SIZE
            if rank < 3:
                continue
            if above(here) & occupied == ZERO:
                values[0] += sign * (rank - 2)
            values[1] += sign * _distance(king, square + SIZE)
            values[2] += sign * _distance(their_king, square + SIZE)
            if below(here) & it.rooks:
                values[3] += sign
