"""`analyse`, `solve_sign` and `stop` as they are called: what they promise, alone and combined."""

import functools
import gc
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.models import load_evaluator
from samuel.search import (
    AlphaBeta,
    Memory,
    analyse,
    new_memory,
    solve,
    solve_sign,
    stop,
)
from samuel.search.limits import run_together, start_limits
from samuel.search.method import think_at_root
from samuel.search.score import SCORE_UNIT
from tests.minimax import minimax
from tests.search.test_alphabeta import at
from tests.search.test_endgames import check_play_to_the_end, random_endgames

OTHELLO = game_named("othello")
CLASSIC = load_evaluator("classic", OTHELLO)
ZERO = load_evaluator("zero", OTHELLO)
SOON = 60
"""Seconds that no machine takes; what is asked for would take years."""
"""Seconds within which what was stopped or had a tenth of a second must be back."""


def positions(n: int, seed: int, plies: tuple[int, int]) -> list[Position]:
    return [at(OTHELLO, row) for row in random_positions(OTHELLO, n, seed, *plies)]


def sign_of(position: Position) -> int:
    return int(np.sign(solve(position, ZERO, table_bits=10).score))


def test_the_move_of_a_sign_keeps_it() -> None:
    signs = set()
    for position in positions(110, 5, (46, 52)):
        result = solve_sign(position, ZERO, table_bits=10)
        assert result.exact and result.score == sign_of(position)
        signs.add(result.score)
        if result.score < 0:
            assert (result.move, result.pv) == (None, [])
        else:
            assert result.move is not None and result.pv == [result.move]
            assert -sign_of(position.play(result.move)) == result.score
    assert signs == {-1, 0, 1}


@contextmanager
def stopped_soon(memory: Memory) -> Iterator[None]:
    """Stop the search made meanwhile; again and again, as one not begun yet is not stopped."""
    done = threading.Event()

    def work() -> None:
        while not done.wait(0.1):
            stop(memory)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("exact_from", [0, 60])
def test_another_thread_stops_a_search(threads: int, exact_from: int) -> None:
    position, memory = Position.from_transcript("f5d6c3d3c4"), new_memory(OTHELLO, 14, 14)
    analyse(position, CLASSIC, nodes=100, exact_from=exact_from, memory=memory)  # compiled
    with stopped_soon(memory):
        result = analyse(
            position,
            CLASSIC,
            depth=50,
            seconds=2 * SOON,  # so that a stop that fails is no endless test
            exact_from=exact_from,
            threads=threads,
            memory=memory,
        )
    assert result.seconds < SOON
    assert result.move in position.legal_moves() and not result.exact
    assert result.depth < 50
    again = analyse(position, CLASSIC, depth=3, exact_from=0, memory=memory)
    assert again.depth == 3 and again.score == minimax(position, CLASSIC, 3)


def test_a_thread_whose_limits_are_set_anew_ends_with_the_others() -> None:
    """An ending out of reach: each thread has half its limits for a search, then all of them."""
    position, memory = Position.from_transcript("f5d6c3d3c4"), new_memory(OTHELLO, 14, 14)
    one, two = AlphaBeta().shared(memory, OTHELLO, 2)
    for own in (one, two):
        own.begin_at(position.row, position.side, position.past)
        start_limits(own, None, 2 * SOON)
    searcher = AlphaBeta().searcher(OTHELLO, CLASSIC, two)
    make_ready([think_at_root, budget.begin])

    def ends_soon() -> None:
        time.sleep(0.5)

    began = time.perf_counter()
    run_together(
        [ends_soon, functools.partial(think_at_root, searcher, 60, 60)], [one, two], lambda: None
    )
    assert time.perf_counter() - began < SOON
    assert not two.last.exact and not two.counters[budget.ENDED]


def test_a_searcher_is_kept_until_its_memory_changes() -> None:
    memory = new_memory(OTHELLO, 4, 4)
    made = [AlphaBeta().searcher(OTHELLO, CLASSIC, memory, solves=False) for _ in range(2)]
    assert made[0] is made[1]
    memory.guided = 1
    assert AlphaBeta().searcher(OTHELLO, CLASSIC, memory, solves=False) is not made[0]


