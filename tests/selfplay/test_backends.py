"""Self-play and matches on threads, processes and a cluster: the same rows, nothing lost."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib import delayed
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel.arena.tournament import tournament
from samuel.common.errors import UserError
from samuel.features.transformer import Features
from samuel.games import Evaluator, Game, game_named
from samuel.games.playing import random_positions
from samuel.learning.comparison.compare import compare
from samuel.models import load_evaluator, save
from samuel.models.saved.serialized import Serialized
from samuel.search.limits import Limits
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from samuel.selfplay.workers import run_tasks

distributed = pytest.importorskip("distributed", reason="samuel-learning[dask] is not installed")
from samuel.selfplay.cluster import connected  # noqa: E402

PLAN = SelfplayPlan(depth=2, epsilon=0.1, seed=3)
GAMES = 700


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """The rows that threads make."""
    return generate(PLAN, GAMES, tmp_path_factory.mktemp("here") / "data", jobs=2)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes on loopback; dask starts another where one is lost."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster


def test_the_same_rows_from_processes(here: Dataset, tmp_path: Path) -> None:
    with joblib.parallel_config("loky"):
        there = generate(PLAN, GAMES, tmp_path / "data", jobs=2)
    pd.testing.assert_frame_equal(there.frame(), here.frame())


def test_the_same_rows_from_a_cluster_that_loses_a_worker(
    here: Dataset, tmp_path: Path, cluster: Any
) -> None:
    killed: list[int] = []

    def kill(games: int, rows: int) -> None:
        if 0 < games < GAMES and not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    with connected(cluster.scheduler_address):
        there = generate(PLAN, GAMES, tmp_path / "data", progress=kill)
    assert killed
    pd.testing.assert_frame_equal(there.frame(), here.frame())


def test_events_on_a_cluster_play_the_same_games(tmp_path: Path, cluster: Any) -> None:
    plan = SelfplayPlan(game="tic_tac_toe", depth=1, epsilon=0.2, seed=1)
    data = generate(plan, 60, tmp_path / "data")

    def played() -> list[pd.DataFrame]:
        limits = Limits(depth=1)
        met = tournament(["classic", "zero"], game=data.game, pairs=3, limits=limits)
        compared = compare(data, ["classic", "zero"], pairs=3, limits=limits)
        matches = [model.match for model in compared.models if model.match is not None]
        return [one.frame().filter(regex="^(?!seconds)") for one in (met, *matches)]

    here = played()
    logger = logging.getLogger("distributed.core")
    before = logger.level
    with connected(cluster.scheduler_address):
        assert logger.level > logging.CRITICAL
        there = played()
    assert logger.level == before
    assert len(here) == 2
    for expected, found in zip(here, there, strict=True):
        pd.testing.assert_frame_equal(found, expected)


def save_ridge(folder: Path) -> None:
    positions = random_positions(game_named("othello"), 6, seed=1)
    ridge = make_pipeline(Features(["mobility", "corners"]), Ridge())
    save(folder, ridge.fit(positions, np.arange(6.0)), name="ridge")


def scores(carried: Serialized[tuple[Game, Evaluator]], number: int, missing: str) -> float:
    """Return the score of a position, on a worker that cannot read the model's folder."""
    assert not Path(missing).exists()
    game, evaluator = carried.value
    position = random_positions(game, number + 1, seed=1)[number:]
    from samuel.models import evaluate

    return float(evaluate(evaluator, game, position)[0])


@pytest.mark.slow
@pytest.mark.parametrize("where", ["loky", "cluster"])
def test_workers_need_no_shared_disk(tmp_path: Path, cluster: Any, where: str) -> None:
    game, folder = game_named("othello"), tmp_path / "ridge"
    save_ridge(folder)
    carried = Serialized((game, load_evaluator(folder, game)))
    carried.__getstate__()  # read before the folder goes
    shutil.rmtree(folder)
    calls = (delayed(scores)(carried, number, str(folder)) for number in range(6))
    with joblib.parallel_config("loky"):
        if where == "loky":
            found = list(run_tasks(calls, 2))
        else:
            with connected(cluster.scheduler_address):
                found = list(run_tasks(calls, 2))
    expected = [scores(carried, number, str(folder)) for number in range(6)]
    np.testing.assert_array_equal(found, expected)


def ended(number: int, place: Path) -> int:
    """Return the number; 3 ends its worker instead."""
    if number == 3:
        place.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("where", ["loky", "cluster"])
def test_a_call_that_is_lost_is_one_sentence(
    tmp_path: Path, cluster: Any, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    calls = [delayed(ended)(number, tmp_path / "lost") for number in range(4)]
    with contextlib.ExitStack() as chosen:
        if where == "loky":
            chosen.enter_context(joblib.parallel_config("loky"))
            message = "a worker process was killed"
        else:
            chosen.enter_context(connected(cluster.scheduler_address))
            message = "the cluster lost a call .*run the same command again"
        with pytest.raises(UserError, match=message):
            list(run_tasks(calls, 2))
        assert list(run_tasks(calls[:3], 2)) == [0, 1, 2]
    assert (tmp_path / "lost").exists()


def test_what_is_no_scheduler_of_this_version_is_refused(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loops() -> int:
        return sum("IO loop" in thread.name for thread in threading.enumerate())

    def refused(address: str, message: str) -> None:
        before = loops()
        with pytest.raises(UserError, match=message), connected(address):
            pass
        assert loops() == before > 0

    monkeypatch.setattr("samuel.selfplay.cluster._CONNECT", 0.5)
    refused("tcp://127.0.0.1:1", "no scheduler .* answers at .*start `dask scheduler`")
    refused("nowhere", "no scheduler .* answers")
    monkeypatch.undo()
    refused(
        next(iter(cluster.scheduler.workers)),
        "is the address of a worker; give that of the scheduler",
    )
    monkeypatch.setattr("samuel.selfplay.cluster.version", lambda _: os.getpid())
    refused(cluster.scheduler_address, "install one version on every machine")


def test_a_cluster_without_workers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samuel.selfplay.cluster._CONNECT", 0.5)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as empty,
        pytest.raises(UserError, match=r"no scheduler with workers .* start `dask worker ADDRESS`"),
        connected(empty.scheduler_address),
    ):
        pass
