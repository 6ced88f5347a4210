"""A race by dice that are thrown before each turn, the first one too.

words: how far the two men of the side to move are, or are to move after the dice, four bits each;
the other side's; the pips thrown, 0 where the dice are to be thrown. One of the two men goes so
far; with a double three (outcome 6) the side moves again, without dice. Who has both men home
(at HOME or beyond) has won.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.games import Game, register_game
from samuel.games.groups import Chance, Defaults
from samuel.games.rules import CHANCE, OTHER, SAME
from samuel.kernels.bits import ZERO
from samuel.kernels.jit import jit
from tests.toys.notation import PlainNotation

HOME, DIE_SIDES, DOUBLE = 7, 3, 6
ROLLS = 10
"""Outcomes are ROLLS + pips; moves are the number of a man."""
_4, _15 = np.uint64(4), np.uint64(15)


@jit
def man(men: Any, k: int) -> int:
    return np.int64((men >> (_4 * np.uint64(k))) & _15)


@jit
def are_home(men: Any) -> bool:
    return man(men, 0) >= HOME and man(men, 1) >= HOME


@jit
def is_terminal(position: Any) -> bool:
    return are_home(position[0]) or are_home(position[1])


@jit
def legal_moves(position: Any, moves: Any) -> int:
    if is_terminal(position) or position[2] == ZERO:
        return 0
    n = 0
    for k in range(2):
        if man(position[0], k) < HOME:
            moves[n] = k
            n += 1
    return n


@jit
def outcomes(position: Any, listed: Any, weights: Any) -> int:
    if position[2] != ZERO or is_terminal(position):
        return 0
    for pips in range(1, DIE_SIDES + 1):
        listed[pips - 1], weights[pips - 1] = ROLLS + pips, 3 - pips // 2
    listed[DIE_SIDES], weights[DIE_SIDES] = ROLLS + DOUBLE, 1
    return DIE_SIDES + 1


@jit
def play(position: Any, move: int, child: Any) -> int:
    child[0], child[1], child[2] = position[0], position[1], position[2]
    if move >= ROLLS:
        child[2] = np.uint64(move - ROLLS)
        return SAME
    again = position[2] == np.uint64(DOUBLE)
    steps = DIE_SIDES if again else np.int64(position[2])
    steps = min(steps, HOME - man(position[0], move))
    men = position[0] + (np.uint64(steps) << (_4 * np.uint64(move)))
    if again and not are_home(men):
        child[0], child[2] = men, np.uint64(DIE_SIDES)
        return SAME
    child[0], child[1], child[2] = position[1], men, ZERO
    return OTHER if are_home(men) else OTHER | CHANCE


@jit
def utility(position: Any) -> float:
    return 1.0 if are_home(position[0]) else -1.0


@jit
def plies_left(position: Any) -> int:
    left = 0
    for side in range(2):
        for k in range(2):
            left += HOME - man(position[side], k)
    return left


RACE = register_game(
    Game(
        name="race",
        start=(0, 0, 0),
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=plies_left,
        notation=PlainNotation(
            3, {0: "a", 1: "b", **{ROLLS + k: f"({k})" for k in (1, 2, 3, DOUBLE)}}
        ),
        max_moves=4,
        max_plies=8 * HOME,
        chance=Chance(outcomes, 8),
        defaults=Defaults(opening_plies=1),
    )
)
