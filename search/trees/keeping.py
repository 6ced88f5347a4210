"""A tree kept from one search to the next, where the game went on as the tree foresaw."""

from __future__ import annotations

from numba import int32, int64

from samuel.games.interface import Rules
from samuel.games.playing import (
    DICE,
    MOST_QUIET,
    PLAYED,
    QUIETLY,
    SIDE,
    GameState,
    advance,
    mover,
    quiet_plies,
)
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, copy, offset
from samuel.search.trees.memory import UctTree
from samuel.search.trees.nodes import (
    FIELDS,
    UNIT,
    UctNode,
    count_of,
    first_of,
    move_of,
    root_of,
    set_family,
    sibling,
    visits_of,
)

_FORESEEN = 4
"""Levels below the root: a move, the dice, the reply, the dice."""
_NOBODY = -1


@jit
def set_up(rules: Rules, state: GameState, position: Pointer, path: Pointer, quiet: int) -> None:
    """Set a game up at a position where side 0 is to move after `quiet` quiet plies."""
    copy(state.position, position, state.words)
    if state.draws[MOST_QUIET] == 0:
        quiet = int64(0)
    copy(state.path, path, quiet + 1)
    state.draws[QUIETLY], state.draws[PLAYED] = quiet, 0
    state.turn[SIDE] = 0
    state.turn[DICE] = rules.outcomes(state.position, state.moves, state.weights)


@jit
def go_on(rules: Rules, tree: UctTree) -> bool:
    """Make the new root the tree's, with what is below it; return whether the tree knew it."""
    is_known = tree.size[0] > 0 and _find_root(rules, tree)
    if is_known:
        _keep_below(tree, UctNode(int64(tree.way[0]), int64(tree.widths[0])))
    quiet = int64(tree.quiet[0])
    copy(tree.base, tree.positions, tree.state.words)
    copy(tree.base_path, tree.path, quiet + 1)
    tree.base_quiet[0] = quiet
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
        set_up(rules, tree.state, tree.base, tree.base_path, tree.base_quiet[0])
        for k in range(1, level + 1):
            on_way = UctNode(int64(tree.way[k]), int64(tree.widths[k]))
            advance(rules, tree.state, move_of(tree, on_way))
        if _is_root(tree):
            tree.way[0], tree.widths[0] = child.place, child.width
            return True
    return False


@jit
def _is_root(tree: UctTree) -> bool:
    """Return whether the game stands at the new root."""
    quiet = quiet_plies(tree.state)
    if mover(tree.state) != 0 or quiet != tree.quiet[0]:
        return False
    for k in range(tree.state.words):
        if tree.state.position[k] != tree.positions[k]:
            return False
    for k in range(quiet + 1):
        if tree.state.path[k] != tree.path[k]:
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
