"""Answers of a method that samples: the move, the score of each move, and to forget.

A tree is kept from one search to the next, where the game went on as the tree foresaw.
"""

from __future__ import annotations

import math

from numba import int32, int64, uint64

from samuel.games.draws import key_of
from samuel.games.interface import ENDLESS, Rules
from samuel.games.playing import (
    advance,
    is_chances_turn,
    is_over,
    mover,
    result_of,
    reversible_plies,
)
from samuel.kernels.budget import INTERRUPTED, STOPPED, poll
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, add_whole, copy, offset, read, write
from samuel.kernels.random import seed_stream
from samuel.search.method import (
    FORGET,
    REACHES,
    SCORE_MOVES,
    THINK,
    Found,
    write_found,
)
from samuel.search.score import PLIES, from_utility
from samuel.search.trees.memory import BEST, UctTree, thaw
from samuel.search.trees.nodes import (
    DONE,
    DUE,
    FIELDS,
    GATE,
    MADE,
    UNEXPANDED,
    UNIT,
    UctNode,
    clear_tree,
    count_of,
    first_of,
    move_of,
    points_of,
    proof_of,
    reward_of,
    root_of,
    set_family,
    sibling,
    visits_of,
)
from samuel.search.trees.uct import begin_simulation, expand, set_up, simulations_due

_FORESEEN = 4
"""Levels below the root: a move, the dice, the reply, the dice."""
_NOBODY = -1


@jit
def go_on(rules: Rules, tree: UctTree) -> bool:
    """Make the new root the tree's, with what is below it; return whether the tree knew it."""
    is_known = tree.size[0] > 0 and _find_root(rules, tree)
    if is_known:
        _keep_below(tree, UctNode(int64(tree.way[0]), int64(tree.widths[0])))
    reversible = int64(tree.reversible[0])
    copy(tree.base, tree.positions, tree.state.words)
    copy(tree.base_history, tree.history, reversible + 1)
    tree.base_reversible[0] = reversible
    return is_known


@jit
def _find_root(rules: Rules, tree: UctTree) -> bool:
    """Find the node that was tried and is the new root, its past and its side too.

    Returns whether there is one; the way then begins with it.
    """
    level, top = int64(0), root_of(tree)
    tree.way[0], tree.widths[0], tree.movers[0] = top.place, top.width, 0
    while level >= 0:
        node, tried = UctNode(int64(tree.way[level]), int64(tree.widths[level])), tree.movers[level]
        if level == _FORESEEN or tried >= count_of(tree, node):
            level -= 1
            continue
        tree.movers[level] = int32(tried + 1)
        child = sibling(first_of(tree, node), int64(tried))
        if visits_of(tree, child) == 0.0:
            continue
        level += 1
        tree.way[level], tree.widths[level], tree.movers[level] = child.place, child.width, 0
        set_up(rules, tree.state, tree.base, tree.base_history, tree.base_reversible[0])
        for k in range(1, level + 1):
            on_way = UctNode(int64(tree.way[k]), int64(tree.widths[k]))
            advance(rules, tree.state, move_of(tree, on_way))
        if _is_root(tree):
            tree.way[0], tree.widths[0] = child.place, child.width
            return True
    return False


@jit
def _is_root(tree: UctTree) -> bool:
    """Return whether the game is at the new root."""
    reversible = reversible_plies(tree.state)
    if mover(tree.state) != 0 or reversible != tree.reversible[0]:
        return False
    for k in range(tree.state.words):
        if tree.state.position[k] != tree.positions[k]:
            return False
    for k in range(reversible + 1):
        if tree.state.history[k] != tree.history[k]:
            return False
    return True


