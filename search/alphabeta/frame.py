"""All that a node of alpha-beta needs, behind one pointer.

A node that passed on the rules, the evaluator and the memory would push some forty words: measured,
a fifth of the time of a search. A frame is the pointer to a packed Searcher.
"""

from __future__ import annotations

from typing import NamedTuple

from samuel.games.evaluator import Evaluation
from samuel.games.interface import Rules
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
from samuel.search.alphabeta.memory import Work, work_at
from samuel.search.method import Calls, thaw_searcher


class Frame(NamedTuple):
    """What stays the same in all nodes of a search."""

    rules: Rules
    evaluation: Evaluation
    calls: Calls
    work: Work


@jit
def thaw(frame: Pointer) -> Frame:
    """Return what is behind a frame."""
    its = thaw_searcher(frame)
    return Frame(its.rules, its.evaluation, its.calls, work_at(its.memory))
