"""What pieces can do: mobility, and attacks on the palace and the general."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.features.feature import feature
from samuel.features.xiangqi.pieces import NAMES
from samuel.features.xiangqi.side import BOTH, PLAYER, SIDES, all_of, general_of, kind_of
from samuel.games.interface import Row
from samuel.games.xiangqi.attacks import OPPONENT
from samuel.games.xiangqi.moves import first_of, halves, is_in_check
from samuel.games.xiangqi.squares import (
    ADVISOR,
    CANNON,
    CHARIOT,
    COLUMNS,
    ELEPHANT,
    FIRST,
    HALF,
    HIGH,
    HORSE,
    KINDS,
    LOW,
    PALACE,
    ROWS,
    SOLDIER,
    SQUARES,
    along_column,
    column_of,
    targets,
)
from samuel.kernels.bits import ZERO, Word, popcount
from samuel.kernels.jit import jit

_ATTACKERS = (HORSE, CHARIOT, CANNON, SOLDIER)
_GUARDS = 4
_OTHER_PALACE = np.uint64(sum(1 << HALF - 1 - k for k in range(HALF) if int(PALACE) >> k & 1))


def _near() -> NDArray[np.uint64]:
    """Return from where a kind may attack the other palace (kinds, 2), if nothing is in the way."""
    found = np.zeros((len(KINDS), 2), np.uint64)
    for square in range(SQUARES):
        row, column = divmod(square, COLUMNS)
        lines = row >= ROWS - 3 or column in (3, 4, 5)
        beyond = square >= HALF
        for kind, near in ((CHARIOT, lines), (CANNON, lines), (HORSE, beyond), (SOLDIER, beyond)):
            if near:
                found[kind, square // HALF] |= np.uint64(1 << square % HALF)
    return found


_NEAR = _near()


@jit
def _pieces_as(position: Row, side: int) -> tuple[Word, Word, Word, Word]:
    """Return a side's own pieces and all pieces, as it sees them."""
    own, own_beyond = all_of(position, side, side)
    other, other_beyond = all_of(position, OPPONENT - side, side)
    return own, own_beyond, own | other, own_beyond | other_beyond


@feature(game="xiangqi", outputs=NAMES)
def mobility(position: Row, values: Any) -> None:
    """Squares that the player's pieces of each kind may go to, less those of the opponent's.

    Whether that leaves the general attacked is not looked at.
    """
    for kind in KINDS:
        values[kind] = 0
    for side in SIDES:
        own, own_beyond, low, high = _pieces_as(position, side)
        sign = 1 if side == PLAYER else -1
        for kind in KINDS:
            left, left_beyond = kind_of(position, kind, side, side)
            while left | left_beyond != ZERO:
                square = first_of(left, left_beyond)
                here, beyond = halves(square)
                left, left_beyond = left ^ here, left_beyond ^ beyond
                ends, ends_beyond = targets(low, high, square, kind)
                ends, ends_beyond = ends & ~own, ends_beyond & ~own_beyond
                values[kind] += sign * (popcount(ends) + popcount(ends_beyond))


@feature(game="xiangqi", outputs=BOTH)
def palace_attack(position: Row, values: Any) -> None:
    """Squares of the other side's palace that its pieces may go to, counted once a piece."""
    for side in SIDES:
        _, own_beyond, low, high = _pieces_as(position, side)
        attacked = 0
        for kind in _ATTACKERS:
            left, left_beyond = kind_of(position, kind, side, side)
            left, left_beyond = left & _NEAR[kind, LOW], left_beyond & _NEAR[kind, HIGH]
            while left | left_beyond != ZERO:
                square = first_of(left, left_beyond)
                here, beyond = halves(square)
                left, left_beyond = left ^ here, left_beyond ^ beyond
                ends_beyond = targets(low, high, square, kind)[1]
                attacked += popcount(ends_beyond & _OTHER_PALACE & ~own_beyond)
        values[side // OPPONENT] = attacked


@jit
def _count(position: Row, kind: int, whose: int, side: int) -> int:
    low, high = kind_of(position, kind, whose, side)
    return popcount(low) + popcount(high)


@feature(game="xiangqi", outputs=BOTH)
def bared(position: Row, values: Any) -> None:
    """Advisors and elephants that a side has lost, times what of the other may attack.

    A chariot counts 2, a cannon, a horse, and a soldier beyond the river 1.
    """
    for side in SIDES:
        other = OPPONENT - side
        guards = _count(position, ADVISOR, side, side) + _count(position, ELEPHANT, side, side)
        force = 2 * _count(position, CHARIOT, other, side) + _count(position, CANNON, other, side)
        force += _count(position, HORSE, other, side)
        force += popcount(kind_of(position, SOLDIER, other, side)[0])
        values[side // OPPONENT] = (_GUARDS - guards) * force


@feature(game="xiangqi", outputs=BOTH)
def hollow_cannon(position: Row, values: Any) -> None:
    """Cannons that face the other side's general on a column with nothing between."""
    for side in SIDES:
        other = OPPONENT - side
        general = general_of(position, other)
        _, _, low, high = _pieces_as(position, other)
        cannons, cannons_beyond = kind_of(position, CANNON, side, other)
        values[side // OPPONENT] = 0
        if general < HALF:
            first = along_column(low, high, general) >> FIRST
            on_column = column_of(cannons, cannons_beyond, general % COLUMNS)
            values[side // OPPONENT] = popcount(first & on_column)


@feature(game="xiangqi")
def in_check(position: Row) -> float:
    """1 if the player's general is attacked."""
    return 1.0 if is_in_check(position) else 0.0
