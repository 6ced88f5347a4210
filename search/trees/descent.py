"""Descent: best-first minimax whose paths follow the best child to the end of the game.

Q. Cohen-Solal, "Learning to play two-player perfect-information games without knowledge", 2020
(arXiv 2008.01188). A path begins at the current position of the game and goes to the best child
that is not solved. Each new position on it gets all its children at once, with their evaluations or
results. Then each position on the path takes the score of its best child, back to the root.

A position is solved ("completion") if all its children are, or a solved child wins; paths leave it
out. Draws and losses by the past of the game are seen when a path reaches them. Scores are in
points. A proven score loses a point for each ply (search/score.py), so that a sooner win is better.
A position that several lines reach has several nodes.

The tree is held in flat arrays. The children of a position, a family, are side by side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import int8, int32, int64, uint64

from samuel.games.evaluator import Evaluation
from samuel.games.game import Game
from samuel.games.playing import (
    GameState,
    advance,
    chosen,
    is_over,
    mover,
    result_of,
    reversible_plies,
)
from samuel.games.rules import SAME, Rules
from samuel.kernels.bits import below, uniform
from samuel.kernels.budget import NODES, STOPPED, look_up
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, copy, offset
from samuel.kernels.records import allocate, array, array_type, length, number, record
from samuel.search.score import INFINITY, from_evaluation, from_utility, limits, shift_proven

NODES_USED, FAMILIES_USED, SIZES = range(3)
"""Places in the sizes of a tree."""
_NONE = -1
_SHARE = 4
"""A tree has room for a family for so many nodes."""


@record
class DescentTree(NamedTuple):
    """A tree, node 0 its first position, and the way to where the game is."""

    moves: Pointer = array(int32, ("nodes",), "the move that leads to a node")
    scores: Pointer = array(int32, ("nodes",), "its points, for the side that moves to it")
    solved: Pointer = array(int8, ("nodes",), "1 where it is solved, else 0")
    families: Pointer = array(int32, ("nodes",), "the family of its children; -1 where it has none")
    first: Pointer = array(int32, ("families",), "the first child of a family")
    counts: Pointer = array(int32, ("families",), "how many they are")
    values: Pointer = array(int32, ("families",), "the points of their parent, for its side")
    positions: Pointer = array(uint64, ("families", "words"), "their parent's position")
    order: Pointer = array(int32, ("families",), "room")
    path: Pointer = array(int32, ("plies",), "the nodes of a path, and before them of the game")
    signs: Pointer = array(
        int32, ("plies",), "1 where the side that moved to the node moves there again, else -1"
    )
    size: Pointer = array(int64, (SIZES,), "what is in use, see NODES_USED")
    most_nodes: int = length("moves", "room for nodes")
    most_families: int = length("first", "room for families")
    proven: int = number("see `limits` (search/score.py)")
    static_limit: int = number("see `limits`; a solved score from here on is a win")


DESCENT_TREE = array_type(DescentTree)


def new_descent_tree(game: Game, nodes: int) -> DescentTree:
    """Return an empty tree with room for so many nodes, and for the children of a position."""
    nodes = max(nodes, game.max_moves + 1)
    sizes = {"nodes": nodes, "families": 1 + nodes // _SHARE, "words": game.words}
    proven, static_limit = limits(game)
    return allocate(
        DescentTree, sizes | {"plies": game.max_plies + 2}, proven=proven, static_limit=static_limit
    )


@jit
def begin_tree(tree: DescentTree) -> None:
    """Leave the first position alone, which is where the game is."""
    tree.size[NODES_USED], tree.size[FAMILIES_USED] = 1, 0
    tree.scores[0], tree.solved[0], tree.families[0] = 0, 0, _NONE
    tree.path[0], tree.signs[0] = 0, 1


@jit
def is_half_full(tree: DescentTree) -> bool:
    """Return whether half of the room is in use, so that it is time for another tree."""
    return (
        2 * tree.size[NODES_USED] > tree.most_nodes
        or 2 * tree.size[FAMILIES_USED] > tree.most_families
    )


@jit
def _expand(
    rules: Rules, evaluation: Evaluation, state: GameState, tree: DescentTree, node: int
) -> int:
    """Give a node, whose position is the state's, its children; return how many, 0 without room."""
    n, place, family = chosen(rules, state), tree.size[NODES_USED], tree.size[FAMILIES_USED]
    if place + n > tree.most_nodes or family == tree.most_families:
        return int64(0)
    for i in range(n):
        move, child = int64(state.moves[i]), place + i
        turn = rules.play(state.position, move, state.child)
        is_solved = rules.is_terminal(state.child)
        if is_solved:
            points = from_utility(rules.utility(state.child), int64(0), tree.proven)
        else:
            static = evaluation.evaluate(state.child, evaluation.integers, evaluation.floats)
            points = from_evaluation(static, tree.static_limit)
        points = shift_proven(points, int64(-1), tree.proven)
        tree.moves[child], tree.families[child] = int32(move), int32(_NONE)
        tree.scores[child] = int32(points if turn & SAME else -points)
        tree.solved[child] = int8(is_solved)
    tree.first[family], tree.counts[family] = int32(place), int32(n)
    copy(offset(tree.positions, family * state.words), state.position, state.words)
    tree.families[node] = int32(family)
    tree.size[NODES_USED] += n
    tree.size[FAMILIES_USED] += 1
    return n


