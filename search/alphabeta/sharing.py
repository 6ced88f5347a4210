"""Threads that search one tree over one table, each leaving moves to others that are at them.

Lazy SMP with deferred moves: before a move but the first is searched, a thread looks whether
another one is searching it, and if so takes the others first; by then the table knows the answer
(J.-C. Weill, "The ABDADA distributed minimax search algorithm", 1996, in the simplified form of T.
Kerrigan, 2017). At full width the score at a fixed depth does not depend on who searched what; in
a selective search a move that was put off comes late.
"""

from __future__ import annotations

import numpy as np

from samuel.kernels.bits import ZERO, Word
from samuel.kernels.jit import jit
from samuel.search.alphabeta.memory import BUSY, SearchStack

DEFER_FROM = 4
"""Plies from which on a move is worth a look at what others do."""
DEFERRED = -(1 << 30)
"""The rating of a move that was put off, below all others."""


@jit
def _place(key: Word, depth: int) -> Word:
    return (key ^ np.uint64(depth)) & np.uint64(BUSY - 1)


@jit
def is_shared(stack: SearchStack) -> bool:
    """Return whether other threads search the same tree."""
    return stack.threads > 1


@jit
def is_busy(stack: SearchStack, key: Word, depth: int) -> bool:
    """Return whether a thread is searching the position of `key` to `depth`."""
    return stack.busy[_place(key, depth)] == key


@jit
def begin(stack: SearchStack, key: Word, depth: int) -> None:
    """Say that this thread searches the position of `key` to `depth`."""
    stack.busy[_place(key, depth)] = key


@jit
def end(stack: SearchStack, key: Word, depth: int) -> None:
    """Say that it has done so."""
    stack.busy[_place(key, depth)] = ZERO
