"""Digests of what the main commands compute: a change of structure should change none.

    python -m benchmarks.golden > before.json     on the commit before
    python -m benchmarks.golden > after.json      on the one after; then compare the two

For each of four games and two seeds: the rows of self-play, a search, two fitted models, the games
of a match between them, and a short learning run. Digests of fitted weights hold on one machine.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

GAMES = "othello", "checkers", "connect_four", "backgammon"
SEEDS = "1", "2"
_TIMES = {"seconds", "nodes_per_second", "seconds_per_move", "out"}


def main() -> None:
    """Print the digests as JSON."""
    found = {}
    for game in GAMES:
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                found[f"{game} {seed}"] = _of(game, seed, Path(folder))
                print(game, seed, file=sys.stderr)
    print(json.dumps(found, indent=1))


def _of(game: str, seed: str, folder: Path) -> dict[str, str]:
    data, run = folder / "data", folder / "run"
    common = ["--game", game, "--seed", seed]
    _samuel("selfplay", *common, "--games", "40", "--depth", "1", "--out", str(data))
    models = {}
    for model in ("ridge", "mlp"):
        out = folder / model
        _samuel("train", str(data), "--model", model, "--seed", seed, "--out", str(out))
        models[model] = out
    deep = "1" if game == "backgammon" else "4"  # a ply of dice has hundreds of branches
    searched = ["search", "--game", game, "--depth", deep, "--json"]
    ridge, other = map(str, models.values())
    played = ["--pairs", "4", "--depth", "1", "--out", str(folder / "match")]
    _samuel("match", ridge, other, *common, *played)
    _samuel(
        *("learn", *common, "--games", "30", "--generations", "1", "--depth", "1"),
        *("--model", "ridge", "--gate-pairs", "20", "--out", str(run)),
    )
    return {
        "self-play": _of_tables(data),
        "search": _of_json(_samuel(*searched)),
        "search by a model": _of_json(_samuel(*searched, "--evaluator", ridge)),
        **{f"weights of {name}": _of_arrays(out) for name, out in models.items()},
        "match": _of_tables(folder / "match"),
        "learning run": _of_arrays(run),
    }


def _samuel(*arguments: str) -> str:
    command = [sys.executable, "-m", "samuel", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _of_json(text: str) -> str:
    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(one) for key, one in value.items() if key not in _TIMES}
        return [plain(one) for one in value] if isinstance(value, list) else value

    return _digest(json.dumps(plain(json.loads(text)), sort_keys=True))


def _of_tables(folder: Path) -> str:
    frames = [pd.read_parquet(path) for path in sorted(folder.rglob("*.parquet"))]
    kept = [frame.drop(columns=[c for c in frame if "seconds" in c]) for frame in frames]
    return _digest("".join(frame.to_csv(index=False) for frame in kept))


def _of_arrays(folder: Path) -> str:
    """Return the digest of all weights below a folder, each with five digits."""
    parts = []
    for path in sorted(folder.rglob("weights.npz")):
        with np.load(path) as arrays:
            parts += [
                " ".join(f"{x:.5g}" for x in np.ravel(arrays[name]).tolist()) for name in arrays
            ]
    return _digest("\n".join(parts))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


if __name__ == "__main__":
    main()
