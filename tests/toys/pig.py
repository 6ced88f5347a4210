"""Pig, short: a side rolls up to three times, and loses what it has thrown where a one comes.

words: the points of the side to move, or to move after the die; the other side's; what this turn
has brought; how often it has rolled; the turns left, this one included; 1 where the die is to be
thrown. The die shows 1, 2 or 3, once, three times and twice of six.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.games import Game, register_game
from samuel.games.groups import Chance, Defaults, Scores
from samuel.games.rules import CHANCE, OTHER, SAME
from samuel.kernels.bits import ZERO
from samuel.kernels.jit import jit
from tests.toys.notation import PlainNotation

ROLL, HOLD, SHOWS = 0, 1, 2
"""Moves, and what is added to the pips of a die to make an outcome."""
MINE, OTHERS, BROUGHT, ROLLED, TURNS, DIE = range(6)
ROLLS, TURNS_A_SIDE = 3, 2
_1, _4 = np.uint64(1), np.uint64(4)


@jit
def is_terminal(position: Any) -> bool:
    return position[TURNS] == ZERO


@jit
def legal_moves(position: Any, moves: Any) -> int:
    if is_terminal(position) or position[DIE] != ZERO:
        return 0
    n = 0
    if position[ROLLED] < np.uint64(ROLLS):
        moves[n] = ROLL
        n += 1
    if position[BROUGHT] != ZERO:
        moves[n] = HOLD
        n += 1
    return n


@jit
def outcomes(position: Any, listed: Any, weights: Any) -> int:
    if position[DIE] == ZERO:
        return 0
    for pips in range(1, 4):
        listed[pips - 1] = SHOWS + pips
    weights[0], weights[1], weights[2] = 1, 3, 2
    return 3


@jit
def end_turn(position: Any, brought: Any, child: Any) -> int:
    child[MINE], child[OTHERS] = position[OTHERS], position[MINE] + brought
    child[BROUGHT], child[ROLLED], child[DIE] = ZERO, ZERO, ZERO
    child[TURNS] = position[TURNS] - _1
    return OTHER


@jit
def play(position: Any, move: int, child: Any) -> int:
    if move == HOLD:
        return end_turn(position, position[BROUGHT], child)
    if move == SHOWS + 1:
        return end_turn(position, ZERO, child)
    for k in range(6):
        child[k] = position[k]
    if move == ROLL:
        child[ROLLED] = position[ROLLED] + _1
        child[DIE] = _1
        return SAME | CHANCE
    child[BROUGHT] = position[BROUGHT] + np.uint64(move - SHOWS)
    child[DIE] = ZERO
    return SAME


@jit
def utility(position: Any) -> float:
    return np.float32(np.int64(position[MINE]) - np.int64(position[OTHERS]))


@jit
def plies_left(position: Any) -> int:
    return np.int64(_4 * position[TURNS] - position[ROLLED])


PIG = register_game(
    Game(
        name="short_pig",
        start=(0, 0, 0, 0, 2 * TURNS_A_SIDE, 0),
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=plies_left,
        notation=PlainNotation(
            6, {ROLL: "roll", HOLD: "hold", **{SHOWS + k: str(k) for k in (1, 2, 3)}}
        ),
        max_moves=3,
        max_plies=2 * TURNS_A_SIDE * (2 * ROLLS + 1),
        scores=Scores("points", 3.0 * ROLLS * TURNS_A_SIDE),
        chance=Chance(outcomes, 6),
        defaults=Defaults(opening_plies=0),
    )
)
