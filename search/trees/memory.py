"""What a search by sampling writes to: a table to play on, and the nodes of its tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int64, types
from numpy.typing import NDArray

from samuel.games.interface import Game
from samuel.games.playing import PLAYED, REPETITIONS, room_for
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.packed import packed, thawing
from samuel.kernels.pointers import COUNTS, INTS, WORDS, Pointer
from samuel.search.method import FOUND, HEAD, RootMemory
from samuel.search.score import PLIES, POINTS

NUMBERS = types.CPointer(float64)
UNEXPANDED = -1
"""In place of a number of children."""
FIELDS = "first", "count", "move", "proven", "visits", "reward", "square", "points"
ROW = len(FIELDS)
_NORMAL_95 = 1.959964
EXPLORATION, SCALE, BEST, SETTINGS = range(4)
"""Places in `settings`: of the bonus for what was tried seldom; of rewards, in points, 0 for linear
ones; the highest score, in points."""


@dataclass(eq=False)
class TreeMemory(RootMemory):
    """Of one thread, for a game of K words and at most M moves, and a tree of at most N nodes.

    Node 0 is the root; the children of a node follow one another. Rewards, points and proofs are
    for the side to move at the root.

    Attributes
    ----------
    position, child
        uint64 (K,), the table's position and the next (games/playing.py).
    moves, weights
        int32 (M,), what was listed last.
    turn, draws, played, stream
        the table's turn, what draws ask, its keys, and what chance and playouts are drawn from.
    node
        int64 (N, ROW), all that is known of a node in one line of a processor's cache, in the order
        of FIELDS: its `first` child, as kernels number nodes, and how many there are (`count`); the
        `move` that leads to it; `proven`, 1 where the root's side has the best there is for
        certain, -1 where it has the worst, else 0; its `visits`; then as float64 the sums of the
        rewards in [0, 1], of their squares, and of points.
    way, movers
        int32 (PLIES,), the nodes of a simulation, and who moves there, 2 for chance.
    settings
        float64 (SETTINGS,).
    size
        int64 (1,), the nodes in use.
    base, base_path, base_quiet
        the root that the tree is of, with its past (search/trees/keeping.py).
    renumbered
        int32 (N,), the numbers of nodes that are kept.
    playouts
        simulations a move, where neither nodes nor time are limited.
    plies
        of a playout, after which the evaluator says what the position is worth.
    levels
        below the root that have nodes: 1 for pure Monte Carlo.
    tuned
        1 for UCB1-tuned, else 0.
    seed
        of the stream, which begins anew with each search.
    """

    position: NDArray[np.uint64]
    child: NDArray[np.uint64]
    moves: NDArray[np.int32]
    weights: NDArray[np.int32]
    turn: NDArray[np.int64]
    draws: NDArray[np.int64]
    played: NDArray[np.uint64]
    stream: NDArray[np.uint64]
    node: NDArray[np.int64]
    way: NDArray[np.int32]
    movers: NDArray[np.int32]
    settings: NDArray[np.float64]
    size: NDArray[np.int64]
    base: NDArray[np.uint64]
    base_path: NDArray[np.uint64]
    base_quiet: NDArray[np.int64]
    renumbered: NDArray[np.int32]
    playouts: int
    plies: int
    levels: int
    tuned: int
    seed: int
    searched_with: Any = None
    """The method, the name of the game and the evaluator that the tree is of."""

    @property
    def first(self) -> NDArray[np.int64]:
        """The number of each node's first child, (N,)."""
        return self.node[:, FIELDS.index("first")] // ROW

    @property
    def count(self) -> NDArray[np.int64]:
        """How many children a node has, (N,); UNEXPANDED where it was given none."""
        return self.node[:, FIELDS.index("count")]

    @property
    def move(self) -> NDArray[np.int64]:
        """What leads to a node, (N,)."""
        return self.node[:, FIELDS.index("move")]

    @property
    def proven(self) -> NDArray[np.int64]:
        """What is certain of a node, (N,)."""
        return self.node[:, FIELDS.index("proven")]

    @property
    def visits(self) -> NDArray[np.int64]:
        """The simulations that came to a node, (N,)."""
        return self.node[:, FIELDS.index("visits")]

    @property
    def reward(self) -> NDArray[np.float64]:
        """The sum of a node's rewards, (N,)."""
        return self.node.view(np.float64)[:, FIELDS.index("reward")]

    @property
    def square(self) -> NDArray[np.float64]:
        """The sum of their squares, (N,)."""
        return self.node.view(np.float64)[:, FIELDS.index("square")]

    @property
    def points(self) -> NDArray[np.float64]:
        """The sum of points, (N,)."""
        return self.node.view(np.float64)[:, FIELDS.index("points")]

    @property
    def contradictions(self) -> int:
        """None: what is sampled contradicts nothing."""
        return 0

    def scores_of_moves(self) -> list[tuple[int, float]]:
        """Return each move of the root that was tried with its points, the best first."""
        tried = self._tried(1)
        sure = self.proven[tried] * self.settings[BEST]
        worth = np.where(sure != 0, sure, self.points[tried] / self.visits[tried])
        pairs = zip(self.move[tried].tolist(), worth.tolist(), strict=True)
        return sorted(pairs, key=lambda pair: -pair[1])

    def margins_of_moves(self) -> list[tuple[int, float]]:
        """Return each move of the root with half of its mean points' 95 % interval.

        Of pure Monte Carlo alone, whose games are independent; none where one was played.
        """
        tried = self._tried(2)
        if self.levels > 1:
            return []
        n = self.visits[tried]
        variance = (self.square[tried] - self.reward[tried] ** 2 / n) / (n - 1)
        # a reward is (1 + points / best) / 2
        half = 2 * self.settings[BEST] * _NORMAL_95 * np.sqrt(np.maximum(variance, 0.0) / n)
        return list(zip(self.move[tried].tolist(), half.tolist(), strict=True))

    def _tried(self, times: int) -> NDArray[np.intp]:
        """Return the children of the root that were visited so often."""
        first, count = (int(self.node[0, FIELDS.index(name)]) for name in ("first", "count"))
        first //= ROW
        return np.flatnonzero(self.visits[first : first + max(0, count)] >= times) + first

    def block(self) -> Any:
        """Return the memory as kernels take it, a Tree."""
        apart = ("played", "searched_with", "node")
        own = {name: value for name, value in vars(self).items() if name not in apart}
        flat = self.node.reshape(-1)
        for k, name in enumerate(FIELDS):
            own[name] = flat[k:] if k < FIELDS.index("reward") else flat.view(np.float64)[k:]
        own |= {"root": own.pop("stack"), "past": own.pop("path"), "path": self.played}
        words, nodes = len(self.position), len(self.node)
        return packed(Tree(words=words, nodes=nodes, **own), TREE)


