"""Playouts a second of UCT beside OpenSpiel's MCTS, one thread each, in one run.

Both play random games to their end from the initial position. OpenSpiel (pip install open_spiel) is
measured through its C++ bot where its Python module has one, else its Python bot; the table says
which.
"""

from __future__ import annotations

import importlib
import math
import time
from typing import Any

from benchmarks.common import median_seconds, record
from samuel.games import Position, game_named
from samuel.search import search
from samuel.search.trees.method import UCT

GAMES = ("connect_four", "othello")
OURS, THEIRS = 1_000_000, 2_000
"""Playouts of a search."""


def our_rate(name: str, threads: int = 1) -> float:
    """Return our playouts a second."""
    start, method = Position.start(game_named(name)), UCT(playouts=OURS)
    search(start, "zero", method=UCT(playouts=10), threads=threads)
    return OURS / median_seconds(lambda: search(start, "zero", method=method, threads=threads))


def their_rates(name: str) -> dict[str, float]:
    """Return the playouts a second of OpenSpiel's bots, by kind; none where it is not there."""
    try:
        mcts: Any = importlib.import_module("open_spiel.python.algorithms.mcts")
        spiel: Any = importlib.import_module("pyspiel")
    except ImportError:
        return {}
    game = spiel.load_game(name)
    state = game.new_initial_state()
    python = mcts.MCTSBot(game, math.sqrt(2), THEIRS, mcts.RandomRolloutEvaluator(1), solve=False)
    found = {"OpenSpiel, Python": THEIRS / median_seconds(lambda: python.step(state), 1)}
    if hasattr(spiel, "MCTSBot"):
        many = 20 * THEIRS
        compiled = spiel.MCTSBot(
            *(game, spiel.RandomRolloutEvaluator(1, 1), math.sqrt(2), many, 1000, False, 1, False)
        )
        found["OpenSpiel, C++"] = many / median_seconds(lambda: compiled.step(state))
    return found


def main() -> None:
    """Measure both on Connect Four and Othello."""
    rows: list[dict[str, Any]] = []
    began = time.perf_counter()
    for name in GAMES:
        rate, peers = our_rate(name), their_rates(name)
        rows.append(
            {"game": name, "who": "samuel", "playouts a second": rate, "samuel's share": ""}
        )
        both = our_rate(name, 2)
        times = f"{both / rate:.1f} times as many as one"
        row = {"game": name, "who": "two threads", "playouts a second": both}
        rows.append({**row, "samuel's share": times})
        for who, theirs in peers.items():
            times = f"{rate / theirs:.1f} times as many"
            row = {"game": name, "who": who, "playouts a second": theirs, "samuel's share": times}
            rows.append(row)
    took = f"{time.perf_counter() - began:.0f} s"
    record("playouts", rows, f"one thread where not said, medians of three, {took}")


if __name__ == "__main__":
    main()
