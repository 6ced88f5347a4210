"""What a search by sampling writes to: a table to play on, and a tree (search/trees/nodes.py)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, types
from numpy.typing import NDArray

from samuel.games.interface import Game
from samuel.games.playing import PLAYED, REPETITIONS, room_for
from samuel.kernels import budget
from samuel.kernels.packed import packed, thawing
from samuel.kernels.pointers import COUNTS, INTS, WORDS, Pointer
from samuel.search.method import FOUND, HEAD, RootMemory
from samuel.search.score import PLIES, POINTS
from samuel.search.trees.nodes import DONE, FIELDS, GATE, LANES, SIZES, UNIT, TreeNode

NUMBERS = types.CPointer(float64)
_NORMAL_95 = 1.959964
EXPLORATION, SCALE, BEST, SETTINGS = range(4)
"""Places in `settings`: of the bonus for what was tried seldom; of rewards, in points, 0 for linear
ones; the highest score, in points."""


@dataclass(eq=False)
class TreeMemory(RootMemory):
    """Of one thread, for a game of K words and at most M moves, and a tree of at most N nodes.

    Attributes
    ----------
    position, child
        uint64 (K,), the table's position and the next (games/playing.py).
    moves, weights
        int32 (M,), what was listed last.
    turn, draws, played, stream
        the table's turn, what draws ask, its keys, and what chance and playouts are drawn from.
    words
        int64 (FIELDS * N,), the nodes (search/trees/nodes.py).
    way, widths, movers
        int32 (PLIES,), the nodes of a simulation, and who moves there, 2 for chance.
    settings
        float64 (SETTINGS,).
    size
        int64 (SIZES,), what is in use, and what threads tell each other (search/trees/nodes.py).
    base, base_path, base_quiet
        the root that the tree is of, with its past (search/trees/keeping.py).
    owners
        int32 (FIELDS * N / UNIT, 2), the node above each family (search/trees/keeping.py).
    playouts
        simulations a move, where neither nodes nor time are limited.
    plies
        of a playout, after which the evaluator says what the position is worth.
    levels
        below the root that have nodes: 1 for pure Monte Carlo.
    tuned
        1 for UCB1-tuned, else 0.
    whole
        1 where the tree leaves out no legal move, so that what is proven in it is certain, else 0.
    seed
        of the stream, which begins anew with each search.
    threads, number
        how many share the tree, and which of them this is.
    """

    position: NDArray[np.uint64]
    child: NDArray[np.uint64]
    moves: NDArray[np.int32]
    weights: NDArray[np.int32]
    turn: NDArray[np.int64]
    draws: NDArray[np.int64]
    played: NDArray[np.uint64]
    stream: NDArray[np.uint64]
    words: NDArray[np.int64]
    way: NDArray[np.int32]
    widths: NDArray[np.int32]
    movers: NDArray[np.int32]
    settings: NDArray[np.float64]
    size: NDArray[np.int64]
    base: NDArray[np.uint64]
    base_path: NDArray[np.uint64]
    base_quiet: NDArray[np.int64]
    owners: NDArray[np.int32]
    playouts: int
    plies: int
    levels: int
    tuned: int
    whole: int
    seed: int
    threads: int
    number: int
    searched_with: Any = None
    """The method, the name of the game and the evaluator that the tree is of."""

    @property
    def root(self) -> TreeNode:
        """The root."""
        return TreeNode(self.words)

    @property
    def contradictions(self) -> int:
        """None: what is sampled contradicts nothing."""
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
        """Return each move of the root with half of its mean points' 95 % interval.

        Of pure Monte Carlo alone, whose games are independent; none where one was played.
        """
        if self.levels > 1:
            return []
        tried = [node for node in self.root.children if node.visits > 1]
        return [(node.move, self._margin(node)) for node in tried]

    def _margin(self, node: TreeNode) -> float:
        variance = (node.square - node.reward**2 / node.visits) / (node.visits - 1)
        # a reward is (1 + points / best) / 2
        error = math.sqrt(max(variance, 0.0) / node.visits)
        return 2 * float(self.settings[BEST]) * _NORMAL_95 * error

    def block(self) -> Any:
        """Return the memory as kernels take it, a Tree."""
        own = {name: value for name, value in vars(self).items() if name not in _APART}
        own |= {"root": self.stack, "past": self.path, "path": self.played}
        own |= {"codes": self.words, "numbers": self.words.view(np.float64)}
        return packed(Tree(words=len(self.position), most_words=len(self.words), **own), TREE)


_APART = "stack", "path", "played", "words", "searched_with"
"""What kernels know by another name, or not at all."""


class Tree(NamedTuple):
    """The same as kernels see it. It begins as every method's memory does, and is a Table, too.

    `codes` and `numbers` are the same words, as integers and as floats.
    """

    root: Pointer
    line: Pointer
    found: Pointer
    counters: Pointer
    past: Pointer
    quiet: Pointer
    visits: Pointer
    position: Pointer
    child: Pointer
    moves: Pointer
    weights: Pointer
    turn: Pointer
    draws: Pointer
    path: Pointer
    stream: Pointer
    codes: Pointer
    numbers: Pointer
    way: Pointer
    widths: Pointer
    movers: Pointer
    settings: Pointer
    size: Pointer
    base: Pointer
    base_path: Pointer
    base_quiet: Pointer
    owners: Pointer
    playouts: int
    plies: int
    levels: int
    tuned: int
    whole: int
    seed: int
    threads: int
    number: int
    words: int
    most_words: int


TREE = types.NamedTuple(
    [
        *HEAD,
        *(WORDS, WORDS, INTS, INTS, COUNTS, COUNTS, WORDS, WORDS),
        *(COUNTS, NUMBERS),
        *(INTS, INTS, INTS, NUMBERS, COUNTS),
        *(WORDS, WORDS, COUNTS, INTS),
        *[int64] * 10,
    ],
    Tree,
)
tree_at = thawing(TREE)
"""`tree_at(memory)` returns the Tree that begins there."""


def new_tree_memory(game: Game, nodes: int) -> TreeMemory:
    """Return memory for searches of `game` with so many nodes, and with the root's at least."""
    most = max(nodes * FIELDS, UNIT + FIELDS * (game.max_moves + LANES))
    return TreeMemory(
        stack=np.zeros((1, game.words), np.uint64),
        line=np.zeros(PLIES, np.int32),
        found=np.zeros(FOUND, np.int64),
        counters=budget.new_counters(),
        path=np.zeros(game.most_quiet + PLIES, np.uint64),
        quiet=np.zeros(PLIES, np.int32),
        visits=np.zeros(1 + game.max_moves, np.int32),
        position=np.zeros(game.words, np.uint64),
        child=np.zeros(game.words, np.uint64),
        moves=np.zeros(game.max_moves, np.int32),
        weights=np.zeros(game.max_moves, np.int32),
        turn=np.zeros(2, np.int64),
        draws=room_for(game).draws,
        played=np.zeros(1 + game.most_quiet, np.uint64),
        stream=np.zeros(1, np.uint64),
        words=np.zeros(most, np.int64),
        way=np.zeros(PLIES, np.int32),
        widths=np.zeros(PLIES, np.int32),
        movers=np.zeros(PLIES, np.int32),
        settings=np.array([0.0, 0.0, round(game.max_utility * POINTS)]),
        size=np.zeros(SIZES, np.int64),
        base=np.zeros(game.words, np.uint64),
        base_path=np.zeros(1 + game.most_quiet, np.uint64),
        base_quiet=np.zeros(1, np.int64),
        owners=np.zeros((most // UNIT, 2), np.int32),
        playouts=0,
        plies=0,
        levels=0,
        tuned=0,
        whole=1,
        seed=0,
        threads=1,
        number=0,
    )


def sharing(memory: TreeMemory, threads: int) -> list[TreeMemory]:
    """Return the memories of so many threads that grow the tree of `memory`, itself the first."""
    memory.threads = threads
    memory.size[[GATE, DONE]] = 0
    shared = ("words", "size", "owners", "settings")
    arrays = {k: v for k, v in vars(memory).items() if isinstance(v, np.ndarray)}
    own = [name for name in arrays if name not in shared]
    found = [memory]
    for number in range(1, threads):
        copies: dict[str, Any] = {name: arrays[name].copy() for name in own}
        copies["counters"] = budget.new_counters()
        found.append(replace(memory, number=number, **copies))
    return found


def fits(memory: RootMemory, game: Game) -> bool:
    """Return whether memory was made for this game, or for one that is played alike."""
    if not isinstance(memory, TreeMemory):
        return False
    like = new_tree_memory(game, 0)
    shapes = ("position", "moves", "path", "played")
    return all(getattr(memory, name).shape == getattr(like, name).shape for name in shapes) and all(
        np.array_equal(getattr(memory, name)[part], getattr(like, name)[part])
        for name, part in (("draws", slice(REPETITIONS, PLAYED)), ("settings", BEST))
    )
