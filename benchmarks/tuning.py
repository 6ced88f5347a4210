"""Tuning on a toy with a known optimum: distance by games, SPSA beside random search.

Elo is quadratic in four parameters: a step away from the optimum costs 3 Elo in each, as
weather-factory advises for the step. Games end by the Elo difference of both sides; 40 % are drawn
at equal strength. The start is far from the optimum, or as near as that of a tuned engine.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import record
from samuel.arena.tuning.spsa import Gains, Parameter, Spsa

Floats = NDArray[np.float64]
ELO_PER_STEP, DRAWS, PAIRS = 3.0, 0.4, 8
PARAMETERS = [Parameter(name, 100, 0, 200, 10) for name in "abcd"]
OPTIMA = {"far": np.array([140.0, 70, 120, 65]), "near": np.array([110.0, 90, 110, 90])}
STEPS = np.array([one.step for one in PARAMETERS])
START = np.array([one.start for one in PARAMETERS])
GAMES, SEEDS = (1000, 4000, 16_000, 64_000), 20


def elo(values: Floats, start: str = "far") -> float:
    """Return the Elo of values, 0 at the optimum."""
    return -ELO_PER_STEP * distance(values, start) ** 2


def distance(values: Floats, start: str = "far") -> float:
    """Return the distance from the optimum, in steps."""
    return float(np.linalg.norm((values - OPTIMA[start]) / STEPS))


def play(one: Floats, other: Floats, pairs: int, rng: np.random.Generator, start: str) -> list[int]:
    """Return the wins less losses of one side in each of some pairs."""
    score = 1 / (1 + 10 ** ((elo(other, start) - elo(one, start)) / 400))
    drawn = 4 * DRAWS * score * (1 - score)
    games = rng.choice((1, 0, -1), (pairs, 2), p=(score - drawn / 2, drawn, 1 - score - drawn / 2))
    return [int(total) for total in games.sum(axis=1)]


def spsa(
    games: int, seed: int, start: str = "far", r_end: float = Gains.r_end, batch: int = PAIRS
) -> Floats:
    """Return what SPSA finds."""
    pairs, rng = games // 2, np.random.default_rng(seed)
    made = Spsa(PARAMETERS, Gains(r_end=r_end), pairs, seed)
    for done in range(0, pairs, batch):
        made.tell(done, play(*made.ask(done), min(batch, pairs - done), rng, start))
    return made.values


def random_search(games: int, seed: int, start: str = "far", matches: int = 20) -> Floats:
    """Return the best of some values drawn uniformly, each by a match against the start."""
    rng = np.random.default_rng(seed)
    low, high = (np.array([getattr(one, name) for one in PARAMETERS]) for name in ("least", "most"))
    drawn = rng.uniform(low, high, (matches, len(PARAMETERS)))
    scores = [sum(play(one, START, games // (2 * matches), rng, start)) for one in drawn]
    best = int(np.argmax(scores))
    return drawn[best] if scores[best] > 0 else START


def _row(name: str, search: Callable[..., Floats], games: int, start: str) -> dict[str, Any]:
    found = [search(games, seed, start) for seed in range(SEEDS)]
    far, begun = [distance(one, start) for one in found], elo(START, start)
    gains = [elo(one, start) - begun for one in found]
    return {
        "start": f"{start}: {distance(START, start):.1f} steps, {begun:.0f} Elo",
        "method": name,
        "games": games,
        "distance": float(np.mean(far)),
        "worst": max(far),
        "Elo gained": float(np.mean(gains)),
        "runs that lose Elo": sum(one < 0 for one in gains),
    }


def main() -> None:
    """Measure each method with each number of games, from each start."""
    methods: dict[str, Callable[..., Floats]] = {
        "SPSA, r_end 0.002": spsa,
        "SPSA, r_end 0.006": functools.partial(spsa, r_end=0.006),
        "SPSA, r_end 0.02": functools.partial(spsa, r_end=0.02),
        "SPSA, 64 pairs per batch": functools.partial(spsa, batch=64),
        "random search": random_search,
    }
    rows = [
        _row(name, search, games, start)
        for start in OPTIMA
        for name, search in methods.items()
        for games in GAMES
    ]
    record("tuning", rows, f"means of {SEEDS} seeds")


if __name__ == "__main__":
    main()
