"""The algorithms of the search, as their sources give them: to be read, and to compare with.

Each walks any `Node` (search/reference/node.py): an explicit tree or a position of any game.
`depth` is the number of plies to search; `alpha` and `beta` are the window. Scores are for the side
to move, except in the forms with two functions, one for MAX and one for MIN, whose scores are for
MAX. For the root, where MAX is to move, that is the same.

With the widest window all return the same score. With a narrower one, fail-hard forms return it
clipped to the window; a fail-soft form returns a bound that may lie outside: what is <= alpha is
an upper bound, what is >= beta a lower bound, and what lies between is exact.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from samuel.search.reference.node import INFINITY, Node
from samuel.search.reference.watch import watchable

TO_THE_END = 1 << 20
"""A depth that no game reaches."""


@watchable(for_max=True)
def minimax(node: Node, depth: int = TO_THE_END) -> float:
    """Return the value of a node where MAX is to move: the best that MIN cannot prevent.

    Shannon, "Programming a computer for playing chess", 1950, after von Neumann's theorem of
    1928: the evaluation at a fixed depth takes the place of the end of the game.
    """
    if depth == 0 or node.is_terminal:
        return node.score
    return max(minimax_of_min(child, depth - 1) for child in node.children)


@watchable(for_max=True)
def minimax_of_min(node: Node, depth: int) -> float:
    """Return the value, for MAX, of a node where MIN is to move."""
    if depth == 0 or node.is_terminal:
        return -node.score
    return min(minimax(child, depth - 1) for child in node.children)


@watchable()
def negamax(node: Node, depth: int = TO_THE_END) -> float:
    """Return the value of a node, by one function: what is good for one side is bad for the other.

    Knuth and Moore, "An analysis of alpha-beta pruning", 1975 (their F).
    """
    if depth == 0 or node.is_terminal:
        return node.score
    return max(-negamax(child, depth - 1) for child in node.children)


@watchable(for_max=True)
def alphabeta_hard(
    node: Node, depth: int = TO_THE_END, alpha: float = -INFINITY, beta: float = INFINITY
) -> float:
    """Return the value of a MAX node, clipped to the window: alpha-beta, fail-hard.

    `alpha` is what MAX is sure of elsewhere, `beta` what MIN is. A child worth beta or more ends
    the search of this node, for MIN will not let it come to this. Knuth and Moore 1975, who trace
    it to McCarthy 1956 and to Newell, Shaw and Simon 1958.
    """
    if depth == 0 or node.is_terminal:
        return clip(node.score, alpha, beta)
    for child in node.children:
        alpha = max(alpha, alphabeta_hard_of_min(child, depth - 1, alpha, beta))
        if alpha >= beta:
            return beta
    return alpha


@watchable(for_max=True)
def alphabeta_hard_of_min(node: Node, depth: int, alpha: float, beta: float) -> float:
    """Return the value, for MAX, of a MIN node, clipped to the window."""
    if depth == 0 or node.is_terminal:
        return clip(-node.score, alpha, beta)
    for child in node.children:
        beta = min(beta, alphabeta_hard(child, depth - 1, alpha, beta))
        if beta <= alpha:
            return alpha
    return beta


@watchable(for_max=True)
def alphabeta(
    node: Node, depth: int = TO_THE_END, alpha: float = -INFINITY, beta: float = INFINITY
) -> float:
    """Return the value of a MAX node, or a bound beyond the window: alpha-beta, fail-soft.

    Fishburn, "Another optimization of alpha-beta search", 1983: the best that was seen says more
    than the bound that it fell short of, for no more work.
    """
    if depth == 0 or node.is_terminal:
        return node.score
    best = -INFINITY
    for child in node.children:
        best = max(best, alphabeta_of_min(child, depth - 1, max(alpha, best), beta))
        if best >= beta:
            break
    return best


@watchable(for_max=True)
def alphabeta_of_min(node: Node, depth: int, alpha: float, beta: float) -> float:
    """Return the value, for MAX, of a MIN node, or a bound beyond the window."""
    if depth == 0 or node.is_terminal:
        return -node.score
    best = INFINITY
    for child in node.children:
        best = min(best, alphabeta(child, depth - 1, alpha, min(beta, best)))
        if best <= alpha:
            break
    return best


@watchable()
def negamax_hard(
    node: Node, depth: int = TO_THE_END, alpha: float = -INFINITY, beta: float = INFINITY
) -> float:
    """Return the value of a node clipped to the window: fail-hard alpha-beta in one function.

    What one side is sure of is the other's limit, so the window is turned over with the score.
    Knuth and Moore 1975 (their F2, with leaves clipped too).
    """
    if depth == 0 or node.is_terminal:
        return clip(node.score, alpha, beta)
    for child in node.children:
        alpha = max(alpha, -negamax_hard(child, depth - 1, -beta, -alpha))
        if alpha >= beta:
            return beta
    return alpha


@watchable()
def negamax_soft(
    node: Node, depth: int = TO_THE_END, alpha: float = -INFINITY, beta: float = INFINITY
) -> float:
    """Return the value of a node, or a bound: fail-soft alpha-beta in one function.

    Fishburn 1983.
    """
    if depth == 0 or node.is_terminal:
        return node.score
    best = -INFINITY
    for child in node.children:
        best = max(best, -negamax_soft(child, depth - 1, -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


def clip(score: float, alpha: float, beta: float) -> float:
    """Return the score, or the end of the window that it lies beyond."""
    return max(alpha, min(score, beta))


@watchable()
def pvs(
    node: Node, depth: int = TO_THE_END, alpha: float = -INFINITY, beta: float = INFINITY
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
            score = -pvs(child, depth - 1, -beta, -reached)
        else:
            score = -pvs(child, depth - 1, -reached - 1, -reached)
            if reached < score < beta:
                score = -pvs(child, depth - 1, -beta, -score)
        best = max(best, score)
        if best >= beta:
            break
    return best


@dataclass
class Entry:
    """What a table knows of a node searched to a depth: between which bounds, and the best child.

    Where the bounds are equal the value is exact.
    """

    depth: int
    lower: float = -INFINITY
    upper: float = INFINITY
    best: int = 0


Table: TypeAlias = dict[Hashable, Entry]
"""The transposition table, by `Node.key`; it grows without limit."""


class OutOfTime(Exception):  # noqa: N818, it is no error
    """The deadline has come in the middle of a search."""


@watchable()
def alphabeta_with_memory(
    node: Node,
    depth: int = TO_THE_END,
    alpha: float = -INFINITY,
    beta: float = INFINITY,
    table: Table | None = None,
    deadline: float = INFINITY,
) -> float:
    """Return the value of a node, or a bound: fail-soft alpha-beta with a transposition table.

    Entries of the same depth give bounds, those of any depth the child to try first. Marsland, "A
    review of game-tree pruning", 1986; with two bounds as AlphaBetaWithMemory in Plaat,
    Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms", 1996.

    Raises
    ------
    OutOfTime
        `time.monotonic()` has passed the deadline.
    """
    if depth == 0 or node.is_terminal:
        return node.score
    if time.monotonic() > deadline:
        raise OutOfTime
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
        score = -alphabeta_with_memory(child, depth - 1, -beta, -reached, table, deadline)
        if score > best:
            best, best_child = score, i
        if best >= beta:
            break
    lower = best if best > alpha else entry.lower
    upper = best if best < beta else entry.upper
    table[node.key] = Entry(depth, lower, upper, best_child)
    return best


def mtdf(
    node: Node, depth: int = TO_THE_END, guess: float = 0, table: Table | None = None
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


class Deepened(NamedTuple):
    """What iterative deepening found: score, its depth, and the number of the best child or None.

    Children are counted from 0.
    """

    score: float
    depth: int
    best: int | None


def iterative_deepening(node: Node, depth: int, seconds: float = INFINITY) -> Deepened:
    """Search to depth 1, 2, ... until `depth` or the time is reached; return the deepest finished.

    The first iteration is always finished. Each one leaves in the table the moves that the next
    tries first. Slate and Atkin, "Chess 4.5", 1977, after Scott 1969.
    """
    deadline, table = time.monotonic() + seconds, Table()
    found = Deepened(node.score, 0, None)
    for iteration in range(1, depth + 1):
        until = deadline if iteration > 1 else INFINITY
        try:
            score = alphabeta_with_memory(node, iteration, table=table, deadline=until)
        except OutOfTime:
            break
        found = Deepened(score, iteration, table[node.key].best if node.key in table else None)
    return found


def deepening(node: Node, depth: int) -> float:
    """Return the score that iterative deepening to `depth` ends with."""
    return iterative_deepening(node, depth).score


ALGORITHMS: dict[str, Callable[[Node, int], float]] = {
    "minimax": minimax,
    "negamax": negamax,
    "alphabeta": alphabeta,
    "alphabeta-hard": alphabeta_hard,
    "negamax-soft": negamax_soft,
    "negamax-hard": negamax_hard,
    "pvs": pvs,
    "memory": alphabeta_with_memory,
    "mtdf": mtdf,
    "deepening": deepening,
}
"""By name: each returns the score of a root for the side to move there."""