@jit
def best_child(tree: DescentTree, node: int, stream: Any, skipped: Any) -> int:
    """Return the best child that is not marked in `skipped`, of equal ones any; -1 without any."""
    family, best, found, ties = int64(tree.families[node]), -INFINITY, int64(_NONE), int64(0)
    first = int64(tree.first[family])
    for child in range(first, first + tree.counts[family]):
        score = int64(tree.scores[child])
        if skipped[child - first] or score < best:
            continue
        ties = int64(1) if score > best else ties + 1
        if ties == 1 or below(stream, ties) == 0:
            best, found = score, int64(child)
    return found


@jit
def _back_up(tree: DescentTree, node: int, sign: int) -> bool:
    """Let a node be worth what its best child is; return whether that changes what is known."""
    family, best, wins, is_solved = int64(tree.families[node]), -INFINITY, False, True
    first = int64(tree.first[family])
    for child in range(first, first + tree.counts[family]):
        best = max(best, int64(tree.scores[child]))
        if tree.solved[child]:
            wins = wins or tree.scores[child] >= tree.static_limit
        else:
            is_solved = False
    before, was_solved = tree.scores[node], tree.solved[node]
    tree.values[family] = int32(best)
    tree.scores[node] = int32(sign * shift_proven(best, int64(-1), tree.proven))
    tree.solved[node] = int8(is_solved or wins)
    return tree.scores[node] != before or tree.solved[node] != was_solved


@jit
def _end(rules: Rules, state: GameState, tree: DescentTree, node: int, sign: int) -> None:
    """Note the result of a game that is over by its past."""
    result = result_of(rules, state)  # for the side that began
    points = from_utility(result if mover(state) == 0 else -result, int64(0), tree.proven)
    tree.scores[node] = int32(sign * shift_proven(points, int64(-1), tree.proven))
    tree.solved[node] = 1


@jit
def step_to(rules: Rules, state: GameState, tree: DescentTree, level: int, child: int) -> None:
    """Play the move to a child of the node on the path at a level, and put it on the path."""
    side = mover(state)
    advance(rules, state, int64(tree.moves[child]))
    tree.path[level + 1] = int32(child)
    tree.signs[level + 1] = int32(1 if mover(state) == side else -1)


@jit
def descend(
    rules: Rules,
    evaluation: Evaluation,
    game: GameState,
    state: GameState,
    tree: DescentTree,
    here: int,
    counters: Any,
) -> bool:
    """Go down a path from where the game is, at level `here`, and back up; `state` is room."""
    copy(state.position, game.position, game.words)
    copy(state.history, game.history, reversible_plies(game) + 1)
    copy(state.turn, game.turn, int64(2))
    copy(state.draws, game.draws, int64(5))
    level, node, fits = here, int64(tree.path[here]), True
    while not tree.solved[node]:
        sign = int64(tree.signs[level])
        if tree.families[node] == _NONE:
            if is_over(rules, state):
                _end(rules, state, tree, node, sign)
                break
            n = _expand(rules, evaluation, state, tree, node)
            fits = n > 0
            if not fits:
                break
            counters[NODES] += n
            look_up(counters)
            _back_up(tree, node, sign)
            if tree.solved[node] or counters[STOPPED]:
                break
        first = int64(tree.first[tree.families[node]])
        node = best_child(tree, node, game.stream, offset(tree.solved, first))
        step_to(rules, state, tree, level, node)
        level += 1
    for k in range(level - 1, -1, -1):
        if not _back_up(tree, int64(tree.path[k]), int64(tree.signs[k])) and k < here:
            break
    return fits


@jit
def grow(
    rules: Rules,
    evaluation: Evaluation,
    game: GameState,
    state: GameState,
    tree: DescentTree,
    here: int,
    nodes: int,
    counters: Any,
) -> None:
    """Go down paths until the position of the game is solved, or so many nodes are new."""
    node, most = int64(tree.path[here]), counters[NODES] + nodes
    while not tree.solved[node] and counters[NODES] < most and not counters[STOPPED]:
        if not descend(rules, evaluation, game, state, tree, here, counters):
            break


@jit
def draw_child(tree: DescentTree, node: int, epsilon: float, stream: Any, skipped: Any) -> int:
    """Return a child, drawn by rank: the ordinal distribution of the same paper.

    The best of the n children that are left is taken with probability 1 - epsilon + epsilon / n,
    else it is left out; so the best of all is taken as often as where a share of `epsilon` moves
    is random. `skipped` is room.
    """
    left = int64(tree.counts[tree.families[node]])
    first = int64(tree.first[tree.families[node]])
    for i in range(left):
        skipped[i] = 0
    while True:
        child = best_child(tree, node, stream, skipped)
        if left == 1 or uniform(stream) < 1.0 - epsilon + epsilon / left:
            return child
        skipped[child - first] = 1
        left -= 1


@jit
def child_by(tree: DescentTree, node: int, move: int) -> int:
    """Return the child that a move leads to; -1 where there is none."""
    family = int64(tree.families[node])
    if family == _NONE:
        return int64(_NONE)
    first = int64(tree.first[family])
    for child in range(first, first + tree.counts[family]):
        if tree.moves[child] == move:
            return int64(child)
    return int64(_NONE)
