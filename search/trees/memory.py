"""Memory of a search by sampling: a game to play on, and a tree (search/trees/nodes.py)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int32, int64, types

from samuel.games.evaluator import Evaluation
from samuel.games.game import Game
from samuel.games.playing import GameState, new_game_state
from samuel.games.rules import Rules
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, Pointer
from samuel.kernels.records import (
    allocate,
    array,
    entry,
    length,
    number,
    part,
    pointer_type,
    record,
    thawing,
)
from samuel.search.method import Head, RootMemory, Searcher
from samuel.search.score import PLIES, SCORE_UNIT
from samuel.search.trees.nodes import FIELDS, LANES, SIZES, UNIT, UctNodeView

_NORMAL_95 = 1.959964
EXPLORATION, SCALE, BEST, SETTINGS = range(4)
"""Places in `settings`: of the bonus for what was tried seldom; of rewards, in points, 0 for linear
ones; the highest score, in points."""


@record
class UctTree(Head):
    """Memory for a game of K words and a tree of N nodes, as kernels see it."""

    state: GameState = part(GameState, "the game that is played on")
    codes: Pointer = array(int64, ("numbers",), "the nodes (search/trees/nodes.py), as integers")
    most_words: int = length("codes", "room for nodes")
    numbers: Pointer = array(float64, ("numbers",), "the same words, as floats")
    way: Pointer = array(int32, (PLIES,), "the nodes of a simulation")
    widths: Pointer = array(int32, (PLIES,), "the widths of their families")
    movers: Pointer = array(int32, (PLIES,), "who moves there, 2 for chance")
    settings: Pointer = array(float64, (SETTINGS,), "see EXPLORATION")
    size: Pointer = array(int64, (SIZES,), "what is in use, see WORDS_USED")
    playouts: int = number("simulations a move, where neither nodes nor time are limited")
    plies: int = number("those of a playout, after which the evaluator scores the position")
    levels: int = number("those below the root that have nodes: 1 for pure Monte Carlo")
    whole: int = number(
        "1 where the tree leaves out no legal move, so that what is proven in it is certain, else "
        "0",
        value=1,
    )
    seed: int = number("seed of the random stream of each search")


tree_at = thawing(pointer_type(UctTree))
"""`tree_at(memory)` returns the UctTree that begins there."""


class TreeMemory(RootMemory):
    """Memory of a search by sampling, as Python sees it; see UctTree."""

    record = UctTree

    @property
    def root(self) -> UctNodeView:
        """The root."""
        return UctNodeView(self.codes)

    @property
    def contradictions(self) -> int:
        """Number of contradictions: none in sampled trees."""
        return 0

    def scores_of_moves(self) -> list[tuple[int, float]]:
        """Return each move of the root that was tried with its points, the best first."""
        best = float(self.settings[BEST])
        pairs = [
            (node.move, best * node.proven if node.proven else node.points / node.visits)
            for node in self.root.children
            if node.visits
        ]
        return sorted(pairs, key=lambda pair: -pair[1])

    def margins_of_moves(self) -> list[tuple[int, float]]:
        """Return each move of the root with half of its mean points' 95 % interval."""
        if self.levels > 1:
            return []
        tried = [node for node in self.root.children if node.visits > 1]
        return [(node.move, self._margin(node)) for node in tried]

    def _margin(self, node: UctNodeView) -> float:
        variance = (node.square - node.reward**2 / node.visits) / (node.visits - 1)
        # a reward is (1 + points / best) / 2
        error = math.sqrt(max(variance, 0.0) / node.visits)
        return 2 * float(self.settings[BEST]) * _NORMAL_95 * error


def new_tree_memory(game: Game, nodes: int) -> TreeMemory:
    """Return memory for searches of `game` with so many nodes, and with the root's at least."""
    most = max(nodes * FIELDS, UNIT + FIELDS * (game.max_moves + LANES))
    codes = np.zeros(most, np.int64)
    sizes = {
        "plies": 1,
        "words": game.words,
        "keys": game.most_reversible + PLIES,
        "visits": 1 + game.max_moves,
    }
    tree = allocate(
        UctTree,
        sizes,
        counters=budget.new_counters(),
        state=new_game_state(game),
        codes=codes,
        numbers=codes.view(np.float64),
        settings=np.array([0.0, 0.0, round(game.scores.max_utility * SCORE_UNIT)]),
    )
    return TreeMemory(tree, game)


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
    """Parts of a search that stay the same in all simulations."""

    rules: Rules
    evaluation: Evaluation
    parts: UctParts
    tree: UctTree


@jit
def thaw(context: Pointer) -> UctContext:
    """Return the UCT context of a pointer."""
    its = _thaw(context)
    return UctContext(its.rules, its.evaluation, its.parts, tree_at(its.memory))
