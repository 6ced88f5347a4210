"""The FForum problems #40 to #59, solved with the help of `learned` by one thread and by two.

Named alone (`make bench ARGS=endgame_hard`), and none of what `make bench` runs: it takes a quarter
of an hour.
"""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.common import record
from benchmarks.endgame import FFO
from samuel.games.obf import read_problems
from samuel.models import load_evaluator
from samuel.search import solve

HARD = FFO.with_name("ffo_50_59.obf")
TABLE_BITS = 24


def main() -> None:
    """Solve each problem, saying so as it goes."""
    problems = [*read_problems(FFO), *read_problems(HARD)]
    learned = load_evaluator("learned", problems[0].position.game)
    solve(problems[0].position, learned, threads=2)  # compiles, or loads
    rows: list[dict[str, Any]] = []
    for problem in problems:
        row: dict[str, Any] = {"problem": problem.name}
        for threads in (1, 2):
            found = solve(problem.position, learned, threads=threads, table_bits=TABLE_BITS)
            if found.score != problem.best_score:
                raise AssertionError(f"{problem.name}: {found.score}")
            row |= {f"{threads}: M nodes": found.nodes / 1e6, f"{threads}: s": found.seconds}
        print(row, file=sys.stderr, flush=True)
        rows.append(row)
    total = {key: sum(row[key] for row in rows) for key in rows[0] if key != "problem"}
    rows.append({"problem": "all", **total})
    note = f"by threads; a table of 2**{TABLE_BITS} rows; guided by learned; wall time"
    record("endgame_hard", rows, note)


if __name__ == "__main__":
    main()
