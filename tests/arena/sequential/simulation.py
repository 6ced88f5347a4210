"""Whole sequential tests on random results, to check what is said of them beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float64, int8, int64, types
from numpy.typing import ArrayLike, NDArray

from samuel.arena.sequential.likelihood import log_likelihood_ratio, new_room
from samuel.arena.sequential.sprt import Sprt
from samuel.arena.statistics import checked_counts
from samuel.kernels.bits import STREAM, seed_stream, uniform
from samuel.kernels.jit import jit

CONTINUE, ACCEPT_H0, ACCEPT_H1 = range(3)
_RUNS_PER_CALL = 50


@dataclass(frozen=True, repr=False)
class Simulation:
    """Tests that were simulated.

    Attributes
    ----------
    counts
        int64 (runs, 5) or (runs, 3): each test's results when it stopped.
    decisions
        (runs,) of "H0", "H1" or "continue".
    """

    counts: NDArray[np.int64]
    decisions: NDArray[np.str_]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Units played in each test (runs,)."""
        return self.counts.sum(axis=1)

    @property
    def pass_share(self) -> float:
        """The share of the tests that accepted H1."""
        return float((self.decisions == "H1").mean())


@jit(
    types.void(
        *(float64[::1], float64, float64, int64, float64, float64, int64, int64, int64),
        *(STREAM, float64[:, ::1], float64[:, ::1], int8[::1]),
    )
)
def run_tests(
    cumulative: Any,
    bound0: float,
    bound1: float,
    normalized: int,
    lower: float,
    upper: float,
    longest: int,
    seed: int,
    first: int,
    stream: Any,
    room: Any,
    counts: Any,
    decisions: Any,
) -> None:
    """Run sequential tests number `first` and on of `seed`, looking at the LLR after every unit.

    `cumulative` (n,) are the summed probabilities of the outcomes. Fills in `counts` (runs, n) and
    `decisions` (runs,): CONTINUE where `longest` units have not decided.
    """
    n = cumulative.shape[0]
    for run in range(counts.shape[0]):
        seed_stream(stream, seed, first + run)
        for _ in range(longest):
            draw, outcome = uniform(stream), 0
            while outcome < n - 1 and draw >= cumulative[outcome]:
                outcome += 1
            counts[run, outcome] += 1
            llr = log_likelihood_ratio(counts[run], bound0, bound1, normalized, room)
            if llr >= upper or llr <= lower:
                decisions[run] = ACCEPT_H1 if llr >= upper else ACCEPT_H0
                break


def simulate(
    sprt: Sprt,
    probabilities: ArrayLike,
    runs: int,
    seed: int = 0,
    *,
    longest: int = 1_000_000,
) -> Simulation:
    """Run whole tests on random results, the exact LLR after every unit.

    Parameters
    ----------
    probabilities
        of the outcomes of a pair (5,) or of a game (3,); `Sprt.probabilities_at` makes them.
    runs
        the number of tests; test k draws from stream (seed, k).
    longest
        units after which a test is given up undecided.

    Raises
    ------
    UserError
        The probabilities are no 3 or 5 of them.
    """
    shares = checked_counts(probabilities)
    cumulative = np.cumsum(shares / shares.sum())
    bounds = sprt.unit_bounds(len(shares))
    counts = np.zeros((runs, len(shares)))
    decisions = np.zeros(runs, np.int8)
    kind, stream, room = sprt.normalized, np.zeros(1, np.uint64), new_room(len(shares))
    for first in range(0, runs, _RUNS_PER_CALL):  # Ctrl-C is seen in between
        part = slice(first, first + _RUNS_PER_CALL)
        limits = (sprt.lower, sprt.upper, longest, seed, first)
        run_tests(cumulative, *bounds, kind, *limits, stream, room, counts[part], decisions[part])
    words = np.full(runs, "continue")
    words[decisions == ACCEPT_H0], words[decisions == ACCEPT_H1] = "H0", "H1"
    return Simulation(counts.astype(np.int64), words)
