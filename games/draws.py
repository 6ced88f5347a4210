"""Ends by the past: a position that comes again, and plies without progress.

Both are rules about the past of a game, of which a position tells nothing. A move is reversible
where `play` joins REVERSIBLE to the turn: what stood before it may stand again. So the past that
matters are the positions since the last move that was not, and a game keeps their keys, the oldest
first. A key is a 63-bit hash of the words and of the side to move: positions that look alike to
either side are two. Its highest bit says whether the move that was made there was a CHECK. A game
that its position ends is over by that, and not by its past.

Such an end is a draw, but where a position comes again and of one side alone all moves since it
first stood were checks: that side has lost (perpetual check).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import float32, int64, uint64

from samuel.games.game import Game
from samuel.games.rules import CHECK, REVERSIBLE, ROW, Row
from samuel.kernels.bits import ZERO, Word, hash_of
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at

Past: TypeAlias = tuple[int, ...]
"""The keys of the positions since the last move that was not reversible, the oldest first."""


GOES_ON, DRAWN, WON, LOST = range(4)
"""Results of a position by its past, for the side to move there."""
_CHECKED = 1 << 63
"""In the key of a position: the move that was made there was a CHECK."""
_PLACES = 63 - CHECK.bit_length() + 1
"""From the bit of a turn to that of a key."""


@jit
def key_of(position: Pointer, words: int, side: int) -> Word:
    """Return the key of a position in which `side` (0 or 1) is to move."""
    key = hash_of(position, words, ZERO)
    return (key & ~uint64(_CHECKED)) ^ uint64(side)


@jit
def key_after(key: Word, turn: int) -> Word:
    """Return the key of a position, of any past, once a move was made there: `play` said `turn`."""
    return (key & ~uint64(_CHECKED)) | (uint64(turn & CHECK) << uint64(_PLACES))


@jit
def end_by_past(
    history: Pointer, reversible: int, searched: int, repetitions: int, most_reversible: int
) -> int:
    """Return what so many reversible plies in a row make of a game: GOES_ON, DRAWN, WON or LOST.

    `history` are the keys of the positions before each of them, and the present one. The last
    `searched` of these stand in the tree of a search: one repetition there is enough, as the side
    that could avoid it has not.
    """
    if reversible == 0:
        return int64(GOES_ON)
    times, here = 1, history[reversible] | uint64(_CHECKED)
    for k in range(1, reversible + 1):
        if repetitions > 0 and history[reversible - k] | uint64(_CHECKED) == here:
            times = repetitions if k <= searched else times + 1
            if times == repetitions:
                return _end_of_round(history, reversible, k)
    return int64(DRAWN) if reversible >= most_reversible else int64(GOES_ON)


@jit
def _end_of_round(history: Pointer, reversible: int, plies: int) -> int:
    """Return what a position is that stood so many plies before: who gave checks alone."""
    mine, theirs = True, True
    for k in range(1, plies + 1):
        checked = history[reversible - k] & uint64(_CHECKED) != ZERO
        if k & 1:  # the last move was theirs
            theirs = theirs and checked
        else:
            mine = mine and checked
    if mine == theirs:
        return int64(DRAWN)
    return int64(LOST) if mine else int64(WON)


@jit
def utility_by_past(end: int, best: float) -> float:
    """Return the utility, for the side to move, of a game that its past has ended."""
    return float32(0) if end == DRAWN else float32(best if end == WON else -best)


@jit(uint64(ROW, int64))
def _key_of_row(row: Row, side: int) -> Word:
    return key_of(at(row, 0), row.shape[0], side)


@jit(uint64(uint64, int64))
def _key_after(key: Word, turn: int) -> Word:
    return key_after(key, turn)


@jit(int64(ROW, int64, int64, int64, int64))
def _end_of_history(
    history: Row, reversible: int, searched: int, repetitions: int, most_reversible: int
) -> int:
    return end_by_past(at(history, 0), reversible, searched, repetitions, most_reversible)


def key_of_row(row: Row, side: int) -> int:
    """Return the key of a position (K,) from Python."""
    return int(_key_of_row(row, side))


def past_after(past: Past, row: Row, side: int, turn: int) -> Past:
    """Return the past after a move in a position (K,) of which `play` said `turn`."""
    if not turn & REVERSIBLE:
        return ()
    return (*past, int(_key_after(np.uint64(key_of_row(row, side)), turn)))


def end_after(game: Game, row: Row, side: int, past: Past, searched: int = 0) -> int:
    """Return what its past makes of a game: GOES_ON, DRAWN, or WON or LOST for the side to move."""
    if not past:
        return GOES_ON
    history = np.array((*past, key_of_row(row, side)), np.uint64)
    end = int(
        _end_of_history(history, len(past), searched, game.draws.repetitions, game.most_reversible)
    )
    return GOES_ON if end and game.is_over(row) else end
