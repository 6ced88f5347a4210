"""In which order a node's moves are searched: what is likely to cut, first.

The move that the table knows; then the game's own order, in points, less the static evaluation of
what the move leads to where that pays. Where a game has no order: two killers (S. Akl and M.
Newborn, "The principal continuation and the killer heuristic", 1977), then the history of cutoffs
(J. Schaeffer, "The history heuristic", 1983); above the order of Othello both cost nodes.
"""

from __future__ import annotations

from numba import int32, int64

from games.pointers import Pointer
from jit import jit
from search.switches import HISTORY, KILLERS

TABLE_MOVE = 1 << 30
KILLER = 1 << 29
"""Ratings of the table's move and of the first killer."""

HISTORY_MOVES = 1 << 12
"""Moves that the history tells apart; larger ones share places."""
_MOST_HISTORY = KILLER - 2


@jit
def _history_of(ply: int, move: int) -> int:
    return (ply & 1) * HISTORY_MOVES + (move & (HISTORY_MOVES - 1))


@jit
def rate_known(
    switches: int,
    moves: Pointer,
    hints: Pointer,
    n: int,
    first: int,
    killers: Pointer,
    history: Pointer,
    ply: int,
    rated: bool,
) -> None:
    """Add to the hints of the n moves of a ply what earlier searches say of them.

    `first` is the table's move, or NO_MOVE; `killers` are the two of this ply; `rated` tells
    whether the hints say something already.
    """
    if switches & HISTORY and not rated:
        for i in range(n):
            hints[i] = history[_history_of(ply, moves[i])]
    if switches & KILLERS and not rated:
        for i in range(n):
            if moves[i] == killers[0]:
                hints[i] = KILLER
            elif moves[i] == killers[1]:
                hints[i] = KILLER - 1
    for i in range(n):
        if moves[i] == first:
            hints[i] = TABLE_MOVE


@jit
def bring_best(moves: Pointer, hints: Pointer, i: int, n: int) -> int:
    """Swap the best rated of the moves i to n to place i and return it."""
    best, highest = i, hints[i]
    for j in range(i + 1, n):
        if hints[j] > highest:
            best, highest = j, hints[j]
    move = moves[best]
    moves[best], hints[best] = moves[i], hints[i]
    moves[i], hints[i] = move, highest
    return int64(move)


@jit
def keep_cutoff(
    switches: int, killers: Pointer, history: Pointer, ply: int, depth: int, move: int
) -> None:
    """Remember that a move made a cutoff."""
    if switches & KILLERS and killers[0] != move:
        killers[1] = killers[0]
        killers[0] = int32(move)
    if switches & HISTORY:
        at = _history_of(ply, move)
        history[at] = min(_MOST_HISTORY, history[at] + depth * depth)
