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

from samuel.common.errors import UserError
from samuel.features.transformer import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.learning.generations.loop import learn
from samuel.learning.options import LearnOptions as Learning
from samuel.models import save
from samuel.models.saved.payloads import Payload
from samuel.models.saved.serialized import SerializedEvaluator
from samuel.selfplay import Dataset, SelfplayPlan, generate
from samuel.selfplay.workers import backend, run_tasks
from tests.league import league
from tests.processes import eventually
from tests.selfplay.test_workers import held_up, waited

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


@pytest.mark.slow
def test_the_same_rows_by_joblibs_own_way_to_a_cluster(
    here: Dataset, tmp_path: Path, cluster: Any
) -> None:
    with distributed.Client(cluster) as client, joblib.parallel_config("dask", client=client):
        there = generate(PLAN, 100, tmp_path / "data")
    pd.testing.assert_frame_equal(
        there.frame(), here.frame().head(len(there)), check_categorical=False
    )


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


def test_the_same_generations_from_a_cluster(tmp_path: Path, cluster: Any) -> None:
    settings = Learning(
        game="tic_tac_toe", games=64, depth=1, model="ridge", gate_pairs=8, curve_pairs=2, seed=3
    )
    with backend(cluster.scheduler_address):
        there = learn(tmp_path / "there", settings, generations=1)
    here = learn(tmp_path / "here", settings, generations=1)
    assert there.repeatable() == here.repeatable()


@pytest.mark.slow
def test_the_same_league_from_a_cluster(cluster: Any) -> None:
    with backend(cluster.scheduler_address):
        there = league("classic", "wpc", games=130, seed=8)
    assert np.array_equal(there.results, league("classic", "wpc", games=130, seed=8).results)


def test_results_of_a_cluster_come_as_they_end(cluster: Any, tmp_path: Path) -> None:
    first, found = tmp_path / "first", []
    calls = [delayed(held_up)(k, first) for k in range(20)]
    with backend(cluster.scheduler_address):
        for number in run_tasks(calls, 1, in_order=False):
            found.append(number)
            first.touch()
        assert found[0] != 0 and sorted(found) == list(range(20))
        assert list(run_tasks(calls, 1)) == list(range(20))


def test_a_call_that_fails_on_a_cluster_ends_the_run(cluster: Any) -> None:
    with backend(cluster.scheduler_address):
        with pytest.raises(UserError, match="-3 is no number"):
            list(run_tasks((delayed(waited)(k) for k in [1, 2, -3, 4]), 1))
        with pytest.raises(ZeroDivisionError):
            list(run_tasks([delayed(divmod)(1, 0)], 1))


def test_closed_early_little_is_under_way_and_nothing_stays(cluster: Any) -> None:
    asked: list[int] = []

    def calls() -> Iterator[Any]:
        for number in range(10_000):
            asked.append(number)
            yield delayed(waited)(number, 0.02)

    with backend(cluster.scheduler_address), distributed.Client(cluster) as client:
        # in the order of their ends: however slow one is, a call ends for each that is asked for
        results = run_tasks(calls(), 1, in_order=False)
        assert len({next(results) for _ in range(5)}) == 5
        results.close()
        assert len(asked) <= 5 + 2 * 2 * 3
        assert eventually(lambda: not any(client.processing().values()))


def test_another_version_on_a_worker_is_refused(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samuel.selfplay.cluster.program_digest", lambda: "of another version")
    with backend(cluster.scheduler_address), pytest.raises(UserError, match="another version"):
        list(run_tasks([delayed(waited)(1)], 1))


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


def test_the_address_of_a_worker_is_refused(cluster: Any) -> None:
    address = next(iter(cluster.scheduler.workers))
    with pytest.raises(UserError, match="is the address of a worker; give"), backend(address):
        pass
