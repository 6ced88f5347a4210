"""Alpha-beta in every form against plain minimax: its score, its move, its line."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from samuel.games import Evaluator, Game, Position, game_named
from samuel.games.connect_four.rules import GAME as FORCING
from samuel.games.connect_four.rules import order
from samuel.games.groups import SearchRules
from samuel.games.othello.rules import GAME as OTHELLO
from samuel.games.playing import random_positions
from samuel.games.tic_tac_toe.rules import GAME as TIC_TAC_TOE
from samuel.kernels.bits import ZERO, mix
from samuel.kernels.jit import jit
from samuel.models import evaluate, load_evaluator
from samuel.search import Result, SearchOptions, analyse, new_memory
from samuel.search.score import SCORE_UNIT
from tests.minimax import minimax
from tests.rarely import rarely

CONNECT_FOUR = replace(FORCING, search=SearchRules(order=order))
"""Lines of forced moves would go beyond the depth."""
GAMES = [OTHELLO, CONNECT_FOUR, TIC_TAC_TOE]
PASSING = "e6f6d3e7e8d8g7f8"  # X must pass


@jit
def _noise(position: Any, integers: Any, floats: Any) -> float:
    """Return a number that says nothing: between neighbours it jumps as no real evaluation does."""
    key = mix(mix(ZERO, position[0]), position[1])
    return np.float32(np.int64(key & np.uint64(63)) - 32) * floats[0]


def noise(game: Game) -> Evaluator:
    """Return an evaluator with many equal scores and no relation between parent and child."""
    scale = 0.5 if game is OTHELLO else 0.02
    return Evaluator("noise", game.name, _noise, 2, floats=np.array([scale], np.float32))


def depth_of(game: Game, number: int) -> int:
    return 1 + number % (4 if game is OTHELLO else 6)


def at(game: Game, row: Any) -> Position:
    return Position(game, tuple(int(word) for word in row))


def check_line(position: Position, evaluator: Evaluator, depth: int, result: Result) -> None:
    """Follow the principal variation: what stands at its end is worth the score."""
    game = position.game
    assert len(result.pv) <= depth
    for move in result.pv:
        position = position.play(move)
    if position.is_terminal:
        score = minimax(position, evaluator, 0, ply=len(result.pv))
    else:
        assert len(result.pv) == depth, "a line that stops before its depth and before the end"
        score = float(evaluate(evaluator, game, position.row)[0])
    sign = -1 if len(result.pv) % 2 else 1
    assert result.score == pytest.approx(sign * score, abs=0.51 / SCORE_UNIT)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("kind", ["classic", "noise"])
@pytest.mark.parametrize("table_bits", [2, rarely(14)], ids=["tiny table", "large table"])
def test_alphabeta_is_minimax_on_80_positions(game: Game, kind: str, table_bits: int) -> None:
    evaluator = noise(game) if kind == "noise" else load_evaluator(kind, game)
    for number, row in enumerate(random_positions(game, 80, seed=17)):
        position, depth = at(game, row), depth_of(game, number)
        expected = minimax(position, evaluator, depth)
        result = analyse(position, evaluator, depth=depth, exact_from=0, table_bits=table_bits)
        assert result.score == expected
        assert not result.exact
        after = position.play(result.move)
        assert -minimax(after, evaluator, depth - 1, ply=1) == expected
        assert result.pv[0] == result.move
        check_line(position, evaluator, depth, result)


def plain_minimax(position: Position, evaluator: Evaluator, depth: int) -> float:
    """Ten lines of Python; the compiled oracle of the other tests is compared with them."""
    if position.is_terminal:
        return position.utility()
    if depth == 0:
        return float(evaluate(evaluator, position.game, position.row)[0])
    children = [position.play(move) for move in position.legal_moves()]
    return max(-plain_minimax(child, evaluator, depth - 1) for child in children)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_oracle_is_minimax(game: Game) -> None:
    evaluator = load_evaluator("classic", game)
    # up to 3 plies a win is worth 0.003 less than 1
    slack = 0.0031 if game.sooner_is_better else 0.51 / SCORE_UNIT
    for number, row in enumerate(random_positions(game, 20, seed=4)):
        depth = number % 3
        expected = plain_minimax(at(game, row), evaluator, depth)
        assert minimax(at(game, row), evaluator, depth) == pytest.approx(expected, abs=slack)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_a_deep_search_left_in_the_table_changes_no_shallow_score(game: Game) -> None:
    evaluator, options = noise(game), SearchOptions(enhanced_cutoffs=True)
    for row in random_positions(game, 12, seed=31, max_plies=30):
        position, memory = at(game, row), new_memory(game, 16, 2, options)
        for depth in (8, 7, 5, 6, 4):
            kept = analyse(position, evaluator, depth=depth, exact_from=0, memory=memory)
            fresh = analyse(position, evaluator, depth=depth, exact_from=0, table_bits=16)
            assert kept.score == fresh.score
        assert kept.score == minimax(position, evaluator, 4)


def test_the_same_search_visits_the_same_nodes() -> None:
    evaluator = load_evaluator("classic", OTHELLO)
    one, other = (analyse(Position.start(), evaluator, depth=6) for _ in range(2))
    assert (one.score, one.pv, one.nodes) == (other.score, other.pv, other.nodes)


def test_alphabeta_needs_fewer_nodes_than_minimax() -> None:
    evaluator = load_evaluator("classic", OTHELLO)
    result = analyse(Position.start(), evaluator, depth=8, exact_from=0)
    assert result.depth == 8
    assert result.nodes < 390_216 / 10


def test_a_forced_pass_is_searched_as_a_ply() -> None:
    evaluator = load_evaluator("classic", OTHELLO)
    position = Position.from_transcript(PASSING)
    for depth in range(1, 6):
        result = analyse(position, evaluator, depth=depth, exact_from=0)
        assert result.move == result.pv[0] == "pass"
        assert result.score == minimax(position, evaluator, depth)
        if depth > 1:
            after = analyse(position.play("pass"), evaluator, depth=depth - 1, exact_from=0)
            assert result.score == -after.score


def test_a_finished_game_has_its_utility_and_no_move() -> None:
    for text, game, score in (
        ("X" * 40 + "O" * 24 + " O", "othello", -16),
        ("XXXOO---- O", "tic_tac_toe", -1),
        ("XOXXOXOXO O", "tic_tac_toe", 0),
    ):
        position = Position.parse(text, game)
        for limits in ({"depth": 4}, {"nodes": 10}, {"depth": 3, "exact_from": 64}):
            result = analyse(position, load_evaluator("zero", game_named(game)), **limits)
            assert result.score == score
            assert result.move is None
            assert result.pv == []


def test_a_forced_end_scores_by_the_plies_to_it() -> None:
    zero, forced = load_evaluator("zero", CONNECT_FOUR), set()
    for row in random_positions(CONNECT_FOUR, 150, seed=9, min_plies=8):
        result = analyse(at(CONNECT_FOUR, row), zero, depth=6, exact_from=0, table_bits=10)
        if abs(result.score) > 0.5:
            sign = 1 if len(result.pv) % 2 else -1  # who moves last has won
            assert result.score == pytest.approx(sign * (1 - len(result.pv) / SCORE_UNIT))
            forced.add(len(result.pv))
    assert forced >= {1, 2, 3, 5}


def test_static_evaluations_never_look_like_a_forced_win() -> None:
    @jit
    def boasts(position: Any, integers: Any, floats: Any) -> float:
        return np.inf if position[0] & np.uint64(1) else -1e30

    evaluator = Evaluator("boasts", "any", boasts, 2)
    for game in GAMES:
        result = analyse(Position.start(game), evaluator, depth=2, exact_from=0)
        bound = game.scores.max_utility - (0.121 if game.sooner_is_better else 0)
        assert abs(result.score) == pytest.approx(bound)
