"""Descent, against its paper in plain Python, and against minimax where it has solved the game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import int64, types

from samuel.games import Evaluator, Game, Position
from samuel.games.catalog import game_named
from samuel.games.evaluator import EVALUATION
from samuel.games.playing import GAME_STATE, begin, new_game_state, random_positions
from samuel.games.rules import EVALUATE, ROW, RULES
from samuel.kernels import budget
from samuel.kernels.bits import ZERO, hash_of
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at, compose_closure
from samuel.kernels.records import to_pointers
from samuel.search.trees.descent import (
    DESCENT_TREE,
    FAMILIES_USED,
    NODES_USED,
    begin_tree,
    draw_child,
    grow,
    new_descent_tree,
    step_to,
)
from tests.descent import PlainTree
from tests.minimax import minimax
from tests.toys import DOTS_AND_BOXES, RETREAT

GAMES = [game_named("tic_tac_toe"), game_named("othello_4x4"), DOTS_AND_BOXES, RETREAT]


def hashed(game: Game, spread: float) -> Evaluator:
    """Return an evaluator that says anything, between +-spread of the largest result."""
    words, most = game.words, spread * game.scores.max_utility / 2.0**63

    def score(position: Any, integers: Any, floats: Any) -> float:
        key = np.int64(hash_of(position, words, ZERO))
        return np.float32(most * key)

    return Evaluator("hashed", game.name, compose_closure(score, EVALUATE))


@jit(
    types.void(
        *(RULES, EVALUATION, DESCENT_TREE, GAME_STATE, GAME_STATE, ROW, int64, int64),
        types.Array(int64, 1, "C"),
    )
)
def _play(
    rules: Any,
    evaluation: Any,
    arrays: Any,
    game: Any,
    line: Any,
    start: Any,
    nodes: int,
    moves: int,
    counters: Any,
) -> None:
    """Let a tree grow before each of so many moves, half of which are not the best."""
    state, other = to_pointers(game), to_pointers(line)
    tree, static = to_pointers(arrays), to_pointers(evaluation)
    begin(rules, state, at(start, 0), int64(0))
    begin_tree(tree)
    for level in range(moves):
        grow(rules, static, state, other, tree, level, nodes, at(counters, 0))
        node = int64(tree.path[level])
        child = draw_child(tree, node, 0.5, state.stream, state.weights)
        step_to(rules, state, tree, level, child)
    grow(rules, static, state, other, tree, int64(moves), nodes, at(counters, 0))


def grown(
    position: Position, evaluator: Evaluator, nodes: int, moves: int, room: int = 1 << 16
) -> Any:
    game, tree = position.game, new_descent_tree(position.game, room)
    state = new_game_state(game)
    state.stream[0] = 5
    rules, row = game.rules_of_play, position.row
    others = state, new_game_state(game), row, nodes, moves, budget.new_counters()
    _play(rules, evaluator.evaluation(), tree, *others)
    return tree


def positions_of(game: Game, n: int, seed: int, plies: int) -> list[Position]:
    rows = random_positions(game, n, seed, plies, plies)
    return [Position(game, tuple(map(int, row))) for row in rows]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("spread", [0.9, 0.01])  # the second has ties
def test_trees_are_those_of_plain_python(game: Game, spread: float) -> None:
    evaluator, solved = hashed(game, spread), 0
    begun = [Position.start(game), *positions_of(game, 2, 2, 5)]
    for position in begun:
        moves = 2
        tree = grown(position, evaluator, 100, moves)
        plain = PlainTree(position, evaluator, np.array([5], np.uint64))
        for _ in range(moves):
            plain.grow(100)
            plain.line.append(plain.draw(0.5))
        plain.grow(100)
        assert tree.size[FAMILIES_USED] == len(plain.expanded)
        assert tree.size[NODES_USED] == 1 + plain.nodes
        for family, node in enumerate(plain.expanded):
            children = slice(tree.first[family], tree.first[family] + tree.counts[family])
            assert tree.values[family] == node.value
            assert list(tree.positions[family]) == list(node.position.row)
            assert list(tree.moves[children]) == [child.move for child in node.children]
            assert list(tree.scores[children]) == [child.score for child in node.children]
            assert list(tree.solved[children]) == [child.solved for child in node.children]
        solved += sum(node.solved for node in plain.expanded)
    assert solved


def test_a_position_that_is_solved_is_worth_what_minimax_says() -> None:
    for game in (game_named("tic_tac_toe"), game_named("othello_4x4")):
        evaluator = hashed(game, 0.9)
        for position in positions_of(game, 20, 3, 4):
            tree = grown(position, evaluator, 1 << 20, 0)
            assert tree.solved[0]
            exact = minimax(position, evaluator, 60) or 0.0
            if game.sooner_is_better:  # the first win that is found need not be the soonest
                assert np.sign(tree.values[0]) == np.sign(exact)
            else:
                assert tree.values[0] == 1000 * exact
