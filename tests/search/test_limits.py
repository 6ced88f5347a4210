"""Limits of a search, its interruption, and what it refuses."""

import math
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search import AlphaBeta, SearchOptions, analyse
from tests.minimax import minimax
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
        result = analyse(position, CLASSIC, nodes=nodes, exact_from=0, table_bits=12)
        assert result.nodes <= nodes + OTHELLO.max_moves  # the moves of the last node
        assert result.move in position.legal_moves()
        assert result.pv[0] == result.move
        assert len(result.pv) <= result.depth + 1  # of the iteration that was stopped


@pytest.mark.parametrize("table", [True, False])
def test_what_a_stopped_search_plays_is_no_worse_than_what_it_knew(table: bool) -> None:
    method = AlphaBeta(options=SearchOptions(table=table))

    def worth(position: Position, move: str | None, depth: int) -> float:
        return -(minimax(position.play(move or "pass"), CLASSIC, depth - 1, ply=1) or 0.0)

    for position in POSITIONS:
        for nodes in (20, 60, 150, 400, 1000, 2500):
            settings: dict[str, Any] = {"exact_from": 0, "method": method}
            found = analyse(position, CLASSIC, nodes=nodes, **settings)
            if not 0 < found.depth < 5:
                continue
            before = analyse(position, CLASSIC, depth=found.depth, nodes=1 << 40, **settings)
            deeper = found.depth + 1
            assert worth(position, found.move, deeper) >= worth(position, before.move, deeper)


def test_of_a_stopped_iteration_the_best_move_so_far_counts() -> None:
    changes = 0
    for position in POSITIONS:
        settings: dict[str, Any] = {"exact_from": 0, "table_bits": 12}
        whole = analyse(position, CLASSIC, depth=5, nodes=1 << 40, **settings)
        before = analyse(position, CLASSIC, depth=4, nodes=1 << 40, **settings)
        # what is looked at last only shows that nothing else is better
        nearly = analyse(position, CLASSIC, depth=5, nodes=whole.nodes - 30, **settings)
        assert (nearly.depth, nearly.score) == (4, before.score)
        assert nearly.move in (before.move, whole.move)
        changes += nearly.move != before.move
    assert changes > 0


@pytest.mark.parametrize("seconds", [1e-9, 0.001, 0.05])
def test_a_time_limit_gives_a_legal_move(seconds: float) -> None:
    for position in POSITIONS[:4]:
        result = analyse(position, CLASSIC, seconds=seconds, table_bits=12)
        assert result.seconds < seconds + TIMEOUT  # without the limit it would be years
        assert result.move in position.legal_moves()


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
        analyse(Position.start(), CLASSIC, **limits)


INTERRUPTED = """
import time
from samuel.games import Position, game_named
from samuel.models import load_evaluator
from samuel.search import analyse, solve

start = Position.start()
classic = load_evaluator("classic", start.game)
analyse(start, classic, depth=1)
for again in range(2):
    print("ready", flush=True)
    try:
        {call}
        print("not interrupted", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
print(analyse(start, classic, depth=3).move, flush=True)
"""


@pytest.mark.parametrize(
    "call",
    ["analyse(start, classic, depth=60)", rarely("solve(start, classic)")],
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
