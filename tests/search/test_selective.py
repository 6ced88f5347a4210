"""Selective searches, besides ProbCut: late moves less deep, deeper results of the table."""

import dataclasses

import numpy as np
import pytest

from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search import SearchOptions, new_memory, search
from samuel.search.reference.node import INFINITY, PositionNode
from tests.rarely import rarely_but

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


def reduced(node, depth, alpha, beta, early):
    """Do as principal variation search does that searches late moves less deep, by the book."""
    if depth == 0 or node.is_terminal:
        return node.score
    best, reached = -INFINITY, alpha
    for i, child in enumerate(node.children):

        def below(plies, beta, child=child, alpha=reached):
            if child.is_max == node.is_max:
                return reduced(child, plies, alpha, beta, early)
            return -reduced(child, plies, -beta, -alpha, early)

        score = -INFINITY
        is_late = depth >= 5 and beta - alpha == 1 and i >= early
        if is_late:
            score = below(depth - 3, reached + 1)
        if not is_late or score > reached:
            score = below(depth - 1, reached + 1 if i else beta)
        if i and reached < score < beta:
            score = below(depth - 1, beta)
        best, reached = max(best, score), max(reached, score)
        if best >= beta:
            break
    return best


@pytest.mark.parametrize("confidence", [0.3, 1.0])
@pytest.mark.parametrize("name", rarely_but(GAMES, "connect_four"))
def test_late_moves_are_searched_as_by_the_book(name, confidence):
    scouts = dataclasses.replace(SearchOptions.none(), pvs=True)
    late = dataclasses.replace(scouts, late_moves=True)
    settings = {"depth": 6, "exact_from": 0, "probcut": confidence}
    nodes = [0, 0]
    for position in positions(name, 3):
        full, found = (
            search(position, GAMES[name], switches=switches, **settings)
            for switches in (scouts, late)
        )
        root = PositionNode.root(position, GAMES[name])
        by_the_book = reduced(root, 6, -INFINITY, INFINITY, round(3 * confidence))
        assert round(found.score * 1000) == by_the_book
        nodes = [nodes[0] + full.nodes, nodes[1] + found.nodes]
    assert nodes[1] < nodes[0]


def test_what_is_solved_leaves_nothing_out():
    game = game_named("connect_four")
    evaluator = load_evaluator("classic", game)
    exact = 0
    for position in positions("connect_four", 40, (20, 28)):
        full, sure = (
            search(position, evaluator, exact_from=42, probcut=confidence, table_bits=20)
            for confidence in (None, 0.1)
        )
        assert full.exact and sure.exact and full.score == sure.score
        assert sure.nodes == pytest.approx(full.nodes, rel=0.02)  # rows of other keys collide
        exact += full.nodes > 1000
    assert exact > 10


def test_each_part_is_switched_by_itself():
    settings = {
        "depth": 8,
        "exact_from": 0,
        "probcut": 1.0,
        "switches": SearchOptions(late_moves=False, deeper_rows=False),
    }
    nodes = [0, 0]
    for position in positions("othello", 4):
        full = search(position, GAMES["othello"], depth=8, exact_from=0)
        neither = search(position, GAMES["othello"], **settings)
        assert (neither.score, neither.nodes) == (full.score, full.nodes)
        cut = search(position, load_evaluator("classic", position.game), **settings)
        nodes = [nodes[0] + full.nodes, nodes[1] + cut.nodes]
    assert nodes[1] < 0.8 * nodes[0]


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
