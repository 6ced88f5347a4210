"""All that a search needs, behind one pointer.

A node that passed on the rules, the evaluator and the memory would push some forty words: measured,
a fifth of the time of a search.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import types

from samuel.games.interface import RULES, Rules
from samuel.kernels.pointers import thawing
from samuel.search.memory import WORK, Work
from samuel.search.scoring import STATIC, Scoring


class Frame(NamedTuple):
    """What stays the same in all nodes of a search."""

    rules: Rules
    static: Scoring
    work: Work


thaw = thawing(types.NamedTuple([RULES, STATIC, WORK], Frame))
"""`thaw(frame)` returns the Frame behind `freeze(Frame(...))`, as long as that function runs."""
