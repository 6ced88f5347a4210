"""Attacks of pieces: mobility, the squares around the king, and threats.

They are one feature, since an attack is computed once for all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.games.chess.features.sides import Side, own_of, side_of, theirs_of
from samuel.games.chess.squares import KING_ATTACKS, UP, attacks_of, pawn_attacks, pawn_attacks_down
from samuel.games.feature import feature
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, Word, popcount, swapped_bytes, trailing_zeros
from samuel.kernels.jit import jit

_KINDS = ("knight", "bishop", "rook", "queen")
_OUTPUTS = (
    *(f"mobility_{kind}" for kind in _KINDS),
    *(f"king_{kind}" for kind in _KINDS),
    *("king_attackers", "king_danger"),
    *("threat_pawn", "threat_minor", "threat_rook", "hanging", "space"),
)
_N = len(_OUTPUTS)
_UNITS = np.array([2, 2, 3, 5], np.int64)
"""Weight of an attacked square by the king in `king_danger` (Chess Programming Wiki, "King
Safety": attack units)."""
_CENTRE = np.uint64(0x00003C3C3C000000)
"""Files c to f of the fourth to the sixth rank."""


@jit
def _fill(it: Side, sign: int, values: Any) -> Word:
    """Add what a side attacks, all but threats on loose pieces; return the attacked squares."""
    own, theirs = own_of(it), theirs_of(it)
    occupied = own | theirs
    refused = own | pawn_attacks_down(it.their_pawns)
    ring = KING_ATTACKS[trailing_zeros(it.their_king)] | it.their_king
    ring |= ring >> UP
    by_pawns = pawn_attacks(it.pawns)
    every = by_pawns | KING_ATTACKS[trailing_zeros(it.king)]
    by_minors = by_rooks = ZERO
    attackers = units = 0
    for kind in range(4):
        pieces = it.knights
        if kind == 1:
            pieces = it.bishops
        elif kind == 2:
            pieces = it.rooks
        elif kind == 3:
            pieces = it.queens
        while pieces:
            attacked = attacks_of(kind, trailing_zeros(pieces), occupied)
            pieces &= pieces - ONE
            every |= attacked
            if kind < 2:
                by_minors |= attacked
            elif kind == 2:
                by_rooks |= attacked
            values[kind] += sign * popcount(attacked & ~refused)
            near = popcount(attacked & ring)
            values[4 + kind] += sign * near
            units += near * _UNITS[kind]
            attackers += near > 0
    values[8] += sign * attackers
    if attackers > 1:
        values[9] += sign * np.float32(min(units, 60) * min(units, 60)) / np.float32(100)
    majors = it.their_rooks | it.their_queens
    values[10] += sign * popcount(by_pawns & (theirs & ~it.their_pawns & ~it.their_king))
    values[11] += sign * popcount(by_minors & majors)
    values[12] += sign * popcount(by_rooks & it.their_queens)
    values[14] += sign * popcount(every & _CENTRE & ~pawn_attacks_down(it.their_pawns))
    return every


@feature(game="chess", outputs=_OUTPUTS)
def activity(position: Row, values: Any) -> None:
    """Differences in attacks, player minus opponent.

    `mobility_KIND`: attacked squares without an own piece that no enemy pawn attacks;
    `king_KIND`: attacked squares near the enemy king; `king_attackers`: pieces that attack such a
    square; `king_danger`: these attacks, weighted by kind and squared; `threat_pawn`: pieces that
    pawns attack; `threat_minor`: rooks and queens that knights and bishops attack;
    `threat_rook`: queens that rooks attack; `hanging`: attacked pieces without a defender;
    `space`: attacked squares on files c to f and ranks 4 to 6 that no enemy pawn attacks.
    """
    for k in range(_N):
        values[k] = 0
    it, other = side_of(position, 0), side_of(position, 1)
    mine = _fill(it, 1, values)
    theirs = _fill(other, -1, values)
    loose = mine & ~swapped_bytes(theirs) & theirs_of(it) & ~it.their_king
    own_loose = theirs & ~swapped_bytes(mine) & theirs_of(other) & ~other.their_king
    values[13] = popcount(loose) - popcount(own_loose)
