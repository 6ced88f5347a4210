"""Random trees as a game: what may be played, what chance brings and who wins are drawn from a key.

words: the key of the node; its plies, dice not counted; 1 where the dice are to be thrown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.games import Game, register_game
from samuel.games.groups import Chance, Defaults
from samuel.games.rules import CHANCE, OTHER, SAME
from samuel.kernels.bits import ONE, ZERO, mix
from samuel.kernels.jit import jit
from tests.toys.notation import PlainNotation

PLIES, WIDEST, TOTAL = 7, 4, 36
"""Of a line; of what may follow; the sum of the weights of what chance may bring."""
THROWS = 100
"""Outcomes are THROWS + a number."""
_PLIES = np.uint64(PLIES)


@jit
def drawn(key: Any, what: int, below: int) -> int:
    """Return a number below another that the key of a node decides."""
    return np.int64(mix(key, np.uint64(what)) % np.uint64(below))


@jit
def is_terminal(position: Any) -> bool:
    return position[1] >= _PLIES


@jit
def legal_moves(position: Any, moves: Any) -> int:
    if is_terminal(position) or position[2] == ONE:
        return 0
    n = 1 + drawn(position[0], 1, WIDEST)
    for k in range(n):
        moves[k] = k
    return n


@jit
def outcomes(position: Any, listed: Any, weights: Any) -> int:
    if position[2] == ZERO or is_terminal(position):
        return 0
    n, left = 1 + drawn(position[0], 2, WIDEST), TOTAL
    for k in range(n):
        rest = n - 1 - k
        weight = left if rest == 0 else 1 + drawn(position[0], 3 + k, left - rest)
        listed[k], weights[k] = THROWS + k, weight
        left -= weight
    return n


@jit
def play(position: Any, move: int, child: Any) -> int:
    child[0] = mix(position[0], np.uint64(1000 + move))
    child[1], child[2] = position[1], ZERO
    if move >= THROWS:
        return SAME
    child[1] = position[1] + ONE
    if child[1] < _PLIES and drawn(child[0], 9, 2) == 0:
        child[2] = ONE
        return OTHER | CHANCE
    return OTHER


@jit
def utility(position: Any) -> float:
    return (drawn(position[0], 10, 101) - 50) / 50


@jit
def plies_left(position: Any) -> int:
    return PLIES - np.int64(position[1])


_NAMES = {k: f"m{k}" for k in range(WIDEST)} | {THROWS + k: f"({k})" for k in range(WIDEST)}
RANDOM_TREE = register_game(
    Game(
        name="random_tree",
        start=(1959, 0, 0),
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=plies_left,
        notation=PlainNotation(3, _NAMES),
        max_moves=WIDEST,
        max_plies=2 * PLIES,
        chance=Chance(outcomes, TOTAL),
        defaults=Defaults(opening_plies=1),
    )
)
