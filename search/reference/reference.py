"""The algorithms of the search, as their sources give them: to be read, and to compare with.

Each walks any `ExplainedNode` (search/reference/node.py): an explicit tree or a position of a game.
`depth` is the number of plies to search; `alpha` and `beta` are the window. Scores are for the side
to move, except in the forms that tell MAX from MIN, whose scores are for MAX. For the root, where
MAX is to move, that is the same. A side may move again; chance is for `expectiminimax` and the
forms of Star alone.

With the widest window all return the same score. With a narrower one, fail-hard forms return it
clipped to the window; a fail-soft form returns a bound that may lie outside: what is <= alpha is
an upper bound, what is >= beta a lower bound, and what lies between is exact.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias

from samuel.search.reference.node import INFINITY, ExplainedNode
from samuel.search.reference.trace import traceable

TO_THE_END = 1 << 20
"""A depth that no game reaches."""


@traceable(for_max=True)
def minimax(node: ExplainedNode, depth: int = TO_THE_END) -> float:
    """Return the value of a node, for MAX: the best that the side to move can be sure of.

    Shannon, "Programming a computer for playing chess", 1950, after von Neumann's theorem of
    1928: the evaluation at a fixed depth takes the place of the end of the game.
    """
    if depth == 0 or node.is_terminal:
        return for_max(node)
    values = [minimax(child, depth - 1) for child in node.children]
    return max(values) if node.is_max else min(values)


@traceable(for_max=True, with_chance=True)
def expectiminimax(node: ExplainedNode, depth: int = TO_THE_END) -> float:
    """Return the value of a node, for MAX, where chance has its turns: it takes the mean.

    Michie, "Game-playing and game-learning automata", 1966. Depth counts decisions.
    """
    if node.weights:
        return _mean_of(node, [expectiminimax(child, depth) for child in node.children])
    if depth == 0 or node.is_terminal:
        return for_max(node)
    values = [expectiminimax(child, depth - 1) for child in node.children]
    return max(values) if node.is_max else min(values)


@traceable(for_max=True, with_chance=True)
def star1(
    node: ExplainedNode, depth: int = TO_THE_END, alpha: float = -INFINITY, beta: float = INFINITY
) -> float:
    """Return the value of a node, for MAX, or a bound beyond the window: cuts through chance.

    Ballard, "The *-minimax search procedure for trees containing chance nodes", 1983: no value is
    beyond those of the best and the worst end, so a mean is known to leave the window before all
    its parts are. Other nodes are searched by alpha-beta.
    """
    if node.weights:
        unknown = [(-node.most, node.most)] * len(node.children)
        return _mean_within(star1, node, depth, alpha, beta, unknown)
    return _best_within(star1, node, depth, alpha, beta)


@traceable(for_max=True, with_chance=True)
def star2(
    node: ExplainedNode,
    depth: int = TO_THE_END,
    alpha: float = -INFINITY,
    beta: float = INFINITY,
    probes: int = 1,
) -> float:
    """Return the same: before chance's children are searched, the first moves of each are.

    A move is worth what it brings, so its side can be sure of that much: a bound of the child that
    is nearer than the best and the worst end. Ballard 1983; with more than one probe it is the
    Star2.5 of Hauk, Buro and Schaeffer, "Rediscovering *-minimax search", 2006.
    """
    search = functools.partial(star2, probes=probes)
    if not node.weights:
        return _best_within(search, node, depth, alpha, beta)
    known = [(-node.most, node.most)] * len(node.children)
    for k, child in enumerate(node.children):
        if depth == 0 or child.weights or child.is_terminal:
            continue
        values = [search(move, depth - 1) for move in child.children[:probes]]
        known[k] = (max(values), node.most) if child.is_max else (-node.most, min(values))
        mean = _mean_of(node, [low if node.is_max else high for low, high in known])
        if mean >= beta if node.is_max else mean <= alpha:
            return mean
    return _mean_within(search, node, depth, alpha, beta, known)


def _mean_within(
    search: Callable[..., float],
    node: ExplainedNode,
    depth: int,
    alpha: float,
    beta: float,
    known: list[tuple[float, float]],
) -> float:
    """Return the mean of chance's children, or a bound beyond the window."""
    high = node.total_of(min(beta, node.most + 1))
    low = -node.total_of(min(-alpha, node.most + 1))
    for k, (child, weight) in enumerate(zip(node.children, node.weights, strict=True)):
        floor, ceiling = (
            sum(w * bounds[end] for w, bounds in zip(node.weights, known, strict=True))
            for end in (0, 1)
        )
        if floor >= high or ceiling <= low:
            break
        least, most = known[k]
        above = min(most + 1, -((floor - weight * least - high) // weight))
        below = max(least - 1, (low - ceiling + weight * most) // weight)
        value = search(child, depth, below, above)
        known[k] = value if value > below else least, value if value < above else most
    worst, best = (_mean_of(node, [bounds[end] for bounds in known]) for end in (0, 1))
    return worst if worst >= beta else best


def _mean_of(node: ExplainedNode, values: list[float]) -> float:
    """Return the mean of values of chance's children."""
    return node.mean_of(sum(w * value for w, value in zip(node.weights, values, strict=True)))


def for_max(node: ExplainedNode) -> float:
    """Return what a node is worth to MAX without search."""
    return node.score if node.is_max else -node.score


@traceable()
def negamax(node: ExplainedNode, depth: int = TO_THE_END) -> float:
    """Return the value of a node, by one rule: what is good for one side is bad for the other.

    Knuth and Moore, "An analysis of alpha-beta pruning", 1975 (their F).
    """
    if depth == 0 or node.is_terminal:
        return node.score
    return max(sign(node, child) * negamax(child, depth - 1) for child in node.children)


def sign(node: ExplainedNode, child: ExplainedNode) -> int:
    """Return what turns a child's score into the node's: 1 where the same side moves again."""
    return 1 if child.is_max == node.is_max else -1


@traceable(for_max=True)
def alphabeta_hard(
    node: ExplainedNode, depth: int = TO_THE_END, alpha: float = -INFINITY, beta: float = INFINITY
) -> float:
    """Return the value of a node, for MAX, clipped to the window: alpha-beta, fail-hard.

    `alpha` is what MAX is sure of elsewhere, `beta` what MIN is. A child of MAX worth beta or more
    ends the search of this node, for MIN will not let it come to this. Knuth and Moore 1975, who
    trace it to McCarthy 1956 and to Newell, Shaw and Simon 1958.
    """
    if depth == 0 or node.is_terminal:
        return max(alpha, min(for_max(node), beta))
    for child in node.children:
        value = alphabeta_hard(child, depth - 1, alpha, beta)
        if node.is_max:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break
    return min(alpha, beta) if node.is_max else max(alpha, beta)


@traceable(for_max=True)
def alphabeta(
    node: ExplainedNode, depth: int = TO_THE_END, alpha: float = -INFINITY, beta: float = INFINITY
) -> float:
    """Return the value of a node, for MAX, or a bound beyond the window: alpha-beta, fail-soft.

    Fishburn, "Another optimization of alpha-beta search", 1983: the best that was seen says more
    than the bound that it fell short of, for no more work.
    """
    return _best_within(alphabeta, node, depth, alpha, beta)


def _best_within(
    search: Callable[..., float], node: ExplainedNode, depth: int, alpha: float, beta: float
) -> float:
    """Return what `alphabeta` does, its children searched by `search`."""
    if depth == 0 or node.is_terminal:
        return for_max(node)
    best = -INFINITY if node.is_max else INFINITY
    for child in node.children:
        if node.is_max:
            best = max(best, search(child, depth - 1, max(alpha, best), beta))
        else:
            best = min(best, search(child, depth - 1, alpha, min(beta, best)))
        if best >= beta if node.is_max else best <= alpha:
            break
    return best


def asked(
    search: Callable[..., float],
    node: ExplainedNode,
    child: ExplainedNode,
    depth: int,
    alpha: float,
    beta: float,
    *more: Any,
) -> float:
    """Return what a search says of a child, for the side to move at `node`.

    The bound that one side is sure of is the other's limit: where the turn passes, the window is
    turned over with the score.
    """
    if sign(node, child) > 0:
        return search(child, depth, alpha, beta, *more)
    return -search(child, depth, -beta, -alpha, *more)


@traceable()
def pvs(
    node: ExplainedNode, depth: int = TO_THE_END, alpha: float = -INFINITY, beta: float = INFINITY
) -> float:
    """Return the value of a node, or a bound: principal variation search, fail-soft.

    The first child is searched with the whole window; of the others it is asked, with a window of
    no width, only whether they are better, and one that is is searched again. Marsland and
    Campbell, "Parallel search of strongly ordered game trees", 1982; Reinefeld's NegaScout ("An
    improvement to the Scout tree-search algorithm", 1983) is the same but for the last two plies.
    """
    if depth == 0 or node.is_terminal:
        return node.score
    best = -INFINITY
    for child in node.children:
        reached = max(alpha, best)
        if best == -INFINITY:
            score = asked(pvs, node, child, depth - 1, reached, beta)
        else:
            score = asked(pvs, node, child, depth - 1, reached, reached + 1)
            if reached < score < beta:
                score = asked(pvs, node, child, depth - 1, score, beta)
        best = max(best, score)
        if best >= beta:
            break
    return best


@dataclass
class Entry:
    """Entry of a table for a node searched to a depth: its bounds, and the best child.

    Where the bounds are equal the value is exact.
    """

    depth: int
    lower: float = -INFINITY
    upper: float = INFINITY
    best: int = 0


Table: TypeAlias = dict[Hashable, Entry]
"""The transposition table, by `ExplainedNode.key`; it grows without limit."""


@traceable()
def alphabeta_with_memory(
    node: ExplainedNode,
    depth: int = TO_THE_END,
    alpha: float = -INFINITY,
    beta: float = INFINITY,
    table: Table | None = None,
) -> float:
    """Return the value of a node, or a bound: fail-soft alpha-beta with a transposition table.

    Entries of the same depth give bounds, those of any depth the child to try first. Marsland, "A
    review of game-tree pruning", 1986; with two bounds as AlphaBetaWithMemory in Plaat,
    Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms", 1996.
    """
    if depth == 0 or node.is_terminal:
        return node.score
    table = {} if table is None else table
    entry = table.get(node.key, Entry(depth))
    if entry.depth != depth:
        entry = Entry(depth, best=entry.best)
    if entry.lower >= beta or entry.lower == entry.upper:
        return entry.lower
    if entry.upper <= alpha:
        return entry.upper
    alpha, beta = max(alpha, entry.lower), min(beta, entry.upper)
    best, best_child = -INFINITY, entry.best
    for i in sorted(range(len(node.children)), key=lambda i: i != entry.best):
        reached, child = max(alpha, best), node.children[i]
        window = reached, beta
        score = asked(alphabeta_with_memory, node, child, depth - 1, *window, table)
        if score > best:
            best, best_child = score, i
        if best >= beta:
            break
    lower = best if best > alpha else entry.lower
    upper = best if best < beta else entry.upper
    table[node.key] = Entry(depth, lower, upper, best_child)
    return best


def mtdf(
    node: ExplainedNode, depth: int = TO_THE_END, guess: float = 0, table: Table | None = None
) -> float:
    """Return the value of a node by null windows alone, which close in on it from a first guess.

    MTD(f): Plaat, Schaeffer, Pijls and de Bruin 1996. Without a table each pass would do the work
    of the last one again.
    """
    table = {} if table is None else table
    lower, upper, value = -INFINITY, INFINITY, guess
    while lower < upper:
        beta = value + 1 if value == lower else value
        value = alphabeta_with_memory(node, depth, beta - 1, beta, table)
        if value < beta:
            upper = value
        else:
            lower = value
    return value


def deepening(node: ExplainedNode, depth: int) -> float:
    """Search to depth 1, 2, ... until `depth`; return the score of the last iteration.

    Each iteration leaves in the table the moves that the next tries first. Slate and Atkin, "Chess
    4.5", 1977, after Scott 1969.
    """
    table, score = Table(), node.score
    for iteration in range(1, depth + 1):
        score = alphabeta_with_memory(node, iteration, table=table)
    return score


ALGORITHMS: dict[str, Callable[[ExplainedNode, int], float]] = {
    "minimax": minimax,
    "expectiminimax": expectiminimax,
    "star1": star1,
    "star2": star2,
    "star2.5": functools.partial(star2, probes=2),
    "negamax": negamax,
    "alphabeta": alphabeta,
    "alphabeta-hard": alphabeta_hard,
    "pvs": pvs,
    "memory": alphabeta_with_memory,
    "mtdf": mtdf,
    "deepening": deepening,
}
"""By name: each returns the score of a root for the side to move there."""
