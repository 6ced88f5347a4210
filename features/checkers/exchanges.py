"""A. Samuel's terms about what is taken for what: DENY, EXCH and FORK (1959, appendix C).

Each looks at the steps of a side, jumps disregarded, and at what could take the piece that has
stepped, by a first jump; whoever could take back, with whatever piece, makes that an exchange. His
RECAP is EXCH. DENY and EXCH take half as long as all other terms together, and none of the three is
among what recipes read.
"""

from __future__ import annotations

from samuel.features.checkers.board import Side, of_both_sides, steps_of
from samuel.games.checkers.rules import can_jump
from samuel.games.checkers.squares import VALID, shifted
from samuel.kernels.bits import ONE, ZERO, Word, popcount
from samuel.kernels.jit import jit

_OPPOSITE = 2
"""Directions that differ in this bit are opposite."""


@jit
def _taken(side: Side, origin: Word, target: Word) -> tuple[bool, bool]:
    """Return whether a piece could be taken after a step, for nothing and for another."""
    pieces = side.pieces ^ origin ^ target
    kings = side.kings ^ origin ^ target if side.kings & origin != ZERO else side.kings
    empty = VALID & ~(pieces | side.theirs)
    for_nothing, for_another = False, False
    for direction in range(4):
        takers = side.theirs if direction >= 2 else side.their_kings
        taker = shifted(target, direction ^ _OPPOSITE) & takers
        landing = shifted(target, direction) & empty
        if taker == ZERO or landing == ZERO:
            continue
        left, theirs = pieces ^ target, side.theirs ^ taker ^ landing
        if can_jump(left, theirs, VALID & ~(left | theirs), kings & left):
            for_another = True
        else:
            for_nothing = True
    return for_nothing, for_another


@jit
def _squares_taken(side: Side) -> tuple[Word, Word]:
    """Return the squares of steps that may lose a piece, and of those that can but exchange it."""
    lost, exchanged = ZERO, ZERO
    for direction in range(4):
        movers = side.pieces if direction < 2 else side.kings
        targets = shifted(movers, direction) & side.empty
        while targets != ZERO:
            target = targets & (~targets + ONE)
            targets ^= target
            origin = shifted(target, direction ^ _OPPOSITE)
            for_nothing, for_another = _taken(side, origin, target)
            if for_nothing:
                lost |= target
            elif for_another:
                exchanged |= target
    return lost, exchanged & ~lost


@of_both_sides
def deny(side: Side) -> float:
    """Denial of occupancy: squares that it may step to where it could be taken for nothing."""
    return popcount(_squares_taken(side)[0])


@of_both_sides
def exch(side: Side) -> float:
    """Exchange: squares that it may step to where taking it has to be an exchange."""
    return popcount(_squares_taken(side)[1])


@of_both_sides
def fork(side: Side) -> float:
    """Threat of fork: steps in front of two pieces side by side, both with an empty square behind.

    The two stand in one row; kings may come from behind them.
    """
    theirs, empty = side.theirs, side.empty
    above = shifted(theirs & shifted(empty, 2), 2) & shifted(theirs & shifted(empty, 3), 3)
    below = shifted(theirs & shifted(empty, 0), 0) & shifted(theirs & shifted(empty, 1), 1)
    of_kings = shifted(side.kings, 0) | shifted(side.kings, 1)
    of_kings |= shifted(side.kings, 2) | shifted(side.kings, 3)
    return popcount((steps_of(side) & above) | (of_kings & empty & below))
