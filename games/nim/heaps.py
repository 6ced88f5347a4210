"""Heaps of Nim in one word, and who wins them.

Heap k takes bits 5k to 5k + 4: up to eight heaps of up to 31 objects. Source of the theory: C. L.
Bouton, "Nim, a game with a complete mathematical theory" (1901).
"""

from __future__ import annotations

import numpy as np
from numba import int64

from samuel.games.interface import Row
from samuel.kernels.bits import ZERO, Word
from samuel.kernels.jit import jit

HEAPS, LARGEST = 8, 31
"""The most heaps, and the most objects of one."""
BITS = 5
_BITS, _LARGEST = np.uint64(BITS), np.uint64(LARGEST)


@jit
def heap_at(position: Row, heap: int) -> Word:
    """Return the objects of a heap."""
    return position[0] >> _BITS * np.uint64(heap) & _LARGEST


@jit
def objects_of(position: Row) -> int:
    """Return the objects of all heaps."""
    objects = ZERO
    for heap in range(HEAPS):
        objects += heap_at(position, heap)
    return int64(objects)


@jit
def nim_sum(position: Row) -> Word:
    """Return the exclusive or of the heaps."""
    total = ZERO
    for heap in range(HEAPS):
        total ^= heap_at(position, heap)
    return total


@jit
def heaps_from(position: Row, least: int) -> int:
    """Return the number of heaps of `least` objects and more."""
    n = 0
    for heap in range(HEAPS):
        n += 1 if heap_at(position, heap) >= np.uint64(least) else 0
    return n


@jit
def wins(position: Row) -> bool:
    """Return whether the side to move wins where the last to take wins."""
    return nim_sum(position) != ZERO


@jit
def wins_misere(position: Row) -> bool:
    """Return whether the side to move wins where the last to take loses.

    As in normal play while a heap has two objects or more; after that the heaps of one go by turns.
    """
    normal = wins(position)
    return normal if heaps_from(position, 2) > 0 else not normal
