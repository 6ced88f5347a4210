"""Dots and boxes, two by two: who closes a box moves again.

words: the edges drawn, a bit each; the boxes of the side to move; the other side's. Edges 0 to 5
lie across, row by row, 6 to 11 stand upright, row by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samuel.games import Game, register_game
from samuel.games.groups import Defaults, Scores, Turns
from samuel.games.rules import OTHER, SAME
from samuel.kernels.bits import ZERO, bit, popcount
from samuel.kernels.jit import jit
from tests.toys.notation import PlainNotation

EDGES = 12
BOXES = np.array(
    [
        sum(1 << edge for edge in (2 * r + c, 2 * r + c + 2, 6 + 3 * r + c, 7 + 3 * r + c))
        for r in range(2)
        for c in range(2)
    ],
    np.uint64,
)


@jit
def legal_moves(position: Any, moves: Any) -> int:
    n = 0
    for edge in range(EDGES):
        if position[0] & bit(edge) == ZERO:
            moves[n] = edge
            n += 1
    return n


@jit
def play(position: Any, move: int, child: Any) -> int:
    drawn, closed = position[0] | bit(move), np.uint64(0)
    for box in BOXES:
        if drawn & box == box and position[0] & box != box:
            closed += np.uint64(1)
    child[0] = drawn
    if closed != ZERO:
        child[1], child[2] = position[1] + closed, position[2]
        return SAME
    child[1], child[2] = position[2], position[1]
    return OTHER


@jit
def plies_left(position: Any) -> int:
    return EDGES - popcount(position[0])


@jit
def is_terminal(position: Any) -> bool:
    return plies_left(position) == 0


@jit
def utility(position: Any) -> float:
    return np.float32(np.int64(position[1]) - np.int64(position[2]))


DOTS_AND_BOXES = register_game(
    Game(
        name="dots_and_boxes",
        start=(0, 0, 0),
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=plies_left,
        notation=PlainNotation(3, {edge: "abcdefghijkl"[edge] for edge in range(EDGES)}),
        max_moves=EDGES,
        max_plies=EDGES,
        scores=Scores("boxes", 4.0, sooner_is_better=False),
        turns=Turns(alternates=False),
        defaults=Defaults(opening_plies=2),
    )
)
