"""Methods of search against each other on Othello, each with the same time for a move.

One learned evaluator serves all that ask one: patterns fitted to games of `classic`, as in the
README's tour. Alpha-beta solves the last squares as usual; the others sample to the end.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.common import record
from samuel.arena import match
from samuel.common.units import with_interval
from samuel.learning.training import train
from samuel.selfplay import SelfplayPlan, generate

SECONDS, PAIRS, GAMES = 0.05, 100, 5_000
METHODS = {
    "alpha-beta": "alphabeta",
    "UCT with EVAL": "uct:playout_plies=0",
    "UCT with random games": "uct",
    "pure Monte Carlo": "montecarlo",
}


def main() -> None:
    """Play 200 games of each pair; half an hour on two cores."""
    with tempfile.TemporaryDirectory() as folder:
        data = generate(SelfplayPlan(evaluator="classic"), GAMES, Path(folder) / "data", jobs=2)
        train(data, "logistello", out=Path(folder) / "model")
        record(
            "equal_time",
            [_row(a, b, Path(folder) / "model") for a, b in itertools.combinations(METHODS, 2)],
            f"Othello, {SECONDS * 1000:.0f} ms a move, {2 * PAIRS} games a pair, two at a time; "
            f"logistello fitted to {GAMES:,} games",
        )


def _row(a: str, b: str, model: Path) -> dict[str, Any]:
    played = match(
        model,
        model,
        seconds=SECONDS,
        method=METHODS[a],
        method_b=METHODS[b],
        pairs=PAIRS,
        jobs=2,
    ).statistics
    row = {
        "A": a,
        "B": b,
        "A's share": f"{played.score:.1%} ({played.score_low:.1%} to {played.score_high:.1%})",
        "Elo": with_interval(played.elo, played.elo_low, played.elo_high, level=""),
    }
    print(*row.values(), flush=True)
    return row


if __name__ == "__main__":
    main()
