"""Exact endgames: the FForum problems #40 to #49, and Othello on 6x6 from the start.

One thread, full windows, a new table for each; without an evaluator, and with `learned` to order
moves. The 6x6 positions lie on its perfect line; the whole of it takes minutes. Of other engines
(one thread): Zebra solves #40 to #44 in 112 M nodes and 5.2 s.
"""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

from benchmarks.common import record
from samuel.games import Position, game_named
from samuel.games.obf import read_problems
from samuel.models import load_evaluator
from tests.solver import solve_directly

FFO = Path(__file__).parents[1] / "tests" / "data" / "ffo_40_49.obf"
TABLE_BITS, TABLE_BITS_6X6 = 20, 24
LINE_6X6 = "d3c5d6e3f5f4e2d2c2e6e7g5c4c3g4g3f3c7b5d7b7b3c6b6f7f6b4b2g6g7"
"""J. Feinstein 1993: perfect play, worth -4, in the squares of the 8x8 board (b2 to g7)."""


def _measured(position: Position, guided: int, bits: int = TABLE_BITS) -> tuple[int, int, float]:
    """Return the score, the nodes and the processor's seconds."""
    evaluator = load_evaluator("learned" if guided else "zero", position.game)
    began = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    found = solve_directly(position, evaluator, table_bits=bits, guided=guided)
    return (
        found.score,
        found.nodes,
        resource.getrusage(resource.RUSAGE_SELF).ru_utime - began,
    )


def _positions_6x6() -> list[tuple[str, Position]]:
    game = game_named("othello_6x6")
    position, found = Position.start(game), []
    for ply in range(0, 20, 2):
        squares = LINE_6X6[2 * ply : 2 * ply + 4]
        for move in (squares[:2], squares[2:]):
            position = position.play(f"{chr(ord(move[0]) - 1)}{int(move[1]) - 1}")
        if ply + 2 >= 10:
            found.append((f"6x6 after {ply + 2}", position))
    return [*found, ("6x6 from the start", Position.start(game))]


def solved(
    name: str, position: Position, kinds: tuple[int, ...] = (0, 1), bits: int = TABLE_BITS
) -> dict[str, Any]:
    """Return the row of a problem, solved without an evaluator (0) and with one (1)."""
    row: dict[str, Any] = {"problem": name}
    for guided in kinds:
        score, nodes, seconds = _measured(position, guided, bits)
        if row.setdefault("score", score) != score:
            raise AssertionError(f"{name}: {row['score']} and {score}")
        row["guided M nodes" if guided else "M nodes"] = nodes / 1e6
        row["guided s" if guided else "s"] = seconds
    return row | {column: "" for column in ("guided M nodes", "guided s") if column not in row}


def main() -> None:
    """Solve each problem with and without an evaluator."""
    problems = read_problems(FFO)
    easiest = problems[0].position
    solved("compile", easiest.play(easiest.legal_moves()[0]))
    rows = [
        *(solved(p.name, p.position) for p in problems),
        *(
            solved(name, position, (0,), TABLE_BITS_6X6 if "start" in name else TABLE_BITS)
            for name, position in _positions_6x6()
        ),
    ]
    record(
        "endgame",
        rows,
        f"one thread, a table of 2**{TABLE_BITS} rows, from the 6x6 start 2**{TABLE_BITS_6X6}; "
        "guided by learned; processor's seconds",
    )


if __name__ == "__main__":
    main()
