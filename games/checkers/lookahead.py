"""Reach of a search of checkers beyond its depth, and the cost of a step.

A step may cost the piece, or an exchange of pieces. Looked at is what could take the piece that has
stepped, by a first jump; whoever could take back, with whatever piece, makes that an exchange.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import int64

from samuel.games.checkers.listing import (
    JUMPS_AT,
    MEN,
    THEIR_KINGS,
    THEIR_MEN,
    VALID,
    all_of,
    can_jump,
    jumps_of,
    legal_moves,
    shifted,
)
from samuel.games.rules import NO_MOVE, Row
from samuel.kernels.bits import ONE, ZERO, Word, popcount
from samuel.kernels.jit import jit

_OPPOSITE = 2
"""Directions that differ in this bit are opposite."""


@jit
def _taken(
    mine: Word, kings: Word, theirs: Word, their_kings: Word, origin: Word, target: Word
) -> tuple[bool, bool]:
    """Return whether a piece could be taken after a step, for nothing and for another."""
    pieces = mine ^ origin ^ target
    kings = kings ^ origin ^ target if kings & origin != ZERO else kings
    empty = VALID & ~(pieces | theirs)
    for_nothing, for_another = False, False
    for direction in range(4):
        takers = theirs if direction >= 2 else their_kings
        taker = shifted(target, direction ^ _OPPOSITE) & takers
        landing = shifted(target, direction) & empty
        if taker == ZERO or landing == ZERO:
            continue
        left, others = pieces ^ target, theirs ^ taker ^ landing
        if can_jump(left, others, VALID & ~(left | others), kings & left):
            for_another = True
        else:
            for_nothing = True
    return for_nothing, for_another


@jit
def squares_taken(mine: Word, kings: Word, theirs: Word, their_kings: Word) -> tuple[Word, Word]:
    """Return the squares of steps that may lose a piece, and of those that can but exchange it."""
    lost, exchanged, empty = ZERO, ZERO, VALID & ~(mine | theirs)
    for direction in range(4):
        movers = mine if direction < 2 else kings
        targets = shifted(movers, direction) & empty
        while targets != ZERO:
            target = targets & (~targets + ONE)
            targets ^= target
            origin = shifted(target, direction ^ _OPPOSITE)
            for_nothing, for_another = _taken(mine, kings, theirs, their_kings, origin, target)
            if for_nothing:
                lost |= target
            elif for_another:
                exchanged |= target
    return lost, exchanged & ~lost


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


QUIESCENCE_RULES: dict[str, Callable[..., Any]] = {"samuel": jumps_and_exchanges}
"""Rules that a search goes by where it is asked to, by name."""
