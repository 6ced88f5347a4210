"""Work for several workers, to be ended by Ctrl-C at once: threads, processes or machines.

Workers are threads of this process (kernels hold no lock), unless `joblib.parallel_config` names
another of joblib's backends, or a command a Dask cluster. The arguments of a call must then pickle:
evaluators and games do as `SerializedEvaluator` and `SerializedGame` (models/saved/serialized.py).
"""

from __future__ import annotations

import functools
import os
import pickle
import threading
import time
import warnings
from collections.abc import Generator, Iterable
from concurrent.futures.process import BrokenProcessPool
from contextvars import ContextVar
from typing import Any

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from samuel.common.errors import UserError, one_line
from samuel.kernels import budget
from samuel.kernels.jit import make_ready

_LOOK_UP = 0.5
"""Seconds between looks of a worker process at whether its parent is still there."""
CLUSTER: ContextVar[Any] = ContextVar("cluster", default=None)
"""Function that makes the backend of the Dask cluster, None for the one that joblib has chosen."""


def run_tasks(
    calls: Iterable[Any], jobs: int, *, in_order: bool = True, kernels: Iterable[Any] = ()
) -> Generator[Any, None, None]:
    """Yield what calls (of `joblib.delayed`) return.

    Closed before its end, or when a call fails, it drops the calls that are left and, where
    workers are threads, stops the searches of this run, and of no other. Those of processes end
    with them; the workers of a cluster finish the call they are at.
    """
    searches = budget.Group()
    results = _results(calls, jobs, in_order, kernels, searches)
    try:
        for result in results:  # noqa: UP028, for `yield from` closes it before the searches stop
            yield result
    except BaseException as error:
        searches.interrupt()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, that some tasks were not waited for
            results.close()
        if isinstance(error, BrokenProcessPool):
            raise UserError(
                "a worker process was killed (is memory short?); run the same command again"
            ) from error
        raise


def _results(
    calls: Iterable[Any],
    jobs: int,
    in_order: bool,
    kernels: Iterable[Any],
    searches: budget.Group,
) -> Generator[Any, None, None]:
    chosen = _backend()
    return_as = "generator" if in_order else "generator_unordered"
    try:
        work = Parallel(n_jobs=jobs, backend=chosen, return_as=return_as)
    except ValueError as error:
        if "return_as" not in str(error):
            raise
        raise UserError(
            f"joblib's {type(chosen).__name__} cannot return results one by one; choose "
            "threading, loky or dask in joblib.parallel_config"
        ) from error
    if getattr(chosen, "supports_sharedmem", False):
        calls = (
            delayed(searches.call)(function, *args, **kwargs) for function, args, kwargs in calls
        )
    elif chosen.effective_n_jobs(jobs) > 1:
        parent = os.getpid() if type(chosen).__name__ == "LokyBackend" else None
        calls = (delayed(_call_elsewhere)(pickle.dumps(call), parent) for call in calls)
        make_ready(kernels)
    results: Generator[Any, None, None] = work(calls)
    return results


def _backend() -> Any:
    """Return joblib's backend for calls, threads by default."""
    chosen, _ = get_active_backend(prefer="threads")
    make = CLUSTER.get()
    return chosen if make is None else make()


def _call_elsewhere(call: bytes, parent: int | None) -> Any:
    """Make a call in another process, which ends when its parent does, by SIGKILL as well.

    The call arrives as bytes: joblib would leave large arguments with one worker of a cluster, and
    they were lost with it.
    """
    if parent is not None:
        _end_with(parent)
    try:
        function, args, kwargs = pickle.loads(call)
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"a worker lacks a package or file ({one_line(error)}); install it there"
        ) from error
    return function(*args, **kwargs)


@functools.cache
def _end_with(parent: int) -> None:
    """Let this process end soon after its parent; loky's would wait for calls for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_UP)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
