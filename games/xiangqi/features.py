"""Features of xiangqi; of two numbers the player's (who is to move) comes first.

Material, piece-square tables, soldiers beyond the river, mobility by kind of piece, missing guards
and hollow cannons. A number that both sides have is one column, the player's less the opponent's,
whose board is turned.
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
    SOLDIER,
    SQUARES,
    along_column,
    column_of,
    targets,
    turned,
)
from samuel.kernels.bits import ONE, ZERO, Word, popcount, trailing_zeros
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


def _classes() -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the names of the piece-square classes; that of each side, kind, square (2, 7, 90)."""
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
    return tuple(names), np.stack([found, found[:, ::-1]])


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


_IMBALANCES = tuple(
    f"{NAMES[one]}_{how}_{NAMES[other]}"
    for one in KINDS[1:]
    for other in KINDS[one:]
    for how in ("and", "against")[: 1 if other == one else 2]
)


@feature(game="xiangqi", outputs=_IMBALANCES)
def imbalance(position: Row, values: Any) -> None:
    """Products of numbers of pieces, own by own and own by the other side's; player minus opponent.

    The second-degree polynomial of material of L. Kaufman (The Evaluation of Material Imbalances,
    1999), as Stockfish's table of imbalances has it.
    """
    n = 0
    for one in KINDS[1:]:
        mine, theirs = _count(position, one, PLAYER), _count(position, one, OPPONENT)
        for other in range(one, len(KINDS)):
            own, opposed = _count(position, other, PLAYER), _count(position, other, OPPONENT)
            values[n] = mine * own - theirs * opposed
            n += 1
            if other != one:
                values[n] = mine * opposed - theirs * own
                n += 1


def _summed_squares(position: Row, weights: Any) -> float:
    """Return the sum of the weights of `piece_squares`, each times its number."""
    total = weights[0] * 0
    for kind in KINDS:
        for side in SIDES:
            for half in (LOW, HIGH):
                left = position[WORDS_A_KIND * kind + side + half]
                while left != ZERO:
                    square = HALF * half + trailing_zeros(left)
                    left &= left - ONE
                    weight = weights[_CLASS_OF[side // OPPONENT, kind, square]]
                    total += weight if side == PLAYER else -weight
    return total


@feature(game="xiangqi", outputs=CLASSES, summed=_summed_squares)
def piece_squares(position: Row, values: Any) -> None:
    """Piece on each square: +1 for the player's, -1 for the opponent's, as its side sees it."""
    for k in range(_N_CLASSES):
        values[k] = 0
    for kind in KINDS:
        for side in SIDES:
            for half in (LOW, HIGH):
                left = position[WORDS_A_KIND * kind + side + half]
                while left != ZERO:
                    square = HALF * half + trailing_zeros(left)
                    left &= left - ONE
                    values[_CLASS_OF[side // OPPONENT, kind, square]] += 1 if side == PLAYER else -1


@feature(game="xiangqi", outputs=BOTH)
def crossed(position: Row, values: Any) -> None:
    """Number of soldiers beyond the river."""
    for side in SIDES:
        values[side // OPPONENT] = popcount(kind_of(position, SOLDIER, side, side)[1])


_MOVERS = (HORSE, CHARIOT, CANNON)
_GUARDS = 4


@feature(game="xiangqi", outputs=[NAMES[kind] for kind in _MOVERS])
def mobility(position: Row, values: Any) -> None:
    """Difference in squares that horses, chariots and cannons can go to, player minus opponent."""
    mine, mine_beyond = pieces_of(position, PLAYER)
    theirs, theirs_beyond = pieces_of(position, OPPONENT)
    low, high = mine | theirs, mine_beyond | theirs_beyond
    for kind in _MOVERS:
        values[kind - HORSE] = 0
        for side in SIDES:
            own, own_beyond = (mine, mine_beyond) if side == PLAYER else (theirs, theirs_beyond)
            left, left_beyond = kind_of(position, kind, side, PLAYER)
            while left | left_beyond != ZERO:
                square = first_of(left, left_beyond)
                here, beyond = halves(square)
                left, left_beyond = left ^ here, left_beyond ^ beyond
                ends, ends_beyond = targets(low, high, square, kind)
                free = popcount(ends & ~own) + popcount(ends_beyond & ~own_beyond)
                values[kind - HORSE] += free if side == PLAYER else -free


@feature(game="xiangqi", outputs=BOTH)
def bared(position: Row, values: Any) -> None:
    """Lost advisors and elephants of the side, times the attackers of the other side.

    Attackers are chariots (counted twice), horses, cannons and soldiers beyond the river.
    """
    for side in SIDES:
        other = OPPONENT - side
        guards = _count(position, ADVISOR, side) + _count(position, ELEPHANT, side)
        force = 2 * _count(position, CHARIOT, other) + _count(position, CANNON, other)
        force += _count(position, HORSE, other)
        force += popcount(kind_of(position, SOLDIER, other, side)[0])
        values[side // OPPONENT] = (_GUARDS - guards) * force


@feature(game="xiangqi", outputs=BOTH)
def hollow_cannon(position: Row, values: Any) -> None:
    """Number of cannons on the file of the opposing general, with no piece in between."""
    mine, mine_beyond = pieces_of(position, PLAYER)
    theirs, theirs_beyond = pieces_of(position, OPPONENT)
    for side in SIDES:
        values[side // OPPONENT] = 0
        low, high = kind_of(position, GENERAL, OPPONENT - side, PLAYER)
        cannons, cannons_beyond = kind_of(position, CANNON, side, PLAYER)
        if low | high != ZERO:
            general = first_of(low, high)
            on_column = column_of(cannons, cannons_beyond, general % COLUMNS)
            seen = along_column(mine | theirs, mine_beyond | theirs_beyond, general)
            values[side // OPPONENT] = popcount(seen >> FIRST & on_column)
