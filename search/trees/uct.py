"""UCT: a tree that grows where random games promise most, and pure Monte Carlo, its first level.

L. Kocsis and C. Szepesvari, "Bandit based Monte-Carlo planning", 2006; the bounds are those of P.
Auer, N. Cesa-Bianchi and P. Fischer, "Finite-time analysis of the multiarmed bandit problem", 2002.
A simulation goes down the tree (`select`), adds the children of a leaf that was visited before
(`expand`), plays on at random (`simulate`) and adds what came of it to all nodes on its way
(`back_up`).
Certain wins and losses are handed up as by M. Winands, Y. Bjornsson and J. Saito, "Monte-Carlo tree
search solver", 2008. Where chance is to move, an outcome is drawn by its weight.
"""

from __future__ import annotations

import math

from numba import int64

from samuel.games.draws import key_of
from samuel.games.interface import Rules
from samuel.games.playing import (
    advance,
    draw,
    is_chances_turn,
    is_over,
    listed,
    mover,
    result_of,
)
from samuel.kernels.budget import DEADLINE, NODE_LIMIT, NODES, STOPPED, UNLIMITED, look_up
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
from samuel.kernels.random import seed_stream
from samuel.search.method import (
    FORGET,
    SCORE_MOVES,
    THINK,
    Found,
    write_found,
)
from samuel.search.score import PLIES, POINTS, from_utility, static_score
from samuel.search.trees.frame import thaw
from samuel.search.trees.keeping import go_on, set_up
from samuel.search.trees.memory import (
    BEST,
    EXPLORATION,
    ROW,
    SCALE,
    UNEXPANDED,
    Tree,
    add_node,
    forget_tree,
)

OF_CHANCE = 2
"""In place of a side that moves."""


@jit
def _begin(rules: Rules, tree: Tree) -> None:
    """Set the table up as the root is, with its past."""
    set_up(rules, tree, tree.root, tree.past, int64(tree.quiet[0]))


@jit
def select(rules: Rules, tree: Tree, node: int) -> int:
    """Return the child to go to: what the dice show, or who has the highest upper bound.

    UCB1 is mean + c * sqrt(ln n / n_j); UCB1-tuned takes the variance in place of the constant.
    What was never tried comes first, a certain win before all, a certain loss last.
    """
    first = tree.first[node]
    last = first + ROW * tree.count[node]
    if is_chances_turn(tree):
        shown = draw(rules, tree)
        for child in range(first, last, ROW):
            if tree.move[child] == shown:
                return child
    sign = 1 if mover(tree) == 0 else -1
    chosen, highest, total = first, -math.inf, math.log(max(1.0, float(tree.visits[node])))
    for child in range(first, last, ROW):
        proof = tree.proven[child] * sign
        if proof > 0:
            return child
        tried = float(tree.visits[child])
        if tried == 0.0:
            bound = 1e9
        else:
            mean = tree.reward[child] / tried
            spread = tree.settings[EXPLORATION] ** 2
            if tree.tuned:
                variance = tree.square[child] / tried - mean * mean
                spread = min(0.25, variance + math.sqrt(2.0 * total / tried))
            bound = (mean if sign > 0 else 1.0 - mean) + math.sqrt(spread * total / tried)
        if proof < 0:
            bound -= 1e12
        if bound > highest:
            chosen, highest = child, bound
    return chosen


@jit
def expand(rules: Rules, tree: Tree, node: int) -> None:
    """Give a node its children, if there is room; none where the game is over."""
    n = int64(0) if is_over(rules, tree) else listed(rules, tree)
    if tree.size[0] + n > tree.nodes:
        return
    tree.first[node], tree.count[node] = ROW * tree.size[0], n
    for i in range(n):
        add_node(tree, int64(tree.moves[i]))


@jit
def simulate(frame: Pointer) -> int:
    """Play on at random, and return what comes of it, in points, for the side of the root."""
    rules, evaluation, parts, tree = thaw(frame)
    tree.counters[NODES] += parts.play_on(frame)
    if is_over(rules, tree):
        return int64(round(result_of(rules, tree) * POINTS))
    best = int64(tree.settings[BEST])
    points = static_score(rules, evaluation, tree.position, int64(0), best + 1, best)
    return points if mover(tree) == 0 else -points


@jit
def reward_of(tree: Tree, points: int) -> float:
    """Return points as a reward in [0, 1]: in proportion, or as a chance to win."""
    scale = tree.settings[SCALE]
    if scale > 0.0:
        return 1.0 / (1.0 + math.exp(-points / scale))
    return 0.5 + 0.5 * points / tree.settings[BEST]


@jit
def back_up(tree: Tree, last: int, points: int) -> None:
    """Add what a simulation brought to the nodes on its way, from the root to number `last`."""
    reward = reward_of(tree, points)
    for k in range(last + 1):
        node = tree.way[k]
        tree.visits[node] += 1
        tree.reward[node] += reward
        tree.square[node] += reward * reward
        tree.points[node] += points