@jit
def _keep_below(tree: UctTree, top: UctNode) -> None:
    """Drop all but a node and what is below it, which moves to the front in the same order.

    A family comes after those above it, so that one way through the words finds all that stay:
    who is moved notes for the families below it where their new place is to be written.
    """
    owners, end = tree.owners, tree.size[0]
    for k in range(end // UNIT):
        owners[2 * k] = _NOBODY
    root = root_of(tree)
    for field in range(FIELDS):
        tree.codes[root.place + field * root.width] = tree.codes[top.place + field * top.width]
    tree.size[0], tree.size[1] = UNIT, 1
    _own_children(tree, root)
    for place in range(UNIT, end, UNIT):
        if owners[2 * (place // UNIT)] != _NOBODY:
            _move_family(tree, place)


@jit
def _own_children(tree: UctTree, node: UctNode) -> None:
    """Note for the children of a node, who are still to be moved, where it is."""
    if count_of(tree, node) > 0:
        number = first_of(tree, node).place // UNIT
        tree.owners[2 * number], tree.owners[2 * number + 1] = node.place, node.width


@jit
def _move_family(tree: UctTree, place: int) -> None:
    """Move a family to the end of what is kept."""
    number = place // UNIT
    owner = UctNode(int64(tree.owners[2 * number]), int64(tree.owners[2 * number + 1]))
    first, count, to = first_of(tree, owner), count_of(tree, owner), tree.size[0]
    copy(offset(tree.codes, to), offset(tree.codes, first.place), FIELDS * first.width)
    set_family(tree, owner, to, count)
    tree.size[0] += FIELDS * first.width
    tree.size[1] += count
    for i in range(count):
        _own_children(tree, UctNode(to + i, first.width))


_MOST_VISITS = float((1 << 31) - 1)


@jit
def _sample(searcher: Pointer) -> None:
    """Grow the tree of the root until it is proven, or a limit is reached.

    Where threads share it, this one lets them in, and waits for the last to be done.
    """
    rules, _, parts, tree = thaw(searcher)
    if tree.levels == 1 or not go_on(rules, tree):
        clear_tree(tree)
    seed_stream(tree.state.stream, tree.seed, key_of(tree.positions, tree.state.words, int64(0)))
    if tree.threads > 1:
        if count_of(tree, root_of(tree)) == UNEXPANDED:
            begin_simulation(rules, tree.state, tree)
            expand(rules, tree.state, tree, root_of(tree), False)
        tree.size[MADE], tree.size[DUE] = 0, simulations_due(tree)
        write(tree.size, int64(GATE), int64(1))
    parts.simulate(searcher)
    if tree.threads > 1:
        while read(tree.size, int64(DONE)) < tree.threads - 1:
            if read(tree.counters, int64(INTERRUPTED)):
                break
        write(tree.size, int64(GATE), int64(0))


@jit
def _help(searcher: Pointer) -> None:
    """Make simulations in a tree that another thread has, once it lets this one in."""
    _, _, parts, tree = thaw(searcher)
    key = key_of(tree.positions, tree.state.words, int64(0)) ^ uint64(tree.thread << 1)
    seed_stream(tree.state.stream, tree.seed, key)
    while read(tree.size, int64(GATE)) == 0 and not tree.counters[STOPPED]:
        poll(tree.counters)  # and counts nothing: to wait is to visit no node
    parts.simulate(searcher)  # nothing, where the gate is closed
    add_whole(tree.size, int64(DONE), int64(1))
    while read(tree.size, int64(GATE)) != 0 and not read(tree.counters, int64(INTERRUPTED)):
        pass  # whose kernel returns first ends those of the others


@jit
def _best_child(tree: UctTree, node: UctNode, sign: int) -> UctNode:
    """Return the child to play: a certain win, else who was tried most, of those who do not lose.

    Where only the first level has nodes, all were tried alike, and the best mean decides.
    """
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
    """Return the place among the root's children of legal move `i`, -1 where it was left out.

    `place` is that of the move before: in games that leave out none the next is it.
    """
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
    if tree.thread > 0:
        _help(searcher)
        return
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
    """Drop the tree: what follows does not depend on what went before."""
    thaw(searcher).tree.size[0] = 0
