"""Digests of what the main commands compute: a change of structure should change none.

    python -m benchmarks.golden > before.json                 on the commit before
    python -m benchmarks.golden > after.json                  on the commit after
    python -m benchmarks.golden before.json after.json        prints what differs

For each of six games and two seeds: self-play rows (a digest per column), searches, fitted models,
the games of a match between them, and the models of a short learning run. Only the public command
is used, so the file also runs in a checkout of an earlier commit. Digests of weights hold on one
machine. Games at one's own choice: python -m benchmarks.golden chess othello.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

DEPTHS = {
    "othello": "6",
    "checkers": "6",
    "connect_four": "6",
    "backgammon": "1",  # a ply of dice has hundreds of branches
    "chess": "6",
    "xiangqi": "5",
}
"""Depth of the searches of each game."""
SEEDS = "1", "2"
RECIPES = "ridge", "mlp"
WORKERS = 2
_FOUND = "move", "score", "depth", "pv", "nodes"
_PLAYED = "moves", "result", "nodes_first", "nodes_second"


def main() -> None:
    """Print the digests as JSON, or what differs between two files of them."""
    names = sys.argv[1:]
    if len(names) == 2 and all(name.endswith(".json") for name in names):
        return _compare(*(json.loads(Path(name).read_text()) for name in names))
    cases = list(product(names or DEPTHS, SEEDS))
    with ThreadPoolExecutor(WORKERS) as pool:
        found = pool.map(lambda case: _of(*case), cases)
        digests = {f"{game} {seed}": one for (game, seed), one in zip(cases, found, strict=True)}
    print(json.dumps(digests, indent=1))


def _compare(before: dict[str, Any], after: dict[str, Any]) -> None:
    pairs = [(case, what) for case in before for what in before[case]]
    differing = [f"{c}: {w}" for c, w in pairs if after.get(c, {}).get(w) != before[c][w]]
    print(*differing, f"{len(differing)} of {len(pairs)} digests differ", sep="\n")


def _of(game: str, seed: str) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, run, games = folder / "data", folder / "run", folder / "match"
        common = ["--game", game, "--seed", seed, "--jobs", "1"]
        _samuel("selfplay", *common, "--games", "40", "--depth", "1", "--out", str(data))
        models = {recipe: str(folder / recipe) for recipe in RECIPES}
        for recipe, out in models.items():
            _samuel("train", str(data), "--model", recipe, "--seed", seed, "--out", out)
        # The initial position and random moves: no book of openings has a part.
        played = ["--openings", "start", "--epsilon", "0.2", "--pairs", "4", "--depth", "2"]
        _samuel("match", *models.values(), *common, *played, "--out", str(games))
        learned = ["--games", "30", "--generations", "1", "--depth", "1", "--model", "ridge"]
        gate = ["--gate-pairs", "4", "--curve-pairs", "0"]
        _samuel("learn", *common, *learned, *gate, "--out", str(run))
        searches = {
            "search": ["--depth", DEPTHS[game]],
            **{
                f"search by {recipe}": ["--depth", DEPTHS[game], "--evaluator", out]
                for recipe, out in models.items()
            },
            "uct": ["--method", "uct:playouts=300", "--seed", seed],
        }
        found = {
            **_of_columns("self-play", data),
            **{f"weights of {recipe}": _of_arrays(Path(out)) for recipe, out in models.items()},
            **{name: _of_search(game, options) for name, options in searches.items()},
            **_of_columns("match", games, _PLAYED),
            **_of_columns("learning run", run / "generation-001" / "data"),
            "learning run, weights": _of_arrays(run / "generation-001"),
        }
        print(game, seed, file=sys.stderr, flush=True)
        return found


def _samuel(*arguments: str) -> str:
    command = [sys.executable, "-m", "samuel", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"samuel {' '.join(arguments)}\n{done.stderr}")
    return done.stdout


def _of_search(game: str, options: list[str]) -> str:
    found = json.loads(_samuel("search", "--game", game, "--json", *options))
    return _digest(json.dumps([found.get(key) for key in _FOUND]))


def _of_columns(what: str, folder: Path, columns: tuple[str, ...] = ()) -> dict[str, str]:
    """Return a digest of each column of the tables of a folder."""
    table = pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])
    return {
        f"{what}, {name}": _digest("\n".join(map(str, table[name].tolist())))
        for name in columns or table.columns
    }


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
