"""A. Samuel's terms, by his names (1959, appendix C).

His numbers of squares skip 9, 18 and 27 where he gives centre squares; here they are everybody's.

A feature of both sides is a function of what one side sees, whose men go up; it is called once for
the player, who is to move, and once for the opponent, the board turned by half.

    @of_both_sides
    def men(side):
        return popcount(side.men)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from samuel.games.checkers.listing import KINGS, MEN, THEIR_KINGS, THEIR_MEN, VALID, shifted, turned
from samuel.games.checkers.lookahead import squares_taken
from samuel.games.feature import feature
from samuel.games.rules import Row
from samuel.kernels.bits import ZERO, Word, popcount
from samuel.kernels.jit import jit

BOTH = ("player", "opponent")


class Side(NamedTuple):
    """Pieces as a side sees them, as sets of squares: its men and kings, the other's, and all."""

    men: Word
    kings: Word
    their_men: Word
    their_kings: Word
    pieces: Word
    theirs: Word
    empty: Word


@jit
def _side(men: Word, kings: Word, their_men: Word, their_kings: Word) -> Side:
    pieces, theirs = men | kings, their_men | their_kings
    return Side(men, kings, their_men, their_kings, pieces, theirs, VALID & ~(pieces | theirs))


@jit
def player_of(position: Row) -> Side:
    """Return what the side to move sees."""
    return _side(position[MEN], position[KINGS], position[THEIR_MEN], position[THEIR_KINGS])


@jit
def opponent_of(position: Row) -> Side:
    """Return what the other side sees."""
    return _side(
        turned(position[THEIR_MEN]),
        turned(position[THEIR_KINGS]),
        turned(position[MEN]),
        turned(position[KINGS]),
    )


def of_both_sides(function: Callable[[Side], float]) -> Any:
    """Make `function(side)` a feature of two numbers; return the function under `jit`."""
    side = jit(function)

    def read(position: Row, values: Any) -> None:
        values[0] = side(player_of(position))
        values[1] = side(opponent_of(position))

    read.__name__ = read.__qualname__ = function.__name__
    read.__doc__, read.__module__ = function.__doc__, function.__module__
    feature(game="checkers", outputs=BOTH)(read)
    return side


