"""Self-play and matches on threads, processes and a cluster: the same rows, nothing lost."""

from __future__ import annotations

import functools
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

from samuel.features.transformer import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import save
from samuel.models.saved.payloads import Payload
from samuel.models.saved.serialized import SerializedEvaluator
from samuel.selfplay import Dataset, SelfplayPlan, generate
from samuel.selfplay.workers import backend, run_tasks
from tests.processes import eventually
from tests.selfplay.test_workers import waited

distributed = pytest.importorskip("distributed", reason="samuel-learning[dask] is not installed")

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

    with backend(cluster.scheduler_address):
        there = generate(PLAN, GAMES, tmp_path / "data", progress=kill)
    assert killed
    pd.testing.assert_frame_equal(there.frame(), here.frame())


def save_ridge(folder: Path) -> None:
    positions = random_positions(game_named("othello"), 6, seed=1)
    ridge = make_pipeline(Features(["mobility", "corners"]), Ridge())
    save(folder, ridge.fit(positions, np.arange(6.0)), name="ridge")


def scores(carried: SerializedEvaluator, number: int, missing: str) -> float:
    """Return the score of a position, on a worker that cannot read the model's folder."""
    assert not Path(missing).exists()
    position = random_positions(carried.game, number + 1, seed=1)[number:]
    from samuel.models import evaluate

    return float(evaluate(carried.evaluator, carried.game, position)[0])


@pytest.mark.slow
@pytest.mark.parametrize("where", ["loky", "cluster"])
def test_workers_need_no_shared_disk(tmp_path: Path, cluster: Any, where: str) -> None:
    game, folder = game_named("othello"), tmp_path / "ridge"
    save_ridge(folder)
    carried = SerializedEvaluator(folder, game)
    carried.__getstate__()  # read before the folder goes
    shutil.rmtree(folder)
    calls = (delayed(scores)(carried, number, str(folder)) for number in range(6))
    with joblib.parallel_config("loky"):
        if where == "loky":
            found = list(run_tasks(calls, 2))
        else:
            with backend(cluster.scheduler_address):
                found = list(run_tasks(calls, 2))
    expected = [scores(carried, number, str(folder)) for number in range(6)]
    np.testing.assert_array_equal(found, expected)


def held_after_a_loss(marker: Path, payload: Payload) -> Payload:
    """Return a payload, but end the first worker that is asked."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return payload


@pytest.mark.slow
def test_a_model_that_was_lost_with_a_worker_is_sent_again(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    hold = functools.partial(held_after_a_loss, tmp_path / "lost")
    monkeypatch.setattr("samuel.selfplay.cluster._hold", hold)
    save_ridge(tmp_path / "ridge")
    carried = SerializedEvaluator(tmp_path / "ridge", game_named("othello"))
    with backend(cluster.scheduler_address):
        calls = [delayed(scores)(carried, number, str(tmp_path / "none")) for number in range(4)]
        found = list(run_tasks(calls, 1))
    assert (tmp_path / "lost").exists()
    expected = [scores(carried, number, str(tmp_path / "none")) for number in range(4)]
    np.testing.assert_array_equal(found, expected)


def test_without_workers_it_says_so_and_waits() -> None:
    with (
        distributed.LocalCluster(
            n_workers=0,
            threads_per_worker=1,
            processes=False,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as empty,
        backend(empty.scheduler_address),
        pytest.warns(UserWarning, match="has no workers") as said,
    ):

        def help_out() -> None:
            assert eventually(lambda: len(said))
            empty.loop.add_callback(empty.scale, 1)

        helper = threading.Thread(target=help_out)
        helper.start()
        assert list(run_tasks([delayed(waited)(k) for k in range(3)], 1)) == [0, 1, 2]
        helper.join()
