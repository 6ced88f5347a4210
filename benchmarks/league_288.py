"""Learning curve of 288 configurations of two squares in the Othello League.

All straight lines of two squares, one stage (288 configurations, 264 weights as symmetries share
them), learned by policy gradients from one-ply games against the standard square weights, with
three seeds; then judged in games that no learning saw. Published for the same shapes, against the
same opponent: nearly 96 % (W. Jaskowski, "Systematic n-tuple networks for Othello position
evaluation", 2014).
"""

from __future__ import annotations

from typing import Any

from benchmarks.common import record
from samuel.arena import match
from samuel.learning.online.natural_gradient import DEFAULT_GENERATIONS, policy_gradient

SEEDS = (1, 2, 3)
FRESH, FRESH_SEED = 20_000, 1_000_000


def main() -> None:
    """Learn with each seed for as long as usual and twice that."""
    rows: list[dict[str, Any]] = []
    for generations in (DEFAULT_GENERATIONS, 2 * DEFAULT_GENERATIONS):
        for seed in SEEDS:
            fit = policy_gradient(
                "tuples2", against=["wpc"], generations=generations, seed=seed, jobs=-1
            )
            evaluator = fit.estimator.compiled().evaluator("tuples2")
            its: dict[str, Any] = {"method": "greedy", "epsilon": 0.1, "openings": "start"}
            its |= {"pairs": FRESH // 2, "seed": FRESH_SEED, "jobs": -1}
            s = match(evaluator, "wpc", **its).statistics
            rows.append(
                {
                    "seed": str(seed),
                    "games learned from": f"{fit.games:,}",
                    "seconds": fit.seconds,
                    "score %": 100 * s.score,
                    "from": 100 * s.score_low,
                    "to": 100 * s.score_high,
                }
            )
            print(*rows[-1].values(), flush=True)
    record(
        "league_288",
        rows,
        f"tuples2 against wpc, 1 ply, epsilon 0.1, {FRESH:,} fresh games each; published: nearly "
        "96 %",
    )


if __name__ == "__main__":
    main()