@jit
def prove(tree: Tree, last: int) -> None:
    """Hand up what is certain of the last node of the way, as far as it decides."""
    for k in range(last, 0, -1):
        proof, above = tree.proven[tree.way[k]], tree.way[k - 1]
        if proof == 0:
            return
        side = tree.movers[k - 1]
        is_chosen = side != OF_CHANCE and (proof > 0) == (side == 0)
        first = tree.first[above]
        for child in range(first, first + ROW * tree.count[above], ROW):
            if not is_chosen and tree.proven[child] != proof:
                return
        tree.proven[above] = proof


@jit
def _go_down(frame: Pointer) -> None:
    """Make one simulation."""
    rules, _, _, tree = thaw(frame)
    _begin(rules, tree)
    node, k = int64(0), int64(0)
    tree.way[0] = 0
    while True:
        if tree.count[node] == UNEXPANDED and (k == 0 or tree.visits[node] > 0) and k < tree.levels:
            expand(rules, tree, node)
        if tree.count[node] <= 0 or k == PLIES - 1:
            break
        tree.movers[k] = OF_CHANCE if is_chances_turn(tree) else mover(tree)
        node = select(rules, tree, node)
        advance(rules, tree, int64(tree.move[node]))
        tree.counters[NODES] += 1
        k += 1
        tree.way[k] = node
        if tree.proven[node] != 0:
            break
    if rules.is_terminal(tree.position):
        points, best = int64(round(result_of(rules, tree) * POINTS)), int64(tree.settings[BEST])
        if tree.levels > 1:  # in games for points a win alone is not the end of it
            tree.proven[node] = 1 if points == best else -1 if points == -best else 0
    elif tree.proven[node] != 0:
        points = int64(tree.settings[BEST]) * tree.proven[node]
    else:
        points = simulate(frame)
    back_up(tree, k, points)
    prove(tree, k)


@jit
def _sample(frame: Pointer) -> None:
    """Grow the tree of the root until it is proven, or a limit is reached."""
    rules, _, _, tree = thaw(frame)
    if tree.levels == 1 or not go_on(rules, tree):
        forget_tree(tree)
    seed_stream(tree.stream, tree.seed, key_of(tree.root, tree.words, int64(0)))
    counters = tree.counters
    is_limited = counters[NODE_LIMIT] < UNLIMITED or counters[DEADLINE] < UNLIMITED
    made, most = int64(0), tree.playouts
    while tree.proven[0] == 0 and (is_limited or made < most):
        _go_down(frame)
        made += 1
        if tree.levels == 1:  # so many for each move
            most = tree.playouts * max(int64(1), int64(tree.count[0]))
        look_up(counters)
        if counters[STOPPED]:
            break


@jit
def _best_child(tree: Tree, node: int, sign: int) -> int:
    """Return the child to play: a certain win, else who was tried most, of those who do not lose.

    Where only the first level has nodes, all were tried alike, and the best mean decides.
    """
    first = tree.first[node]
    chosen, highest = first, -math.inf
    for child in range(first, first + ROW * tree.count[node], ROW):
        tried = float(tree.visits[child])
        worth = tried + 1e15 * tree.proven[child] * sign
        if tree.levels == 1:
            worth += sign * tree.reward[child] / max(1.0, tried) - tried
        if worth > highest:
            chosen, highest = child, worth
    return chosen


@jit
def _keep_line(rules: Rules, tree: Tree) -> int:
    """Write down the moves that were tried most, up to where chance is to move; return how many."""
    _begin(rules, tree)
    node, length = int64(0), int64(0)
    while tree.count[node] > 0 and not is_chances_turn(tree) and length < PLIES:
        sign = 1 if mover(tree) == 0 else -1
        node = _best_child(tree, node, sign)
        if tree.visits[node] == 0 and length > 0:
            break
        tree.line[length] = tree.move[node]
        length += 1
        advance(rules, tree, int64(tree.move[node]))
    return length


@jit
def _points_of(tree: Tree, node: int) -> int:
    """Return what is known of a node, in points: what is certain, else the mean."""
    if tree.proven[node] != 0:
        return int64(tree.settings[BEST]) * tree.proven[node]
    return int64(round(tree.points[node] / max(1.0, float(tree.visits[node]))))


@jit(THINK)
def think(searcher: Pointer, depth: int, exact_from: int) -> None:
    """Sample the root; neither a depth nor exact scores mean anything here."""
    rules, _, _, tree = thaw(searcher)
    _begin(rules, tree)
    if is_over(rules, tree):
        points = from_utility(result_of(rules, tree), int64(0), int64(1) << 40)
        write_found(searcher, Found(points, int64(0), int64(0), int64(0)))
        return
    _sample(searcher)
    length = _keep_line(rules, tree)
    node = _best_child(tree, int64(0), 1) if length > 0 else int64(0)
    write_found(searcher, Found(_points_of(tree, node), length, length, int64(0)))


@jit(SCORE_MOVES)
def score_moves(searcher: Pointer, depth: int, exact: int, scores: Pointer) -> None:
    """Sample the root, and fill in the points of each move; one never tried has the fewest."""
    tree = thaw(searcher).tree
    _sample(searcher)
    for i in range(tree.count[0]):
        node = tree.first[0] + ROW * i
        scores[i] = _points_of(tree, node) if tree.visits[node] > 0 else -int64(tree.settings[BEST])


@jit(FORGET)
def forget(searcher: Pointer) -> None:
    """Drop the tree: what follows does not depend on what went before."""
    thaw(searcher).tree.size[0] = 0
