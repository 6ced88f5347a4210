"""How far a search of checkers goes on beyond its depth, before an evaluator is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import int64

from samuel.games.checkers.exchanges import squares_taken
from samuel.games.checkers.listing import (
    MEN,
    THEIR_KINGS,
    THEIR_MEN,
    all_of,
    can_jump,
    jumps_of,
    legal_moves,
)
from samuel.games.checkers.moves import JUMPS_AT
from samuel.games.interface import NO_MOVE, Row
from samuel.kernels.bits import ZERO, popcount
from samuel.kernels.jit import jit

_MAN, _KING = 2, 3
"""Their worth to A. Samuel's programs."""
_DECIDED_FROM, _LAST = 8, 17
"""Plies 11 and 20 of his programs, whose depth was 3."""


@jit
def jumps(position: Row, move: int, beyond: int, moves: Any) -> int:
    """List the jumps, of which one has to be played."""
    mine, theirs, empty, kings = all_of(position)
    return -jumps_of(position, moves) if can_jump(mine, theirs, empty, kings) else int64(0)


@jit
def _is_decided(position: Row) -> bool:
    """Return whether one side is ahead by more than two kings."""
    men = popcount(position[MEN]) - popcount(position[THEIR_MEN])
    _, _, _, kings = all_of(position)
    ahead = _MAN * men + _KING * (popcount(kings) - popcount(position[THEIR_KINGS]))
    return abs(ahead) > 2 * _KING


@jit
def jumps_and_exchanges(position: Row, move: int, beyond: int, moves: Any) -> int:
    """List all moves where A. Samuel's programs went on ("Some studies in machine learning", 1959).

    At the depth (ply 3 for him) they did where the next move is a jump, the last one was, or an
    exchange may be offered, a ply beyond where the first or the third holds, then only where the
    next is a jump. From ply 11 they stopped where one side was ahead by more than two kings, and at
    ply 20 in any case.
    """
    mine, theirs, empty, kings = all_of(position)
    if beyond >= _LAST or (beyond >= _DECIDED_FROM and _is_decided(position)):
        return int64(0)
    if can_jump(mine, theirs, empty, kings):
        return -jumps_of(position, moves)
    goes_on = beyond == 0 and move != NO_MOVE and (move >> JUMPS_AT) & 1 != 0
    if not goes_on and beyond <= 1:
        goes_on = squares_taken(mine, kings, theirs, position[THEIR_KINGS])[1] != ZERO
    return -legal_moves(position, moves) if goes_on else int64(0)


PENDINGS: dict[str, Callable[..., Any]] = {"samuel": jumps_and_exchanges}
"""Rules that a search goes by where it is asked to, by name."""
