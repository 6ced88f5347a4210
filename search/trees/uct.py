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

import numpy as np
from numba import int64
from numpy.typing import NDArray

from samuel.games.evaluator import Evaluation
from samuel.games.playing import (
    DICE,
    MOST_REVERSIBLE,
    PLIES_PLAYED,
    REVERSIBLE_PLIES,
    SIDE,
    GameState,
    advance,
    chosen,
    draw,
    is_chances_turn,
    is_over,
    mover,
    playout,
    result_of,
)
from samuel.games.rules import Rules
from samuel.kernels.budget import DEADLINE, NODE_LIMIT, NODES, STOPPED, UNLIMITED, look_up
from samuel.kernels.jit import jit
from samuel.kernels.pointers import copy
from samuel.search.score import PLIES, SCORE_UNIT, static_score
from samuel.search.trees.memory import BEST, EXPLORATION, SCALE, UctTree
from samuel.search.trees.nodes import (
    MOVE,
    REWARD,
    ROOT,
    UNEXPANDED,
    VISITS,
    UctNode,
    add_children,
    add_result,
    count_of,
    field_of,
    first_of,
    move_of,
    proof_in,
    proof_of,
    root_of,
    set_proof,
    sibling,
    visits_of,
)

_CUT = 46
"""Bits of a float64, of which the exponent and the six highest of the mantissa remain."""
_OF_ONE = 1023 << 52 - _CUT


def _roots_of_logs() -> NDArray[np.float64]:
    """Return the roots of the logarithms of numbers of visits, by their highest bits."""
    steps = np.arange(_OF_ONE, 1024 + 62 << 52 - _CUT) << _CUT
    low, high = (bits.view(np.float64) for bits in (steps, steps + (1 << _CUT)))
    return np.sqrt(np.log(np.where(high - low <= 1.0, low, (low + high) / 2)))


_ROOTS_OF_LOGS = _roots_of_logs()
"""Looked up: the C library's logarithm takes a tenth of a simulation."""
OF_CHANCE = 2
"""In place of a side that moves."""
_LEAST = 1e-6
"""Least factor of a bonus: what was never tried comes first even without exploration."""
_WON, _LOST = 1e300, 1e-300
"""In place of bounds, which are above 0."""
_PLACES = np.int64(0xFFFF)
"""The lowest bits of a bound, where the place in a family stands: of equal ones the first wins."""


@jit
def begin_simulation(rules: Rules, state: GameState, tree: UctTree) -> None:
    """Set a game up as the root is, with its past; side 0 is to move."""
    copy(state.position, tree.positions, state.words)
    reversible = int64(tree.reversible[0]) if state.draws[MOST_REVERSIBLE] > 0 else int64(0)
    copy(state.history, tree.history, reversible + 1)
    state.draws[REVERSIBLE_PLIES], state.draws[PLIES_PLAYED] = reversible, 0
    state.turn[SIDE] = 0
    state.turn[DICE] = rules.outcomes(state.position, state.moves, state.weights)


@jit
def select(rules: Rules, state: GameState, tree: UctTree, node: UctNode) -> UctNode:
    """Return the child to go to: what the dice show, or who has the highest upper bound."""
    first = first_of(tree, node)
    if is_chances_turn(state):
        shown = draw(rules, state)
        for i in range(count_of(tree, node)):
            if move_of(tree, sibling(first, i)) == shown:
                return sibling(first, i)
    sign = int64(1) if mover(state) == 0 else int64(-1)
    return sibling(first, _highest(tree, first, max(_LEAST, root_of_log(tree, node)), sign))


@jit
def root_of_log(tree: UctTree, node: UctNode) -> float:
    """Return the square root of the logarithm of a node's visits, to a part in a thousand."""
    step = (tree.codes[node.place + VISITS * node.width] >> _CUT) - _OF_ONE
    return _ROOTS_OF_LOGS[np.uint64(max(int64(0), step))]


@jit
def _highest(tree: UctTree, first: UctNode, total: float, sign: int) -> int:
    """Return the place in a family of the highest bound."""
    roots, rewards = field_of(tree.numbers, first, ROOT), field_of(tree.numbers, first, REWARD)
    moves = field_of(tree.codes, first, MOVE)
    constant = max(_LEAST, tree.settings[EXPLORATION] * total)
    highest = int64(0)
    for i in range(first.width):
        root = roots[i]
        mean, bonus = rewards[i] * (root * root), constant * root
        proof = proof_in(moves[i]) * sign
        bound = mean + bonus
        bound = _WON if proof > 0 else bound
        bound = _LOST if proof < 0 else bound
        bits = np.float64(bound).view(np.int64)
        highest = max(highest, bits & ~_PLACES | (_PLACES - i))
    return _PLACES - (highest & _PLACES)


