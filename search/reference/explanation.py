"""A search explained: the tree it walked, what it cut and why."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any, Self

from samuel.common.displayable import Displayable, rounded
from samuel.common.errors import UserError, require_number, unknown
from samuel.common.public import public
from samuel.games import Evaluator, Position
from samuel.search.reference.node import (
    INFINITY,
    ExplainedNode,
    ListNode,
    PositionNode,
    Tree,
    depth_below,
)
from samuel.search.reference.reference import ALGORITHMS
from samuel.search.reference.sampled import SAMPLERS, is_sampler
from samuel.search.reference.trace import DrawnNode, TracedNode, Visit
from samuel.search.score import MAX_PLY, MOST_DEPTH, SCORE_UNIT, limits

MAX_NODES = 500
"""A picture of more nodes is not legible."""
MOST_COUNTED = 100_000
"""Nodes of a tree that is searched under trace: it is kept whole, with about 5 kB a node."""


class Branch(DrawnNode):
    """A node of an explained tree: what the deepest search did there."""

    def __init__(self, node: TracedNode, depth: int, parent: Self | None = None) -> None:
        self.node, self.name, self.parent = node, node.name, parent
        self.visits = [visit for visit in node.visits if visit.depth == depth]
        below = depth_below(node.node, depth)
        children = node.children if below >= 0 else []  # those of a leaf are not generated
        self.children = [type(self)(child, below, self) for child in children]

    @property
    def is_leaf(self) -> bool:
        """True if the search went no deeper: the game is over, or the depth reached."""
        return not self.children

    @property
    def is_cut(self) -> bool:
        """True if the search came neither here nor below, though it came to the parent."""
        came_above = self.parent is not None and bool(self.parent.visits)
        return came_above and not any(branch.visits for branch in self)

    @property
    def is_probed(self) -> bool:
        """True if moves were searched here, by `star2`, and the node itself was not."""
        return not self.visits and any(branch.visits for branch in self)

    @functools.cached_property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value that all visits together leave possible."""
        bounds = [visit.bounds for visit in self.visits]
        lower = max((lower for lower, _ in bounds), default=-INFINITY)
        return lower, min((upper for _, upper in bounds), default=INFINITY)

    @property
    def cutoff(self) -> Visit | None:
        """The last visit that left out a child which no other visit looked at."""
        if self.is_leaf or not self.visits:
            return None
        if all(child.visits for child in self.children):
            return None  # what one visit left out another searched
        fewest = 0 if self.node.weights else 1  # probes alone may end a visit of chance
        for visit in reversed(self.visits):
            if fewest <= len(visit.searched) < len(self.children):
                return visit
        return None

    def bound_reached(self, visit: Visit | None) -> str:
        """Return what ended a visit early: "alpha", "beta", "table", or nothing."""
        if visit is None or visit.value is None:
            return ""
        is_chance, is_max = bool(self.node.weights), self.node.is_max
        if (is_max or is_chance) and visit.value >= visit.beta:
            return "beta"
        return "alpha" if (is_chance or not is_max) and visit.value <= visit.alpha else "table"


