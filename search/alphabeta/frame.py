"""All that a node of alpha-beta needs, behind one pointer.

A node that passed on the rules, the evaluator and the memory would push some forty words: measured,
a fifth of the time of a search.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import types

from samuel.games.evaluator import STATIC, Evaluation
from samuel.games.interface import RULES, Rules
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, thawing
from samuel.search.alphabeta.memory import WORK, Work, work_at
from samuel.search.method import CALLS, Calls, thaw_searcher


class Frame(NamedTuple):
    """What stays the same in all nodes of a search."""

    rules: Rules
    evaluation: Evaluation
    calls: Calls
    work: Work


thaw = thawing(types.NamedTuple([RULES, STATIC, CALLS, WORK], Frame))
"""`thaw(frame)` returns the Frame behind `freeze(Frame(...))`, as long as that function runs."""


@jit
def frame_of(searcher: Pointer) -> Frame:
    """Return what a frozen searcher of alpha-beta has, to be frozen in its turn."""
    its = thaw_searcher(searcher)
    return Frame(its.rules, its.evaluation, its.calls, work_at(its.memory))
