"""Time limits: by how much a search overshoots them, seen by its caller."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.common import record
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search import new_memory, search

SEARCHES = 200


def main() -> None:
    """Search 200 positions, from the opening to the last moves, at each of four limits."""
    game = game_named("othello")
    evaluator = load_evaluator("classic", game)
    rows = random_positions(game, SEARCHES, 77, 0, 59)
    positions = [Position(game, tuple(int(word) for word in row)) for row in rows]
    memory = new_memory(game, 20, 20)  # kept, as a program that plays does
    for position in positions[:20]:  # compiles, or loads, and touches the memory
        search(position, evaluator, seconds=0.05, memory=memory)
    table = []
    for milliseconds in (1, 10, 100, 1000):
        over, illegal = [], 0
        for position in positions:
            began = time.perf_counter()
            result = search(position, evaluator, seconds=milliseconds / 1000, memory=memory)
            over.append((time.perf_counter() - began) * 1000 - milliseconds)
            illegal += result.move not in position.legal_moves()
        allowed = 5 + 0.05 * milliseconds
        table.append(
            {
                "limit ms": milliseconds,
                "searches": SEARCHES,
                "illegal moves": illegal,
                "overshoot p50 ms": float(np.percentile(over, 50)),
                "overshoot p99 ms": float(np.percentile(over, 99)),
                "worst ms": max(over),
                "allowed p99 ms": allowed,
            }
        )
    record("limits", table, "one thread; a search that is done before its limit counts as below 0")


if __name__ == "__main__":
    main()