@dataclass(frozen=True, repr=False)
class Explanation(Displayable):
    """A finished search and what it was of."""

    root: Branch
    method: str
    title: str
    position: Position | None = None

    def __repr__(self) -> str:
        return f"Explanation({self.method}: {self.title}, value {rounded(self.summary()['value'])})"

    @functools.cached_property
    def is_drawable(self) -> bool:
        """True if a picture can hold the tree: it has at most `MAX_NODES` nodes."""
        return next(itertools.islice(self.root, MAX_NODES, None), None) is None

    @property
    def points(self) -> int:
        """Number of the search's points in one unit of the values shown."""
        return SCORE_UNIT if self.position else 1

    @functools.cached_property
    def pv(self) -> list[Branch]:
        """The principal variation: from below the root, best play by both sides."""
        line: list[Branch] = []
        branch, (value, _) = self.root, self.root.bounds
        while branch.children and not branch.node.weights:  # chance chooses nothing
            # what was only shown to be no better than the best is no part of it
            is_max = branch.node.is_max
            proven = (c for c in branch.children if value == c.bounds[0 if is_max else 1])
            best = next(proven, None)
            if best is None:
                break
            line.append(best)
            branch = best
        return line

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the search, as `samuel explain --json` prints them."""
        leaves = [branch for branch in self.root if branch.is_leaf]
        return {
            "value": self.root.bounds[0] / self.points if self.position else self.root.bounds[0],
            "method": self.method,
            "leaves": sum(1 for leaf in leaves if leaf.visits),
            "leaves_total": len(leaves),
            "nodes": sum(1 for branch in self.root if branch.visits),
            "nodes_total": sum(1 for _ in self.root),
            "visits": len(self.root.node.log),
            "pv": [branch.name for branch in self.pv],
            "cut": [
                {
                    "node": branch.path,
                    "reason": self.reason(branch, branch.cutoff),
                    "children": [c.name for c in branch.children if not c.visits],
                }
                for branch in self.root
                if branch.cutoff
            ],
        }

    def number(self, value: float) -> str:
        """Return a value of the search in the unit of the picture."""
        if abs(value) == INFINITY:
            return "\N{INFINITY}" if value > 0 else "-\N{INFINITY}"
        return rounded(value / self.points) if self.position else rounded(value, 4)

    def result_in_words(self, value: float) -> str:
        """Return what a proven score says of MAX, such as `a win in 3 plies`; "" of any other."""
        if self.position is None:
            return ""
        game = self.position.game
        proven, _ = limits(game)
        if not proven <= abs(value) < INFINITY:
            return ""
        plies = round(game.scores.max_utility * SCORE_UNIT - abs(value))
        result = "a win" if value > 0 else "a loss"
        if plies == 0:
            return f"{result}; the game is over"
        return f"{result} in {plies} {'ply' if plies == 1 else 'plies'}"

    def value_text(self, branch: Branch) -> str:
        """Return the value or bound of a branch as text: `3`, `<= 2`, or nothing."""
        lower, upper = branch.bounds
        if branch.is_leaf and (branch.visits or not self.position):
            lower = upper = branch.node.score * (1 if branch.node.is_max else -1)
        if lower == upper:
            return self.number(lower)
        if lower > -INFINITY and upper < INFINITY:
            return f"{self.number(lower)} to {self.number(upper)}"
        if lower > -INFINITY:
            return f">= {self.number(lower)}"
        return f"<= {self.number(upper)}" if upper < INFINITY else ""

    def reason(self, branch: Branch, cutoff: Visit | None) -> str:
        """Return why a visit ended before all children were looked at, or nothing."""
        bound = branch.bound_reached(cutoff)
        if cutoff is None or cutoff.value is None:
            return ""
        value = self.number(cutoff.value)
        return {
            "beta": f"beta cutoff: {value} >= {self.number(cutoff.beta)}",
            "alpha": f"alpha cutoff: {value} <= {self.number(cutoff.alpha)}",
            "table": f"cutoff: {value} reaches a bound that the table knew",
        }[bound]


def explain_tree(tree: Tree, method: str | None = None, name: str = "a tree") -> Explanation:
    """Search a tree that is given as lists, and return the search as a picture.

    Parameters
    ----------
    tree
        A number is a leaf; a list is a node with its children; `{"chance": [...], "weights":
        [...]}` is a chance node. The root is a MAX node, and values are for MAX.
    method
        A name of `samuel.search.reference.reference.ALGORITHMS`; by default `"alphabeta"`, or
        `"expectiminimax"` for a tree with chance nodes.
    name
        The title of the picture.

    Returns
    -------
    Explanation
        The nodes, the order of visits, and the cuts with their reasons. A notebook shows it as a
        picture; `summary()` returns its numbers.

    Raises
    ------
    UserError
        `tree` is no tree, or has more than `MOST_COUNTED` nodes; no method has this name, or
        the method samples games.

    Examples
    --------
    >>> import samuel
    >>> found = samuel.explain_tree([[3, 12, 8], [2, 4, 6], [14, 1, 5]])
    >>> found.summary()["value"], found.summary()["leaves"]
    (3, 6)
    """
    if is_sampler(method):
        raise UserError(
            f"{method} plays games, which an explicit tree has no rules for; give a "
            "position instead"
        )
    root = ListNode(tree)
    _require_countable(root, MAX_PLY, "take a part of it")
    method = method or ("expectiminimax" if _has_chance(root) else "alphabeta")
    return Explanation(_searched(root, method, _height(root)), method, name)


@public
def explain_position(
    position: Position, evaluator: Evaluator, depth: int = 2, method: str | None = None
) -> Explanation:
    """Search a position to a small depth, and return the search as a picture.

    Parameters
    ----------
    position
        The root; values are for the side that moves there, in the game's unit.
    evaluator
        The evaluator of the leaves: a name, a folder of a model, or an `Evaluator`.
    depth
        Plies.
    method
        A name of `samuel.search.reference.reference.ALGORITHMS`; by default `"alphabeta"`, or
        `"expectiminimax"` for a game with dice.

    Returns
    -------
    Explanation
        The nodes, the order of visits, and the cuts with their reasons. A notebook shows it as a
        picture; `summary()` returns its numbers.

    Raises
    ------
    UserError
        The tree has more than `MOST_COUNTED` nodes; the evaluator is for another game; no
        method has this name.

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.from_transcript("f5")
    >>> found = samuel.explain_position(position, "classic", depth=2)
    >>> found.summary()["leaves_total"]
    14
    """
    require_number("depth", depth, 1, MOST_DEPTH)
    root = PositionNode.root(position, evaluator)
    method = method or ("expectiminimax" if position.game.chance else "alphabeta")
    advice = "choose a smaller depth" if depth > 1 else "choose a position with fewer moves"
    _require_countable(root, depth, advice)
    game = position.game.name.replace("_", " ")
    title = f"{game}, {evaluator.name} at depth {depth}"
    return Explanation(_searched(root, method, depth), method, title, position)


def _searched(root: ExplainedNode, method: str, depth: int) -> Branch:
    if method not in ALGORITHMS:
        more = f"{' and '.join(SAMPLERS)} sample positions"
        raise unknown("method", method, ALGORITHMS, more)
    traced: Any = TracedNode(root)
    ALGORITHMS[method](traced, depth)
    return Branch(traced, depth)


def _require_countable(root: ExplainedNode, depth: int, advice: str) -> None:
    """Raise UserError where the tree has more nodes than are searched under trace."""
    waiting: list[tuple[ExplainedNode, int]] = [(root, depth)]
    nodes = 0
    while waiting:
        node, left = waiting.pop()
        nodes += 1
        if nodes + len(waiting) > MOST_COUNTED:
            raise UserError(
                f"the tree has more than {MOST_COUNTED:,} nodes, too many to count; {advice}"
            )
        below = depth_below(node, left)
        if below >= 0:
            waiting.extend((child, below) for child in node.children)


def _has_chance(node: ExplainedNode) -> bool:
    return bool(node.weights) or any(map(_has_chance, node.children))


def _height(node: ExplainedNode) -> int:
    return 1 + max(map(_height, node.children)) if node.children else 0
