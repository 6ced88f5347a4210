"""The board of checkers as features see it, and how a feature of both sides is defined.

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

from samuel.games.checkers.listing import KINGS, MEN, THEIR_KINGS, THEIR_MEN
from samuel.games.checkers.squares import VALID, shifted, turned
from samuel.games.feature import feature
from samuel.games.interface import Row
from samuel.kernels.bits import Word
from samuel.kernels.jit import jit

BOTH = ("player", "opponent")


class Side(NamedTuple):
    """What a side sees, each a set of squares: its men, its kings, the other's, all of each."""

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
