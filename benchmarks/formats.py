"""Rows that import reads per second of CPU time, by format of chess, beside Stockfish's text."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.common import record
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.export import export
from samuel.selfplay.data.importing import import_games
from tests.games.chess import packed_files

FORMATS = "plain", "epd", "bin", "bulletformat", "viriformat", "binpack", "lichess", "parquet"
GAMES, COPIES = 10_000, 20
"""Positions of random games, and how often a file has them."""


def _import(path: Path, name: str) -> tuple[Dataset, float]:
    """Import a file; return the dataset, and the seconds of CPU time."""
    began = time.process_time()
    data = import_games([path], path.with_suffix(f".{name}-data"), game="chess", format=name)
    return data, time.process_time() - began


def _tables(data: Dataset) -> tuple[pa.Table, bytes]:
    """Return rows of a dataset as the columns of Parquet, and as Lichess's evaluations."""
    frame, write = data.frame(), data.game.notation.write
    rows = zip(data.positions.tolist(), frame["side"], strict=True)
    fens = [write(tuple(row), side) for row, side in rows]
    scores, line = (
        (100 * frame["score"].fillna(0)).round().astype(int).tolist(),
        " ".join(["e2e4"] * 12),
    )
    evaluated = (
        {
            "fen": fen,
            "evals": [
                {"pvs": [{"cp": cp, "line": line}], "knodes": k, "depth": 9 + k} for k in (3, 2, 1)
            ],
        }
        for fen, cp in zip(fens, scores, strict=True)
    )
    lines = "".join(f"{json.dumps(one)}\n" for one in evaluated)
    return pa.table({"fen": fens, "cp": scores, "line": [line] * len(fens)}), lines.encode()


def main() -> None:
    """Import the same positions in each format, after a small file that compiles."""
    games = packed_files.playouts(GAMES, 1)
    rows: list[dict[str, str | float]] = []
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small.dat"), Path(folder, "large.dat")
        small.write_bytes(packed_files.content("viriformat", games))
        first, _ = _import(small, "viriformat")
        for name in FORMATS:
            table, lines = _tables(first)
            if name in ("plain", "epd"):
                export(first, small, name)
            elif name in ("lichess", "parquet"):
                small.write_bytes(lines)
            else:
                small.write_bytes(packed_files.content(name, games))
            large.write_bytes(small.read_bytes() * COPIES)
            if name == "parquet":
                pq.write_table(table, small)
                pq.write_table(pa.concat_tables([table] * COPIES), large)
            _import(small.rename(Path(folder, f"{name}.dat")), name)
            data, seconds = _import(large, name)
            rows.append(
                {
                    "format": name,
                    "bytes per row": large.stat().st_size / len(data),
                    "rows per second": len(data) / seconds,
                }
            )
    plain = float(rows[0]["rows per second"])
    for row in rows:
        row["times plain"] = float(row["rows per second"]) / plain
    record("formats", rows, f"{GAMES * COPIES:,} positions with all checks, one thread")


if __name__ == "__main__":
    main()
