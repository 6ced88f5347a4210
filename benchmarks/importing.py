"""Games a second from WTHOR files into a dataset, one thread, reading and writing included."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.common import record
from samuel.games import game_named
from samuel.games.othello.wthor import read_wthor
from samuel.selfplay import import_games
from samuel.selfplay.data.replay import replay

WTHOR = Path(__file__).parents[2] / "shared/data/wthor"
"""Folder of the game database, which is no part of the project."""


def main() -> None:
    """Measure the import as a whole, and the reading and replaying alone."""
    files = sorted(WTHOR.glob("*.wtb"))
    if not files:
        print(f"importing: there are no WTHOR files in {WTHOR}, nothing was measured")
        return
    game = game_named("othello")
    with tempfile.TemporaryDirectory() as folder:
        import_games(files[:1], Path(folder) / "warm")
        began = time.perf_counter()
        dataset = import_games(files, Path(folder) / "all")
        whole = time.perf_counter() - began
    began = time.perf_counter()
    for file in files:
        for records in read_wthor(file, game):
            replay(game, records)
    replayed = time.perf_counter() - began
    games = dataset.manifest["counts"]["games"]
    record(
        "importing",
        [
            {
                "games": games,
                "positions": len(dataset),
                "seconds": whole,
                "games/s": games / whole,
                "games/s without the Parquet files": games / replayed,
            }
        ],
        "WTHOR files to Parquet shards, every move checked by the rules, one thread",
    )


if __name__ == "__main__":
    main()
