"""Intervals of matches simulated: how often the true score lies beyond either end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import record
from samuel.arena.statistics import PAIR_OUTCOMES, from_pentanomial, score_of_elo

RUNS = 10_000
ELO = (0, 100, 200, 400, 600)
PAIRS = (5, 10, 25, 50, 100, 200, 1000)
DRAWS = 0.02
OPENING = 100.0
"""Deviation of what an opening is worth to the side that moves first, in Elo."""


def main() -> None:
    """Simulate 10,000 matches for each strength and length, with pairs as Othello's are."""
    rows = [_row(elo, pairs) for elo in ELO for pairs in PAIRS]
    record(
        "intervals",
        rows,
        f"{RUNS} simulated matches a row; 2 % drawn at even odds, openings worth {OPENING:g} Elo "
        "(one deviation) to a side; % of matches with the truth beyond an end, 2.5 are meant",
    )


def pair_probabilities(elo: float) -> NDArray[np.float64]:
    """Return pentanomial probabilities (5,), means over openings that favour either side."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    found = np.zeros(5)
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        first, second = (_game(elo + sign * node * OPENING) for sign in (1, -1))
        found += weight * np.convolve(first, second)
    return found


def _game(elo: float) -> NDArray[np.float64]:
    score = score_of_elo(elo)
    drawn = DRAWS * 4 * score * (1 - score)
    return np.array([1 - score - drawn / 2, drawn, score - drawn / 2])


def _row(elo: int, pairs: int) -> dict[str, str | float]:
    probabilities = pair_probabilities(elo)
    truth = float(probabilities @ PAIR_OUTCOMES)
    drawn = np.random.default_rng([1, elo, pairs]).multinomial(pairs, probabilities, RUNS)
    counts, times = np.unique(drawn, axis=0, return_counts=True)
    found = [from_pentanomial(one) for one in counts]
    below = np.array([truth < one.score_low for one in found])
    above = np.array([truth > one.score_high for one in found])
    return {
        "Elo": str(elo),
        "pairs": pairs,
        "score": truth,
        "below %": 100 * float(times @ below) / RUNS,
        "above %": 100 * float(times @ above) / RUNS,
        "covered %": 100 * float(times @ ~(below | above)) / RUNS,
    }


if __name__ == "__main__":
    main()
