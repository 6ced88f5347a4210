"""The game trees that `samuel.search.reference.reference` walks."""

from __future__ import annotations

import functools
import math
import reprlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from samuel.common.errors import UserError
from samuel.games.draws import Past, end_after, past_after
from samuel.games.evaluator import Evaluator
from samuel.games.position import Position
from samuel.games.rules import NO_MOVE, SAME, Row
from samuel.search.reference.scorer import Scorer
from samuel.search.score import MAX_PLY, from_outcomes, least_total

Tree: TypeAlias = "float | Sequence[Tree] | dict[str, Any]"
"""An explicit tree: a leaf is a number, valued for MAX, who moves at the root. Where chance is to
move, {"chance": [tree, ...], "weights": [1, 2, ...]}; without weights, each comes as often."""

INFINITY = math.inf
LARGEST_WEIGHT = 10**6
LARGEST_LEAF = 10**9
"""Up to here a null window, which is one wide, is not lost in rounding."""


def depth_below(node: ExplainedNode, depth: int) -> int:
    """Return what is left of a depth below a node: decisions count, what chance brings does not."""
    return depth if node.weights else depth - 1


@dataclass(eq=False)
class ListNode:
    """A node of an explicit tree of nested lists, such as [[3, 12, 8], [2, 4, 6], [14, 1, 5]]."""

    tree: Tree
    name: str = ""
    is_max: bool = True
    most: float = -1.0

    def __post_init__(self) -> None:
        if self.most < 0:
            self.most = _check(self.tree)

    @property
    def is_terminal(self) -> bool:
        """True if this is a leaf."""
        return isinstance(self.tree, int | float)

    @property
    def weights(self) -> Sequence[int]:
        """Frequencies of the children, where chance is to move."""
        if not isinstance(self.tree, dict):
            return ()
        return self.tree.get("weights", [1] * len(self.tree["chance"]))

    @functools.cached_property
    def children(self) -> Sequence[ExplainedNode]:
        """One node a list or number inside this one."""
        if isinstance(self.tree, int | float):
            return []
        inside, follows = self.tree, not self.is_max
        if isinstance(self.tree, dict):
            inside, follows = self.tree["chance"], self.is_max
        return [ListNode(tree, str(n), follows, self.most) for n, tree in enumerate(inside, 1)]

    @property
    def score(self) -> float:
        """The leaf's number, negated where MIN is to move, who loses what MAX wins."""
        if not isinstance(self.tree, int | float):
            return 0
        return self.tree if self.is_max else -self.tree

    def mean_of(self, total: float) -> float:
        """Return the mean, a fraction."""
        return total / sum(self.weights)

    def total_of(self, mean: float) -> float:
        """Return the total."""
        return mean * sum(self.weights)

    @property
    def key(self) -> Hashable:
        """Key of the list: one that stands at several places of the tree is one node."""
        return self.is_max, id(self.tree)


def _check(tree: Any) -> float:
    """Return the largest leaf of a tree, regardless of its sign."""
    waiting, seen, most = [(tree, 0)], set(), 0.0
    while waiting:
        node, ply = waiting.pop()
        if (ply, id(node)) in seen:
            continue
        seen.add((ply, id(node)))
        if isinstance(node, dict):
            node = _chances(node)
        if isinstance(node, list | tuple):
            if not node:
                raise UserError(
                    "the tree has an empty list; a node without children must be a number (a leaf)"
                )
            if ply == MAX_PLY:
                raise UserError(f"a tree can be at most {MAX_PLY} plies deep")
            waiting.extend((child, ply + 1) for child in node)
        elif isinstance(node, bool) or not isinstance(node, int | float):
            raise UserError(
                "a tree must be nested lists of numbers, such as [[3, 12, 8], [2, 4, 6]] "
                f"(got {reprlib.repr(node)})"
            )
        elif not abs(node) <= LARGEST_LEAF:  # NaN is not, either
            end = f"{LARGEST_LEAF:,}"
            raise UserError(
                f"a leaf must be a number from -{end} to {end} (got {reprlib.repr(node)})"
            )
        else:
            most = max(most, abs(node))
    return most


