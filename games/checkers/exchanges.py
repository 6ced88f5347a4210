"""What a step may cost: the piece, or an exchange of pieces.

Looked at is what could take the piece that has stepped, by a first jump; whoever could take back,
with whatever piece, makes that an exchange.
"""

from __future__ import annotations

from samuel.games.checkers.listing import can_jump
from samuel.games.checkers.squares import VALID, shifted
from samuel.kernels.bits import ONE, ZERO, Word
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
    """Return the squares of steps that may lose a piece, and of those that can but exchange it.

    `mine` and `theirs` are all pieces of a side, kings among them.
    """
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
