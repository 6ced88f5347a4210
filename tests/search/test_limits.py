"""Limits of a search, its interruption, and what it refuses."""

import math
import random
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.models import load_evaluator
from samuel.search import AlphaBeta, Limits, SearchOptions, new_memory, search, solve
from samuel.search.lines import best_lines
from samuel.testing.minimax import minimax
from tests.processes import TIMEOUT, start
from tests.rarely import rarely

OTHELLO = game_named("othello")
CLASSIC = load_evaluator("classic", OTHELLO)
POSITIONS = [
    Position(OTHELLO, tuple(int(word) for word in row))
    for row in random_positions(OTHELLO, 12, seed=6, min_plies=8, max_plies=40)
]


@pytest.mark.parametrize("nodes", [1, 2, 10, 100, 1000, 1023, 1024, 1025, 20_000])
def test_a_node_limit_is_kept(nodes: int) -> None:
    for position in POSITIONS:
        result = search(position, CLASSIC, nodes=nodes, exact_from=0, table_bits=12)
        assert result.nodes <= nodes + OTHELLO.max_moves  # the moves of the last node
        assert result.move in position.legal_moves()
        assert result.pv[0] == result.move
        assert len(result.pv) <= result.depth + 1  # of the iteration that was stopped


def _with_threats(name: str) -> list[Position]:
    """Return positions with many noisy moves."""
    game, chooser = game_named(name), random.Random(1)
    found = []
    for plies in range(8, 32, 4):
        position = Position.start(game)
        for _ in range(plies):
            moves = position.legal_moves()
            near = [move for move in moves if re.fullmatch("[e-k]([5-9]|1[01])", move)]
            position = position.play(chooser.choice(near or moves))
        found.append(position)
    return [position for position in found if not position.is_terminal]


@pytest.mark.parametrize("name", ["gomoku", "xiangqi"])
def test_limits_hold_beyond_the_depth_of_a_search(name: str) -> None:
    for position in _with_threats(name):
        evaluator, most = load_evaluator("classic", position.game), 1000 + position.game.max_moves
        for all_moves in (False, True):
            found = search(position, evaluator, nodes=1000, exact_from=0, all_moves=all_moves)
            assert found.nodes <= most and found.move in position.legal_moves()
            assert not all_moves or set(found.moves or ()) == set(position.legal_moves())
        memory = new_memory(position.game, 12)
        for nodes in (1, 1000):
            given = {"limits": Limits(nodes=nodes), "method": AlphaBeta(), "memory": memory}
            *_, lines = best_lines(position, evaluator, 2, **given)
            assert len(lines) == min(2, len(position.legal_moves()))
            assert lines[0].score >= lines[-1].score
            assert int(memory.counters[budget.NODES]) <= most


@jit
def _count_node(counters: Any) -> None:
    budget.count_node(at(counters, 0))


def test_the_clock_is_read_more_often_where_nodes_are_slow() -> None:
    counters, nodes = budget.new_counters(), 0
    budget.begin(counters, budget.UNLIMITED, 10_000_000)
    while not counters[budget.STOPPED]:
        nodes += 1
        time.sleep(0.002)
        _count_node(counters)
    assert nodes <= 5


def test_a_node_limit_gives_the_score_of_the_depth_reached() -> None:
    for position in POSITIONS[:6]:
        result = search(position, CLASSIC, nodes=2000, exact_from=0, table_bits=12)
        assert result.depth >= 2
        if result.depth <= 5:
            assert result.score == minimax(position, CLASSIC, result.depth)


@pytest.mark.parametrize("table", [True, False])
def test_what_a_stopped_search_plays_is_no_worse_than_what_it_knew(table: bool) -> None:
    method = AlphaBeta(options=SearchOptions(table=table))

    def worth(position: Position, move: str | None, depth: int) -> float:
        return -(minimax(position.play(move or "pass"), CLASSIC, depth - 1, ply=1) or 0.0)

    for position in POSITIONS:
        for nodes in (20, 60, 150, 400, 1000, 2500):
            settings: dict[str, Any] = {"exact_from": 0, "method": method}
            found = search(position, CLASSIC, nodes=nodes, **settings)
            if not 0 < found.depth < 5:
                continue
            before = search(position, CLASSIC, depth=found.depth, nodes=1 << 40, **settings)
            deeper = found.depth + 1
            assert worth(position, found.move, deeper) >= worth(position, before.move, deeper)


def test_of_a_stopped_iteration_the_best_move_so_far_counts() -> None:
    changes = 0
    for position in POSITIONS:
        settings: dict[str, Any] = {"exact_from": 0, "table_bits": 12}
        whole = search(position, CLASSIC, depth=5, nodes=1 << 40, **settings)
        before = search(position, CLASSIC, depth=4, nodes=1 << 40, **settings)
        # what is looked at last only shows that nothing else is better
        nearly = search(position, CLASSIC, depth=5, nodes=whole.nodes - 30, **settings)
        assert (nearly.depth, nearly.score) == (4, before.score)
        assert nearly.move in (before.move, whole.move)
        changes += nearly.move != before.move
    assert changes > 0