def test_threads_share_a_node_limit() -> None:
    for position in positions(6, 2, (8, 40)):
        result = analyse(position, CLASSIC, nodes=5_000, exact_from=0, threads=2, table_bits=12)
        # of each the moves of its last node, and one that rounding gives
        assert result.nodes <= 5_000 + 2 * (OTHELLO.max_moves + 1)
        assert result.depth >= 1 and result.pv[0] == result.move
        assert result.move in position.legal_moves()
        if result.depth <= 4:
            assert result.score == minimax(position, CLASSIC, result.depth)


def test_threads_search_selectively() -> None:
    full, selective, errors = 0, 0, []
    for position in positions(8, 2, (8, 30)):
        one = analyse(position, CLASSIC, depth=8, exact_from=0)
        cut = analyse(position, CLASSIC, depth=8, exact_from=0, probcut=1.2, threads=2)
        assert cut.depth == 8 and cut.move in position.legal_moves()
        full, selective = full + one.nodes, selective + cut.nodes
        errors.append(abs(one.score - cut.score))
    assert selective < full
    assert np.median(errors) < 1.5


@pytest.mark.parametrize("limits", [{"nodes": 1}, {"seconds": 1e-9}, {"seconds": 0.05}], ids=str)
@pytest.mark.parametrize("exact_from", [0, 60])
def test_all_moves_get_a_score_whatever_the_limit(limits: dict[str, Any], exact_from: int) -> None:
    for position in positions(3, 3, (8, 26)):
        result = analyse(position, CLASSIC, exact_from=exact_from, all_moves=True, **limits)
        assert result.seconds < SOON
        assert result.moves is not None and sorted(result.moves) == sorted(position.legal_moves())


@pytest.mark.parametrize("bits", [4, 16])
def test_a_memory_kept_over_an_endgame_proves_every_move(bits: int) -> None:
    for position in positions(4, 13, (45, 47)):
        memory, line = new_memory(OTHELLO, 2, bits), [position]
        while not line[-1].is_terminal:
            result = solve(line[-1], ZERO, memory=memory)
            line.append(line[-1].play(result.move))
        # there and back: what the table knows then are bounds from other windows
        for walked in [*line[:-1], *line[-2::-1]]:
            result = solve(walked, ZERO, memory=memory)
            assert result.exact and result.score == solve(walked, ZERO, table_bits=10).score
            after = solve(walked.play(result.move), ZERO, table_bits=10)
            assert after.score == -result.score
            check_play_to_the_end(walked, result)


def test_without_the_games_solver_an_exact_score_is_searched_for() -> None:
    position, score = random_endgames()[0]
    memory = new_memory(OTHELLO, 12, 12)
    memory.begin_at(position.row)
    searcher = AlphaBeta().searcher(OTHELLO, ZERO, memory, solves=False)
    think_at_root(searcher, 1, 20)
    assert (memory.last.exact, memory.last.score) == (1, score * SCORE_UNIT)


def test_what_a_block_is_packed_of_is_kept_and_of_the_right_kind() -> None:
    memory = new_memory(OTHELLO, 2, 2)
    cuts = weakref.ref(memory.cuts)
    block = memory.block()
    del memory
    gc.collect()
    assert cuts() is not None
    del block
    gc.collect()
    assert cuts() is None
    memory = new_memory(OTHELLO, 2, 2)
    memory.cuts = np.zeros((1, 1, 2, 4))
    with pytest.raises(TypeError, match="cuts must be a contiguous array of float32"):
        memory.block()


def test_an_evaluator_that_is_given_guides_the_solver() -> None:
    """It orders moves: the nodes are others, the value is the same; `zero` leaves the order."""
    (position,) = positions(1, 5, (46, 46))
    plain, guided = solve(position), solve(position, "classic")
    assert plain.score == guided.score
    assert plain.nodes == solve(position, "classic", guided=False).nodes != guided.nodes
    assert guided.nodes == solve(position, "classic", guided=True).nodes
    assert solve_sign(position).nodes != solve_sign(position, "classic").nodes


@pytest.mark.parametrize(("name", "expected"), [("patterns", 1), ("classic", 0), ("zero", 0)])
def test_learned_evaluators_order_the_endings_of_a_search(name: str, expected: int) -> None:
    (position,) = positions(1, 5, (46, 46))

    def nodes(guided: int) -> int:
        memory = new_memory(OTHELLO, 2, 16)
        memory.guided = guided
        return analyse(position, name, depth=1, exact_from=60, memory=memory).nodes

    assert nodes(-1) == nodes(expected)
    assert name == "zero" or nodes(-1) != nodes(1 - expected)
