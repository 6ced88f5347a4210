"""Draws by rule: a position that comes again, and plies without progress.

Both are rules about the past of a game, of which a position tells nothing. A move is quiet where
`play` joins QUIET to the turn: what stood before it may stand again. So the past that matters are
the positions since the last move that was not, and a game keeps their keys, the oldest first. A key
is a 64-bit hash of the words and of the side to move: positions that look alike to either side are
two. A game that its position ends is over by that, and not drawn.
"""

from __future__ import annotations

from typing import TypeAlias

from numba import int64, uint64

from samuel.games.interface import QUIET, ROW, Game, Row
from samuel.kernels.bits import ZERO, Word, mix
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at

Past: TypeAlias = tuple[int, ...]
"""The keys of the positions since the last move that was not quiet, the oldest first."""


@jit
def key_of(position: Pointer, words: int, side: int) -> Word:
    """Return the key of a position in which `side` (0 or 1) is to move; its last bit is the side's.

    So keys of sides that are counted from the other one differ from these in that bit alone.
    """
    key = ZERO
    for k in range(words):
        key = mix(key, position[k])
    return key ^ uint64(side)


@jit
def is_drawn_by_rule(
    path: Pointer, quiet: int, searched: int, repetitions: int, most_quiet: int
) -> bool:
    """Return whether a game is drawn after `quiet` plies in a row that were quiet.

    `path` are the keys of the positions before each of them, and the present one. Of the positions,
    the last `searched` stand in the tree of a search: there to come again once is a draw, for who
    could avoid it has not.
    """
    if quiet == 0:
        return False
    if quiet >= most_quiet:
        return True
    times = 1
    for k in range(1, quiet + 1):
        if repetitions > 0 and path[quiet - k] == path[quiet]:
            times = repetitions if k <= searched else times + 1
            if times == repetitions:
                return True
    return False


@jit(uint64(ROW, int64))
def _key_of_row(row: Row, side: int) -> Word:
    return key_of(at(row, 0), row.shape[0], side)


def key_of_row(row: Row, side: int) -> int:
    """Return the key of a position (K,) from Python."""
    return int(_key_of_row(row, side))


def past_after(past: Past, row: Row, side: int, turn: int) -> Past:
    """Return the past after a move in a position (K,) of which `play` said `turn`."""
    return (*past, key_of_row(row, side)) if turn & QUIET else ()


def is_drawn_after(game: Game, row: Row, side: int, past: Past, searched: int = 0) -> bool:
    """Return whether a game is drawn by rule at a position that its rules do not end.

    Parameters
    ----------
    row, side
        the position (K,), and whose turn it is.
    past
        what was before it.
    searched
        how many of those positions, the last ones, stand in the tree of a search.
    """
    if not past:
        return False
    key = key_of_row(row, side)
    is_again = game.repetitions > 0 and (
        key in past[max(0, len(past) - searched) :] or past.count(key) + 1 >= game.repetitions
    )
    return (is_again or len(past) >= game.most_quiet) and not game.is_over(row)
