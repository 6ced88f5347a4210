"""Work for several workers, to be ended by Ctrl-C at once: threads, processes or machines.

Workers are threads of this process (kernels hold no lock), unless `joblib.parallel_config` names
another of joblib's backends, or `backend` a cluster. The arguments of a call must then pickle:
evaluators and games do as `SerializedEvaluator` and `SerializedGame` (models/saved/serialized.py).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import pickle
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextvars import ContextVar
from typing import Any

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from samuel.common.errors import UserError
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.models.saved.payloads import without_payloads

_LOOK_UP = 0.5
"""Seconds between looks of a worker process at whether its parent is still there."""
_cluster: ContextVar[Any] = ContextVar("cluster", default=None)
"""The client of the cluster that `backend` has chosen."""


def run_tasks(
    calls: Iterable[Any], jobs: int, *, in_order: bool = True, kernels: Iterable[Any] = ()
) -> Generator[Any, None, None]:
    """Yield what calls (of `joblib.delayed`) return.

    Closed before its end, or when a call fails, it drops the calls that are left and, where
    workers are threads, stops the searches of this run, and of no other. Those of processes end
    with them; the workers of a cluster finish the call they are at.

    Parameters
    ----------
    calls
        The calls; they are made as workers become free.
    jobs
        How many go on at a time, -1 for one a core; of a cluster, all its workers do.
    in_order
        Whether results come in the order of the calls, or as they end.
    kernels
        Entry points that the calls need. Worker processes then find them compiled on disk, where
        otherwise each would compile them for itself.

    Raises
    ------
    UserError
        An evaluator or a game is known to this process alone and the workers are others; the
        backend cannot hand on results one by one; the cluster was lost.
    """
    client, searches = _client(), budget.Group()
    results = (
        _by_joblib(calls, jobs, in_order, kernels, searches)
        if client is None
        else _by_cluster(calls, client, in_order)
    )
    try:
        for result in results:  # noqa: UP028, for `yield from` closes it before the searches stop
            yield result
    except BaseException:
        searches.interrupt()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, that some tasks were not waited for
            results.close()
        raise


def _by_joblib(
    calls: Iterable[Any],
    jobs: int,
    in_order: bool,
    kernels: Iterable[Any],
    searches: budget.Group,
) -> Generator[Any, None, None]:
    chosen, _ = get_active_backend(prefer="threads")
    return_as = "generator" if in_order else "generator_unordered"
    try:
        work = Parallel(n_jobs=jobs, prefer="threads", return_as=return_as)
    except ValueError as error:
        if "return_as" not in str(error):
            raise
        raise UserError(
            f"joblib's {type(chosen).__name__} cannot return results one by one; choose "
            "threading or loky in joblib.parallel_config, or a cluster"
        ) from error
    if getattr(chosen, "supports_sharedmem", False):
        calls = (
            delayed(searches.call)(function, *args, **kwargs) for function, args, kwargs in calls
        )
    elif chosen.effective_n_jobs(jobs) > 1:
        calls = iter(calls)
        if type(chosen).__name__ == "LokyBackend":
            calls = (
                delayed(_call_in_child)(os.getpid(), function, *args, **kwargs)
                for function, args, kwargs in calls
            )
        first = list(itertools.islice(calls, 1))
        with contextlib.suppress(pickle.PicklingError):  # joblib knows how to pickle more
            without_payloads(
                first
            )  # where a call cannot be sent, joblib would say so in a traceback
        calls = itertools.chain(first, calls)
        make_ready(kernels)
    results: Generator[Any, None, None] = work(calls)
    return results


def _call_in_child(parent: int, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Make a call in a worker process, which ends when its parent does, by SIGKILL as well."""
    _end_with(parent)
    return function(*args, **kwargs)


@functools.cache
def _end_with(parent: int) -> None:
    """Let this process end soon after its parent; loky's would wait for calls for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_UP)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _by_cluster(calls: Iterable[Any], client: Any, in_order: bool) -> Generator[Any, None, None]:
    from samuel.selfplay.cluster import run_on_cluster

    return run_on_cluster(calls, client, in_order)


def _client() -> Any:
    """Return the client of the cluster in use, be it joblib that names it; None without."""
    chosen, _ = get_active_backend(prefer="threads")
    # joblib's own adapter pins large arguments to the workers that hold them: their loss is the
    # run's (docs/decisions/006)
    of_joblib = chosen.client if type(chosen).__name__ == "DaskDistributedBackend" else None
    return _cluster.get() or of_joblib


@contextlib.contextmanager
def backend(cluster: str | None) -> Iterator[None]:
    """Let `run_tasks` use the workers of a dask cluster; those of this process where None.

    Parameters
    ----------
    cluster
        The address of its scheduler, such as `tcp://host:8786`.

    Raises
    ------
    UserError
        dask is not installed, or no scheduler answers.
    """
    if cluster is None:
        yield
        return
    from samuel.selfplay.cluster import connected

    with connected(cluster) as client:
        token = _cluster.set(client)
        try:
            yield
        finally:
            _cluster.reset(token)
