"""Legal moves of xiangqi: what pieces may do, less what leaves one's own general attacked.

The other side's general counts as a chariot along the column: the two may not face each other.

Most moves cannot expose the general, which a look at its lines tells once for all of them; the
others are tried. A move is 90 times the square it goes from and the one it goes to, numbered from
a1 along the rows as the first player sees them, so what the second player sees counts from the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import boolean, int32, int64
from numpy.typing import NDArray

from samuel.games.rules import ROWS as POSITIONS
from samuel.games.rules import Row
from samuel.games.xiangqi.squares import (
    BLOCKS,
    BLOCKS_NEAR,
    CANNON,
    CHARIOT,
    COLUMNS,
    FIRST,
    GENERAL,
    HALF,
    HIGH,
    HORSE,
    HORSES_AT,
    HORSES_NEAR,
    KINDS,
    LOW,
    PALACE,
    ROWS,
    SECOND,
    SOLDIER,
    SOLDIERS_AT,
    SQUARES,
    along_column,
    along_row,
    column_of,
    on_column,
    on_row,
    row_of,
    targets,
    turned,
)
from samuel.kernels.bits import ZERO, Word, bit, trailing_zeros
from samuel.kernels.jit import jit

WORDS_A_KIND = 4
"""The mover's two words and the opponent's."""
OPPONENT = 2
"""First of the opponent's words of a kind."""
_LEGS = BLOCKS.shape[1]
_WHOLE_ROW, _WHOLE_COLUMN = np.uint64((1 << COLUMNS) - 1), np.uint64((1 << ROWS) - 1)


class Attackers(NamedTuple):
    """The opponent's pieces that can attack a general, below the river and beyond it."""

    chariots: Word
    chariots_beyond: Word
    cannons: Word
    cannons_beyond: Word
    horses: Word
    soldiers: Word
    general: Word


@jit
def attackers_of(position: Row) -> Attackers:
    """Return what of the opponent's may attack the mover's general."""
    theirs = OPPONENT
    return Attackers(
        position[WORDS_A_KIND * CHARIOT + theirs + LOW],
        position[WORDS_A_KIND * CHARIOT + theirs + HIGH],
        position[WORDS_A_KIND * CANNON + theirs + LOW],
        position[WORDS_A_KIND * CANNON + theirs + HIGH],
        position[WORDS_A_KIND * HORSE + theirs + LOW],
        position[WORDS_A_KIND * SOLDIER + theirs + LOW],
        position[WORDS_A_KIND * GENERAL + theirs + HIGH],
    )


@jit
def without(them: Attackers, low: Word, high: Word) -> Attackers:
    """Return what is left of them when what stands on some squares is taken."""
    return Attackers(
        them.chariots & ~low,
        them.chariots_beyond & ~high,
        them.cannons & ~low,
        them.cannons_beyond & ~high,
        them.horses & ~low,
        them.soldiers & ~low,
        them.general & ~high,
    )


@jit
def pieces_of(position: Row, side: int) -> tuple[Word, Word]:
    """Return the squares of all pieces of a side (0, or OPPONENT), below the river and beyond."""
    low = high = ZERO
    for kind in range(len(KINDS)):
        low |= position[WORDS_A_KIND * kind + side + LOW]
        high |= position[WORDS_A_KIND * kind + side + HIGH]
    return low, high


@jit
def is_attacked(general: int, low: Word, high: Word, them: Attackers) -> bool:
    """Return whether the mover's general would be taken, among all pieces (`low`, `high`)."""
    row = general // COLUMNS
    column = general - COLUMNS * row
    chariots = column_of(them.chariots, them.chariots_beyond | them.general, column)
    cannons = column_of(them.cannons, them.cannons_beyond, column)
    if chariots | cannons != ZERO:
        seen = along_column(low, high, general)
        if chariots & (seen >> FIRST) | cannons & (seen >> SECOND):
            return True
    chariots, cannons = row_of(them.chariots, ZERO, row), row_of(them.cannons, ZERO, row)
    if chariots | cannons != ZERO:
        seen = along_row(low, high, general)
        if chariots & (seen >> FIRST) | cannons & (seen >> SECOND):
            return True
    if them.soldiers & SOLDIERS_AT[general] != ZERO:
        return True
    horses = them.horses & HORSES_NEAR[general]
    if horses != ZERO:
        for k in range(_LEGS):
            if horses & HORSES_AT[general, k] != ZERO and low & BLOCKS[general, k] == ZERO:
                return True
    return False


@jit
def exposing(general: int, them: Attackers) -> tuple[Word, Word]:
    """Return the squares on which a change may expose a general that is not attacked."""
    row = general // COLUMNS
    column = general - COLUMNS * row
    low = high = ZERO
    beyond = them.chariots_beyond | them.cannons_beyond | them.general
    if column_of(them.chariots | them.cannons, beyond, column) != ZERO:
        low, high = on_column(_WHOLE_COLUMN, column)
    if row_of(them.chariots | them.cannons, ZERO, row) != ZERO:
        low |= on_row(_WHOLE_ROW, row)[0]
    if them.horses & HORSES_NEAR[general] != ZERO:
        low |= BLOCKS_NEAR[general]
    return low, high