@jit
def expand(rules: Rules, state: GameState, tree: UctTree, node: UctNode) -> None:
    """Give a node its children, if there is room; none where the game is over."""
    n = int64(0) if is_over(rules, state) else chosen(rules, state)
    add_children(tree, node, state.moves, n)


@jit
def simulate(evaluation: Evaluation, rules: Rules, state: GameState, tree: UctTree) -> int:
    """Play random moves to the end, and return the result in points for the root's side."""
    tree.counters[NODES] += playout(rules, state, tree.plies)
    if is_over(rules, state):
        return int64(round(result_of(rules, state) * SCORE_UNIT))
    best = int64(tree.settings[BEST])
    points = static_score(rules, evaluation, state.position, int64(0), best + 1, best)
    return points if mover(state) == 0 else -points


@jit
def reward_for(tree: UctTree, points: int) -> float:
    """Return points as a reward in [0, 1]: in proportion, or as a chance to win."""
    scale = tree.settings[SCALE]
    if scale > 0.0:
        return 1.0 / (1.0 + math.exp(-points / scale))
    return 0.5 + 0.5 * points / tree.settings[BEST]


@jit
def node_on_way(tree: UctTree, k: int) -> UctNode:
    """Return number `k` of the nodes of a simulation."""
    return UctNode(int64(tree.way[k]), int64(tree.widths[k]))


@jit
def back_up(tree: UctTree, last: int, points: int) -> None:
    """Add what a simulation brought to the nodes on its way, from the root to number `last`."""
    of_root = reward_for(tree, points)
    for k in range(last + 1):
        is_other = k > 0 and tree.movers[k - 1] == 1
        reward = 1.0 - of_root if is_other else of_root
        add_result(tree, node_on_way(tree, k), reward, points)


@jit
def prove(tree: UctTree, last: int) -> None:
    """Back up the proven result of the last node of the path as far as it decides."""
    for k in range(last, 0, -1):
        proof, above = proof_of(tree, node_on_way(tree, k)), node_on_way(tree, k - 1)
        if proof == 0:
            return
        side = tree.movers[k - 1]
        is_chosen = side != OF_CHANCE and (proof > 0) == (side == 0)
        first = first_of(tree, above)
        for i in range(count_of(tree, above)):
            if not is_chosen and proof_of(tree, sibling(first, i)) != proof:
                return
        set_proof(tree, above, proof)


@jit
def _go_down(evaluation: Evaluation, rules: Rules, state: GameState, tree: UctTree) -> None:
    """Make one simulation."""
    begin_simulation(rules, state, tree)
    node, k = root_of(tree), int64(0)
    tree.way[0], tree.widths[0] = node.place, node.width
    while True:
        is_due = k == 0 or visits_of(tree, node) > 0.0
        if is_due and k < tree.levels and count_of(tree, node) == UNEXPANDED:
            expand(rules, state, tree, node)
        if count_of(tree, node) <= 0 or k == PLIES - 1:
            break
        tree.movers[k] = OF_CHANCE if is_chances_turn(state) else mover(state)
        node = select(rules, state, tree, node)
        advance(rules, state, move_of(tree, node))
        k += 1
        tree.way[k], tree.widths[k] = node.place, node.width
        if proof_of(tree, node) != 0:
            break
    tree.counters[NODES] += k
    if rules.is_terminal(state.position):
        points, best = (
            int64(round(result_of(rules, state) * SCORE_UNIT)),
            int64(tree.settings[BEST]),
        )
        if tree.levels > 1:  # in games for points a win alone is not the end of it
            set_proof(tree, node, 1 if points == best else -1 if points == -best else 0)
    elif proof_of(tree, node) != 0:
        points = int64(tree.settings[BEST]) * proof_of(tree, node)
    else:
        points = simulate(evaluation, rules, state, tree)
    back_up(tree, k, points)
    prove(tree, k)


@jit
def sample(evaluation: Evaluation, rules: Rules, state: GameState, tree: UctTree) -> None:
    """Make simulations until the root is proven, or a limit is reached."""
    counters, root = tree.counters, root_of(tree)
    made, most = int64(0), _simulations_due(tree)
    while proof_of(tree, root) == 0 and made < most:
        _go_down(evaluation, rules, state, tree)
        made += 1
        if tree.levels == 1 and made == 1:
            most = _simulations_due(tree)
        look_up(counters)
        if counters[STOPPED]:
            break


@jit
def _simulations_due(tree: UctTree) -> int:
    """Return how many simulations are to be made; pure Monte Carlo makes so many for each move."""
    counters = tree.counters
    if counters[NODE_LIMIT] < UNLIMITED or counters[DEADLINE] < UNLIMITED:
        return int64(UNLIMITED)
    moves = max(int64(1), count_of(tree, root_of(tree))) if tree.levels == 1 else int64(1)
    return tree.playouts * moves
