"""Savings of cuts through chance: nodes of each form of expectiminimax at equal depth.

The scores are the same to the last point (tests/search/test_chance_in_games.py). Published: Ballard
(1983) saved 25 to 30 % of the nodes by Star1, more than half by Star2 with moves in random order,
and nine tenths with good ones first; with few outcomes and wide bounds Star1 may cost time.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.common import record
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search import AlphaBeta, search

FORMS = {
    "expectiminimax": AlphaBeta(chance="expectiminimax"),
    "star1": AlphaBeta(chance="star1"),
    "star2": AlphaBeta(chance="star2"),
    "star2.5, k = 2": AlphaBeta(chance="star2", probes=2),
    "star2.5, k = 3": AlphaBeta(chance="star2", probes=3),
}
CASES = (
    ("backgammon", "pubeval", 1),
    ("backgammon", "pubeval", 2),
)
"""Decisions deep: the dice between them are no plies of depth."""
POSITIONS = 50


def positions_of(name: str) -> list[Position]:
    """Return positions of random games in which a side is to move."""
    game = game_named(name)
    rows = random_positions(game, 4 * POSITIONS, 11, 6, 40)
    positions = [Position(game, tuple(map(int, row))) for row in rows]
    return [position for position in positions if not position.is_chance][:POSITIONS]


def main() -> None:
    """Count the nodes of each form, with tables of its own, on 50 positions of a game."""
    rows: list[dict[str, Any]] = []
    for name, judge, depth in CASES:
        positions = positions_of(name)
        evaluator = load_evaluator(judge, positions[0].game)
        plain, scores = 0.0, None
        for form, method in FORMS.items():
            search(positions[0], evaluator, depth=1, method=method)  # compiled before the clock
            began = time.perf_counter()
            found = [search(p, evaluator, depth=depth, method=method) for p in positions]
            seconds = time.perf_counter() - began
            nodes = float(np.mean([one.nodes for one in found]))
            plain = plain or nodes
            these = [one.score for one in found]
            assert scores in (None, these), "a form scores otherwise"
            scores = these
            rows.append(
                {
                    "game": name,
                    "depth": depth,
                    "form": form,
                    "nodes": f"{nodes:,.0f}",
                    "of the plain form's": f"{nodes / plain:.0%}",
                    "million nodes a second": nodes * len(found) / seconds / 1e6,
                    "seconds a search": seconds / len(found),
                }
            )
            print(" ".join(str(cell) for cell in rows[-1].values()), flush=True)
    record("chance", rows, f"means over {POSITIONS} positions, a table of 2^20 entries each")


if __name__ == "__main__":
    main()
