"""Exact endgames that take minutes: the FForum problems #50 to #59, as benchmarks/endgame.py.

Named alone (`make bench ARGS=endgame_hard`), and none of what `make bench` runs.
"""

from __future__ import annotations

import sys

from benchmarks.common import record
from benchmarks.endgame import FFO, solved
from samuel.games.obf import read_problems

HARD = FFO.with_name("ffo_50_59.obf")
TABLE_BITS = 24


def main() -> None:
    """Solve each problem with and without an evaluator, saying so as it goes."""
    rows = []
    for problem in read_problems(HARD):
        row = solved(problem.name, problem.position, bits=TABLE_BITS)
        if row["score"] != problem.best_score:
            raise AssertionError(f"{problem.name}: {row['score']}")
        print(row, file=sys.stderr, flush=True)
        rows.append(row)
    note = f"one thread, a table of 2**{TABLE_BITS} rows; guided by learned; processor's seconds"
    record("endgame_hard", rows, note)


if __name__ == "__main__":
    main()