class Tree(NamedTuple):
    """The same as kernels see it. It begins as every method's memory does, and is a Table, too.

    A node's number is ROW times its place, so that each field of it is found under one number.
    """

    root: Pointer
    line: Pointer
    found: Pointer
    counters: Pointer
    past: Pointer
    quiet: Pointer
    position: Pointer
    child: Pointer
    moves: Pointer
    weights: Pointer
    turn: Pointer
    draws: Pointer
    path: Pointer
    stream: Pointer
    first: Pointer
    count: Pointer
    move: Pointer
    proven: Pointer
    visits: Pointer
    reward: Pointer
    square: Pointer
    points: Pointer
    way: Pointer
    movers: Pointer
    settings: Pointer
    size: Pointer
    base: Pointer
    base_path: Pointer
    base_quiet: Pointer
    renumbered: Pointer
    playouts: int
    plies: int
    levels: int
    tuned: int
    seed: int
    words: int
    nodes: int


TREE = types.NamedTuple(
    [
        *HEAD,
        *(WORDS, WORDS, INTS, INTS, COUNTS, COUNTS, WORDS, WORDS),
        *([COUNTS] * 5 + [NUMBERS] * 3),
        *(INTS, INTS, NUMBERS, COUNTS),
        *(WORDS, WORDS, COUNTS, INTS),
        *[int64] * 7,
    ],
    Tree,
)
tree_at = thawing(TREE)
"""`tree_at(memory)` returns the Tree that begins there."""


def new_tree_memory(game: Game, nodes: int) -> TreeMemory:
    """Return memory for searches of `game` with at most so many nodes."""
    return TreeMemory(
        stack=np.zeros((1, game.words), np.uint64),
        line=np.zeros(PLIES, np.int32),
        found=np.zeros(FOUND, np.int64),
        counters=budget.new_counters(),
        path=np.zeros(game.most_quiet + PLIES, np.uint64),
        quiet=np.zeros(PLIES, np.int32),
        position=np.zeros(game.words, np.uint64),
        child=np.zeros(game.words, np.uint64),
        moves=np.zeros(game.max_moves, np.int32),
        weights=np.zeros(game.max_moves, np.int32),
        turn=np.zeros(2, np.int64),
        draws=room_for(game).draws,
        played=np.zeros(1 + game.most_quiet, np.uint64),
        stream=np.zeros(1, np.uint64),
        node=np.zeros((nodes, ROW), np.int64),
        way=np.zeros(PLIES, np.int32),
        movers=np.zeros(PLIES, np.int32),
        settings=np.array([0.0, 0.0, round(game.max_utility * POINTS)]),
        size=np.zeros(1, np.int64),
        base=np.zeros(game.words, np.uint64),
        base_path=np.zeros(1 + game.most_quiet, np.uint64),
        base_quiet=np.zeros(1, np.int64),
        renumbered=np.zeros(nodes, np.int32),
        playouts=0,
        plies=0,
        levels=0,
        tuned=0,
        seed=0,
    )


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


@jit
def forget_tree(tree: Tree) -> None:
    """Leave the root alone, without children."""
    tree.size[0] = 0
    add_node(tree, int64(0))


@jit
def add_node(tree: Tree, move: int) -> None:
    """Add a node that a move leads to; there is room for it."""
    node = ROW * tree.size[0]
    tree.size[0] += 1
    tree.move[node], tree.count[node] = move, UNEXPANDED
    tree.visits[node], tree.proven[node] = 0, 0
    tree.reward[node], tree.square[node], tree.points[node] = 0.0, 0.0, 0.0
