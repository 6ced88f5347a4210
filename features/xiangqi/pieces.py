"""What stands where: material and piece-square tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.features.feature import feature
from samuel.features.xiangqi.side import BOTH, PLAYER, SIDES, kind_of
from samuel.games.interface import Row
from samuel.games.xiangqi.attacks import OPPONENT, WORDS_A_KIND
from samuel.games.xiangqi.moves import first_of, halves
from samuel.games.xiangqi.notation import may_stand
from samuel.games.xiangqi.squares import COLUMNS, KINDS, SOLDIER, SQUARES
from samuel.kernels.bits import ZERO, popcount
from samuel.kernels.jit import jit

NAMES = ("general", "advisor", "elephant", "horse", "chariot", "cannon", "soldier")


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
    """The player's pieces of each kind, less the opponent's."""
    for kind in KINDS[1:]:
        values[kind - 1] = _count(position, kind, PLAYER) - _count(position, kind, OPPONENT)


@feature(game="xiangqi", outputs=CLASSES)
def piece_squares(position: Row, values: Any) -> None:
    """+1 for a piece of the player's on a square, -1 for one of the opponent's as that sees it.

    A square and its mirror image, left and right exchanged, are one.
    """
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
    """Soldiers beyond the river."""
    for side in SIDES:
        values[side // OPPONENT] = popcount(kind_of(position, SOLDIER, side, side)[1])
