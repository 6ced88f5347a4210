"""Runs a bit of everything compiled and prints what came out; tests/test_jit.py runs it twice.

The first line is what was computed, as JSON: the same in every process. The second is what the
disk cache did: the number of compiled functions, and of those that were found on disk.
"""

from __future__ import annotations

import dataclasses
import importlib
import gc
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from arena import Allowance, match
from features import extract, feature_names, features_named
from games import Position, game_named, game_names
from games.perft import perft
from games.random import random_positions
from games.symmetry import canonical_keys
from jit import EntryPoint
from models import evaluate, handmade_names, load_evaluator
from models.evaluate import remaining_of
from models.slow import SlowEvaluatorWarning, slow_evaluator
from search import search, solve
from selfplay import Plan
from selfplay.generate import play_task

ENDING = "-XXXX-XXXXOXXXX-XXXOXOXOXXOOXOOOXXOXOXOOXXOOOOO-XXOOXOXX-XOOXO-X X"


def main() -> None:
    found: dict[str, Any] = {}
    for name in game_names():
        found[name] = of_game(name)
    ending = Position.parse(ENDING)
    solved = solve(ending, load_evaluator("zero", ending.game), table_bits=10)
    found["solve"] = [solved.score, solved.pv]
    end = ending
    while not end.is_terminal:
        end = end.play(end.legal_moves()[0])
    found["end"] = [end.text, end.utility()]
    found["slow"] = in_python(ending)
    print(json.dumps(found))
    print(json.dumps(cache_use()))


def of_game(name: str) -> dict[str, Any]:
    game = game_named(name)
    start = Position.start(game)
    positions = random_positions(game, 20, seed=1)
    features = features_named(feature_names(name), name)
    found: dict[str, Any] = {
        "perft": perft(start, 5),
        "remaining": remaining_of(game, positions).tolist(),
        "keys": canonical_keys(game, positions).tolist(),
        "features": extract(features, positions).sum(axis=0).tolist(),
    }
    for evaluator in handmade_names(name):
        made = load_evaluator(evaluator, game)
        found[evaluator] = evaluate(made, game, positions).tolist()
        result = search(start, made, depth=4, nodes=100_000, seconds=100.0, table_bits=10)
        found[f"search {evaluator}"] = [result.score, result.pv, result.nodes]
    plan = Plan(game=name, depth=2, explore=0.2).checked()
    for warm in (plan, dataclasses.replace(plan, temperature=0.1)):
        rows = play_task(warm, 0, 3).to_pydict()
        found[f"self-play {warm.temperature}"] = [rows["move"], np.round(rows["score"], 4).tolist()]
    played = match("classic", "zero", game=name, pairs=2, allowance=Allowance(2))
    found["match"] = played.results.tolist()
    return found


def in_python(position: Position) -> float:
    """Return the score of a search that calls back into Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowEvaluatorWarning)
        slow = slow_evaluator(lambda rows: (rows[:, 0] % 7).astype(np.float32), "slow", "othello", "")
    return search(position, slow, depth=2, exact_from=0, table_bits=4).score


def cache_use() -> dict[str, Any]:
    """Return how many functions were asked for, and which of them had to be compiled."""
    points = every_entry_point()
    used = {k: p for k, p in points.items() if p.stats.cache_hits or p.stats.cache_misses}
    return {
        "used": len(used),
        "compiled": sorted(name for name, p in used.items() if p.stats.cache_misses),
        "unused": sorted(points.keys() - used.keys()),
    }


def every_entry_point() -> dict[str, EntryPoint]:
    """Return each function under `@jit(SIGNATURE)` in the package, and each composed one."""
    root = Path(__file__).parents[1]
    for folder in ("games", "features", "models", "search", "selfplay", "arena"):
        for file in sorted((root / folder).glob("*.py")):
            importlib.import_module(f"{folder}.{file.stem}" if file.stem != "__init__" else folder)
    found = [thing for thing in gc.get_objects() if type(thing) is EntryPoint]
    return {
        f"{point.py_func.__code__.co_filename.removeprefix(str(root))} {point.__qualname__}": point
        for point in found
    }


if __name__ == "__main__":
    sys.exit(main())
