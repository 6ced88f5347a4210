"""The board of xiangqi as either side sees it, its own pieces below the river."""

from __future__ import annotations

from samuel.games.interface import Row
from samuel.games.xiangqi.attacks import OPPONENT, WORDS_A_KIND, pieces_of
from samuel.games.xiangqi.squares import GENERAL, HIGH, LOW, turned
from samuel.kernels.bits import Word, trailing_zeros
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
