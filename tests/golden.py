"""What the kernels found before the interface of games was redrawn: rows, games, scores.

`python -m tests.golden` writes tests/data/golden.json anew, which is right only where results are
meant to change; tests/test_golden.py compares.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import samuel
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search import analyse

FILE = Path(__file__).parent / "data" / "golden.json"
OPPONENTS = {
    "othello": ("classic", "wpc"),
    "connect_four": ("classic", "zero"),
    "tic_tac_toe": ("zero", "zero"),
}
SEEDS = (1, 2, 3)


def _digest(values: Any) -> str:
    array = np.asarray(values)
    content = array.tobytes() if array.dtype != object else repr(array.tolist()).encode()
    return hashlib.sha256(content).hexdigest()[:16]


def rows(game: str, seed: int) -> dict[str, str]:
    """Return a digest of each column of two datasets: games that are drawn, and games explored."""
    found = {}
    for name, more in (("drawn", {"temperature": 0.3}), ("explored", {"epsilon": 0.1})):
        plan = samuel.SelfplayPlan(
            game=game, evaluator=OPPONENTS[game][0], depth=3, seed=seed, **more
        )
        with tempfile.TemporaryDirectory() as folder:
            frame = samuel.generate(plan, 12, Path(folder) / "data").frame()
        found |= {f"{name} {column}": _digest(frame[column]) for column in frame.columns}
    return found


def games(game: str, seed: int) -> list[Any]:
    """Return result and moves of each game of a match."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "match"
        samuel.match(
            *OPPONENTS[game], game=game, pairs=4, depth=3, seed=seed, openings="random", out=out
        )
        pairs = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
    return [
        [pair[0]["opening"], *([played["result"], played["moves"]] for played in pair)]
        for pair in pairs
    ]


def scores(game: str, seed: int) -> list[Any]:
    """Return what the search finds in positions drawn at random."""
    rules = samuel.game_named(game)
    evaluator = load_evaluator(OPPONENTS[game][0], rules)
    found = []
    for row in random_positions(rules, 6, seed=seed):
        result = analyse(samuel.Position(rules, tuple(map(int, row)), 0), evaluator, depth=5)
        found.append([result.move, result.score, result.nodes, list(result.pv)])
    return found


def everything() -> dict[str, Any]:
    """Return all that the file holds."""
    return {
        f"{game} {seed}": {
            "rows": rows(game, seed),
            "games": games(game, seed),
            "scores": scores(game, seed),
        }
        for game in OPPONENTS
        for seed in SEEDS
    }


if __name__ == "__main__":
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in everything().items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
