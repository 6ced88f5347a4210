"""Exact endgames of Othello against values known from elsewhere.

The two passes of the endgame solver: one that leaves things out, and one that is exact. The endgame
solver of Othello by itself: windows, boards, order, known problems.
"""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from numba import int64

from samuel.games import Evaluator, Position, game_named
from samuel.games.obf import Problem, read_problems
from samuel.games.othello.endgame import TWO_PASSES_FROM
from samuel.games.othello.endgame_table import (
    best_of,
    high_of,
    is_searched,
    is_selective,
    low_of,
    mark_searched,
    probe,
    store,
)
from samuel.games.othello.last_squares import WORST
from samuel.games.playing import random_positions
from samuel.kernels.bits import Word
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.models import load_evaluator
from samuel.search import Result, analyse, new_memory, solve, solve_sign
from samuel.search.alphabeta.memory import new_table
from samuel.search.score import MAX_PLY
from samuel.selfplay.data.shard import word_columns
from samuel.selfplay.plan import SelfplayPlan, play_task
from tests.minimax import minimax
from tests.rarely import rarely
from tests.solver import solve_directly

DATA = Path(__file__).parents[1] / "data"
OTHELLO = game_named("othello")
ZERO = load_evaluator("zero", OTHELLO)
CLASSIC = load_evaluator("classic", OTHELLO)
FFO = read_problems(DATA / "ffo_1_19.obf")
HARD_FFO = read_problems(DATA / "ffo_40_49.obf")


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
    assert not analyse(far, CLASSIC, depth=2).exact
    assert analyse(near, CLASSIC, depth=2).exact
    assert analyse(far, CLASSIC, depth=2, exact_from=14).score == 18
    assert not analyse(near, CLASSIC, depth=2, exact_from=0).exact


def test_the_solver_agrees_with_a_deep_search_at_10_and_11_empty_squares() -> None:
    for row in random_positions(OTHELLO, 12, seed=33, min_plies=49, max_plies=50):
        position = Position(OTHELLO, tuple(int(word) for word in row))
        deep = analyse(position, CLASSIC, depth=24, exact_from=0, table_bits=18)
        for table_bits in (2, 16):
            assert solve(position, ZERO, table_bits=table_bits).score == deep.score


@pytest.mark.parametrize("nodes", [1, 2, 100, 5000])
def test_a_solver_out_of_nodes_falls_back_on_a_search(nodes: int) -> None:
    position = FFO[12].position
    result = analyse(position, CLASSIC, nodes=nodes, exact_from=60)
    assert not result.exact
    assert result.move in position.legal_moves()
    assert result.nodes < nodes + 2000  # the last few squares are not interrupted
    if nodes >= 100:
        assert result.score == pytest.approx(minimax(position, CLASSIC, result.depth))
        assert result.depth >= 1


def test_connect_four_endings_are_solved_by_the_general_search() -> None:
    connect_four = game_named("connect_four")
    zero = load_evaluator("zero", connect_four)
    for row in random_positions(connect_four, 60, seed=5, min_plies=32, max_plies=40):
        position = Position(connect_four, tuple(int(word) for word in row))
        result = analyse(position, zero, depth=1, exact_from=10)
        assert result.exact
        assert result.score == minimax(position, zero, MAX_PLY)


def _position(row: np.ndarray) -> Position:
    return Position(OTHELLO, tuple(int(word) for word in row))


def random_ones(n: int) -> list[Position]:
    """Positions of random games, with enough empty squares for two passes."""
    return [_position(row) for row in random_positions(OTHELLO, n, 21, 40, 60 - TWO_PASSES_FROM)]


def played_ones(n: int) -> list[Position]:
    """Positions of games that an evaluator played."""
    plan = SelfplayPlan("othello", depth=1, seed=3, exact_from=0, opening_plies=8)
    games = play_task(plan.checked(), 0, n, load_evaluator("classic", OTHELLO)).to_pandas()
    here = games[games["ply"] == 60 - TWO_PASSES_FROM]
    return [_position(row) for row in here[word_columns(OTHELLO)].to_numpy(np.uint64)]


@pytest.mark.parametrize("name", [rarely("classic"), "random"])
@pytest.mark.parametrize(
    "positions",
    [
        pytest.param(random_ones(8), id="random", marks=pytest.mark.slow),
        pytest.param(played_ones(12), id="played"),
    ],
)
def test_the_last_pass_is_exact(name: str, positions: list[Position]) -> None:
    evaluator: Evaluator = load_evaluator(name, OTHELLO)
    assert len(positions) > 6
    for position in positions:
        plain = solve_directly(position, ZERO, table_bits=16)
        for bits in (4, 16):
            found = solve_directly(position, evaluator, table_bits=bits, guided=1)
            assert found.score == plain.score
        if found.move:
            after = solve_directly(position.play(found.move), ZERO, table_bits=16)
            assert after.score == -plain.score


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


