"""The exact chances of winning at Pig, by value iteration over its compiled rules.

V(mine, others, brought) = max over moves of the mean over what the die shows of the V after it, its
sign turned where the other side moves. Positions in which both sides together miss less come
first; a 1 leads to a position of the same total, so the two of a pair are swept until nothing
changes. T. Neller and C. Presser, "Optimal Play of the Dice Game Pig" (2004).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import float64, int32, int64, types
from numpy.typing import NDArray

from samuel.games.interface import ROWS, RULES, SAME, Rules
from samuel.games.pig.rules import BROUGHT, MINE, OTHERS, pig
from samuel.kernels.bits import ZERO
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at

_CHANGE = 1e-13


@jit
def _value(rules: Rules, position: Pointer, values: Any) -> float:
    """Return what a position in which a side is to move is worth to it."""
    if rules.is_terminal(position):
        return float64(rules.utility(position))
    return values[position[MINE], position[OTHERS], position[BROUGHT]]


@jit
def _value_after(rules: Rules, rows: Any, move: int, moves: Any, values: Any) -> float:
    """Return what a move in the first of the rows is worth; the next two are room."""
    turn = rules.play(at(rows, 0), move, at(rows, 1))
    n = rules.outcomes(at(rows, 1), at(moves, 1), at(moves, 2))
    total, weight = float64(0), int64(0)
    for k in range(n):
        then = rules.play(at(rows, 1), int64(moves[1, k]), at(rows, 2))
        value = _value(rules, at(rows, 2), values)
        total += moves[2, k] * (value if then & SAME else -value)
        weight += moves[2, k]
    mean = total / weight if n else _value(rules, at(rows, 1), values)
    return mean if turn & SAME else -mean


@jit
def _sweep(rules: Rules, mine: int, others: int, rows: Any, moves: Any, values: Any) -> float:
    """Improve the values of all turns at some points; return the largest change."""
    change = float64(0)
    rows[0, MINE], rows[0, OTHERS], rows[0, 3] = np.uint64(mine), np.uint64(others), ZERO
    for brought in range(mine - 1, -1, -1):
        rows[0, BROUGHT] = np.uint64(brought)
        best = -float64(2)
        for k in range(rules.legal_moves(at(rows, 0), at(moves, 0))):
            best = max(best, _value_after(rules, rows, int64(moves[0, k]), moves, values))
        change = max(change, abs(best - values[mine, others, brought]))
        values[mine, others, brought] = best
    return change


@jit(types.void(RULES, int64, ROWS, int32[:, ::1], float64[:, :, ::1]))
def _iterate(rules: Rules, target: int, rows: Any, moves: Any, values: Any) -> None:
    for total in range(2, 2 * target + 1):
        for mine in range(max(1, total - target), total // 2 + 1):
            change = float64(1)
            while change > _CHANGE:
                change = _sweep(rules, mine, total - mine, rows, moves, values)
                change = max(change, _sweep(rules, total - mine, mine, rows, moves, values))


def win_chances(target: int = 100) -> NDArray[np.float64]:
    """Return the chance that the side to move wins, where both play best.

    Returns
    -------
    Chances (target + 1, target + 1, target): by the points that the side to move misses, those that
    the other side misses, and what the turn has brought, fewer than the first. To 100 points it
    takes seconds; time and memory grow with the cube of the target.

    Raises
    ------
    UserError
        The target is no target of `pig`.
    """
    game = pig(target)
    values = np.zeros((target + 1, target + 1, target))
    rows, moves = np.zeros((3, game.words), np.uint64), np.zeros((3, game.max_moves), np.int32)
    _iterate(game.rules_of_play, target, rows, moves, values)
    return (1 + values) / 2
