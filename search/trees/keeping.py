"""A tree kept from one search to the next, where the game went on as the tree foresaw."""

from __future__ import annotations

from numba import int32, int64

from samuel.games.interface import Rules
from samuel.games.playing import (
    DICE,
    PLAYED,
    QUIETLY,
    SIDE,
    advance,
    mover,
    quiet_plies,
)
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, copy, offset
from samuel.search.trees.memory import ROW, Tree

_FORESEEN = 4
"""Levels below the root: a move, the dice, the reply, the dice."""
_NOWHERE = -1


@jit
def set_up(rules: Rules, tree: Tree, position: Pointer, path: Pointer, quiet: int) -> None:
    """Set the table up at a position where side 0 is to move after `quiet` quiet plies."""
    copy(tree.position, position, tree.words)
    copy(tree.path, path, quiet + 1)
    tree.draws[QUIETLY], tree.draws[PLAYED] = quiet, 0
    tree.turn[SIDE] = 0
    tree.turn[DICE] = rules.outcomes(tree.position, tree.moves, tree.weights)


@jit
def go_on(rules: Rules, tree: Tree) -> bool:
    """Make the new root the tree's, with what is below it; return whether the tree knew it."""
    node = _node_of_root(rules, tree) if tree.size[0] > 0 else int64(_NOWHERE)
    if node != _NOWHERE:
        _keep_below(tree, node)
    quiet = int64(tree.quiet[0])
    copy(tree.base, tree.root, tree.words)
    copy(tree.base_path, tree.past, quiet + 1)
    tree.base_quiet[0] = quiet
    return node != _NOWHERE


@jit
def _node_of_root(rules: Rules, tree: Tree) -> int:
    """Return the node that was tried and is the new root, its past and its side too."""
    level = int64(0)
    tree.way[0], tree.movers[0] = 0, 0
    while level >= 0:
        node, tried = int64(tree.way[level]), int64(tree.movers[level])
        if level == _FORESEEN or tried >= tree.count[node]:
            level -= 1
            continue
        tree.movers[level] = int32(tried + 1)
        child = tree.first[node] + ROW * tried
        if tree.visits[child] == 0:
            continue
        level += 1
        tree.way[level], tree.movers[level] = int32(child), 0
        set_up(rules, tree, tree.base, tree.base_path, tree.base_quiet[0])
        for k in range(1, level + 1):
            advance(rules, tree, int64(tree.move[tree.way[k]]))
        if _is_root(tree):
            return child
    return int64(_NOWHERE)


@jit
def _is_root(tree: Tree) -> bool:
    """Return whether the table stands at the new root."""
    quiet = quiet_plies(tree)
    if mover(tree) != 0 or quiet != tree.quiet[0]:
        return False
    for k in range(tree.words):
        if tree.position[k] != tree.root[k]:
            return False
    for k in range(quiet + 1):
        if tree.path[k] != tree.past[k]:
            return False
    return True


@jit
def _keep_below(tree: Tree, top: int) -> None:
    """Drop all but a node and what is below it, which moves to the front in the same order.

    Children come after their parents, so one way through the nodes finds all that stay.
    """
    number, kept = tree.renumbered, int64(0)
    for place in range(top // ROW, tree.size[0]):
        number[place] = _NOWHERE
    number[top // ROW] = 0
    for place in range(top // ROW, tree.size[0]):
        if number[place] == _NOWHERE:
            continue
        number[place] = kept
        kept += 1
        child = tree.first[ROW * place] // ROW
        for k in range(tree.count[ROW * place]):
            number[child + k] = 0
    for place in range(top // ROW, tree.size[0]):
        if number[place] == _NOWHERE:
            continue
        node, to = ROW * place, ROW * int64(number[place])
        copy(offset(tree.first, to), offset(tree.first, node), ROW)
        if tree.count[to] > 0:
            tree.first[to] = ROW * int64(number[tree.first[to] // ROW])
    tree.size[0] = kept
