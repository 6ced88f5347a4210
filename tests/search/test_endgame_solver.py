"""The endgame solver of Othello by itself: windows, boards, order, known problems."""

from pathlib import Path

import pytest

from samuel.games import Position, game_named
from samuel.games.obf import Problem, read_problems
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search.score import MAX_PLY
from samuel.testing.minimax import minimax
from tests.rarely import rarely
from tests.solver import solve_directly

DATA = Path(__file__).parents[1] / "data"
OTHELLO = game_named("othello")
ZERO = load_evaluator("zero", OTHELLO)
CLASSIC = load_evaluator("classic", OTHELLO)
FFO = read_problems(DATA / "ffo_40_49.obf")
SMALLER = {"othello_6x6": (24, 31), "othello_4x4": (4, 11)}


def positions(name: str, n: int, seed: int, plies: tuple[int, int]) -> list[Position]:
    game = game_named(name)
    rows = random_positions(game, n, seed, *plies)
    return [Position(game, tuple(int(word) for word in row)) for row in rows]


def check_windows(position: Position, table_bits: int) -> None:
    """A score outside a window bounds the value from the right side; inside, it is the value."""
    zero = load_evaluator("zero", position.game)
    value = minimax(position, zero, MAX_PLY)
    assert value is not None
    for alpha in (-64, -21, -3, -1, 0, 1, 4, 21, int(value) - 1, int(value)):
        for beta in (alpha + 1, alpha + 2, alpha + 10, 64):
            if beta <= alpha:
                continue
            found = solve_directly(position, zero, alpha, beta, table_bits=table_bits)
            if found.score <= alpha:
                assert value <= found.score
            elif found.score >= beta:
                assert value >= found.score
            else:
                assert value == found.score


@pytest.mark.parametrize("table_bits", [1, 3, 12])
def test_every_window_bounds_the_value(table_bits: int) -> None:
    for position in positions("othello", 60, 7, (52, 59)):
        check_windows(position, table_bits)


@pytest.mark.parametrize("name", SMALLER)
def test_every_window_bounds_the_value_on_smaller_boards(name: str) -> None:
    for position in positions(name, 40, 3, SMALLER[name]):
        check_windows(position, 10)


def test_the_best_move_is_left_in_the_scratch() -> None:
    for position in positions("othello", 100, 11, (50, 58)):
        found = solve_directly(position, ZERO)
        if found.move:
            after = solve_directly(position.play(found.move), ZERO)
            assert after.score == -found.score


def test_win_loss_draw_is_the_sign_of_the_exact_score() -> None:
    signs = set()
    for position in positions("othello", 220, 5, (46, 52)):
        exact, sign = (solve_directly(position, ZERO, -b, b).score for b in (64, 1))
        assert (exact > 0) - (exact < 0) == (sign > 0) - (sign < 0)
        signs.add((sign > 0) - (sign < 0))
    assert signs == {-1, 0, 1}


def test_an_evaluator_changes_the_order_and_not_the_score() -> None:
    differing = 0
    for position in positions("othello", 30, 9, (43, 46)):
        plain = solve_directly(position, ZERO, table_bits=16)
        guided = solve_directly(position, CLASSIC, table_bits=16, guided=1)
        assert guided.score == plain.score
        differing += guided.nodes != plain.nodes
    assert differing > 0


@pytest.mark.parametrize(
    "problem", [*FFO[:3], *map(rarely, FFO[3:5])], ids=lambda problem: problem.name
)
def test_ffo_40_to_44(problem: Problem) -> None:
    found = solve_directly(problem.position, ZERO, table_bits=20)
    assert found.score == problem.best_score
    assert found.move in problem.best_moves
    assert found.nodes < 100_000_000


@pytest.mark.slow
@pytest.mark.parametrize("problem", FFO[6:8], ids=lambda problem: problem.name)
def test_ffo_46_and_47(problem: Problem) -> None:
    found = solve_directly(problem.position, ZERO, table_bits=22)
    assert found.score == problem.best_score
    assert found.move in problem.best_moves
