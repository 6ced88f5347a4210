"""What the selective pass of the endgame solver leaves out: what the evaluator is sure enough of.

As in Multi-ProbCut (search/alphabeta/probcut.py) a shallow search stands for the whole one where it
lies beyond the window by a margin; here the whole one goes to the end of the game. Whatever the
pass leaves out, the exact one that follows searches, so that a wrong margin costs time and nothing
else: it is the same for all evaluators.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64

from samuel.games.othello.bits import final_difference, flips_of, moves_of
from samuel.games.othello.endgame_order import GUIDE, Guide
from samuel.kernels.bits import ZERO, Word, popcount, trailing_zeros
from samuel.kernels.budget import STOPPED, count_node
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, WORDS, Pointer

SELECT_FROM = 15
"""From this many empty squares on a position may be left out."""

_DISC = 100
_MARGIN = 7 * _DISC
"""By how much a score must lie beyond the window. With a good evaluator FFO #40 to #44 took 84 M
nodes, 120 M with 5 discs, 89 M in passes of 10 and 7, 107 M without; tried on other positions."""
_MOST = 100 * _DISC
"""Above any score."""
_SHALLOWEST, _DEEPER_EVERY = 2, 5
"""Plies of the shallow search, and two more for each so many squares above `SELECT_FROM`; one more
where the number is odd, so that all see the same side to move at their ends."""


@jit
def _static(player: Word, opponent: Word, guide: Guide, place: Pointer) -> int:
    """Return what the evaluator says, within what a game can end with."""
    place[0], place[1] = player, opponent
    value = np.float64(guide.evaluate(place, guide.integers, guide.floats)) * _DISC
    return int64(max(-_MOST + 1.0, min(_MOST - 1.0, value)))


@jit(int64(uint64, uint64, uint64, int64, int64, COUNTS, GUIDE, WORDS))
def _estimate(
    player: Word,
    opponent: Word,
    empty: Word,
    depth: int,
    alpha: int,
    counters: Pointer,
    guide: Guide,
    place: Pointer,
) -> int:
    """Return the score to `depth` in the window (alpha, alpha + 1), fail-soft."""
    count_node(counters)
    if counters[STOPPED]:
        return int64(0)
    if depth == 0:
        return _static(player, opponent, guide, place)
    moves = moves_of(player, opponent) & empty
    if moves == ZERO:
        if moves_of(opponent, player) & empty == ZERO:
            return _DISC * final_difference(player, opponent, empty)
        return -_estimate(opponent, player, empty, depth, -alpha - 1, counters, guide, place)
    best = int64(-_MOST)
    while moves:
        move = moves & (ZERO - moves)
        moves ^= move
        flips = flips_of(player, opponent, trailing_zeros(move))
        child, other, left = opponent ^ flips, player ^ flips ^ move, empty ^ move
        score = -_estimate(child, other, left, depth - 1, -alpha - 1, counters, guide, place)
        best = max(best, score)
        if best > alpha:
            break
    return best


@jit
def selective_cut(
    player: Word,
    opponent: Word,
    empty: Word,
    alpha: int,
    counters: Pointer,
    guide: Guide,
    place: Pointer,
) -> int:
    """Return 1 if the score is surely enough > alpha, -1 if surely enough <= alpha, 0 if neither.

    The shallow search is made only where the evaluation lies beyond the margin itself (decision
    012). `place` is room for a position; in a stopped search the result means nothing.
    """
    empties = popcount(empty)
    depth = _SHALLOWEST + 2 * ((empties - SELECT_FROM) // _DEEPER_EVERY) + (empties & 1)
    now = _static(player, opponent, guide, place)
    above, below = (alpha + 1) * _DISC + _MARGIN, alpha * _DISC - _MARGIN
    if now >= above:
        score = _estimate(player, opponent, empty, depth, above - 1, counters, guide, place)
        return int64(score >= above)
    if now <= below:
        score = _estimate(player, opponent, empty, depth, below, counters, guide, place)
        return -int64(score <= below)
    return int64(0)
