"""Rooks on files, outposts, and the king's shelter."""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.games.chess.features.sides import SIDES, below, beside, files_of, side_of
from samuel.games.chess.squares import UP, pawn_attacks, pawn_attacks_down
from samuel.games.feature import feature
from samuel.games.rules import Row
from samuel.kernels.bits import popcount

_RANK_7, _RANK_8 = np.uint64(0xFF << 48), np.uint64(0xFF << 56)
_ADVANCED = np.uint64(0x0000FFFFFF000000)
"""The fourth to the sixth rank."""


@feature(game="chess", outputs=("open", "half_open", "seventh"))
def rooks(position: Row, values: Any) -> None:
    """Difference in rooks of a kind, player minus opponent.

    `open`: no pawn on the file; `half_open`: only enemy pawns on the file; `seventh`: on the
    seventh rank, with an enemy pawn there or the enemy king on the eighth.
    """
    for k in range(3):
        values[k] = 0
    for side in SIDES:
        it, sign = side_of(position, side), 1 - 2 * side
        without_own = it.rooks & ~files_of(it.pawns)
        whole = without_own & ~files_of(it.their_pawns)
        values[0] += sign * popcount(whole)
        values[1] += sign * popcount(without_own ^ whole)
        if it.their_king & _RANK_8 or it.their_pawns & _RANK_7:
            values[2] += sign * popcount(it.rooks & _RANK_7)


@feature(game="chess", outputs=("knight", "bishop"))
def outposts(position: Row, values: Any) -> None:
    """Difference in outposts: pieces on ranks 4 to 6 that a pawn defends and no pawn can attack."""
    values[0] = values[1] = 0
    for side in SIDES:
        it, sign = side_of(position, side), 1 - 2 * side
        driven = pawn_attacks_down(it.their_pawns | below(it.their_pawns))
        safe = pawn_attacks(it.pawns) & ~driven & _ADVANCED
        values[0] += sign * popcount(it.knights & safe)
        values[1] += sign * popcount(it.bishops & safe)


@feature(game="chess", outputs=("near", "far", "open", "storm"))
def shelter(position: Row, values: Any) -> None:
    """Pawns on the king's file and the files next to it, player minus opponent.

    `near`, `far`: own pawns one and two ranks in front of the king; `open`: files without an own
    pawn; `storm`: enemy pawns up to three ranks in front of the king.
    """
    for k in range(4):
        values[k] = 0
    for side in SIDES:
        it, sign = side_of(position, side), 1 - 2 * side
        three = it.king | beside(it.king)
        first = three << UP
        second = first << UP
        values[0] += sign * popcount(it.pawns & first)
        values[1] += sign * popcount(it.pawns & second)
        files = files_of(three)
        bare = files & ~files_of(it.pawns) & np.uint64(0xFF)
        values[2] += sign * popcount(bare)
        values[3] += sign * popcount(it.their_pawns & (first | second | (second << UP)))
