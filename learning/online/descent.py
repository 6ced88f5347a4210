"""Games in which an evaluation learns from the trees of Descent (search/trees/descent.py).

The tree grows before each move of the learner. After the game, the score of each position with
children moves toward that of its best child (tree learning): toward a known result, or a deeper
evaluation. Positions come in random order, and the weights change after each. (Q. Cohen-Solal,
"Learning to play two-player perfect-information games without knowledge", 2020.)
"""

from __future__ import annotations

from typing import Any

from numba import float64, int32, int64, types

from samuel.games.evaluator import Evaluation
from samuel.games.playing import GAME_STATE, GameState, advance, is_over, mover
from samuel.games.rules import NO_MOVE, Rules
from samuel.kernels import budget
from samuel.kernels.bits import below, seed_stream, uniform
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at, offset
from samuel.kernels.records import to_pointers
from samuel.learning.online.kernel import ONLINE_PLAN, OnlinePlan, error_of
from samuel.models.trainable.model import GRADIENT, add_gradient, apply_changes
from samuel.search.method import SEARCHER, ask_at, forget, head_of, thaw_searcher
from samuel.search.score import SCORE_UNIT
from samuel.search.trees.descent import (
    DESCENT_TREE,
    FAMILIES_USED,
    DescentTree,
    begin_tree,
    child_by,
    descend,
    draw_child,
    grow,
    is_half_full,
    step_to,
)
from samuel.selfplay.kernel import OPENING_LINES, OpeningLines, open_game


@jit
def _learn(
    gradient: Any,
    evaluation: Evaluation,
    plan: OnlinePlan,
    tree: DescentTree,
    state: GameState,
    steps: Any,
) -> None:
    """Move the score of each position of a tree toward its value, and begin another tree."""
    integers, floats, most = evaluation.integers, evaluation.floats, tree.static_limit
    n = tree.size[FAMILIES_USED]
    for k in range(n):
        j = below(state.stream, k + 1)
        tree.order[k] = tree.order[j]
        tree.order[j] = int32(k)
    for k in range(n):
        family = int64(tree.order[k])
        row = offset(tree.positions, family * state.words)
        found = max(-most, min(most, int64(tree.values[family]))) / SCORE_UNIT
        now = evaluation.evaluate(row, integers, floats)
        add_gradient(gradient, row, integers, floats, error_of(found, now, plan.squash))
        apply_changes(integers, floats, steps, plan.learning_rate, False)
    begin_tree(tree)


@jit
def _reply(searcher: Pointer, rules: Rules, state: GameState, plan: OnlinePlan) -> int:
    """Return the move of the opponent: that of its search, or with `epsilon` a random one."""
    budget.start(head_of(searcher).counters, budget.UNLIMITED, budget.UNLIMITED)
    ask_at(searcher, state, plan.depth, int64(0))
    if plan.epsilon > 0.0 and uniform(state.stream) < plan.epsilon:
        n = rules.legal_moves(state.position, state.moves)
        return int64(state.moves[below(state.stream, n)])
    return int64(head_of(searcher).line[0])


@jit
def _learn_in_game(
    gradient: Any,
    searcher: Pointer,
    opponent: Pointer,
    side: int,
    state: GameState,
    line: GameState,
    plan: OnlinePlan,
    tree: DescentTree,
    steps: Any,
) -> bool:
    """Play a game from the state's position and learn; return False where it was interrupted."""
    its, counters, level = thaw_searcher(searcher), head_of(searcher).counters, int64(0)
    rules, evaluation = its.rules, its.evaluation
    begin_tree(tree)
    forget(opponent)
    while not is_over(rules, state):
        budget.start(counters, budget.UNLIMITED, budget.UNLIMITED)
        if is_half_full(tree):
            _learn(gradient, evaluation, plan, tree, state, steps)
            level = int64(0)
        learns = side > 1 or mover(state) == side
        nodes = plan.nodes if learns else int64(1)
        grow(rules, evaluation, state, line, tree, level, nodes, counters)
        move = int64(NO_MOVE) if learns else _reply(opponent, rules, state, plan)
        if counters[budget.INTERRUPTED] or head_of(opponent).counters[budget.INTERRUPTED]:
            return False
        node = int64(tree.path[level])
        if learns:
            child = draw_child(tree, node, plan.epsilon, state.stream, state.weights)
        else:
            child = child_by(tree, node, move)
        if child >= 0:
            step_to(rules, state, tree, level, child)
            level += 1
        else:
            _learn(gradient, evaluation, plan, tree, state, steps)
            advance(rules, state, move)
            level = int64(0)
    descend(rules, evaluation, state, line, tree, level, counters)  # the end by the past
    _learn(gradient, evaluation, plan, tree, state, steps)
    return True


@jit(
    int64(
        *(types.FunctionType(GRADIENT), SEARCHER, SEARCHER, int64, ONLINE_PLAN, DESCENT_TREE),
        *(float64[:, ::1], OPENING_LINES, GAME_STATE, GAME_STATE, int64, int64, int64),
    )
)
def descend_in_games(
    gradient: Any,
    searcher: Any,
    opponent: Any,
    alone: int,
    plan: OnlinePlan,
    arrays: DescentTree,
    steps: Any,
    lines: OpeningLines,
    game_arrays: GameState,
    line_arrays: GameState,
    seed: int,
    first: int,
    games: int,
) -> int:
    """Play games as `learn_in_games` does (learning/online/kernel.py), and learn from their trees.

    The rules, the evaluation and the counters are those of `searcher`, which itself is not asked.
    """
    learner, other = at(searcher, 0), at(opponent, 0)
    state, line, tree = to_pointers(game_arrays), to_pointers(line_arrays), to_pointers(arrays)
    rules = thaw_searcher(learner).rules
    for game in range(first, first + games):
        seed_stream(state.stream, seed, game)
        if open_game(rules, state, lines, game - first, plan.opening_plies) < 0:
            return game - first
        side = int64(2) if alone else int64(game & 1)
        if not _learn_in_game(gradient, learner, other, side, state, line, plan, tree, steps):
            return game - first
    return games
