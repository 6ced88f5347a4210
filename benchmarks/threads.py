"""Threads: time to a depth with two over one table, against one; UCT by two against one, in games.

The games are Othello from positions after 8 random plies, each played twice, sides changed, with
the same time for a move, one game at a time.
"""

from __future__ import annotations

import statistics

from benchmarks.common import midgame_positions, record
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search import search
from samuel.search.trees.method import UCT

DEPTH = 12
SECONDS, PAIRS, OPENING = 0.05, 20, 8
"""Seconds of a move, pairs of games, plies of an opening."""


def main() -> None:
    """Measure alpha-beta's time to a depth, and the strength of UCT at equal time."""
    _time_to_depth()
    _strength_of_uct()


def _time_to_depth() -> None:
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


def _strength_of_uct() -> None:
    """Play pairs of games, UCT by two threads against UCT by one."""
    game = game_named("othello")
    rows = random_positions(game, PAIRS, 7, OPENING, OPENING)
    openings = [Position(game, tuple(map(int, row))) for row in rows]
    points = [
        statistics.mean(_points_of_two(opening, two_side) for two_side in (0, 1))
        for opening in openings
    ]
    share = statistics.mean(points)
    error = 1.96 * statistics.stdev(points) / len(points) ** 0.5
    row = {"UCT by two threads": f"{share:.1%} of the points", "95 %": f"+- {error:.1%}"}
    record("threads-uct", [row], f"Othello, {SECONDS * 1000:.0f} ms a move, {2 * PAIRS} games")


def _points_of_two(position: Position, two_side: int) -> float:
    """Play a game, and return 1, 1/2 or 0 for the side that searches with two threads."""
    method = UCT()
    memories = [method.new_memory(position.game) for _ in range(2)]
    while not position.is_terminal:
        found = search(
            *(position, "zero"),
            method=method,
            memory=memories[position.side],
            threads=2 if position.side == two_side else 1,
            seconds=SECONDS,
        )
        position = position.play(str(found.move))
    result = position.utility() if position.side == two_side else -position.utility()
    return (1 + (result > 0) - (result < 0)) / 2


if __name__ == "__main__":
    main()
