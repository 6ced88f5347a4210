"""A search by sampling explained: the tree that UCT has grown, and what it knows of each node."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import Any

from samuel.common.displayable import Displayable
from samuel.common.errors import UserError, require_number
from samuel.common.public import public
from samuel.games import Evaluator, Position
from samuel.games.rules import SAME, Row
from samuel.search.analysis import analyse
from samuel.search.methods import METHODS, method_named
from samuel.search.reference.trace import DrawnNode
from samuel.search.result import Result
from samuel.search.score import MOST_DEPTH, SCORE_UNIT
from samuel.search.trees.memory import EXPLORATION, TreeMemory
from samuel.search.trees.method import UCT, MonteCarlo
from samuel.search.trees.nodes import NODES_USED, UctNodeView

MOST_DRAWN = 200
"""Nodes of a picture; of more, those that were visited most."""
SAMPLERS = [name for name, method in METHODS.items() if isinstance(method, UCT | MonteCarlo)]


@dataclass(eq=False)
class Sampled(DrawnNode):
    """A node of a tree that was sampled, as far as it is drawn."""

    known: UctNodeView
    row: Row
    player: str
    is_max: bool
    visits: int
    mean: float | None
    proven: int
    is_pv: bool
    name: str = ""
    parent: Sampled | None = None
    children: list[Sampled] = field(default_factory=list)
    hidden: int = 0


@dataclass(frozen=True)
class MoveSampled:
    """Statistics of a move of the root, or of what chance may bring there."""

    move: str
    visits: int
    share: float
    mean: float | None
    reward: float | None
    bound: float | None
    proven: int


@dataclass(frozen=True, repr=False)
class Sampling(Displayable):
    """A finished search by sampling and what it was of."""

    root: Sampled
    moves: list[MoveSampled]
    result: Result
    method: str
    title: str
    position: Position
    nodes: int
    levels: int

    def __repr__(self) -> str:
        return f"Sampling({self.method}: {self.title}, {self.result.move})"

    def summary(self) -> dict[str, Any]:
        """Return the search in numbers, as `samuel explain --json` prints them."""
        return {
            "value": self.result.score,
            "method": self.method,
            "simulations": self.root.visits,
            "nodes": self.nodes,
            "drawn": sum(1 for _ in self.root),
            "pv": self.result.pv,
            "moves": [vars(move) for move in self.moves],
        }


def is_sampler(method: str | None) -> bool:
    """Return whether a method, settings after a colon, is one that samples."""
    return method is not None and method.partition(":")[0] in SAMPLERS


@public
def explain_sampling(
    position: Position, evaluator: Evaluator, levels: int = 2, method: str = "uct"
) -> Sampling:
    """Search a position by sampling, and return its tree as a picture.

    Parameters
    ----------
    position
        The root; mean results are for the side that moves there.
    evaluator
        The evaluator of playouts that are cut off: a name, a folder of a model, or an
        `Evaluator`.
    levels
        Levels of the tree to show below the root; of more than `MOST_DRAWN` nodes, the picture
        has the most visited ones.
    method
        `"uct"` or `"montecarlo"`, with settings after a colon: `"uct:playouts=200"`.

    Returns
    -------
    Sampling
        The moves with their visits and mean results, and the tree. A notebook shows it as a
        picture; `summary()` returns its numbers.

    Raises
    ------
    UserError
        The evaluator is for another game; no method or setting has this name.

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.parse("XOX-O--X- O", samuel.game_named("tic_tac_toe"))
    >>> found = samuel.explain_sampling(position, "zero", method="uct:playouts=200")
    >>> found.summary()["simulations"], len(found.moves)
    (200, 4)
    """
    require_number("depth", levels, 1, MOST_DEPTH)
    sampler = method_named(method)
    if not isinstance(sampler, UCT | MonteCarlo):
        raise UserError(f"{method} does not sample; use {' or '.join(SAMPLERS)}")
    memory = sampler.new_memory(position.game)
    result = analyse(position, evaluator, method=sampler, memory=memory)
    reader = _Reader(position, memory, result)
    by = f", {evaluator.name}" if sampler.asks_evaluator else ""
    title = f"{position.game.name.replace('_', ' ')}{by}"
    size = max(1, int(memory.size[NODES_USED]))
    return Sampling(
        reader.drawn(levels), reader.moves(), result, method, title, position, size, levels
    )


class _Reader:
    """Reads the tree below a position out of the memory of the search that grew it."""

    def __init__(self, position: Position, memory: TreeMemory, result: Result) -> None:
        self.game, self.memory = position.game, memory
        self.position, self.result = position, result
        node = memory.root
        self.pv = {node.place}
        for move in memory.line[: memory.last.length]:
            node = next((child for child in node.children if child.move == move), node)
            self.pv.add(node.place)

    def drawn(self, levels: int) -> Sampled:
        """Return the root with the nodes to be drawn, the most visited of so many levels."""
        root = self._node(self.memory.root, self.position.row, is_max=True)
        waiting = self._below(root)
        for _ in range(MOST_DRAWN - 1):
            if not waiting:
                break
            *_, node, parent = heapq.heappop(waiting)
            child = self._after(parent, node)
            parent.children.append(child)
            parent.hidden -= 1
            if len(child.line) < levels:
                for one in self._below(child):
                    heapq.heappush(waiting, one)
        return root

    def _below(self, node: Sampled) -> list[tuple[bool, int, int, UctNodeView, Sampled]]:
        """Return a node's children, none of them drawn yet, in the order to draw them."""
        children = node.known.children
        node.hidden = len(children)
        keys = [(one.place not in self.pv, -one.visits, one.place, one, node) for one in children]
        return sorted(keys, key=lambda key: key[:3])

    def _after(self, parent: Sampled, known: UctNodeView) -> Sampled:
        """Return a child of a node."""
        row, turn = self.game.after(parent.row, known.move)
        node = self._node(known, row, is_max=parent.is_max ^ (not turn & SAME))
        node.name, node.parent = self._name(parent.row, known.move), parent
        return node

    def _node(self, known: UctNodeView, row: Row, is_max: bool) -> Sampled:
        """Return a node that hangs on nothing yet."""
        player, visits = "MAX" if is_max else "MIN", known.visits
        if known.count == 0 or self.game.is_over(row):
            player = "nobody"
        elif len(self.game.outcomes_in(row)[0]):
            player = "chance"
        mean = known.points / visits / SCORE_UNIT if visits else None
        if player == "nobody" and known.place == 0:  # nothing is sampled there
            mean = self.result.score
        is_pv = known.place in self.pv
        return Sampled(known, row, player, is_max, visits, mean, known.proven, is_pv)

    def _name(self, row: Row, move: int) -> str:
        """Return a move of a position as text, an outcome with how often it comes."""
        outcomes, weights = self.game.outcomes_in(row)
        came = [f" {weight}/{self.game.chances}" for weight in weights[outcomes == move]]
        return "".join([self.game.notation.write_move(move), *came])

    def moves(self) -> list[MoveSampled]:
        """Return what is known of each move of the root, what was visited most first."""
        row, children = self.position.row, self.memory.root.children
        total = sum(child.visits for child in children)
        found = [
            MoveSampled(
                move=self._name(row, child.move),
                visits=child.visits,
                share=child.visits / max(1, total),
                mean=child.points / child.visits / SCORE_UNIT if child.visits else None,
                reward=child.reward / child.visits if child.visits else None,
                bound=self._bound(child),
                proven=child.proven,
            )
            for child in children
        ]
        return sorted(found, key=lambda move: -move.visits)

    def _bound(self, child: UctNodeView) -> float | None:
        """Return the bound by which `select` (search/trees/uct.py) compares moves of the root."""
        memory, visits = self.memory, child.visits
        if visits == 0 or memory.levels == 1 or self.position.is_chance:
            return None
        exploration, total = float(memory.settings[EXPLORATION]), math.log(memory.root.visits)
        return child.reward / visits + exploration * math.sqrt(total / visits)