def test_more_nodes_reach_deeper() -> None:
    depths = [search(Position.start(), CLASSIC, nodes=n).depth for n in (100, 10_000, 1_000_000)]
    assert depths == sorted(set(depths))


@pytest.mark.parametrize("seconds", [1e-9, 0.001, 0.05])
def test_a_time_limit_gives_a_legal_move(seconds: float) -> None:
    for position in POSITIONS[:4]:
        result = search(position, CLASSIC, seconds=seconds, table_bits=12)
        assert result.seconds < seconds + TIMEOUT  # without the limit it would be years
        assert result.move in position.legal_moves()


def test_a_time_limit_of_a_hard_endgame_gives_a_legal_move() -> None:
    position = Position.parse("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X")
    result = search(position, CLASSIC, seconds=0.02, exact_from=30, table_bits=12)
    assert result.move in position.legal_moves()
    assert not result.exact


def test_the_largest_limits_are_none() -> None:
    limited = search(Position.start(), CLASSIC, depth=5, seconds=1e9, nodes=1 << 62)
    unlimited = search(Position.start(), CLASSIC, depth=5)
    assert limited.score == unlimited.score
    assert limited.depth == unlimited.depth == 5


def test_without_limits_the_depth_is_8() -> None:
    assert search(Position.start(), CLASSIC).depth == 8


def test_a_depth_beyond_the_end_of_the_game_is_no_harm() -> None:
    game = game_named("tic_tac_toe")
    result = search(Position.start(game), load_evaluator("zero", game), depth=119)
    assert result.score == 0


@pytest.mark.parametrize(
    "limits",
    [
        {"depth": 0},
        {"depth": -3},
        {"nodes": 0},
        {"seconds": 0.0},
        {"seconds": -1.0},
        {"seconds": math.nan},
        {"seconds": math.inf},
        {"depth": 999_999},
        {"depth": 2.5},
        {"threads": 0},
        {"threads": 10**6},
        {"exact_from": -1},
        {"table_bits": 60},
    ],
    ids=str,
)
def test_limits_that_are_out_of_range_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r" must be .*got"):
        search(Position.start(), CLASSIC, **limits)


def test_an_evaluator_for_another_game_is_refused() -> None:
    with pytest.raises(UserError, match="classic evaluates othello, not connect_four"):
        search(Position.start("connect_four"), CLASSIC)
    with pytest.raises(UserError, match="classic evaluates othello, not tic_tac_toe"):
        solve(Position.start("tic_tac_toe"), CLASSIC)


def test_memory_of_another_game_is_refused() -> None:
    memory = new_memory(game_named("tic_tac_toe"), 4)
    with pytest.raises(ValueError, match="this memory was made for another game or method than"):
        search(Position.start(), CLASSIC, depth=2, memory=memory)


INTERRUPTED = """
import time
from samuel.games import Position, game_named
from samuel.models import load_evaluator
from samuel.search import search, solve

start = Position.start()
classic = load_evaluator("classic", start.game)
search(start, classic, depth=1)
for again in range(2):
    print("ready", flush=True)
    try:
        {call}
        print("not interrupted", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
print(search(start, classic, depth=3).move, flush=True)
"""


@pytest.mark.parametrize(
    "call",
    ["search(start, classic, depth=60)", rarely("solve(start, classic)")],
    ids=["search", "solve"],
)
def test_ctrl_c_ends_a_search_and_the_next_one_works(tmp_path: Path, call: str) -> None:
    script = tmp_path / "search_for_ever.py"
    script.write_text(INTERRUPTED.format(call=call))
    process = start(script)
    watchdog = threading.Timer(TIMEOUT, process.kill)
    watchdog.start()
    assert process.stdout is not None
    for _ in range(2):
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)  # it is in the kernel by then; if not, the signal comes before: no harm
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
    assert process.stdout.readline().strip() in Position.start().legal_moves()
    watchdog.cancel()
    process.communicate()
    assert process.returncode == 0


def test_an_evaluator_may_be_given_by_its_name() -> None:
    position = Position.start()
    for named in (search(position, "classic", depth=1), solve_small("zero")):
        assert named.move is not None
    assert search(position, "classic", depth=1).score == search(position, CLASSIC, depth=1).score
    with pytest.raises(UserError, match="no evaluator called 'clasic'; did you mean classic"):
        search(position, "clasic", depth=1)
    with pytest.raises(UserError, match="no evaluator called"):
        search(position, Path("nowhere"), depth=1)


def solve_small(evaluator: str) -> Any:
    position = Position.parse("XOXOXO--- X", "tic_tac_toe")
    return solve(position, evaluator)
