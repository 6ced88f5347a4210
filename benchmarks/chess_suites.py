"""Chess: test suites of EPD, solved in so many milliseconds a position.

    python -m benchmarks.chess_suites FILE.epd... --evaluators classic,runs/tuned --ms 1000

A position with `bm` counts 1 if its move is played, one with points (`c0 "Rc5=10, ..."` or the
Strategic Test Suite's c8 and c9) as many as its move has.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import chess
from joblib import Parallel, delayed

from benchmarks.common import record
from samuel.games import Position, game_named
from samuel.models import load_evaluator
from samuel.search import new_memory, search

GAME = game_named("chess")


def points_of(board: Any, operations: dict[str, Any]) -> dict[str, float]:
    """Return the points of moves, by their UCI text."""
    if "c9" in operations and "c8" in operations:
        points = map(float, str(operations["c8"]).split())
        return dict(zip(str(operations["c9"]).split(), points, strict=True))
    if "=" in str(operations.get("c0", "")):
        told = re.findall(r"([^\s,=]+)\s*=\s*(\d+)", operations["c0"].replace("+=", "="))
        return {board.parse_san(san).uci(): float(points) for san, points in told}
    return {move.uci(): 1.0 for move in operations.get("bm", ())}


def scored(lines: list[str], evaluator: str, ms: float) -> tuple[float, float]:
    """Return the points that an evaluator gets for positions, and all that there are."""
    player, memory = load_evaluator(evaluator, GAME), new_memory(GAME, 20)
    search(Position.start(GAME), player, depth=2, memory=memory)
    got = most = 0.0
    for line in lines:
        board = chess.Board()
        operations = board.set_epd(line)
        points = points_of(board, operations)
        found = search(Position.parse(board.fen(), GAME), player, seconds=ms / 1000, memory=memory)
        assert found.move is not None
        got += points.get(found.move, 0.0)
        most += max(points.values(), default=0.0)
    return got, most


def main() -> None:
    """Solve the suites that are named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--evaluators", default="classic")
    parser.add_argument("--ms", type=float, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    rows = []
    for path in given.files:
        lines = [line for line in path.read_text().splitlines() if line.strip()]
        for evaluator in given.evaluators.split(","):
            calls = (
                delayed(scored)(lines[k :: 8 * given.jobs], evaluator, given.ms)
                for k in range(8 * given.jobs)
            )
            parts = Parallel(n_jobs=given.jobs)(calls)
            got, most = (sum(part[k] for part in parts) for k in (0, 1))
            row = {"suite": path.stem, "evaluator": evaluator, "points": got, "of": most}
            print(row, flush=True)
            rows.append(row)
    record("chess-suites", rows, f"{given.ms:g} ms a position, one thread each")


if __name__ == "__main__":
    main()
