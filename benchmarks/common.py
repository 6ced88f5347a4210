"""Common parts of the benchmarks: timing, positions, the record of a run."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from samuel.common.versions import processor, version_of
from samuel.games import Position, game_named
from samuel.games.playing import random_positions

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("samuel-learning", "numba", "numpy", "scikit-learn", "rust-reversi")


def midgame_positions(n: int = 20, seed: int = 5) -> list[Position]:
    """Return Othello positions after 14 to 30 random plies, black to move."""
    game = game_named("othello")
    rows = random_positions(game, n, seed, 14, 30)
    return [Position(game, tuple(int(word) for word in row)) for row in rows]


def seconds(function: Callable[[], Any]) -> float:
    """Return the wall time of one call."""
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def median_seconds(function: Callable[[], Any], repeats: int = 3) -> float:
    """Return the median wall time of a few calls."""
    return statistics.median(seconds(function) for _ in range(repeats))


def record(name: str, rows: list[dict[str, Any]], note: str = "") -> None:
    """Print the rows of a benchmark as a table and keep them with the machine and versions."""
    table = Table(title=name, caption=note or None)
    for column in rows[0]:
        table.add_column(column, justify="left" if isinstance(rows[0][column], str) else "right")
    for row in rows:
        table.add_row(*(f"{v:,.4g}" if isinstance(v, float) else str(v) for v in row.values()))
    Console(width=120).print(table)
    RESULTS.mkdir(exist_ok=True)
    content = {"benchmark": name, "note": note, "rows": rows, **_machine()}
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")


def _machine() -> dict[str, Any]:
    return {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "versions": {package: version_of(package) for package in PACKAGES},
    }
