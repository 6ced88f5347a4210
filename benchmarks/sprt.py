"""Sequential tests simulated: error rates and lengths, and what a look at the LLR costs."""

from __future__ import annotations

import numpy as np

from benchmarks.common import median_seconds, record, seconds
from benchmarks.simulated_tests import simulate
from samuel.arena.sequential import Sprt, forecast, pair_probabilities

RUNS = 5000
BOUNDS = ((0.0, 10.0), (0.0, 20.0), (0.0, 40.0))
LOOKS = 10_000
COUNTS = (379, 10170, 21828, 10640, 343)


def main() -> None:
    """Run 5,000 tests at each hypothesis, with normalized and with logistic bounds."""
    rows = []
    for model in ("normalized", "logistic"):
        for bounds in BOUNDS:
            sprt = Sprt(*bounds, model=model)
            simulate(sprt, pair_probabilities(), 1)  # compiled by now
            rows += [_row(sprt, elo) for elo in bounds]
    sprt = Sprt(0, 5)
    look = median_seconds(lambda: [sprt.state(COUNTS) for _ in range(LOOKS)]) / LOOKS
    record(
        "sprt",
        rows,
        f"{RUNS} simulated tests a row, alpha and beta 0.05, both games of a pair independent, 2 % "
        f"drawn; a wrong share has a standard error of 0.003; from Python a look at the state of a "
        f"test takes {1e6 * look:.1f} microseconds",
    )


def _row(sprt: Sprt, elo: float) -> dict[str, str | float]:
    truth = sprt.probabilities_at(elo, pair_probabilities())
    found = []
    took = seconds(lambda: found.append(simulate(sprt, truth, RUNS, seed=1)))
    lengths, expected = found[0].lengths, forecast(sprt, elo)
    wrong = "H1" if elo == sprt.elo0 else "H0"
    return {
        "model": sprt.model,
        "bounds": f"{sprt.elo0:g}, {sprt.elo1:g}",
        "truth": f"{elo:g}",
        "wrong": float(np.mean(found[0].decisions == wrong)),
        "pairs": float(lengths.mean()),
        "expected": expected.pairs,
        "longest": int(lengths.max()),
        "us a look": 1e6 * took / float(lengths.sum()),
    }


if __name__ == "__main__":
    main()