def test_win_loss_draw_is_the_sign_of_the_exact_score() -> None:
    signs = set()
    for position in positions("othello", 220, 5, (46, 52)):
        exact, sign = (solve_directly(position, ZERO, -b, b).score for b in (64, 1))
        assert (exact > 0) - (exact < 0) == (sign > 0) - (sign < 0)
        signs.add((sign > 0) - (sign < 0))
    assert signs == {-1, 0, 1}


@pytest.mark.parametrize("evaluator", [ZERO, CLASSIC], ids=["alone", "guided"])
def test_threads_share_the_work_of_an_ending_and_find_its_score(evaluator: Evaluator) -> None:
    """Two threads that did the same work twice would visit twice as much."""
    one_visits = two_visit = 0
    for position in random_ones(3):
        one = solve(position, evaluator, table_bits=18)
        for threads in (2,):
            found = solve(position, evaluator, threads=threads, table_bits=18)
            assert found.exact and found.score == one.score
            check_play_to_the_end(position, found)
            sign = solve_sign(position, evaluator, threads=threads, table_bits=18)
            assert sign.score == np.sign(one.score)
        one_visits += one.nodes
        two_visit += solve(position, evaluator, threads=2, table_bits=18).nodes
    assert two_visit < 1.7 * one_visits


@jit
def _write_elsewhere(table: Any, times: int) -> None:
    """Write rows of positions of no game, as another thread does, that cost more than others."""
    rows, n, key = at(table, 0), int64(table.shape[0]), np.uint64(1)
    for _ in range(times):
        key *= np.uint64(0x9E3779B97F4A7C15)
        store(rows, n, key, int64(-4), int64(10), int64(19), int64(1) << 50, int64(0))


def test_the_best_move_does_not_come_from_a_table_that_others_write_to() -> None:
    memory = new_memory(OTHELLO, 2, 2)
    _write_elsewhere(memory.solver_table, 1)  # compiles
    other = Thread(target=_write_elsewhere, args=(memory.solver_table, 10_000_000))
    other.start()
    while other.is_alive():
        for position, score in random_endgames()[:4]:
            result = solve(position, ZERO, memory=memory)
            assert result.score == score
            check_play_to_the_end(position, result)


@jit
def _marked_between(table: Any, key: Word) -> tuple[Word, Word, Word, Word, Word]:
    """Return entries: stored, marked, and stored again; a new one marked, and stored unproven."""
    rows = at(table, 0)
    n = int64(table.shape[0])
    store(rows, n, key, int64(-4), int64(10), int64(19), int64(100), int64(0))
    stored = probe(rows, n, key)
    mark_searched(rows, n, key)
    marked = probe(rows, n, key)
    store(rows, n, key, int64(2), int64(10), int64(19), int64(100), int64(0))
    again = probe(rows, n, key)
    mark_searched(rows, n, ~key)
    empty = probe(rows, n, ~key)
    store(rows, n, ~key, int64(2), int64(10), int64(19), int64(100), int64(1))
    return stored, marked, again, empty, probe(rows, n, ~key)


@jit
def _read(entry: Word) -> tuple[bool, int, int, int, int]:
    told = is_selective(entry), low_of(entry), high_of(entry), best_of(entry)
    return is_searched(entry), *told


def test_a_mark_of_another_thread_changes_no_bound_and_is_dropped() -> None:
    entries = _marked_between(new_table(4), np.uint64(0x123456789ABCDEF0))
    stored, marked, again, empty, unproven = (_read(np.uint64(entry)) for entry in entries)
    assert stored == (False, 0, -4, 10, 19)
    assert marked == (True, 0, -4, 10, 19)
    assert again == (False, 0, 2, 10, 19)
    assert empty == (True, 1, WORST, -WORST, -1)
    assert unproven == (False, 1, 2, 10, 19)


@pytest.mark.parametrize(
    "problem", [*HARD_FFO[:3], *map(rarely, HARD_FFO[3:5])], ids=lambda problem: problem.name
)
def test_ffo_40_to_44(problem: Problem) -> None:
    found = solve_directly(problem.position, ZERO, table_bits=20)
    assert found.score == problem.best_score
    assert found.move in problem.best_moves
    assert found.nodes < 100_000_000
