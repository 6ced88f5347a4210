"""A. Samuel's terms about what is taken for what: DENY, EXCH and FORK (1959, appendix C).

DENY and EXCH look at the steps of a side, jumps disregarded, and at what could take the piece that
has stepped (games/checkers/exchanges.py). His RECAP is EXCH. They take half as long as all other
terms together, and none of the three is among what recipes read.
"""

from __future__ import annotations

from samuel.features.checkers.board import Side, of_both_sides, steps_of
from samuel.games.checkers.exchanges import squares_taken
from samuel.games.checkers.squares import shifted
from samuel.kernels.bits import Word, popcount
from samuel.kernels.jit import jit


@jit
def _squares_taken(side: Side) -> tuple[Word, Word]:
    return squares_taken(side.pieces, side.kings, side.theirs, side.their_kings)


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
