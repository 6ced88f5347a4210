"""Descent in plain Python, as its paper has it: recursion, nodes as objects, endless room."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from samuel.games import Evaluator, Position
from samuel.kernels.bits import below, uniform
from samuel.models.evaluate import evaluate
from samuel.search.score import SCORE_UNIT, limits


@dataclass
class PlainNode:
    """A position of the tree, with its points for the side that moved to it."""

    position: Position
    sign: int = 1
    move: int = -1
    score: int = 0
    solved: bool = False
    value: int = 0
    children: list[PlainNode] = field(default_factory=list)


class PlainTree:
    """A tree, the positions that have children in it in the order in which they got them."""

    def __init__(self, start: Position, evaluator: Evaluator, stream: Any) -> None:
        self.evaluator, self.stream = evaluator, stream
        self.proven, self.most = limits(start.game)
        self.line = [PlainNode(start)]
        self.expanded: list[PlainNode] = []
        self.nodes = 0

    def grow(self, nodes: int) -> None:
        goal, here = self.nodes + nodes, self.line[-1]
        while not here.solved and self.nodes < goal:
            self.descend()

    def descend(self) -> None:
        self._descend(self.line[-1])
        for node in self.line[-2::-1]:
            self._back_up(node)

    def draw(self, epsilon: float) -> PlainNode:
        """Return a child by its rank, one of equal children by lot."""
        left = list(self.line[-1].children)
        while True:
            best = self._best(left)
            n = len(left)
            if n == 1 or uniform(self.stream) < 1 - epsilon + epsilon / n:
                return best
            left.remove(best)

    def _descend(self, node: PlainNode) -> None:
        if node.solved:
            return
        if not node.children:
            if node.position.is_terminal:  # by its past
                node.score, node.solved = node.sign * self._nearer(self._result(node)), True
                return
            self._expand(node)
            self._back_up(node)
        if not node.solved:
            self._descend(self._best([child for child in node.children if not child.solved]))
            self._back_up(node)

    def _expand(self, node: PlainNode) -> None:
        position = node.position
        for move in position._playable():
            child = PlainNode(position.play(int(move)), move=int(move))
            child.sign = 1 if child.position.side == position.side else -1
            row = np.array(child.position.row, np.uint64)
            child.solved = bool(position.game.is_over(row))
            if child.solved:
                points = self._result(child)
            else:
                static = float(evaluate(self.evaluator, position.game, row[None])[0])
                points = round(max(-self.most, min(self.most, static * SCORE_UNIT)))
            child.score = child.sign * self._nearer(points)
            node.children.append(child)
        self.nodes += len(node.children)
        self.expanded.append(node)

    def _back_up(self, node: PlainNode) -> None:
        node.value = max(child.score for child in node.children)
        node.score = node.sign * self._nearer(node.value)
        solved = [child for child in node.children if child.solved]
        wins = any(child.score >= self.most for child in solved)
        node.solved = wins or len(solved) == len(node.children)

    def _best(self, nodes: list[PlainNode]) -> PlainNode:
        best, ties = nodes[0], 0
        for node in nodes:
            if node.score == best.score:
                ties += 1
            elif node.score > best.score:
                ties = 1
            else:
                continue
            if ties == 1 or below(self.stream, ties) == 0:
                best = node
        return best

    def _result(self, node: PlainNode) -> int:
        return round(node.position.utility() * SCORE_UNIT)

    def _nearer(self, points: int) -> int:
        """Return what is a ply away: a proven score is a point less."""
        if abs(points) < self.proven:
            return points
        return points - int(np.sign(points))
