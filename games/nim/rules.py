"""Nim: in turn, a side takes as many objects as it likes of one heap, at least one.

In normal play who takes the last object has won, in misère play lost. The games begin with 3, 5 and
7 objects; other heaps are other positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32

from samuel.games.defaults import Defaults, Handmade
from samuel.games.interface import Game, Row
from samuel.games.nim.heaps import BITS, HEAPS, LARGEST, heap_at, objects_of
from samuel.games.nim.notation import HeapNotation
from samuel.kernels.bits import ZERO
from samuel.kernels.jit import jit

_BITS = np.uint64(BITS)


@jit
def is_terminal(position: Row) -> bool:
    """Return whether nothing is left to take."""
    return position[0] == ZERO


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List what can be taken: heap * 32 + objects."""
    n = 0
    for heap in range(HEAPS):
        for taken in range(1, np.int64(heap_at(position, heap)) + 1):
            moves[n] = int32((heap << BITS) + taken)
            n += 1
    return n


@jit
def play(position: Row, move: int, child: Row) -> None:
    """Take objects from a heap."""
    taken = np.uint64(move & LARGEST)
    child[0] = position[0] - (taken << _BITS * np.uint64(move >> BITS))


@jit
def utility(position: Row) -> float:
    """Return -1: the other side has taken the last object."""
    return -1.0


@jit
def utility_misere(position: Row) -> float:
    """Return 1: the other side had to take the last object."""
    return 1.0


BOUTON = Handmade("who wins, by Bouton's theorem", ("winner",), {"winner": (1.0,)})


def _nim(name: str, title: str, utility: Any) -> Game:
    return Game(
        name=name,
        start=(3 | 5 << BITS | 7 << 2 * BITS,),
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=objects_of,
        notation=HeapNotation(),
        max_moves=HEAPS * LARGEST,
        max_plies=HEAPS * LARGEST,
        opening_plies=2,
        defaults=Defaults(
            title=title,
            sides=("X", "O"),
            features_in="samuel.features.nim",
            # what `winner` says is there to be learned
            features=("heaps", "ones", "nim_sum", "nim_sum_bits"),
            evaluators={"bouton": BOUTON},
        ),
    )


GAME = _nim("nim", "Nim", utility)
GAME_MISERE = _nim("nim_misere", "Nim, misère", utility_misere)
