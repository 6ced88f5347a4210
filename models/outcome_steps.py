"""Kernels of `OutcomeNetworks`: steps of a fit, and labels by looking one ply ahead.

The networks of all classes lie in one record: sums = biases + x . inputs, units = logistic(sums),
chances = logistic(offsets + units . outputs). The number of the class is the last of the features.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float32, float64, int32, int64, types, uint64

from samuel.features.extraction import EXTRACT
from samuel.games.rules import ROWS, RULES, SAME, Rules
from samuel.kernels.jit import jit
from samuel.kernels.logistic import logistic
from samuel.kernels.pointers import Pointer, at
from samuel.kernels.records import array, array_type, record

_ONE, _ZERO = np.float32(1), np.float32(0)


@record
class Networks(NamedTuple):
    """The networks of all classes, and room for what they make of one position."""

    inputs: Any = array(float32, ("classes", "columns", "units"), "weights of the first layer")
    biases: Any = array(float32, ("classes", "units"), "its biases")
    outputs: Any = array(float32, ("classes", "chances", "units"), "weights of the second layer")
    offsets: Any = array(float32, ("classes", "chances"), "its biases")
    values: Any = array(float32, ("columns + 1",), "the features, and the number of the class")
    used: Any = array(int32, ("columns",), "the columns that are not 0")
    made: Any = array(float32, ("units",), "the units of the first layer")
    steps: Any = array(float32, ("units",), "how far each of them is to go")


NETWORKS = array_type(Networks)


@jit(fastmath={"contract", "reassoc"})
def _forward(extract: Any, position: Pointer, its: Networks, chances: Any) -> tuple[int, int]:
    """Fill in the units and the chances of a position; return its class and the columns used."""
    values, used, made = its.values, its.used, its.made
    columns, units = its.used.shape[0], its.made.shape[0]
    extract(position, at(values, 0))
    of = min(max(int64(values[columns]), int64(0)), int64(its.inputs.shape[0] - 1))
    n = int64(0)
    for k in range(columns):
        used[n] = int32(k)
        n += 1 if values[k] != _ZERO else 0
    weights, biases = its.inputs[of], its.biases[of]
    for u in range(units):
        made[u] = biases[u]
    for i in range(0, n - 3, 4):
        i0, i1, i2, i3 = used[i], used[i + 1], used[i + 2], used[i + 3]
        a, b, c, d = values[i0], values[i1], values[i2], values[i3]
        one, two, three, four = weights[i0], weights[i1], weights[i2], weights[i3]
        for u in range(units):
            made[u] += (a * one[u] + b * two[u]) + (c * three[u] + d * four[u])
    for i in range(n - n % 4, n):
        value, row = values[used[i]], weights[used[i]]
        for u in range(units):
            made[u] += value * row[u]
    for u in range(units):
        made[u] = logistic(made[u])
    for c in range(chances.shape[0]):
        total, row = its.offsets[of, c], its.outputs[of, c]
        for u in range(units):
            total += made[u] * row[u]
        chances[c] = logistic(total)
    return of, n


@jit(
    types.void(
        *(types.FunctionType(EXTRACT), ROWS, int64[::1], float32[:, ::1]),
        *(float32[::1], float32[::1], NETWORKS, float64, float64),
    ),
    fastmath={"contract", "reassoc"},
)
def go_over(
    extract: Any,
    positions: Any,
    order: Any,
    targets: Any,
    weight: Any,
    gaps: Any,
    its: Networks,
    rate: float,
    last: float,
) -> None:
    """Take a step for each row, in an order, at a rate that falls evenly to `last`.

    It is down the cross-entropy of each chance, times how much the score changes by it.
    """
    units, chances = its.made.shape[0], targets.shape[1]
    found, made, steps = np.zeros(chances, np.float32), its.made, its.steps
    for place in range(order.shape[0]):
        i = order[place]
        of, n = _forward(extract, at(positions, i), its, found)
        now = np.float32(rate + (last - rate) * place / order.shape[0]) * weight[i]
        for u in range(units):
            steps[u] = _ZERO
        for c in range(chances):
            slope = now * gaps[c] * (found[c] - targets[i, c])
            row = its.outputs[of, c]
            its.offsets[of, c] -= slope
            for u in range(units):
                steps[u] += slope * row[u]
                row[u] -= slope * made[u]
        biases, weights = its.biases[of], its.inputs[of]
        for u in range(units):
            steps[u] *= made[u] * (_ONE - made[u])
            biases[u] -= steps[u]
        for k in range(n):
            column = its.used[k]
            value, row = its.values[column], weights[column]
            for u in range(units):
                row[u] -= value * steps[u]


@record
class Ahead(NamedTuple):
    """Room for a look ahead."""

    after: Any = array(uint64, (4, "words"), "positions on the way")
    moves: Any = array(int32, (2, "moves"), "moves, and what chance may bring")
    weights: Any = array(int32, ("moves",), "the weights of that")
    levels: Any = array(float32, ("chances + 1",), "the outcomes, ascending")
    chances: Any = array(float32, (3, "chances"), "of a play, of the best, and their mean")


AHEAD = array_type(Ahead)


@jit
def _chances_of(extract: Any, rules: Rules, position: Pointer, its: Networks, room: Ahead) -> float:
    """Fill in the chances of a position, for its side to move, and return its score."""
    levels, found = room.levels, room.chances[0]
    if rules.is_terminal(position):
        utility = rules.utility(position)
        for c in range(found.shape[0]):
            found[c] = _ONE if utility >= levels[c + 1] else _ZERO
    else:
        _forward(extract, position, its, found)
    score = levels[0]
    for c in range(found.shape[0]):
        score += found[c] * (levels[c + 1] - levels[c])
    return score


@jit
def _best_play(
    extract: Any, rules: Rules, position: Pointer, its: Networks, room: Ahead, child: Pointer
) -> int:
    """Fill in the chances after the best move, for the side that makes it, and return the move."""
    moves, best, chances = at(room.moves, 0), -np.inf, room.chances.shape[1]
    chosen, n = int64(-2), rules.legal_moves(position, moves)
    for k in range(n):
        turn = rules.play(position, int64(moves[k]), child)
        score = _chances_of(extract, rules, child, its, room)
        score = score if turn & SAME else -score
        if score > best:
            best, chosen = score, int64(moves[k])
            for c in range(chances):  # the chance of at least -x is that the other has not more
                room.chances[1, c] = (
                    room.chances[0, c] if turn & SAME else _ONE - room.chances[0, chances - 1 - c]
                )
    return chosen


@jit(
    types.void(
        *(types.FunctionType(EXTRACT), RULES, ROWS, int64[::1], NETWORKS, AHEAD),
        *(boolean, ROWS, float32[:, ::1]),
    )
)
def look_ahead(
    extract: Any,
    rules: Rules,
    positions: Any,
    chosen: Any,
    its: Networks,
    room: Ahead,
    throws: bool,
    after: Any,
    targets: Any,
) -> None:
    """Fill in the chances of each chosen position after its best move.

    With `throws`, fill in the position `after` that move and its chances, which are the mean, over
    what chance may bring there, of those after the best move.
    """
    chances = room.chances.shape[1]
    thrown, child = at(room.after, 0), at(room.after, 1)
    for i in chosen:
        position, here = at(positions, i), at(after, i)
        move = _best_play(extract, rules, position, its, room, child)
        if not throws:
            for c in range(chances):
                targets[i, c] = room.chances[1, c]
            continue
        rules.play(position, move, here)
        outcomes, total = rules.outcomes(here, at(room.moves, 1), at(room.weights, 0)), 0.0
        for c in range(chances):
            room.chances[2, c] = _ZERO
        if rules.is_terminal(here):
            _chances_of(extract, rules, here, its, room)
            for c in range(chances):
                targets[i, c] = room.chances[0, c]
            continue
        for k in range(max(outcomes, int64(1))):
            weight = 1.0
            if outcomes > 0:
                weight = float64(room.weights[k])
                rules.play(here, int64(room.moves[1, k]), thrown)
                _best_play(extract, rules, thrown, its, room, child)
            else:
                _best_play(extract, rules, here, its, room, child)
            total += weight
            for c in range(chances):
                room.chances[2, c] += float32(weight * room.chances[1, c])
        for c in range(chances):
            targets[i, c] = float32(room.chances[2, c] / total)
