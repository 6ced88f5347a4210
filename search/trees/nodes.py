"""Layout of the nodes of a tree: the children of a node as one family, field after field.

Values of all children of a node lie side by side: to choose among seven of them takes
three lines of a processor's cache, and one instruction works on several. The width of a family is
a multiple of LANES; what is left over is never chosen.

The tree is one array of words, and a family begins at a multiple of UNIT. A node is known by the
place of its first field and the width of its family, which is how far its fields lie apart.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numba import int64

from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, offset

VISITS, ROOT, REWARD, MOVE, FAMILY, POINTS, SQUARE, FIELDS = range(8)
"""The fields of a node, and how many: its visits; one divided by the square root of them, kept so
that choosing waits for no division; the sum of its rewards in [0, 1] for the side that moves to it,
or for the root's where the dice lead to it; the move that leads to it, with what is certain of it;
where its children are, with how many; the sum of points for the side of the root; the sum of the
squares of rewards. MOVE and FAMILY are integers, the others float64."""
_UNTRIED = 1e10
"""In place of what nothing can be divided by."""
LANES = 4
UNIT = FIELDS * LANES
"""The words of the smallest family; the root's, where it is alone, is the first."""
UNEXPANDED = -1
"""In place of a number of children."""
WORDS_USED, NODES_USED, SIZES = range(3)
"""Places in the sizes of a tree: the words and the nodes in use."""
_COUNT_BITS = 20
_COUNT_MASK = (1 << _COUNT_BITS) - 1
_PROOF_BITS = 2
_PROOF_MASK = (1 << _PROOF_BITS) - 1


class UctNode(NamedTuple):
    """A node as kernels know it: its place, and the width of its family."""

    place: int
    width: int


@jit
def root_of(tree: Any) -> UctNode:
    """Return the root."""
    return UctNode(int64(0), int64(LANES))


@jit
def width_of(count: int) -> int:
    """Return the width of a family of n children."""
    return (count + (LANES - 1)) & -LANES


@jit
def field_of(words: Pointer, first: UctNode, field: int) -> Pointer:
    """Return a field of a family, member by member."""
    return offset(words, first.place + field * first.width)


@jit
def visits_of(tree: Any, node: UctNode) -> float:
    """Return how many simulations came to a node."""
    return tree.numbers[node.place + VISITS * node.width]


@jit
def reward_of(tree: Any, node: UctNode) -> float:
    """Return the sum of a node's rewards."""
    return tree.numbers[node.place + REWARD * node.width]


@jit
def points_of(tree: Any, node: UctNode) -> float:
    """Return the sum of its points."""
    return tree.numbers[node.place + POINTS * node.width]


@jit
def move_of(tree: Any, node: UctNode) -> int:
    """Return what leads to a node."""
    return tree.codes[node.place + MOVE * node.width] >> _PROOF_BITS


@jit
def proof_in(code: int) -> int:
    """Return the proof that is coded with a move."""
    return ((code & _PROOF_MASK) ^ 2) - 2


@jit
def proof_of(tree: Any, node: UctNode) -> int:
    """Return 1 where the root's side has the best there is for certain, -1 the worst, else 0."""
    return proof_in(tree.codes[node.place + MOVE * node.width])


@jit
def set_proof(tree: Any, node: UctNode, proof: int) -> None:
    """Set the proven result of a node."""
    place = node.place + MOVE * node.width
    tree.codes[place] = tree.codes[place] & ~_PROOF_MASK | proof & _PROOF_MASK


@jit
def count_of(tree: Any, node: UctNode) -> int:
    """Return how many children a node has; UNEXPANDED where it was given none."""
    return (tree.codes[node.place + FAMILY * node.width] & _COUNT_MASK) - 1


@jit
def first_of(tree: Any, node: UctNode) -> UctNode:
    """Return the first child of a node that has one."""
    family = tree.codes[node.place + FAMILY * node.width]
    return UctNode((family >> _COUNT_BITS) * UNIT, width_of((family & _COUNT_MASK) - 1))


@jit
def sibling(first: UctNode, i: int) -> UctNode:
    """Return member `i` of a family."""
    return UctNode(first.place + i, first.width)


@jit
def add_result(tree: Any, node: UctNode, reward: float, points: int) -> None:
    """Add what a simulation brought."""
    place, width, numbers = node.place, node.width, tree.numbers
    visits = numbers[place + VISITS * width] + 1.0
    numbers[place + VISITS * width] = visits
    numbers[place + ROOT * width] = math.sqrt(1.0 / visits)
    numbers[place + REWARD * width] += reward
    numbers[place + SQUARE * width] += reward * reward
    numbers[place + POINTS * width] += points


@jit
def clear_tree(tree: Any) -> None:
    """Leave the root alone, without children."""
    _clear(tree, root_of(tree), int64(0))
    tree.size[WORDS_USED], tree.size[NODES_USED] = UNIT, 1


@jit
def add_children(tree: Any, node: UctNode, moves: Any, n: int) -> None:
    """Give a node the children that moves lead to, if there is room."""
    width, place = width_of(n), tree.size[WORDS_USED]
    if place + FIELDS * width > tree.most_words:
        return
    tree.size[WORDS_USED] += FIELDS * width
    tree.size[NODES_USED] += n
    for i in range(n):
        _clear(tree, UctNode(place + i, width), int64(moves[i]))
    for i in range(n, width):
        _clear(tree, UctNode(place + i, width), int64(0))
        tree.numbers[place + ROOT * width + i] = 0.0  # without a bonus
    tree.codes[node.place + FAMILY * node.width] = place // UNIT << _COUNT_BITS | (n + 1)


@jit
def _clear(tree: Any, node: UctNode, move: int) -> None:
    """Write a node that was never visited."""
    place, width = node.place, node.width
    tree.numbers[place + VISITS * width] = 0.0
    tree.numbers[place + ROOT * width] = _UNTRIED
    tree.numbers[place + REWARD * width] = 0.0
    tree.codes[place + MOVE * width] = move << _PROOF_BITS
    tree.codes[place + FAMILY * width] = 0
    tree.numbers[place + POINTS * width] = 0.0
    tree.numbers[place + SQUARE * width] = 0.0


class UctNodeView:
    """A node as Python reads it."""

    def __init__(self, words: Any, place: int = 0, width: int = LANES) -> None:
        codes = words[place : place + FIELDS * width : width]
        numbers = codes.view("float64")
        self.words, self.place = words, place
        self.visits = int(numbers[VISITS])
        self.reward, self.square = float(numbers[REWARD]), float(numbers[SQUARE])
        self.points = float(numbers[POINTS])
        self.move = int(codes[MOVE]) >> _PROOF_BITS
        self.proven = ((int(codes[MOVE]) & _PROOF_MASK) ^ 2) - 2
        self._family = int(codes[FAMILY])
        self.count = (self._family & _COUNT_MASK) - 1

    @property
    def children(self) -> list[UctNodeView]:
        """Its children; none where it was given none."""
        place, width = (self._family >> _COUNT_BITS) * UNIT, -(-self.count // LANES) * LANES
        return [UctNodeView(self.words, place + i, width) for i in range(self.count)]