def _chances(node: dict[str, Any]) -> list[Any]:
    """Return what chance may bring, where all is as it should be."""
    inside = node.get("chance")
    if isinstance(inside, list | tuple) and node.keys() <= {"chance", "weights"}:
        weights = node.get("weights", [1] * len(inside))
        is_each = isinstance(weights, list | tuple) and len(weights) == len(inside)
        if is_each and all(type(w) is int and 0 < w <= LARGEST_WEIGHT for w in weights):
            return list(inside)
    raise UserError(
        'a chance node must be {"chance": [tree, ...], "weights": [1, 2, ...]}, with '
        f"integers from 1 to {LARGEST_WEIGHT:,} as weights (got {reprlib.repr(node)})"
    )


@dataclass(eq=False)
class PositionNode:
    """A node of a game: a position, `ply` plies from the root, with an evaluator's scores."""

    scorer: Scorer
    row: Row
    ply: int = 0
    name: str = ""
    is_max: bool = True
    side: int = 0
    past: Past = ()
    move: int = NO_MOVE

    @classmethod
    def root(cls, position: Position, evaluator: Evaluator) -> PositionNode:
        """Return a position as the root of a search."""
        scorer = Scorer(position.game, evaluator)
        return cls(scorer, position.row, side=position.side, past=position.past)

    @property
    def is_terminal(self) -> bool:
        """True if the game is over."""
        return not self.children

    @functools.cached_property
    def _end(self) -> int:
        return end_after(self.scorer.game, self.row, self.side, self.past, self.ply)

    @functools.cached_property
    def _outcomes(self) -> tuple[list[int], list[int]]:
        outcomes, weights = self.scorer.game.outcomes_in(self.row)
        return outcomes.tolist(), weights.tolist()

    @property
    def weights(self) -> Sequence[int]:
        """Frequencies of the outcomes, of `game.chances` times."""
        return self._outcomes[1]

    @functools.cached_property
    def children(self) -> Sequence[ExplainedNode]:
        """One node a legal move, or an outcome of chance."""
        game, (outcomes, weights) = self.scorer.game, self._outcomes
        names = game.notation.write_move
        if self._end:
            return []
        if outcomes:
            chances = [f" {weight}/{game.chances}" for weight in weights]
            return [
                self._child(k, names(k) + chance)
                for k, chance in zip(outcomes, chances, strict=True)
            ]
        return [self._child(move, names(move)) for move in game.candidates_in(self.row).tolist()]

    def _child(self, move: int, name: str) -> PositionNode:
        row, turn = self.scorer.game.after(self.row, move)
        is_other = not turn & SAME
        past = past_after(self.past, self.row, self.side, turn)
        return PositionNode(
            *(self.scorer, row, self.ply + 1, name),
            *(self.is_max ^ is_other, self.side ^ is_other, past, move),
        )

    @functools.cached_property
    def score(self) -> float:
        """The utility of a finished game, else the evaluation after the noisy moves, in points."""
        return self.scorer.score(self.row, self.ply, self.move, self._end)

    @property
    def most(self) -> float:
        """Highest utility by the rules."""
        return self.scorer.most

    def mean_of(self, total: float) -> float:
        """Return the mean in whole points."""
        return from_outcomes(int(total), self.scorer.game.chances)

    def total_of(self, mean: float) -> float:
        """Return the least total of which that is the mean in whole points."""
        return least_total(int(mean), self.scorer.game.chances)

    @property
    def key(self) -> Hashable:
        """The position, its ply, as a win scores less the later it comes, and what draws ask."""
        return self.ply, self.row.tobytes(), self.past


ExplainedNode: TypeAlias = ListNode | PositionNode
"""A node of a game tree, its score seen by the side to move there, without search; at the end its
utility. MAX moves at the root; where chance is to move, `is_max` is of the side that moves after
the dice. `weights` are empty where a side is to move, children only where the game is over. No
score of the whole tree is more than `most`, none less than its negative. `mean_of` makes the score
where chance is to move of the sum of the children's, each times its weight; `total_of` the least
sum of which the mean is that or more. `key` is the same for nodes that are the same, whatever the
moves that led there; `name` is the move that leads here, or the child's number."""
