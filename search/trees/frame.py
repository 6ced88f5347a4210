"""All that a simulation needs, behind one pointer: a packed TreeSearcher."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from samuel.games.evaluator import Evaluation
from samuel.games.interface import Rules
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, Pointer
from samuel.kernels.records import entry, part, pointer_type, record, thawing
from samuel.search.method import Searcher
from samuel.search.trees.memory import UctTree, tree_at

SIMULATE = types.void(COUNTS)
"""`simulate(context)` grows the tree until its root is proven, or a limit is reached."""


@record
class UctParts(NamedTuple):
    """The entry points that a sampling method calls of its own."""

    simulate: Any = entry(SIMULATE, "grows the tree")


@record
class TreeSearcher(Searcher):
    """A Searcher with the parts of its sampling."""

    parts: UctParts = part(UctParts, "the parts of the sampling")


_thaw = thawing(pointer_type(TreeSearcher))


class UctContext(NamedTuple):
    """What stays the same in all simulations of a search."""

    rules: Rules
    evaluation: Evaluation
    parts: UctParts
    tree: UctTree


@jit
def thaw(context: Pointer) -> UctContext:
    """Return what is behind a context."""
    its = _thaw(context)
    return UctContext(its.rules, its.evaluation, its.parts, tree_at(its.memory))
