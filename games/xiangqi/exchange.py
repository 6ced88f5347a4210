"""Static exchange evaluation: what a move gains where both sides go on capturing on its square.

Each side captures with its least piece, and stops where going on would lose, as in chess
(games/chess/exchange.py). Each piece that captures leaves its square, which may open a line, free a
horse or take a cannon's screen away, so the attackers are found anew. Pins and checks are not
looked for.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64

from samuel.games.rules import Row
from samuel.games.xiangqi.moves import OPPONENT, WORDS_A_KIND, first_of, halves, pieces_of, seen
from samuel.games.xiangqi.squares import (
    ADVISOR,
    CANNON,
    CHARIOT,
    ELEPHANT,
    FIRST,
    GENERAL,
    HALF,
    HIGH,
    HORSE,
    KINDS,
    LEAPS_TO,
    LEGS_TO,
    LOW,
    SECOND,
    SOLDIER,
    STEPS_TO,
    line_targets,
)
from samuel.kernels.bits import ONE, ZERO, Word
from samuel.kernels.jit import jit

UNIT = 1000
"""Points of a soldier, a pawn."""
WORTH = np.array([0, 2000, 2000, 4000, 9000, 4500, 1000], np.int64)
"""Pieces in points, as everybody values them: chariot 9 soldiers, cannon 4.5, horse 4, advisor and
elephant 2. A general captures last, where nothing can capture it."""
CROSSED = UNIT
"""Additional points of a soldier beyond the river."""
LEAST_FIRST = SOLDIER, ADVISOR, ELEPHANT, HORSE, CANNON, CHARIOT, GENERAL
_ALL = 1 << 40


@jit
def kind_at(position: Row, side: int, low: Word, high: Word) -> int:
    """Return the kind of what a side (0, or OPPONENT) has on a square; -1 for nothing."""
    for kind in KINDS:
        word = WORDS_A_KIND * kind + side
        if (position[word + LOW] & low) | (position[word + HIGH] & high) != ZERO:
            return int64(kind)
    return int64(-1)


@jit
def _worth(kind: int, side: int, square: int) -> int:
    """Return the worth of a side's piece on a square."""
    if kind == SOLDIER and (square >= HALF) == (side == 0):
        return WORTH[SOLDIER] + CROSSED
    return WORTH[kind]


@jit
def _of_kind(position: Row, kind: int) -> tuple[Word, Word]:
    """Return the pieces of a kind, of both sides."""
    word = WORDS_A_KIND * kind
    low = position[word + LOW] | position[word + OPPONENT + LOW]
    return low, position[word + HIGH] | position[word + OPPONENT + HIGH]


@jit
def _attackers(position: Row, square: int, low: Word, high: Word) -> tuple[Word, Word]:
    """Return the pieces of both sides that attack a square, among the pieces (`low`, `high`)."""
    lines, lines_beyond = line_targets(low, high, square, FIRST)
    pieces, pieces_beyond = _of_kind(position, CHARIOT)
    found, beyond = lines & pieces, lines_beyond & pieces_beyond
    lines, lines_beyond = line_targets(low, high, square, SECOND)
    pieces, pieces_beyond = _of_kind(position, CANNON)
    found, beyond = found | lines & pieces, beyond | lines_beyond & pieces_beyond
    horses, horses_beyond = _of_kind(position, HORSE)
    elephants, elephants_beyond = _of_kind(position, ELEPHANT)
    for k in range(4):
        leg = LEGS_TO[square, k]
        word = low >> uint64(leg) if leg < HALF else high >> uint64(leg - HALF)
        free = (word & ONE) - ONE  # all bits or none
        leaps = LEAPS_TO[HORSE, square, k, LOW] & horses
        found |= (leaps | LEAPS_TO[ELEPHANT, square, k, LOW] & elephants) & free
        leaps = LEAPS_TO[HORSE, square, k, HIGH] & horses_beyond
        beyond |= (leaps | LEAPS_TO[ELEPHANT, square, k, HIGH] & elephants_beyond) & free
    for kind in (SOLDIER, ADVISOR, GENERAL):
        for side in range(2):
            word = WORDS_A_KIND * kind + OPPONENT * side
            found |= STEPS_TO[kind, side, square, LOW] & position[word + LOW]
            beyond |= STEPS_TO[kind, side, square, HIGH] & position[word + HIGH]
    return found & low, beyond & high


@jit
def _faces(position: Row, square: int, low: Word, high: Word, side: int) -> bool:
    """Return whether a side's general would take another one on a square, along the column."""
    word = WORDS_A_KIND * GENERAL + side
    generals, generals_beyond = position[word + LOW], position[word + HIGH]
    lines, lines_beyond = line_targets(low, high, square, FIRST)
    return (lines & generals) | (lines_beyond & generals_beyond) != ZERO


@jit
def exchange(position: Row, move: int) -> int:
    """Return what a move gains by captures on its square, in thousandths of a win."""
    start, end = seen(position, move)
    here, here_beyond = halves(start)
    there, there_beyond = halves(end)
    mine, mine_beyond = pieces_of(position, 0)
    theirs, theirs_beyond = pieces_of(position, OPPONENT)
    low, high = (mine | theirs | there) & ~here, (mine_beyond | theirs_beyond | there_beyond)
    high &= ~here_beyond
    standing, balance = kind_at(position, 0, here, here_beyond), int64(0)
    taken = kind_at(position, OPPONENT, there, there_beyond)
    if taken >= 0:
        balance = _worth(taken, OPPONENT, end)
    least, most, side = int64(-_ALL), int64(_ALL), int64(OPPONENT)
    while True:
        if side == 0:
            if balance >= most:
                return most
            least = max(least, balance)
        else:
            if balance <= least:
                return least
            most = min(most, balance)
        attackers, attackers_beyond = _attackers(position, end, low, high)
        taker, by, by_beyond = int64(-1), ZERO, ZERO
        for kind in LEAST_FIRST:
            word = WORDS_A_KIND * kind + side
            by, by_beyond = (
                attackers & position[word + LOW],
                attackers_beyond & position[word + HIGH],
            )
            if by | by_beyond != ZERO:
                taker = int64(kind)
                break
        if taker < 0:
            break
        here, here_beyond = halves(first_of(by, by_beyond))
        low, high = low ^ here, high ^ here_beyond
        other = OPPONENT - side
        if taker == GENERAL:
            theirs, theirs_beyond = pieces_of(position, other)
            attackers, attackers_beyond = _attackers(position, end, low, high)
            if (attackers & theirs) | (attackers_beyond & theirs_beyond) != ZERO:
                break
            if _faces(position, end, low, high, other):
                break
        worth = _worth(standing, other, end)
        balance += worth if side == 0 else -worth
        standing, side = taker, other
    return max(least, min(most, balance))
