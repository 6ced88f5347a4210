"""Tasks on workers: order, failures, an early end, and backends that cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import pytest
from joblib import delayed

from samuel.common.errors import UserError
from samuel.games import Evaluator
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.models.saved.serialized import Serialized
from samuel.selfplay.cluster import connected
from samuel.selfplay.workers import run_tasks
from tests.processes import TIMEOUT, eventually, start


def waited(number: int, seconds: float = 0.0) -> int:
    time.sleep(seconds)
    if number < 0:
        raise UserError(f"{number} is no number")
    return number


def held_up(number: int, until: Path) -> int:
    """Return the number; 0 is held up until there is a file."""
    assert number or eventually(until.exists)
    return number


def until_stopped(number: int, started: threading.Event) -> str:
    """Stand for a search: count as one, and end when it is told to."""
    if number == 0:
        started.wait()
        return "done"
    counters = budget.new_counters()
    started.set()
    until = time.monotonic() + TIMEOUT
    while not counters[budget.INTERRUPTED]:
        assert time.monotonic() < until
        time.sleep(0.001)
    raise KeyboardInterrupt


def calls(n: int) -> Iterator[Any]:
    return (delayed(waited)(k, 0.3 if k == 0 else 0.0) for k in range(n))


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_order(jobs: int) -> None:
    assert list(run_tasks(calls(20), jobs)) == list(range(20))
    assert list(run_tasks([], jobs)) == []


def test_results_come_as_they_end(tmp_path: Path) -> None:
    found, first = [], tmp_path / "first"
    for number in run_tasks((delayed(held_up)(k, first) for k in range(10)), 2, in_order=False):
        found.append(number)
        first.touch()
    assert found[0] != 0 and sorted(found) == list(range(10))


@pytest.mark.filterwarnings("error")
def test_closed_early_it_stops_the_searches() -> None:
    started = threading.Event()
    both = [delayed(until_stopped)(number, started) for number in range(2)]
    results = run_tasks(both, 2)
    assert next(results) == "done"
    began = time.monotonic()
    results.close()
    assert time.monotonic() - began < TIMEOUT / 2  # or the other waited until it gave up


def test_closed_early_it_stops_no_search_of_another_run() -> None:
    counters = {}

    def search(name: str) -> str:
        counters[name] = budget.new_counters()
        return name

    def run_within() -> list[str]:
        return list(run_tasks([delayed(search)("within")], 1))

    other = run_tasks([delayed(search)("another"), delayed(search)("unused")], 1)
    one = run_tasks([delayed(search)("one"), delayed(run_within)(), delayed(search)("late")], 1)
    assert [next(other), next(one), next(one)] == ["another", "one", ["within"]]
    counters["none"] = budget.new_counters()
    one.close()
    stopped = {name for name, its in counters.items() if its[budget.INTERRUPTED]}
    assert stopped == {"one", "within"}
    other.close()
    assert counters["another"][budget.INTERRUPTED] and not counters["none"][budget.INTERRUPTED]


def test_calls_may_name_any_argument() -> None:
    def named(self: int, function: int) -> int:
        return self + function

    assert list(run_tasks([delayed(named)(self=1, function=2)], 1)) == [3]


def test_what_other_processes_cannot_know_is_refused() -> None:
    @jit
    def one(position: Any, integers: Any, floats: Any) -> float:
        return 1.0

    carried = Serialized(Evaluator("own", "othello", one))
    both = [delayed(id)(carried), delayed(id)(carried)]
    assert len(list(run_tasks(both, 2))) == 2
    with (
        joblib.parallel_config("loky"),
        pytest.raises(
            UserError, match="own exists only in this process, so other processes cannot"
        ),
    ):
        list(run_tasks(both, 2))


def test_a_cluster_needs_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(UserError, match=r"pip install .*\[dask\]"),
        connected("tcp://a:1"),
    ):
        pass


def slept_beside(folder: Path) -> None:
    """Write down this process's number, and work on for a long time."""
    (folder / str(os.getpid())).touch()
    time.sleep(TIMEOUT)


def test_worker_processes_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; import joblib\n"
        "from tests.selfplay.test_workers import *\n"
        "with joblib.parallel_config('loky'):\n"
        "    list(run_tasks([delayed(slept_beside)(Path(sys.argv[1]))] * 2, 2))"
    )
    process = start("-c", program, tmp_path)
    assert eventually(lambda: len(list(tmp_path.iterdir())) == 2 or process.poll() is not None)
    workers = [int(path.name) for path in tmp_path.iterdir()]
    process.kill()
    process.wait()
    assert len(workers) == 2
    assert eventually(lambda: not any(map(is_running, workers)))


def is_running(pid: int) -> bool:
    """Return whether a process is there, and not only still to be reaped."""
    status = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return status.stdout.strip()[:1] not in ("", "Z")


def test_a_backend_that_returns_all_at_once_is_refused() -> None:
    with (
        joblib.parallel_config("multiprocessing"),
        pytest.raises(UserError, match=r"MultiprocessingBackend .* choose threading, loky or dask"),
    ):
        list(run_tasks([delayed(waited)(1)] * 2, 2))
