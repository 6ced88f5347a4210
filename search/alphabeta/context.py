"""All that a node of alpha-beta needs, behind one pointer.

A node that passed on the rules, the evaluator and the memory would push some forty words: measured,
a fifth of the time of a search. A context is the pointer to a packed AlphaBetaSearcher.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import int64, types

from samuel.games.evaluator import Evaluation
from samuel.games.rules import Rules
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, Pointer
from samuel.kernels.records import entry, part, pointer_type, record, thawing
from samuel.search.alphabeta.stack import SearchStack, stack_at
from samuel.search.method import Searcher

SEARCH = int64(COUNTS, int64, int64, int64, int64)
"""`search(context, ply, depth, alpha, beta)` returns the score of a node, in points."""
LEARN = types.void(COUNTS, int64, int64, int64, int64, int64)
"""`learn(context, ply, depth, best, alpha, beta)` is told what a search found of a node where a
side moves, and in which window: in points, for that side. It hears nothing of nodes that the table
or a selective cut answers; in a selective search late moves may have been searched less deep."""


@record
class SearchParts(NamedTuple):
    """The parts of a search, as pointers: so what calls one need not contain it."""

    node: Any = entry(SEARCH, "the search of a node")
    leaves: Any = entry(
        SEARCH, "that of the last plies, the game and the evaluator compiled into one"
    )
    chance: Any = entry(SEARCH, "that of a node where chance may be to move")
    quiesce: Any = entry(
        SEARCH,
        "that of what is left to look at before the evaluator may be called; the depth is 0, or "
        "negative beyond it",
    )
    static: Any = entry(SEARCH, "the evaluation of a node by an evaluator that has a state")
    learn: Any = entry(LEARN, "who listens to what is found of nodes")


@record
class AlphaBetaSearcher(Searcher):
    """A Searcher with the parts of its search."""

    parts: SearchParts = part(SearchParts, "the parts of the search")


_thaw = thawing(pointer_type(AlphaBetaSearcher))


class SearchContext(NamedTuple):
    """Parts of a search that stay the same in all nodes."""

    rules: Rules
    evaluation: Evaluation
    parts: SearchParts
    stack: SearchStack


@jit
def thaw(context: Pointer) -> SearchContext:
    """Return the search context of a pointer."""
    its = _thaw(context)
    return SearchContext(its.rules, its.evaluation, its.parts, stack_at(its.memory))


@jit(LEARN)
def unheard(context: Pointer, ply: int, depth: int, best: int, alpha: int, beta: int) -> None:
    """Stand where nobody listens; never called."""
