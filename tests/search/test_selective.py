"""Selective searches, besides ProbCut: late moves less deep, deeper results of the table.

Noisy moves are looked at before the evaluator is asked, by each form of the search.
"""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numba import int64

from samuel.games import Game, Position, SearchRules, game_named
from samuel.games.connect_four.rules import GAME as CONNECT_FOUR
from samuel.games.playing import random_positions
from samuel.kernels.jit import jit
from samuel.models import load_evaluator
from samuel.search import SearchOptions, analyse, new_memory
from samuel.search.reference.node import INFINITY, PositionNode
from samuel.search.reference.reference import alphabeta_with_memory, minimax, pvs
from samuel.search.score import SCORE_UNIT
from tests.minimax import minimax as oracle
from tests.rarely import rarely_but
from tests.search.test_alphabeta import at, noise

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
        analyse(position, GAMES[name], depth=depth, exact_from=0, probcut=confidence, **settings)
        for position in positions(name, 16)
    ]


@pytest.mark.parametrize("game", GAMES)
def test_late_moves_save_nodes_and_little_is_lost(game):
    full, late = searched(game, 9, None), searched(game, 9, 1.0)
    assert sum(one.nodes for one in late) < 0.9 * sum(one.nodes for one in full)
    errors = [abs(a.score - b.score) for a, b in zip(full, late, strict=True)]
    assert np.median(errors) < game_named(game).scores.max_utility / 50


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
            analyse(position, GAMES[name], options=options, **settings)
            for options in (scouts, late)
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
            analyse(position, evaluator, exact_from=42, probcut=confidence, table_bits=20)
            for confidence in (None, 0.1)
        )
        assert full.exact and sure.exact and full.score == sure.score
        assert sure.nodes == pytest.approx(full.nodes, rel=0.02)  # rows of other keys collide
        exact += full.nodes > 1000
    assert exact > 10


def test_deeper_results_of_the_table_count_in_selective_searches_alone():
    for position in positions("othello", 6):
        for confidence in (None, 1.0):
            memory = new_memory(position.game, 18, 4)
            settings = {"exact_from": 0, "probcut": confidence}
            fresh = analyse(position, GAMES["othello"], depth=7, **settings)
            analyse(position, GAMES["othello"], depth=9, memory=memory, **settings)
            known = analyse(position, GAMES["othello"], depth=7, memory=memory, **settings)
            assert (known.nodes < fresh.nodes / 2) == (confidence is not None)
            if confidence is None:
                assert known.score == fresh.score


_legal_moves, _is_terminal = CONNECT_FOUR.legal_moves, CONNECT_FOUR.is_terminal


@jit
def even_columns(position: Any, move: int, beyond: int, moves: Any) -> int:
    """List what falls into every other column; all there is where all others are full."""
    if _is_terminal(position):
        return int64(0)
    n = _legal_moves(position, moves)
    kept = int64(0)
    for i in range(n):
        if moves[i] % 2 == 0:
            moves[kept] = moves[i]
            kept += 1
    return -n if kept == n else kept


EVEN = replace(CONNECT_FOUR, name="even", search=SearchRules(noisy=even_columns))


def late_positions(game: Game, number: int) -> list[Position]:
    rows = [row for row in random_positions(game, 40 * number, seed=3) if game.left_in(row) <= 12]
    return [at(game, row) for row in rows[:number]]


def test_every_form_looks_at_noisy_moves() -> None:
    evaluator, forced, differ = noise(EVEN), 0, 0
    for number, position in enumerate(late_positions(EVEN, 45)):
        depth = 1 + number % 4
        expected = oracle(position, evaluator, depth)
        forced += EVEN.noisy_in(position.row)[1]
        for options in (SearchOptions(), SearchOptions.none()):
            found = analyse(position, evaluator, depth=depth, exact_from=0, options=options)
            assert found.score == expected
        node = PositionNode.root(position, evaluator)
        for algorithm in (minimax, alphabeta_with_memory, pvs):
            assert algorithm(node, depth) / SCORE_UNIT == expected
        plain = Position(CONNECT_FOUR, position.words, position.side)
        differ += oracle(plain, noise(CONNECT_FOUR), depth) != expected
    assert differ > 5, "noisy moves decides nothing here"
    assert forced > 0
