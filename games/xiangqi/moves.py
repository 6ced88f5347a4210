"""Legal moves of xiangqi: what pieces may do, less what leaves one's own general attacked.

Most moves cannot expose the general, which a look at its lines tells once for all of them; the
others are tried. A move is 90 times the square it goes from and the one it goes to, numbered from
a1 along the rows as the first player sees them, so what the second player sees counts from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64

from samuel.games.interface import Row
from samuel.games.xiangqi.attacks import (
    OPPONENT,
    WORDS_A_KIND,
    attackers_of,
    exposing,
    is_attacked,
    pieces_of,
    without,
)
from samuel.games.xiangqi.squares import GENERAL, HALF, HIGH, KINDS, LOW, PALACE, SQUARES, targets
from samuel.kernels.bits import ZERO, Word, bit, trailing_zeros
from samuel.kernels.jit import jit

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
