"""Threads: time to a depth with two threads over one table, against one."""

from __future__ import annotations

import statistics

from benchmarks.common import midgame_positions, record
from samuel.models import load_evaluator
from samuel.search import search

DEPTH = 12


def main() -> None:
    """Search 20 midgame positions to depth 12 with one thread and with two, in turns."""
    positions = midgame_positions()
    evaluator = load_evaluator("classic", positions[0].game)
    search(positions[0], evaluator, depth=6, threads=2)  # compiles, or loads
    rows = []
    for number, position in enumerate(positions):
        one, two = (
            search(position, evaluator, depth=DEPTH, exact_from=0, threads=threads, table_bits=22)
            for threads in (1, 2)
        )
        rows.append(
            {
                "position": str(number),
                "1 thread s": one.seconds,
                "2 threads s": two.seconds,
                "times faster": one.seconds / two.seconds,
                "times the nodes": two.nodes / one.nodes,
                "same score": str(one.score == two.score),
            }
        )
    speedups = [row["times faster"] for row in rows]
    total = sum(row["1 thread s"] for row in rows) / sum(row["2 threads s"] for row in rows)
    rows.append({**rows[0], "position": "median", "times faster": statistics.median(speedups)})
    record("threads", rows, f"depth {DEPTH}, classic; {total:.2f} times faster in total")


if __name__ == "__main__":
    main()
