"""Tests of strength by real games: error rates, lengths against theory, games a second."""

from __future__ import annotations

import functools
import math
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import record, seconds
from samuel.arena.match import match
from samuel.arena.openings.choice import openings_for
from samuel.arena.sequential.sprt import Sprt
from samuel.arena.sprt_evaluation import forecast
from samuel.games import game_named
from samuel.games.evaluator import Evaluator
from samuel.games.playing import random_positions
from samuel.kernels.bits import mix
from samuel.kernels.jit import jit
from samuel.models import evaluate, load_evaluator
from samuel.search.limits import Limits
from samuel.selfplay.generate import generate
from samuel.selfplay.openings.openings import Openings
from samuel.selfplay.plan import SelfplayPlan

RUNS, PAIRS, PLIES = 100, 60_000, 10
GAMES = 1000
TOLD_APART = 40
"""Sequential tests of an evaluator against itself with noise."""
TRUTH_PAIRS = 20_000
"""Pairs of the long match that says how strong the noise makes it."""
NOISE = 0.1
"""Standard deviation, in the unit of the square weights, of which a corner has 1."""

_OTHELLO = game_named("othello")
_SHIFT, _UNIT = np.uint64(40), 2.0**-24


@jit
def noisy_squares(position: Any, integers: Any, floats: Any) -> float:
    """Return the square weights floats[1:], and noise that the position and integers[0] decide.

    The noise, of standard deviation floats[0], is a sum of four uniform numbers.
    """
    total = 0.0
    one = np.uint64(1)
    for square in range(64):
        bit = one << np.uint64(square)
        if position[0] & bit:
            total += floats[1 + square]
        elif position[1] & bit:
            total -= floats[1 + square]
    word = mix(mix(position[0], position[1]), np.uint64(integers[0]))
    noise = -2.0
    for _ in range(4):
        word = mix(word, one)
        noise += (word >> _SHIFT) * _UNIT
    return total + floats[0] * noise * math.sqrt(3.0)


def noisy(seed: int, size: float) -> Evaluator:
    """Return `wpc` with noise of that standard deviation."""
    return Evaluator(
        f"wpc with noise {size:g}, {seed}",
        "othello",
        noisy_squares,
        integers=np.array([seed], np.int32),
        floats=np.append(size, _square_weights()).astype(np.float32),
    )