def squares(numbers: Iterable[int]) -> Word:
    """Return the set of squares of those numbers, 1 to 32, as Black sees them."""
    return np.uint64(sum(1 << place + place // 8 for place in (n - 1 for n in numbers)))


def row(number: int) -> Word:
    """Return a row, from 1, the side's own first."""
    return squares(range(4 * number - 3, 4 * number + 1))


CENTRE = squares((10, 11, 14, 15, 18, 19, 22, 23))


@jit
def steps_of(side: Side) -> Word:
    """Return the squares that a side may step to, whether or not it has to jump."""
    up = shifted(side.pieces, 0) | shifted(side.pieces, 1)
    return (up | shifted(side.kings, 2) | shifted(side.kings, 3)) & side.empty


@jit
def empty_neighbours(side: Side, least: int) -> Word:
    """Return the squares with at least so many (1 to 4) empty ones next to them."""
    a, b = shifted(side.empty, 0), shifted(side.empty, 1)
    c, d = shifted(side.empty, 2), shifted(side.empty, 3)
    if least == 4:
        return a & b & c & d
    if least == 3:
        return (a & b & (c | d)) | (c & d & (a | b))
    if least == 2:
        return (a & b) | (c & d) | ((a | b) & (c | d))
    return a | b | c | d


@jit
def _squares_taken(side: Side) -> tuple[Word, Word]:
    return squares_taken(side.pieces, side.kings, side.theirs, side.their_kings)


@of_both_sides
def deny(side: Side) -> float:
    """DENY: number of steps after which the moved piece could be captured without an exchange."""
    return popcount(_squares_taken(side)[0])


@of_both_sides
def exch(side: Side) -> float:
    """EXCH: number of steps after which the moved piece could be captured in an exchange only."""
    return popcount(_squares_taken(side)[1])


@of_both_sides
def fork(side: Side) -> float:
    """Number of steps to a square from which the piece attacks two opposing pieces (fork)."""
    theirs, empty = side.theirs, side.empty
    above = shifted(theirs & shifted(empty, 2), 2) & shifted(theirs & shifted(empty, 3), 3)
    below = shifted(theirs & shifted(empty, 0), 0) & shifted(theirs & shifted(empty, 1), 1)
    of_kings = shifted(side.kings, 0) | shifted(side.kings, 1)
    of_kings |= shifted(side.kings, 2) | shifted(side.kings, 3)
    return popcount((steps_of(side) & above) | (of_kings & empty & below))


_FAR, _NEAR = row(5) | row(6), row(3) | row(4)
_APEX = squares((7, 26))
_BRIDGE, _OREO = squares((1, 3)), squares((2, 3, 7))
_DOUBLE_CORNERS = squares((1, 5, 28, 32))
_DOUBLE_DIAGONALS = squares((1, 6, 10, 15, 19, 24, 28, 5, 9, 14, 18, 23, 27, 32))
_ONE_OFF = squares((2, 7, 11, 16, 20, 13, 17, 22, 26, 31))
_TWO_OFF = squares((3, 8, 12, 21, 25, 30))
_CRAMPING, _BESIDE, _CRAMPED = squares((13,)), squares((9, 14)), squares((17, 21, 22, 25))
_SYSTEM = squares(k for first in (1, 2, 3, 4) for k in range(first, 33, 8))
"""The files that begin with squares 1 to 4: every other row."""
_FEW, _ALL = 6, 24
"""Bounds of material, a man counting 2 and a king 3."""


@of_both_sides
def adv(side: Side) -> float:
    """ADV, advancement: number of men on the side's rows 5 and 6, minus men on rows 3 and 4."""
    return popcount(side.men & _FAR) - popcount(side.men & _NEAR)


@of_both_sides
def apex(side: Side) -> float:
    """APEX: -1 if no king is on the board and only the other side has a man on square 7 or 26."""
    lost = side.their_men & _APEX != ZERO and side.men & _APEX == ZERO
    return -1 if lost and side.kings | side.their_kings == ZERO else 0


@of_both_sides
def back(side: Side) -> float:
    """BACK, back row bridge: 1 with pieces on 1 and 3 (White: 30, 32) and no opposing king."""
    return 1 if side.their_kings == ZERO and side.pieces & _BRIDGE == _BRIDGE else 0


@of_both_sides
def cent(side: Side) -> float:
    """CENT, centre control: number of the side's men on the eight centre squares."""
    return popcount(side.men & CENTRE)


@of_both_sides
def cntr(side: Side) -> float:
    """CNTR: number of centre squares that the side occupies or can step to."""
    return popcount((side.pieces | steps_of(side)) & CENTRE)


@of_both_sides
def corn(side: Side) -> float:
    """CORN: 1 if a side with at most 6 points, fewer than the other, can step to a double corner.

    A man has 2 points, a king 3.
    """
    own = 2 * popcount(side.men) + 3 * popcount(side.kings)
    others = 2 * popcount(side.their_men) + 3 * popcount(side.their_kings)
    return 1 if own <= _FEW and others > own and steps_of(side) & _DOUBLE_CORNERS != ZERO else 0


@of_both_sides
def cramp(side: Side) -> float:
    """CRAMP: 2 if the side has 13 and 9 or 14, and the other side has 17, 21, 22 and 25.

    Squares are Black's; White's are 33 minus the number.
    """
    holds = side.pieces & _CRAMPING != ZERO and side.pieces & _BESIDE != ZERO
    return 2 if holds and side.theirs & _CRAMPED == _CRAMPED else 0


@of_both_sides
def dia(side: Side) -> float:
    """DIA: number of pieces on the diagonals between the double corners."""
    return popcount(side.pieces & _DOUBLE_DIAGONALS)


@of_both_sides
def diav(side: Side) -> float:
    """DIAV, diagonal moment: 1.5 per piece on the squares of `dia`, 1 one step off, 0.5 two off."""
    near, far = popcount(side.pieces & _ONE_OFF), popcount(side.pieces & _TWO_OFF)
    return 1.5 * popcount(side.pieces & _DOUBLE_DIAGONALS) + near + 0.5 * far


@of_both_sides
def dyke(side: Side) -> float:
    """DYKE: number of strings of three adjacent pieces on a diagonal."""
    pieces = side.pieces
    one = pieces & shifted(pieces, 0) & shifted(pieces, 2)
    return popcount(one) + popcount(pieces & shifted(pieces, 1) & shifted(pieces, 3))


@of_both_sides
def expos(side: Side) -> float:
    """EXPOS, exposure: number of pieces between two empty squares on a diagonal."""
    empty = side.empty
    flanked = (shifted(empty, 0) & shifted(empty, 2)) | (shifted(empty, 1) & shifted(empty, 3))
    return popcount(side.pieces & flanked)


@of_both_sides
def gap(side: Side) -> float:
    """GAP: number of empty squares between two of the side's pieces, or a piece and the edge."""
    count = 0
    for up, down in ((0, 2), (1, 3)):
        above, below = shifted(side.pieces, down), shifted(side.pieces, up)
        edge_above, edge_below = VALID & ~shifted(VALID, down), VALID & ~shifted(VALID, up)
        count += popcount(side.empty & above & (below | edge_below))
        count += popcount(side.empty & below & ~above & edge_above)
    return count


@of_both_sides
def guard(side: Side) -> float:
    """GUARD, back row control: 1 if `back` or `oreo` is 1."""
    holds = side.pieces & _BRIDGE == _BRIDGE or side.pieces & _OREO == _OREO
    return 1 if side.their_kings == ZERO and holds else 0


@of_both_sides
def hole(side: Side) -> float:
    """HOLE: number of empty squares with at least three of the side's pieces next to them."""
    a, b = shifted(side.pieces, 0), shifted(side.pieces, 1)
    c, d = shifted(side.pieces, 2), shifted(side.pieces, 3)
    return popcount(side.empty & ((a & b & (c | d)) | (c & d & (a | b))))


@of_both_sides
def kcent(side: Side) -> float:
    """KCENT, king centre control: number of the side's kings on the eight centre squares."""
    return popcount(side.kings & CENTRE)


@of_both_sides
def mob(side: Side) -> float:
    """MOB, total mobility: number of squares that the side can step to, without jumps."""
    return popcount(steps_of(side))


@of_both_sides
def move(side: Side) -> float:
    """MOVE: 1 with equal pieces, under 24 points in all, and an odd number on the files of 1 to 4.

    A man has 2 points, a king 3.
    """
    own = 2 * popcount(side.men) + 3 * popcount(side.kings)
    others = 2 * popcount(side.their_men) + 3 * popcount(side.their_kings)
    is_even = popcount(side.pieces) == popcount(side.theirs) and own + others < _ALL
    return 1 if is_even and popcount((side.pieces | side.theirs) & _SYSTEM) & 1 else 0


@feature(game="checkers")
def has_move(position: Row) -> float:
    """MOVE as Samuel scored it: 1 if the player has the move, -1 if not; 0 if MOVE does not apply.

    MOVE applies with equal pieces and under 24 points in all (man 2, king 3).
    """
    side = player_of(position)
    own = 2 * popcount(side.men) + 3 * popcount(side.kings)
    others = 2 * popcount(side.their_men) + 3 * popcount(side.their_kings)
    is_even = popcount(side.pieces) == popcount(side.theirs) and own + others < _ALL
    return 2 * move(side) - 1 if is_even else 0


@of_both_sides
def node(side: Side) -> float:
    """NODE: number of pieces with at least three empty squares next to them."""
    return popcount(side.pieces & empty_neighbours(side, 3))


@of_both_sides
def oreo(side: Side) -> float:
    """OREO, triangle: 1 with pieces on 2, 3 and 7 (White: 26, 30, 31) and no opposing king."""
    return 1 if side.their_kings == ZERO and side.pieces & _OREO == _OREO else 0


@of_both_sides
def pole(side: Side) -> float:
    """POLE: number of men with four empty squares next to them."""
    return popcount(side.men & empty_neighbours(side, 4))


@of_both_sides
def thret(side: Side) -> float:
    """THRET, threat: number of squares that a piece can step to and then capture from."""
    steps, prey = steps_of(side), ZERO
    for up in range(2):
        down = up + 2
        prey |= steps & shifted(side.theirs & shifted(side.empty, down), down)
    kings = shifted(side.kings, 0) | shifted(side.kings, 1)
    kings = (kings | shifted(side.kings, 2) | shifted(side.kings, 3)) & side.empty
    for down in range(2, 4):
        up = down - 2
        prey |= kings & shifted(side.theirs & shifted(side.empty, up), up)
    return popcount(prey)


@of_both_sides
def mobil(side: Side) -> float:
    """MOBIL, undenied mobility: `mob` minus `deny`."""
    return mob(side) - deny(side)


@of_both_sides
def recap(side: Side) -> float:
    """RECAP, recapture: equal to `exch`, as in Samuel's list."""
    return exch(side)


@jit
def _fill_four(a: bool, b: bool, values: Any, first: int) -> None:
    values[first] = 1 if a and b else 0
    values[first + 1] = 1 if a and not b else 0
    values[first + 2] = 1 if b and not a else 0
    values[first + 3] = 1 if not (a or b) else 0


@feature(
    game="checkers",
    outputs=(
        *("demo", "demmo", "ddemo", "ddmm"),
        *("mode1", "mode2", "mode3", "mode4"),
        *("moc1", "moc3", "moc2", "moc4"),
    ),
)
def connective(position: Row, values: Any) -> None:
    """Samuel's binary connectives: flags of two terms at a time, by the signs of their differences.

    A term's difference is the player's number minus the opponent's. The first of four flags is 1
    if both differences are positive, the next two if only the first or only the second is, the
    last if neither is. The pairs are `deny` and `mob`, `mobil` and `deny`, `mobil` and `cent`.
    """
    player, opponent = player_of(position), opponent_of(position)
    denies = deny(player) - deny(opponent)
    moves = mob(player) - mob(opponent)
    _fill_four(denies > 0, moves > 0, values, 0)
    _fill_four(moves > denies, denies > 0, values, 4)
    _fill_four(moves > denies, cent(player) > cent(opponent), values, 8)
