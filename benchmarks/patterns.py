"""Models of patterns: how fast they are fitted, how much memory that takes, how fast they search.

Each fit runs in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score

from benchmarks.common import midgame_positions, record
from samuel.features import Patterns
from samuel.games import game_named
from samuel.models import PatternRegressor, load_evaluator
from samuel.search import new_memory, search
from samuel.selfplay import Dataset, SelfplayPlan, generate

FOLDER = Path("runs/bench/patterns")
GAMES, HELD_OUT = 24_000, 0.2
MILLION = 1_000_000
TILES = (("1 M", 1, 1, None), ("10 M", 10, 2, None), ("10 M, in batches", 10, 2, MILLION))
"""Name, how often the rows are repeated, threads, and rows a batch where they are streamed."""
NEAR = 0.002
DEPTH = 10


def main() -> None:
    """Measure the fits, then the search."""
    plan = SelfplayPlan(depth=4, epsilon=0.05, exact_from=14, seed=11)
    dataset = generate(plan, GAMES, FOLDER / "data", jobs=-1)
    rows = [against_ridge(dataset)]
    for name, tiles, threads, batch in TILES:
        rows.append({"fit": name, **_in_a_process(fit, tiles, threads, batch)})
    record(
        "patterns",
        rows,
        "logistello, 11 stages, depth-4 self-play; seconds until held-out R2 was within 0.002 of "
        "its last, seconds in all, peak memory of the whole process; rows beyond 1 M are repeats",
    )
    record("patterns-search", searching(dataset), f"million nodes a second at depth {DEPTH}")


def rows_of(dataset: Dataset) -> tuple[Any, Any, Any, Any]:
    """Return a million training rows and the held-out ones: positions and outcomes."""
    positions, outcome = dataset.positions, dataset.frame(["outcome"])["outcome"].to_numpy()
    games = dataset.frame(["game_id"])["game_id"].to_numpy()
    held = games >= (1 - HELD_OUT) * GAMES
    train = np.flatnonzero(~held)[:MILLION]
    return positions[train], outcome[train], positions[held], outcome[held]


def fit(tiles: int, threads: int, batch: int | None) -> dict[str, Any]:
    """Fit to a million rows, so many times over; return seconds and megabytes."""
    X, y, held_X, held_y = rows_of(Dataset.open(FOLDER / "data"))
    warm = PatternRegressor(max_iter=2).fit(X[:1000], y[:1000])
    warm.predict(held_X[:1000])
    if batch is None:
        X, y = (np.tile(X, (tiles, 1)), np.tile(y, tiles)) if tiles > 1 else (X, y)

    def fitted(passes: int) -> tuple[float, float, int]:
        model = PatternRegressor(n_jobs=threads, max_iter=passes)
        began = time.perf_counter()
        if batch is None:
            model.fit(X, y)
        else:
            model.fit_batches([lambda: (X.copy(), y.copy(), None)] * tiles)
        seconds = time.perf_counter() - began
        return seconds, r2_score(held_y, model.predict(held_X)), model.n_iter_

    seconds, last, passes = fitted(PatternRegressor().max_iter)
    near, near_seconds = passes, seconds
    for fewer in (6, 8, 10, 12, 16, 20, 25, 30) if tiles == 1 else ():
        took, found, _ = fitted(fewer)
        if last - found <= NEAR:
            near, near_seconds = fewer, took
            break
    return {
        "rows": tiles * MILLION,
        "threads": threads,
        "passes": passes,
        "seconds": seconds,
        "R2": last,
        "near after": f"{near} passes, {near_seconds:.1f} s",
        "MB": _megabytes(),
        "Ridge / ours": "",
    }


def against_ridge(dataset: Dataset) -> dict[str, Any]:
    """Compare with scikit-learn's Ridge on the matrix of 100,000 rows: time, loss, R2."""
    X, y, held_X, held_y = (part[:100_000] for part in rows_of(dataset))
    settings: dict[str, Any] = {"stages": 3, "alpha": 10.0}
    began = time.perf_counter()
    patterns = Patterns("logistello", stages=3).fit(X)
    matrix = patterns.transform(X)
    ridge = Ridge(alpha=10.0, solver="sparse_cg", tol=1e-5).fit(matrix, y)
    theirs = time.perf_counter() - began
    model = PatternRegressor(**settings, smoothing=0.0, tol=1e-6, max_iter=300)
    model.fit(X[:1000], y[:1000])
    began = time.perf_counter()
    model.fit(X, y)
    ours = time.perf_counter() - began

    def loss(scores: Any, weights: Any) -> float:
        return float(np.sum((scores - y.astype(np.float64)) ** 2) + 10 * np.sum(weights**2.0))

    mine = loss(model.predict(X), model.coef_.astype(np.float64))
    other = loss(ridge.predict(matrix), ridge.coef_.astype(np.float64))
    r2 = r2_score(held_y, model.predict(held_X))
    r2_other = r2_score(held_y, ridge.predict(patterns.transform(held_X)))
    return {
        "fit": "against sparse Ridge, 3 stages",
        "rows": len(X),
        "threads": 1,
        "passes": model.n_iter_,
        "seconds": ours,
        "R2": r2,
        "near after": f"loss {mine / other - 1:+.5%}, R2 {r2 - r2_other:+.5f}",
        "MB": "",
        "Ridge / ours": theirs / ours,
    }


def searching(dataset: Dataset) -> list[dict[str, Any]]:
    """Return the nodes a second of searches with pattern models and with `classic`, in turn."""
    X, y, _, _ = rows_of(dataset)
    made = {
        name: PatternRegressor(name, max_iter=20).fit(X, y).compiled().evaluator(name)
        for name in ("tuples2", "logistello", "large")
    }
    made["classic"] = load_evaluator("classic")
    positions, memory = midgame_positions(12), new_memory(game_named("othello"))
    speeds: dict[str, list[float]] = {name: [] for name in made}
    for _ in range(4):
        for name, evaluator in made.items():
            found = [
                search(p, evaluator, depth=DEPTH, exact_from=0, memory=memory) for p in positions
            ]
            nodes, seconds = sum(f.nodes for f in found), sum(f.seconds for f in found)
            speeds[name].append(nodes / seconds / 1e6)
    best = {name: float(np.median(of[1:])) for name, of in speeds.items()}
    return [
        {"evaluator": name, "M nodes/s": speed, "against classic": speed / best["classic"]}
        for name, speed in best.items()
    ]


def _megabytes() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1e6 if sys.platform == "darwin" else 1e3)


def _in_a_process(function: Any, *arguments: Any) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        found: dict[str, Any] = json.loads(json.dumps(pool.apply(function, arguments)))
    return found


if __name__ == "__main__":
    main()
