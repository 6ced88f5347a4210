"""Exact endgames of Othello against values known from elsewhere."""

from pathlib import Path

import pytest

from samuel.games import Position, game_named
from samuel.games.obf import Problem, read_problems
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search import Result, new_memory, search, solve
from samuel.search.score import MAX_PLY
from samuel.testing.minimax import minimax

DATA = Path(__file__).parents[1] / "data"
OTHELLO = game_named("othello")
ZERO = load_evaluator("zero", OTHELLO)
CLASSIC = load_evaluator("classic", OTHELLO)
FFO = read_problems(DATA / "ffo_1_19.obf")


def random_endgames() -> list[tuple[Position, int]]:
    lines = (DATA / "random_endgames.txt").read_text().splitlines()
    known = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    return [(Position.parse(text), int(score)) for text, score in known]


def check_play_to_the_end(position: Position, result: Result) -> None:
    """The line ends a game, worth the score; each move on it keeps the value."""
    sign = 1
    for move in result.pv:
        position, sign = position.play(move), -sign
    assert position.is_terminal
    assert sign * position.utility() == result.score


@pytest.mark.parametrize(("position", "score"), random_endgames(), ids=lambda v: str(v))
def test_random_endgames(position: Position, score: int) -> None:
    result = solve(position, ZERO, table_bits=14)
    assert result.exact
    assert result.score == score
    assert result.depth == OTHELLO.plies_left_in(position.row)
    check_play_to_the_end(position, result)
    after = solve(position.play(result.move), ZERO, table_bits=14)
    assert after.score == -score


def test_there_are_24_random_endgames() -> None:
    assert len(random_endgames()) == 24


@pytest.mark.parametrize("problem", FFO, ids=lambda problem: problem.name)
def test_ffo(problem: Problem) -> None:
    result = solve(problem.position, ZERO)
    assert result.exact
    assert result.score == problem.best_score
    assert result.move in problem.best_moves
    check_play_to_the_end(problem.position, result)


def test_every_move_of_small_endgames_is_valued_as_by_minimax() -> None:
    for row in random_positions(OTHELLO, 150, seed=21, min_plies=52, max_plies=58):
        position = Position(OTHELLO, tuple(int(word) for word in row))
        value = minimax(position, ZERO, MAX_PLY)
        for table_bits in (1, 12):
            result = solve(position, ZERO, table_bits=table_bits)
            assert result.score == value
            assert -minimax(position.play(result.move), ZERO, MAX_PLY) == value
            check_play_to_the_end(position, result)


def test_endgames_are_solved_by_themselves_when_near_the_end() -> None:
    far, near = FFO[0].position, random_endgames()[2][0]
    assert not search(far, CLASSIC, depth=2).exact
    assert search(near, CLASSIC, depth=2).exact
    assert search(far, CLASSIC, depth=2, exact_from=14).score == 18
    assert not search(near, CLASSIC, depth=2, exact_from=0).exact


def test_a_deep_search_agrees_with_the_solver() -> None:
    for position, score in random_endgames()[:8]:
        if OTHELLO.plies_left_in(position.row) <= 8:
            assert search(position, CLASSIC, depth=20, exact_from=0).score == score


def test_the_solver_agrees_with_a_deep_search_at_10_and_11_empty_squares() -> None:
    for row in random_positions(OTHELLO, 12, seed=33, min_plies=49, max_plies=50):
        position = Position(OTHELLO, tuple(int(word) for word in row))
        deep = search(position, CLASSIC, depth=24, exact_from=0, table_bits=18)
        for table_bits in (2, 16):
            assert solve(position, ZERO, table_bits=table_bits).score == deep.score


def test_memory_kept_over_problems_changes_nothing() -> None:
    memory = new_memory(OTHELLO, 10, 10)
    for problem in FFO[:6]:
        result = search(problem.position, ZERO, depth=1, exact_from=60, memory=memory)
        assert result.score == problem.best_score
        assert result.move in problem.best_moves


@pytest.mark.parametrize("nodes", [1, 2, 100, 5000])
def test_a_solver_out_of_nodes_falls_back_on_a_search(nodes: int) -> None:
    position = FFO[12].position
    result = search(position, CLASSIC, nodes=nodes, exact_from=60)
    assert not result.exact
    assert result.move in position.legal_moves()
    assert result.nodes < nodes + 2000  # the last few squares are not interrupted
    if nodes >= 100:
        assert result.score == pytest.approx(minimax(position, CLASSIC, result.depth))
        assert result.depth >= 1


def test_a_solver_with_enough_nodes_solves_within_them() -> None:
    result = search(FFO[0].position, CLASSIC, nodes=50_000_000, exact_from=60)
    assert result.exact
    assert result.score == 18


def test_exact_from_0_is_never() -> None:
    full = Position.parse("X" * 40 + "O" * 24 + " X")
    assert search(full, CLASSIC, depth=1, exact_from=0).exact  # it is over
    nearly = Position.parse("X" * 40 + "O" * 22 + "-X X")
    assert not nearly.is_terminal and search(nearly, CLASSIC, depth=1).exact
    assert not search(nearly, CLASSIC, depth=1, exact_from=0).exact


def test_connect_four_endings_are_solved_by_the_general_search() -> None:
    connect_four = game_named("connect_four")
    zero = load_evaluator("zero", connect_four)
    for row in random_positions(connect_four, 60, seed=5, min_plies=32, max_plies=40):
        position = Position(connect_four, tuple(int(word) for word in row))
        result = search(position, zero, depth=1, exact_from=10)
        assert result.exact
        assert result.score == minimax(position, zero, MAX_PLY)
