"""A search traced: which nodes it visits, in which order, with which window and what result."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ParamSpec, Self

from samuel.common.errors import UserError
from samuel.search.reference.node import INFINITY, ExplainedNode

P = ParamSpec("P")
MOST_VISITS = 1_000_000
"""Most visits of a search under trace: probes come to nodes again and again."""


@dataclass(eq=False)
class Visit:
    """One call of a search for a node, all scores for MAX, who moves at the root."""

    number: int
    depth: int
    alpha: float
    beta: float
    value: float | None = None
    searched: list[TracedNode] = field(default_factory=list)

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value of the node that this visit leaves possible."""
        if self.value is None:
            return -INFINITY, INFINITY
        lower = self.value if self.value > self.alpha else -INFINITY
        upper = self.value if self.value < self.beta else INFINITY
        return lower, upper


class DrawnNode:
    """A node of a tree as a picture has it."""

    name: str
    parent: Self | None
    children: list[Self]

    def __iter__(self) -> Iterator[Self]:
        """Yield this and all below it, from left to right."""
        yield self
        for child in self.children:
            yield from child

    @property
    def line(self) -> list[Self]:
        """The nodes from below the root to this one."""
        return [*self.parent.line, self] if self.parent else []

    @property
    def path(self) -> str:
        """The moves, or numbers of children, that lead here from the root."""
        return " ".join(node.name for node in self.line)


class TracedNode:
    """A node that notes each visit of a search; so do all nodes below it."""

    def __init__(self, node: ExplainedNode, parent: TracedNode | None = None) -> None:
        self.node, self.parent = node, parent
        self.visits: list[Visit] = []
        self.log: list[Visit] = [] if parent is None else parent.log

    @functools.cached_property
    def children(self) -> Sequence[TracedNode]:
        """The node's children, traced."""
        return [TracedNode(child, self) for child in self.node.children]

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the node."""
        return getattr(self.node, name)

    def arrive(self, depth: int, alpha: float, beta: float) -> Visit:
        """Note the beginning of a visit; raise UserError after `MOST_VISITS`."""
        if len(self.log) == MOST_VISITS:
            raise UserError(f"the search visits more than {MOST_VISITS:,} nodes; draw a part of it")
        visit = Visit(len(self.log) + 1, depth, alpha, beta)
        self.log.append(visit)
        self.visits.append(visit)
        if self.parent and self.parent.visits:
            siblings = self.parent.visits[-1].searched
            if siblings[-1:] != [self]:  # else it is searched again, as by `pvs`
                siblings.append(self)
        return visit


def traceable(
    *, for_max: bool = False, with_chance: bool = False
) -> Callable[[Callable[P, float]], Callable[P, float]]:
    """Let a recursive search be traced: each call for a `TracedNode` becomes a `Visit`."""

    def decorate(search: Callable[P, float]) -> Callable[P, float]:
        signature = inspect.signature(search)

        @functools.wraps(search)
        def traced(*args: P.args, **kwargs: P.kwargs) -> float:
            node: Any = args[0]
            if node.weights and not with_chance:
                raise UserError(
                    "the game has chance nodes; use expectiminimax, star1, star2 or star2.5"
                )
            if not isinstance(node, TracedNode):
                return search(*args, **kwargs)
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            call = given.arguments
            alpha, beta = call.get("alpha", -INFINITY), call.get("beta", INFINITY)
            turned = not (for_max or node.is_max)
            if turned:
                alpha, beta = -beta, -alpha
            visit = node.arrive(call["depth"], alpha, beta)
            value = search(*args, **kwargs)
            visit.value = -value if turned else value
            return value

        return traced

    return decorate