SECOND_TO_MOVE = WORDS_A_KIND * len(KINDS)
"""The word that says whose turn it is."""
LAST_MOVE = SQUARES * SQUARES - 1
EVERYWHERE = np.uint64((1 << HALF) - 1)
_NO_SQUARE = 64


@jit
def seen(position: Row, move: int) -> tuple[int, int]:
    """Return the squares that a move goes from and to, as the side to move sees them."""
    if position[SECOND_TO_MOVE] != ZERO:
        move = LAST_MOVE - move
    return move // SQUARES, move % SQUARES


@jit
def halves(square: int) -> tuple[Word, Word]:
    """Return the words of a square, below the river and beyond."""
    return (bit(square), ZERO) if square < HALF else (ZERO, bit(square - HALF))


@jit
def first_of(low: Word, high: Word) -> int:
    """Return the first square of some, of which there is one."""
    return trailing_zeros(low) if low != ZERO else HALF + trailing_zeros(high)


@jit
def general_of(position: Row) -> int:
    """Return the square of the mover's general; 64 where it has none in its palace."""
    return trailing_zeros(position[WORDS_A_KIND * GENERAL + LOW] & PALACE)


@jit
def is_in_check(position: Row) -> bool:
    """Return whether the mover's general is attacked."""
    general = general_of(position)
    if general == _NO_SQUARE:
        return False
    mine, mine_beyond = pieces_of(position, 0)
    theirs, theirs_beyond = pieces_of(position, OPPONENT)
    low, high = mine | theirs, mine_beyond | theirs_beyond
    return is_attacked(general, low, high, attackers_of(position))


@jit
def list_legal(position: Row, wanted: Word, wanted_beyond: Word, moves: Any) -> int:
    """List the legal moves to squares that are wanted; with None for `moves` count 1 at most."""
    general, n = general_of(position), int64(0)
    if general == _NO_SQUARE:
        return n
    mine, mine_beyond = pieces_of(position, 0)
    theirs, theirs_beyond = pieces_of(position, OPPONENT)
    low, high = mine | theirs, mine_beyond | theirs_beyond
    wanted, wanted_beyond = wanted & ~mine, wanted_beyond & ~mine_beyond
    them = attackers_of(position)
    if is_attacked(general, low, high, them):
        exposed, exposed_beyond = EVERYWHERE, EVERYWHERE
    else:
        exposed, exposed_beyond = exposing(general, them)
    is_second = position[SECOND_TO_MOVE] != ZERO
    for kind in KINDS:
        left = position[WORDS_A_KIND * kind + LOW]
        left_beyond = position[WORDS_A_KIND * kind + HIGH]
        while left | left_beyond != ZERO:
            start = first_of(left, left_beyond)
            here, here_beyond = halves(start)
            left, left_beyond = left ^ here, left_beyond ^ here_beyond
            ends, ends_beyond = targets(low, high, start, kind)
            ends, ends_beyond = ends & wanted, ends_beyond & wanted_beyond
            is_bound = kind == GENERAL or (here & exposed) | (here_beyond & exposed_beyond) != ZERO
            while ends | ends_beyond != ZERO:
                end = first_of(ends, ends_beyond)
                there, there_beyond = halves(end)
                ends, ends_beyond = ends ^ there, ends_beyond ^ there_beyond
                may_expose = is_bound or (there & exposed) | (there_beyond & exposed_beyond) != ZERO
                if may_expose and is_attacked(
                    end if kind == GENERAL else general,
                    (low ^ here) | there,
                    (high ^ here_beyond) | there_beyond,
                    without(them, there, there_beyond),
                ):
                    continue
                if moves is None:
                    return 1
                move = SQUARES * start + end
                moves[n] = int32(LAST_MOVE - move if is_second else move)
                n += 1
    return n


@jit
def turn(position: Row, other: Row) -> None:
    """Write into `other` the pieces as the opponent sees them."""
    for kind in KINDS:
        for side in (0, OPPONENT):
            from_here, to = WORDS_A_KIND * kind + side, WORDS_A_KIND * kind + OPPONENT - side
            other[to + LOW] = turned(position[from_here + HIGH])
            other[to + HIGH] = turned(position[from_here + LOW])


@jit(boolean[::1](POSITIONS))
def are_checking(rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return in which positions (n, K) the mover could take the general (bool, (n,))."""
    found, other = np.empty(len(rows), np.bool_), np.zeros(rows.shape[1], np.uint64)
    for k in range(len(rows)):
        turn(rows[k], other)
        found[k] = is_in_check(other)
    return found
