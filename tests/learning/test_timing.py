"""How long a run of the generation loop still takes, by the steps that it has done."""

from pathlib import Path
from typing import Any

import pytest

from samuel.learning.generations.run import Run
from samuel.learning.generations.settings import checked
from samuel.learning.generations.timing import time_of
from samuel.learning.options import LearnOptions

SETTINGS = checked(
    LearnOptions(game="tic_tac_toe", games=100, gate_pairs=200, curve_pairs=10, last=2)
)
NAMES = ("first", "classic")


def done(generation: int, play: float, fit: float, gate: float, games: int) -> list[dict[str, Any]]:
    """Return the entries of a generation in which a game of a match took half a second."""
    steps: list[dict[str, Any]] = [
        {"step": "play", "seconds": play},
        {"step": "train", "seconds": fit, "generations": list(range(1, generation + 1))[-2:]},
        {"step": "gate", "seconds": gate, "games": games},
        *({"step": f"against {name}", "seconds": 10.0, "games": 20} for name in NAMES),
    ]
    return [{"generation": generation, **step} for step in steps]


def run_of(*entries: dict[str, Any]) -> Run:
    first = {"generation": 0, "step": "against classic", "seconds": 10.0, "games": 20}
    return Run(Path("it"), SETTINGS, {}, 3, (first, *entries))


def test_each_kind_of_step_has_its_own_pace() -> None:
    run = run_of(*done(1, 60, 8, 50, 100))
    # 60 s of self-play and a fit to twice the games, each seen once; a gate of 100 to 400 games,
    # and 40 games against the baselines, half a second each
    least, most = 60 / 2 + 16 / 2 + (100 + 40) * 0.5 / 1.3, 60 * 2 + 16 * 2 + (400 + 40) * 0.5 * 1.3
    assert time_of(run, 2) == pytest.approx((least, most))
    assert time_of(run, 3) == pytest.approx((2 * least, 2 * most))


def test_what_is_done_of_a_generation_is_not_to_come() -> None:
    later = done(2, 90, 12, 100, 200)
    run = run_of(*done(1, 60, 8, 50, 100), *later[:2])
    assert time_of(run, 2) == pytest.approx((140 * 0.5 / 1.3, 440 * 0.5 * 1.3))
    whole = run_of(*done(1, 60, 8, 50, 100), *later, *done(3, 90, 12, 100, 200))
    assert time_of(whole, 3) == (0, 0)
    run = run_of(*done(1, 60, 8, 50, 100), *later)
    least, most = time_of(run, 3) or (0.0, 0.0)
    assert least == pytest.approx(60 / 1.3 + 2 * 6 / 1.3 + 140 * 0.5 / 1.3)
    assert most == pytest.approx(90 * 1.3 + 2 * 8 * 1.3 + 440 * 0.5 * 1.3)
