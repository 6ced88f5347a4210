"""Whether a general is attacked: what makes a move of xiangqi legal.

The other side's general counts as a chariot along the column: the two may not face each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from samuel.games.interface import Row
from samuel.games.xiangqi.squares import (
    BLOCKS,
    BLOCKS_NEAR,
    CANNON,
    CHARIOT,
    COLUMNS,
    FIRST,
    GENERAL,
    HIGH,
    HORSE,
    HORSES_AT,
    HORSES_NEAR,
    KINDS,
    LOW,
    ROWS,
    SECOND,
    SOLDIER,
    SOLDIERS_AT,
    along_column,
    along_row,
    column_of,
    on_column,
    on_row,
    row_of,
)
from samuel.kernels.bits import ZERO, Word
from samuel.kernels.jit import jit

WORDS_A_KIND = 4
"""The mover's two words and the opponent's."""
OPPONENT = 2
"""Where the opponent's words of a kind begin."""
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
    """Return the squares on which a change may expose a general that is not attacked.

    Those on its lines where the other side has a piece that acts along them, and the legs of horses
    that are near.
    """
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
