"""Features of xiangqi; of two numbers the player's (who is to move) comes first.

Material, piece-square tables and soldiers beyond the river; mobility by kind of piece, and
threats to either palace. A number that both sides have is one column, the player's less the
opponent's, whose board is turned.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.games.feature import feature
from samuel.games.rules import Row
from samuel.games.xiangqi.moves import (
    OPPONENT,
    WORDS_A_KIND,
    first_of,
    halves,
    is_in_check,
    pieces_of,
)
from samuel.games.xiangqi.notation import may_stand
from samuel.games.xiangqi.squares import (
    ADVISOR,
    CANNON,
    CHARIOT,
    COLUMNS,
    ELEPHANT,
    FIRST,
    GENERAL,
    HALF,
    HIGH,
    HORSE,
    KINDS,
    LOW,
    NAMES,
    PALACE,
    ROWS,
    SOLDIER,
    SQUARES,
    along_column,
    column_of,
    targets,
    turned,
)
from samuel.kernels.bits import ZERO, Word, popcount, trailing_zeros
from samuel.kernels.jit import jit

BOTH = ("player", "opponent")
PLAYER = 0
"""Either side is 0 or OPPONENT, where its words of a kind of piece begin."""
SIDES = (PLAYER, OPPONENT)


@jit
def seen_by(side: int, low: Word, high: Word) -> tuple[Word, Word]:
    """Return squares that the player sees as a side does."""
    if side == PLAYER:
        return low, high
    return turned(high), turned(low)


@jit
def kind_of(position: Row, kind: int, whose: int, side: int) -> tuple[Word, Word]:
    """Return the pieces of a kind and of one side, as the other or the same side sees them."""
    word = WORDS_A_KIND * kind + whose
    return seen_by(side, position[word + LOW], position[word + HIGH])


@jit
def all_of(position: Row, whose: int, side: int) -> tuple[Word, Word]:
    """Return all pieces of one side, as the other or the same side sees them."""
    low, high = pieces_of(position, whose)
    return seen_by(side, low, high)


@jit
def general_of(position: Row, side: int) -> int:
    """Return the square of a side's general as that side sees it; 64 where it has none."""
    return trailing_zeros(kind_of(position, GENERAL, side, side)[LOW])


def _classes() -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the names of the piece-square classes, and that of each kind and square (7, 90)."""
    names: list[str] = []
    found = np.zeros((len(KINDS), SQUARES), np.int64)
    for kind, name in enumerate(NAMES):
        for square in range(SQUARES):
            row, column = divmod(square, COLUMNS)
            mirrored = min(column, COLUMNS - 1 - column)
            if may_stand(kind, square):
                if column == mirrored:
                    names.append(f"{name}_{'abcde'[column]}{row + 1}")
                found[kind, square] = names.index(f"{name}_{'abcde'[mirrored]}{row + 1}")
    return tuple(names), found


CLASSES, _CLASS_OF = _classes()
_N_CLASSES = len(CLASSES)


@jit
def _count(position: Row, kind: int, side: int) -> int:
    word = WORDS_A_KIND * kind + side
    return popcount(position[word]) + popcount(position[word + 1])


@feature(game="xiangqi", outputs=NAMES[1:])
def material(position: Row, values: Any) -> None:
    """Difference in pieces of each kind, player minus opponent."""
    for kind in KINDS[1:]:
        values[kind - 1] = _count(position, kind, PLAYER) - _count(position, kind, OPPONENT)


def _summed_squares(position: Row, weights: Any) -> float:
    """Return the sum of the weights of `piece_squares`, each times its number."""
    total = weights[0] * 0
    for side in SIDES:
        for kind in KINDS:
            low, high = kind_of(position, kind, side, side)
            while low | high != ZERO:
                square = first_of(low, high)
                here, beyond = halves(square)
                low, high = low ^ here, high ^ beyond
                weight = weights[_CLASS_OF[kind, square]]
                total += weight if side == PLAYER else -weight
    return total


@feature(game="xiangqi", outputs=CLASSES, summed=_summed_squares)
def piece_squares(position: Row, values: Any) -> None:
    """Piece on each square: +1 for the player's, -1 for the opponent's, as its side sees it."""
    for k in range(_N_CLASSES):
        values[k] = 0
    for side in SIDES:
        for kind in KINDS:
            low, high = kind_of(position, kind, side, side)
            while low | high != ZERO:
                square = first_of(low, high)
                here, beyond = halves(square)
                low, high = low ^ here, high ^ beyond
                values[_CLASS_OF[kind, square]] += 1 if side == PLAYER else -1


@feature(game="xiangqi", outputs=BOTH)
def crossed(position: Row, values: Any) -> None:
    """Number of soldiers beyond the river."""
    for side in SIDES:
        values[side // OPPONENT] = popcount(kind_of(position, SOLDIER, side, side)[1])


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
    """Difference in squares that pieces of each kind can go to, player minus opponent."""
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
    """Number of attacks on squares of the other side's palace, one per piece and square."""
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
def _pieces(position: Row, kind: int, whose: int, side: int) -> int:
    low, high = kind_of(position, kind, whose, side)
    return popcount(low) + popcount(high)


@feature(game="xiangqi", outputs=BOTH)
def bared(position: Row, values: Any) -> None:
    """Lost advisors and elephants of the side, times the attackers of the other side.

    Attackers are chariots (counted twice), horses, cannons and soldiers beyond the river.
    """
    for side in SIDES:
        other = OPPONENT - side
        guards = _pieces(position, ADVISOR, side, side) + _pieces(position, ELEPHANT, side, side)
        force = 2 * _pieces(position, CHARIOT, other, side) + _pieces(position, CANNON, other, side)
        force += _pieces(position, HORSE, other, side)
        force += popcount(kind_of(position, SOLDIER, other, side)[0])
        values[side // OPPONENT] = (_GUARDS - guards) * force


@feature(game="xiangqi", outputs=BOTH)
def hollow_cannon(position: Row, values: Any) -> None:
    """Number of cannons on the file of the opposing general, with no piece in between."""
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
    """Flag: 1 if the player's general is attacked, else 0."""
    return 1.0 if is_in_check(position) else 0.0
