"""Algorithms side by side: equal budgets, going on, one scale, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samuel.common.errors import UserError
from samuel.learning.generations.experiment import (
    Plan,
    algorithms_of,
    experiment,
    plan_in,
)
from samuel.learning.generations.experiment_result import Experiment
from samuel.learning.options import LearnOptions

SHARED: dict[str, Any] = {"game": "tic_tac_toe", "start": "zero", "model": "tuples3"}
SHARED |= {"games": 60, "epsilon": 0.1, "match_depth": 1, "baselines": ()}
ALGORITHMS = algorithms_of(
    SHARED,
    {"td": {"algorithm": "tdlambda"}, "root": {"algorithm": "rootstrap", "depth": 2}},
    "a test",
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    out = tmp_path_factory.mktemp("experiment") / "it"
    return experiment(out, ALGORITHMS, Plan(seeds=2, generations=2, pairs=3, rounds=4))


def test_all_have_learned_from_equally_many_games(found: Experiment) -> None:
    frame = found.frame()
    assert list(frame.algorithm) == ["td"] * 6 + ["root"] * 6
    assert list(frame.seed) == [0, 0, 0, 1, 1, 1] * 2
    assert list(frame.games) == [0, 60, 120] * 4
    assert (frame[frame.generation == 0].elo == 0).all()  # what all begin with is the anchor
    assert frame.groupby(["algorithm", "seed"]).seconds.is_monotonic_increasing.all()
    assert not any(run.of(1).get("gate") for run in found.runs.values())
    seeds = [run.options.seed for run in found.runs.values()]
    assert seeds == [0, 1, 0, 1]


def test_ratings_are_those_of_the_tournament(found: Experiment) -> None:
    ratings = found.result.ratings
    assert set(ratings.names) == {"zero"} | {
        f"{algorithm}-{seed} {generation}"
        for algorithm in ("td", "root")
        for seed in (0, 1)
        for generation in (1, 2)
    }
    frame = found.frame()
    elo = dict(zip(ratings.names, ratings.elo, strict=True))
    assert list(frame.elo) == [elo[name] for name in frame.player]


def test_a_way_is_the_mean_of_its_seeds(found: Experiment) -> None:
    frame, table = found.frame(), found.table()
    assert list(table.elo) == sorted(table.elo, reverse=True)
    for row in table.itertuples():
        last = frame[(frame.algorithm == row.algorithm) & (frame.generation == 2)].elo
        assert row.elo == pytest.approx(last.mean())
        assert (row.weakest, row.strongest) == (last.min(), last.max())
        # of two values, Student's interval reaches 12.7 times the standard error
        assert (row.high - row.low) / 2 >= 12.7 * abs(last.diff().iloc[1]) / 2
        assert row.low < row.elo < row.high


@pytest.mark.slow
def test_it_goes_on_where_it_stopped(found: Experiment, tmp_path: Path) -> None:
    """Interrupted in the second run, it ends as one that was not."""
    steps = []

    def interrupt(learning: Any) -> None:
        steps.append(learning)
        if learning.run == 2:
            raise KeyboardInterrupt

    asked = Plan(seeds=2, generations=2, pairs=3, rounds=4)
    with pytest.raises(KeyboardInterrupt):
        experiment(tmp_path / "it", ALGORITHMS, asked, progress=interrupt)
    assert steps
    algorithms, plan = plan_in(tmp_path / "it")
    assert plan == asked
    again = experiment(tmp_path / "it", algorithms, plan)
    assert list(again.result.ratings.elo) == list(found.result.ratings.elo)


@pytest.mark.parametrize(
    ("algorithms", "message"),
    [
        ({}, "at least one"),
        ({"../x": ALGORITHMS["td"]}, r"begins with a letter \(got '../x'\)"),
        (
            {"a": ALGORITHMS["td"], "b": LearnOptions(game="othello")},
            "every algorithm of an experiment must have the same game",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    algorithms: dict[str, LearnOptions], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        experiment(tmp_path / "it", algorithms)
    assert not (tmp_path / "it").exists()
