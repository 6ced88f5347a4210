"""Answers of a method that samples: the move, and the score of each move."""

from __future__ import annotations

import math

from numba import int32, int64

from samuel.games.draws import key_of
from samuel.games.playing import advance, is_chances_turn, is_over, mover, result_of
from samuel.games.rules import ENDLESS, Rules
from samuel.kernels.bits import seed_stream
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
from samuel.search.method import FORGET, REACHES, SCORE_MOVES, THINK, Found, write_found
from samuel.search.score import PLIES, from_utility
from samuel.search.trees.memory import BEST, UctTree, thaw
from samuel.search.trees.nodes import (
    UctNode,
    clear_tree,
    count_of,
    first_of,
    move_of,
    points_of,
    proof_of,
    reward_of,
    root_of,
    sibling,
    visits_of,
)
from samuel.search.trees.uct import begin_simulation

_MOST_VISITS = float((1 << 31) - 1)


@jit
def _sample(searcher: Pointer) -> None:
    """Grow a tree of the root until it is proven, or a limit is reached."""
    _, _, parts, tree = thaw(searcher)
    clear_tree(tree)
    seed_stream(tree.state.stream, tree.seed, key_of(tree.positions, tree.state.words, int64(0)))
    parts.simulate(searcher)


@jit
def _best_child(tree: UctTree, node: UctNode, sign: int) -> UctNode:
    """Return the child to play: a certain win, else the most visited that does not lose."""
    chosen = first_of(tree, node)
    highest = -math.inf
    for i in range(count_of(tree, node)):
        child = sibling(first_of(tree, node), i)
        tried = visits_of(tree, child)
        worth = tried + 1e15 * proof_of(tree, child) * sign
        if tree.levels == 1:
            worth += reward_of(tree, child) / max(1.0, tried) - tried
        if worth > highest:
            chosen, highest = child, worth
    return chosen


@jit
def _keep_line(rules: Rules, tree: UctTree) -> int:
    """Write down the moves that were tried most, up to where chance is to move; return how many."""
    begin_simulation(rules, tree.state, tree)
    node, length = root_of(tree), int64(0)
    while count_of(tree, node) > 0 and not is_chances_turn(tree.state) and length < PLIES:
        sign = 1 if mover(tree.state) == 0 else -1
        node = _best_child(tree, node, sign)
        if visits_of(tree, node) == 0.0 and length > 0:
            break
        tree.line[length] = move_of(tree, node)
        length += 1
        advance(rules, tree.state, move_of(tree, node))
    return length


@jit
def _place_after(tree: UctTree, i: int, place: int) -> int:
    """Return the place among the root's children of legal move `i`, -1 where it was left out."""
    root, move = root_of(tree), tree.state.moves[i]
    n, first = count_of(tree, root), first_of(tree, root)
    for k in range(1, n + 1):
        if move_of(tree, sibling(first, (place + k) % n)) == move:
            return (place + k) % n
    return int64(-1)


@jit
def _keep_visits(rules: Rules, tree: UctTree) -> None:
    """Write down how often each legal move was visited; nothing where all were tried alike."""
    root, place = root_of(tree), int64(-1)
    tree.visits[0] = 0
    if tree.levels == 1 or count_of(tree, root) <= 0:
        return
    n = rules.legal_moves(tree.positions, tree.state.moves)
    tree.visits[0] = int32(n)
    for i in range(n):
        place = _place_after(tree, i, place)
        visits = visits_of(tree, sibling(first_of(tree, root), place)) if place >= 0 else 0.0
        tree.visits[1 + i] = int32(min(visits, _MOST_VISITS))


@jit
def _score_of(tree: UctTree, node: UctNode) -> int:
    """Return the score of a node, in points: the proven one, else the mean."""
    if proof_of(tree, node) != 0:
        return int64(tree.settings[BEST]) * proof_of(tree, node)
    return int64(round(points_of(tree, node) / max(1.0, visits_of(tree, node))))


@jit(THINK)
def think(searcher: Pointer, depth: int, exact_from: int) -> None:
    """Sample the root; a depth means nothing here. The score of a root that is proven is exact."""
    rules, _, _, tree = thaw(searcher)
    begin_simulation(rules, tree.state, tree)
    tree.visits[0] = 0
    if is_over(rules, tree.state):
        points = from_utility(result_of(rules, tree.state), int64(0), int64(1) << 40)
        write_found(searcher, Found(points, int64(0), int64(0), int64(0)))
        return
    _sample(searcher)
    _keep_visits(rules, tree)
    length = _keep_line(rules, tree)
    root = root_of(tree)
    if proof_of(tree, root) != 0:
        left = rules.plies_left(tree.positions)
        depth = left if left < ENDLESS else length
        write_found(searcher, Found(_score_of(tree, root), depth, length, int64(tree.whole)))
        return
    node = _best_child(tree, root, int64(1)) if length > 0 else root
    write_found(searcher, Found(_score_of(tree, node), length, length, int64(0)))


@jit(SCORE_MOVES)
def score_moves(searcher: Pointer, depth: int, exact: int, scores: Pointer) -> None:
    """Sample the root, and fill in the points of each move; one never tried has the fewest."""
    rules, _, _, tree = thaw(searcher)
    _sample(searcher)
    if count_of(tree, root_of(tree)) <= 0:
        return
    place = int64(-1)
    for i in range(rules.legal_moves(tree.positions, tree.state.moves)):
        place = _place_after(tree, i, place)
        node = sibling(first_of(tree, root_of(tree)), max(int64(0), place))
        is_tried = place >= 0 and visits_of(tree, node) > 0.0
        scores[i] = _score_of(tree, node) if is_tried else -int64(tree.settings[BEST])


@jit(REACHES)
def reaches(searcher: Pointer, move: int, depth: int, score: int) -> int:
    """Look a move of the root up in the tree; one never tried has no score."""
    _, _, _, tree = thaw(searcher)
    root = root_of(tree)
    for k in range(count_of(tree, root)):
        node = sibling(first_of(tree, root), k)
        if move_of(tree, node) == move:
            return int64(visits_of(tree, node) > 0.0 and _score_of(tree, node) >= score)
    return int64(0)


@jit(FORGET)
def forget(searcher: Pointer) -> None:
    """Do nothing: each search grows a tree of its own."""
