"""Work for several workers, to be ended by Ctrl-C at once: threads, processes or machines.

Workers are threads of this process (kernels hold no lock), unless `joblib.parallel_config` names
another of joblib's backends, or a command a Dask cluster. The arguments of a call must then pickle:
evaluators and games do as `Serialized` (models/saved/serialized.py).
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
    searches, make_backend = budget.Group(), CLUSTER.get()
    backend = make_backend() if make_backend else get_active_backend(prefer="threads")[0]
    if getattr(backend, "supports_sharedmem", False):
        calls = (delayed(searches.call)(of, *args, **kwargs) for of, args, kwargs in calls)
    elif backend.effective_n_jobs(jobs) > 1:
        parent = os.getpid() if type(backend).__name__ == "LokyBackend" else None
        calls = (delayed(_call_elsewhere)(pickle.dumps(call), parent) for call in calls)
        make_ready(kernels)
    return_as = "generator" if in_order else "generator_unordered"
    try:
        results = Parallel(n_jobs=jobs, backend=backend, return_as=return_as)(calls)
    except ValueError as error:
        raise UserError(
            f"joblib's {type(backend).__name__} cannot return results one by one; choose "
            "threading, loky or dask in joblib.parallel_config"
        ) from error
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


def _call_elsewhere(call: bytes, parent: int | None) -> Any:
    """Make a call that arrives as bytes: joblib would leave large arguments with one worker."""
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
    """Let this process end soon after its parent, by SIGKILL too; loky's would wait for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_UP)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
