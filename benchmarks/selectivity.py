"""Worth of selective search and of corrected evaluations: nodes, scores, and strength.

Each setting searches 50 midgame positions to a fixed depth: its nodes and time as shares of those
of the full-width search, how often it finds another move, and by how many discs the scores
differ. Then it plays the full-width search with the same evaluator and the same time a move.

    python -m benchmarks.selectivity --games 600 --ms 50     # the long match
    python -m benchmarks.selectivity --games 200 --nodes 100000 --jobs 2
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.common import midgame_positions, record
from samuel.arena import match
from samuel.models import load_evaluator
from samuel.search import Result, SearchOptions, new_memory, search
from samuel.search.limits import Limits

FULL: dict[str, Any] = {}
SETTINGS: dict[str, dict[str, Any]] = {
    "ProbCut 0.8": {"probcut": 0.8},
    "ProbCut 1.0": {"probcut": 1.0},
    "ProbCut 1.5": {"probcut": 1.5},
    "ProbCut 2.0": {"probcut": 2.0},
    "correction": {"options": SearchOptions(correction=True)},
}
DEPTHS = (8, 10)
POSITIONS = 50


def searches(name: str, depth: int, settings: dict[str, Any]) -> list[Result]:
    """Return the searches of the positions, each with an empty table."""
    positions = midgame_positions(POSITIONS)
    game = positions[0].game
    evaluator = load_evaluator(name, game)
    found = []
    search(positions[0], evaluator, depth=3, exact_from=0, **settings)
    for position in positions:
        memory = new_memory(game, 18, 0)
        found.append(
            search(position, evaluator, depth=depth, exact_from=0, memory=memory, **settings)
        )
    return found


def at_fixed_depth(name: str) -> list[dict[str, Any]]:
    """Return a row for each depth and setting."""
    rows = []
    for depth in DEPTHS:
        full = searches(name, depth, FULL)
        for setting, settings in SETTINGS.items():
            found = searches(name, depth, settings)
            pairs = list(zip(full, found, strict=True))
            errors = np.array([one.score - other.score for one, other in pairs])
            rows.append(
                {
                    "setting": setting,
                    "depth": depth,
                    "nodes": sum(r.nodes for r in found) / sum(r.nodes for r in full),
                    "time": sum(r.seconds for r in found) / sum(r.seconds for r in full),
                    "other moves": sum(one.move != other.move for one, other in pairs),
                    "other scores": int(np.sum(np.abs(errors) > 0.0005)),
                    "mean error": float(np.mean(np.abs(errors))),
                    "largest": float(np.max(np.abs(errors))),
                }
            )
    return rows


def in_play(name: str, games: int, limits: Limits, jobs: int) -> list[dict[str, Any]]:
    """Return the results of matches against full width; Limits has no options."""
    rows = []
    for setting, settings in SETTINGS.items():
        if "probcut" not in settings:
            continue
        found = match(
            *(name, name),
            pairs=games // 2,
            limits=limits,
            probcut=settings["probcut"],
            probcut_b=0,
            seed=1,
            jobs=jobs,
        )
        s = found.statistics
        rows.append(
            {
                "setting": setting,
                "games": s.games,
                "score": s.score,
                "from": s.score_low,
                "to": s.score_high,
                "mean discs": found.mean_result,
                "limits": found.limits,
            }
        )
    return rows


def main(arguments: Sequence[str] = ()) -> None:
    """Measure each setting with one evaluator."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evaluator", default="classic")
    parser.add_argument("--games", type=int, default=60, help="of each match; 0 for none")
    parser.add_argument("--ms", type=float, default=20.0, help="milliseconds a move")
    parser.add_argument("--nodes", type=int, help="nodes a move, in place of a time")
    parser.add_argument("--probcut", type=float, help="this confidence alone")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args(arguments)
    if given.probcut is not None:
        SETTINGS.clear()
        SETTINGS[f"ProbCut {given.probcut:g}"] = {"probcut": given.probcut}
    record(
        "selectivity",
        at_fixed_depth(given.evaluator),
        f"shares of full width, {given.evaluator}, {POSITIONS} midgame positions; errors in discs",
    )
    if given.games:
        seconds = None if given.nodes else given.ms / 1000
        limits = Limits(None, given.nodes, seconds)
        record(
            "selectivity_matches",
            in_play(given.evaluator, given.games, limits, given.jobs),
            f"{given.evaluator}, selective against full width",
        )


if __name__ == "__main__":
    main(sys.argv[1:])
