"""Selective searches, besides ProbCut: late moves less deep, deeper results of the table."""

import dataclasses

import numpy as np
import pytest

from samuel.games import Position, game_named
from samuel.games.random import random_positions
from samuel.models import load_evaluator
from samuel.search import new_memory, search

GAMES = {
    game: dataclasses.replace(evaluator, probcut=np.zeros_like(evaluator.probcut))
    for game in ("othello", "connect_four")
    for evaluator in [load_evaluator("classic", game_named(game))]
}
"""Without the pairs of ProbCut: what is left out are late moves alone."""


def positions(name, n, plies=(8, 24)):
    game = game_named(name)
    rows = random_positions(game, n, seed=11, min_plies=plies[0], max_plies=plies[1])
    return [Position(game, tuple(map(int, row))) for row in rows]


def searched(name, depth, confidence, **settings):
    return [
        search(position, GAMES[name], depth=depth, exact_from=0, probcut=confidence, **settings)
        for position in positions(name, 16)
    ]


@pytest.mark.parametrize("game", GAMES)
def test_late_moves_save_nodes_and_little_is_lost(game):
    full, late = searched(game, 9, None), searched(game, 9, 1.0)
    assert sum(one.nodes for one in late) < 0.9 * sum(one.nodes for one in full)
    errors = [abs(a.score - b.score) for a, b in zip(full, late, strict=True)]
    assert np.median(errors) < game_named(game).max_utility / 50


@pytest.mark.parametrize("game", GAMES)
def test_near_the_leaves_no_move_is_late(game):
    for depth in (1, 2, 3, 4):
        full, late = searched(game, depth, None), searched(game, depth, 0.1)
        assert [one.score for one in full] == [one.score for one in late]


@pytest.mark.parametrize("game", GAMES)
def test_with_enough_confidence_no_move_is_late(game):
    full, sure = searched(game, 7, None), searched(game, 7, 20.0)  # 60 moves come first
    assert [(one.score, one.nodes) for one in full] == [(one.score, one.nodes) for one in sure]


def test_more_confidence_makes_fewer_moves_late():
    nodes = [sum(one.nodes for one in searched("othello", 8, c)) for c in (0.3, 1.0, 2.0, 20.0)]
    assert nodes == sorted(nodes) and 1.5 * nodes[0] < nodes[-1]


def test_deeper_results_of_the_table_count_in_selective_searches_alone():
    for position in positions("othello", 6):
        for confidence in (None, 1.0):
            memory = new_memory(position.game, 18, 4)
            settings = {"exact_from": 0, "probcut": confidence}
            fresh = search(position, GAMES["othello"], depth=7, **settings)
            search(position, GAMES["othello"], depth=9, memory=memory, **settings)
            known = search(position, GAMES["othello"], depth=7, memory=memory, **settings)
            assert (known.nodes < fresh.nodes / 2) == (confidence is not None)
            if confidence is None:
                assert known.score == fresh.score