@functools.cache
def _square_weights() -> NDArray[np.float64]:
    """Return the weights (64,) of `wpc`, found from its scores of 1,000 positions."""
    positions = random_positions(_OTHELLO, 1000, 1, 10, 40)
    scores = evaluate(load_evaluator("wpc"), _OTHELLO, positions)
    bits = positions[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    own, other = bits.astype(np.float64).transpose(1, 0, 2)
    weights: NDArray[np.float64] = np.linalg.lstsq(own - other, scores, rcond=None)[0]
    return weights


def main() -> None:
    """Play all of it; some minutes on two cores."""
    pools = [openings_for(_OTHELLO, "random", PAIRS, PLIES, seed=seed) for seed in range(4)]
    record(
        "strength",
        [*_against_itself(pools), *_alike(pools), _told_apart(pools)],
    )
    record("strength-speed", _speed(), f"{GAMES} games at depth 4, two workers")


def _against_itself(pools: list[Openings]) -> list[dict[str, Any]]:
    """Test an evaluator against the very same one, at 0 to 5 Elo; each run has openings of its own.

    Both play alike, so every pair is split, and the LLR falls by as much with each.
    """
    rows = []
    for model, runs in (("logistic", RUNS), ("normalized", RUNS // 5)):
        test, lengths, failed = Sprt(0, 5, model=model), [], 0
        for run in range(runs):
            found = match(
                "classic",
                "classic",
                limits=Limits(1),
                openings=_rotated(pools, run),
                pairs=PAIRS,
                sprt=test,
                jobs=2,
            )
            lengths.append(len(found.pairs))
            failed += found.state is not None and found.state.decision == "H0"
        what = f"the same evaluator, {model} 0 to 5"
        rows.append(_row(what, runs, failed, lengths, forecast(test, 0.0).pairs))
    return rows


def _alike(pools: list[Openings]) -> list[dict[str, Any]]:
    """Test equal players who do not play alike, at 0 to 5 Elo, on real games.

    Two evaluators with noise of their own differ a little in strength. So who of them is A is
    drawn anew for each pair: then A and B are equal.
    """
    draw = np.random.default_rng(1)
    terms: dict[str, Any] = {"depth": 1, "exact_from": 0, "jobs": 2}
    played = [
        match(noisy(2 * k, NOISE), noisy(2 * k + 1, NOISE), openings=p, pairs=PAIRS, **terms)
        for k, p in enumerate(pools)
    ]
    rows = []
    for model in ("logistic", "normalized"):
        test, lengths, failed = Sprt(0, 5, model=model), [], 0
        for run in range(RUNS):
            balance = np.sign(played[run % len(played)].results).sum(axis=1)
            balance = draw.permutation(balance) * draw.choice([-1, 1], len(balance))
            length, decision = _tested(test, balance)
            lengths.append(length)
            failed += decision == "H0"
        what = f"equal, noise of their own, {model} 0 to 5"
        rows.append(_row(what, RUNS, failed, lengths, forecast(test, 0.0).pairs))
    return rows


def _tested(test: Sprt, balance: NDArray[np.float32]) -> tuple[int, str]:
    """Return after how many pairs a test stops, and how; `balance` is wins less losses of each."""
    counts = np.zeros(5, np.int64)
    decision = "continue"
    for cell in balance.astype(np.int64) + 2:
        counts[cell] += 1
        decision = test.state(counts).decision
        if decision != "continue":
            break
    return int(counts.sum()), decision


def _row(
    what: str, runs: int, failed: int, lengths: list[int], expected: float
) -> dict[str, str | int | float]:
    row = {
        "what": what,
        "runs": runs,
        "at the lower bound": failed,
        "mean pairs": float(np.mean(lengths)),
        "expected pairs": expected,
    }
    print(row, flush=True)
    return row


def _rotated(pools: list[Openings], run: int) -> Openings:
    """Return openings in an order of this run's own."""
    openings = pools[run % len(pools)]
    return openings.take(np.random.default_rng(run).permutation(len(openings)))


def _told_apart(pools: list[Openings]) -> dict[str, Any]:
    """Return how many pairs it takes to tell an evaluator from itself with noise, and should."""
    terms: dict[str, Any] = {"depth": 1, "exact_from": 0, "jobs": 2}
    plain = noisy(0, 0.0)
    long = match(
        plain, noisy(99, NOISE), openings=pools[0][:TRUTH_PAIRS], pairs=TRUTH_PAIRS, **terms
    )
    truth = long.statistics
    test = Sprt(0, round(truth.nelo))
    expected = forecast(test, truth.nelo, truth.pentanomial)
    lengths, passed = [], 0
    for run in range(TOLD_APART):
        found = match(
            plain,
            noisy(100 + run, NOISE),
            openings=_rotated(pools, run),
            pairs=PAIRS,
            sprt=test,
            **terms,
        )
        lengths.append(len(found.pairs))
        passed += found.state is not None and found.state.decision == "H1"
    what = f"noise of {NOISE:g}, truly {truth.nelo:.0f} nElo, 0 to {test.elo1:g}"
    return _row(what, TOLD_APART, TOLD_APART - passed, lengths, expected.pairs)


def _speed() -> list[dict[str, Any]]:
    """Time 1,000 games at depth 4, all compiled before, beside self-play of as many."""
    plan = SelfplayPlan(depth=4, exact_from=_OTHELLO.solver.exact_from, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        generate(plan, GAMES, f"{folder}/warm", jobs=2)
        reference = seconds(lambda: generate(plan, GAMES, f"{folder}/timed", jobs=2))
    rows = [{"what": "self-play of classic", "seconds": reference, "of self-play": 1.0}]
    for a, b in (("classic", "classic"), ("classic", "wpc")):
        match(a, b, pairs=4, jobs=2)
        took = seconds(functools.partial(match, a, b, pairs=GAMES // 2, jobs=2, seed=1))
        what = f"{a} against {b}"
        rows.append({"what": what, "seconds": took, "of self-play": took / reference})
    return rows


if __name__ == "__main__":
    main()
