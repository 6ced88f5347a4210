"""Forms of expectiminimax on games with dice: all have one score, that of a few lines of Python.

Lines of play where dice are thrown on the way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samuel.games import Evaluator, Game, Position, game_named
from samuel.games.playing import random_positions
from samuel.kernels.bits import mix
from samuel.models import load_evaluator
from samuel.search import AlphaBeta, SearchOptions, analyse, new_memory
from samuel.search.reference.node import PositionNode
from samuel.search.reference.reference import ALGORITHMS
from samuel.search.score import SCORE_UNIT
from tests.toys.random_tree import PLIES, RANDOM_TREE

FORMS = {
    "expectiminimax": AlphaBeta(chance="expectiminimax"),
    "star1": AlphaBeta(chance="star1"),
    "star2": AlphaBeta(chance="star2"),
    "star2.5": AlphaBeta(chance="star2", probes=2),
    "star2.5, k = 3": AlphaBeta(chance="star2", probes=3),
}
READABLE = {"backgammon": 0, "pig": 4, "random_tree": PLIES}
"""To what depth the readable forms are feasible, on every tenth position."""
DEEPEST = {"backgammon": 1, "pig": 6, "random_tree": PLIES}


def positions_of(game: Game, n: int) -> list[Position]:
    if game is RANDOM_TREE:  # each from another tree
        keys = [int(mix(np.uint64(1), np.uint64(k))) for k in range(n)]
        return [Position(game, (key, 0, k % 2)) for k, key in enumerate(keys)]
    rows = random_positions(game, n, seed=7, max_plies=60)
    return [Position(game, tuple(map(int, row))) for row in rows]


@pytest.mark.slow  # five forms compiled for each game; the toys have three, in another file
@pytest.mark.parametrize("name", DEEPEST)
def test_all_forms_have_one_score(name: str) -> None:
    game = RANDOM_TREE if name == "random_tree" else game_named(name)
    evaluator: Evaluator = load_evaluator(
        "zero" if game is RANDOM_TREE else game.defaults.first, game
    )
    without = [replace(method, options=SearchOptions(table=False)) for method in FORMS.values()]
    memories = [new_memory(game, 12) for _ in FORMS]
    for k, position in enumerate(positions_of(game, 50)):
        depth = 1 + k % DEEPEST[name]
        found = [
            analyse(position, evaluator, depth=depth, exact_from=0, method=method, memory=memory)
            for method, memory in zip(FORMS.values(), memories, strict=True)
        ]
        # without a table nothing is deepened for nothing
        found += [
            analyse(position, evaluator, depth=depth, exact_from=0, method=method)
            for method in without
        ]
        assert len({one.score for one in found}) == 1, (position, depth)
        if k % 10 == 0 and depth <= READABLE[name]:
            root = PositionNode.root(position, evaluator)
            for form in ("expectiminimax", "star1", "star2", "star2.5"):
                assert ALGORITHMS[form](root, depth) == found[0].score * SCORE_UNIT, form
    assert all(memory.contradictions == 0 for memory in memories)


@pytest.mark.slow
def test_an_evaluator_that_ignores_the_dice_is_asked_once_for_all_throws() -> None:
    game = game_named("backgammon")
    blind = load_evaluator("pubeval", game)
    assert blind.ignores_chance
    asked = replace(blind, ignores_chance=False)
    positions = positions_of(game, 12)
    before_dice = [replace(one, words=(*one.words[:4], 0)) for one in positions]
    for k, position in enumerate([*positions, *before_dice]):
        for name in ("expectiminimax", "star2"):
            method = FORMS[name]
            found, expected = (
                analyse(position, one, depth=1, exact_from=0, method=method)
                for one in (blind, asked)
            )
            same = [(one.score, one.move, one.pv) for one in (found, expected)]
            assert same[0] == same[1], (position, name)
            assert found.nodes <= expected.nodes
        if k < len(positions) and len(position.legal_moves()) > 1:
            assert 15 * found.nodes < expected.nodes
            assert found.nodes <= 2 * len(position.legal_moves()) + 2


@pytest.mark.slow
def test_an_evaluator_that_ignores_the_dice_scores_alike_deeper_and_with_corrections() -> None:
    game = game_named("backgammon")
    blind = load_evaluator("pubeval", game)
    asked = replace(blind, ignores_chance=False)
    position = Position(game, (*game.start[:4], 2 << 3 | 1))
    corrects = AlphaBeta(SearchOptions(correction=True))
    memories = [new_memory(game, 12, 2, corrects.options) for _ in range(2)]
    for method, depth in ((FORMS["star2"], 2), (corrects, 1), (corrects, 1)):
        found = [
            analyse(position, one, depth=depth, exact_from=0, method=method, memory=memory)
            if method is corrects
            else analyse(position, one, depth=depth, exact_from=0, method=method)
            for one, memory in zip((blind, asked), memories, strict=True)
        ]
        assert found[0].score == found[1].score
        assert found[0].move == found[1].move
