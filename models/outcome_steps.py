"""Kernels of `OutcomeNetworks`: labels by looking one ply ahead."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float32, float64, int32, int64, types, uint64

from samuel.features.extraction import EXTRACT
from samuel.games.rules import ROWS, RULES, SAME, Rules
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at
from samuel.kernels.records import array, array_type, number, record
from samuel.models.compiled.layers import Network, forward

_ONE, _ZERO = np.float32(1), np.float32(0)


@record
class Ahead(NamedTuple):
    """The networks of all classes, and room for a look ahead."""

    column: int = number("the feature of the class; -1 for one network")
    activation: int = number("of the networks, a place in ACTIVATIONS")
    widths: Any = array(int32, ("layers + 1",), "features, units, chances, and the score")
    parameters: Any = array(float32, ("classes", "size"), "of each network, as Layers joins them")
    values: Any = array(float32, ("columns",), "the features")
    scratch: Any = array(float32, ("scratch",), "what the layers make")
    after: Any = array(uint64, (4, "words"), "positions on the way")
    moves: Any = array(int32, (2, "moves"), "moves, and what chance may bring")
    weights: Any = array(int32, ("moves",), "the weights of that")
    levels: Any = array(float32, ("chances + 1",), "the outcomes, ascending")
    chances: Any = array(float32, (3, "chances"), "of a play, of the best, and their mean")


AHEAD = array_type(Ahead)


@jit
def _chances_of(extract: Any, rules: Rules, position: Pointer, room: Ahead) -> float:
    """Fill in the chances of a position, for its side to move, and return its score."""
    levels, found = room.levels, room.chances[0]
    if rules.is_terminal(position):
        utility = rules.utility(position)
        for c in range(found.shape[0]):
            found[c] = _ONE if utility >= levels[c + 1] else _ZERO
    else:
        values, of = at(room.values, 0), int64(0)
        extract(position, values)
        if room.column >= 0:
            of = min(max(int64(values[room.column]), 0), int64(room.parameters.shape[0] - 1))
        widths, parameters = at(room.widths, 0), at(room.parameters, of)
        its = Network(int64(room.widths.shape[0]), room.activation, widths, parameters)
        forward(values, at(room.scratch, 0), its)
        for c in range(found.shape[0]):
            found[c] = room.scratch[room.widths[1] + c]
    score = levels[0]
    for c in range(found.shape[0]):
        score += found[c] * (levels[c + 1] - levels[c])
    return score


@jit
def _best_play(extract: Any, rules: Rules, position: Pointer, room: Ahead, child: Pointer) -> int:
    """Fill in the chances after the best move, for the side that makes it, and return the move."""
    moves, best, chances = at(room.moves, 0), -np.inf, room.chances.shape[1]
    chosen, n = int64(-2), rules.legal_moves(position, moves)
    for k in range(n):
        turn = rules.play(position, int64(moves[k]), child)
        score = _chances_of(extract, rules, child, room)
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
        *(types.FunctionType(EXTRACT), RULES, ROWS, int64[::1], AHEAD),
        *(boolean, ROWS, float32[:, ::1]),
    )
)
def look_ahead(
    extract: Any,
    rules: Rules,
    positions: Any,
    chosen: Any,
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
        move = _best_play(extract, rules, position, room, child)
        if not throws:
            for c in range(chances):
                targets[i, c] = room.chances[1, c]
            continue
        rules.play(position, move, here)
        outcomes, total = rules.outcomes(here, at(room.moves, 1), at(room.weights, 0)), 0.0
        for c in range(chances):
            room.chances[2, c] = _ZERO
        if rules.is_terminal(here):
            _chances_of(extract, rules, here, room)
            for c in range(chances):
                targets[i, c] = room.chances[0, c]
            continue
        for k in range(max(outcomes, int64(1))):
            weight = 1.0
            if outcomes > 0:
                weight = float64(room.weights[k])
                rules.play(here, int64(room.moves[1, k]), thrown)
                _best_play(extract, rules, thrown, room, child)
            else:
                _best_play(extract, rules, here, room, child)
            total += weight
            for c in range(chances):
                room.chances[2, c] += float32(weight * room.chances[1, c])
        for c in range(chances):
            targets[i, c] = float32(room.chances[2, c] / total)
