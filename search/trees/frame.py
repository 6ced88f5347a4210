"""All that a simulation needs, behind one pointer: a packed TreeSearcher."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from samuel.games.evaluator import Evaluation
from samuel.games.interface import Rules
from samuel.kernels.jit import jit
from samuel.kernels.packed import thawing
from samuel.kernels.pointers import COUNTS, Pointer
from samuel.search.method import SEARCHER_FIELDS, Calls
from samuel.search.trees.memory import Tree, tree_at

SIMULATE = types.void(COUNTS)
"""`simulate(frame)` grows the tree until its root is proven, or a limit is reached."""


class Parts(NamedTuple):
    """The entry points that a sampling method calls of its own."""

    simulate: Any


class TreeSearcher(NamedTuple):
    """A Searcher (search/method.py) with the parts of its sampling."""

    rules: Rules
    evaluation: Evaluation
    calls: Calls
    memory: Any
    parts: Parts


_PARTS = types.NamedTuple([types.FunctionType(SIMULATE)], Parts)
TREE_SEARCHER = types.NamedTuple([*SEARCHER_FIELDS, _PARTS], TreeSearcher)
_thaw = thawing(TREE_SEARCHER)


class Frame(NamedTuple):
    """What stays the same in all simulations of a search."""

    rules: Rules
    evaluation: Evaluation
    parts: Parts
    tree: Tree


@jit
def thaw(frame: Pointer) -> Frame:
    """Return what is behind a frame."""
    its = _thaw(frame)
    return Frame(its.rules, its.evaluation, its.parts, tree_at(its.memory))
