"""Choice of a Dask cluster, through joblib's own adapter, for the calls of `run_tasks`."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.metadata import version
from typing import Any

from joblib._dask import DaskDistributedBackend

from samuel.common.errors import UserError, one_line
from samuel.common.extras import extra
from samuel.selfplay.workers import CLUSTER

_CONNECT = 10.0
"""Seconds for a scheduler to answer."""
_PACKAGE = "samuel-learning"
_LOGGERS = ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado")


class DaskBackend(DaskDistributedBackend):
    """Backend of joblib for Dask, where a call that the cluster lost fails.

    joblib's own waits for it for ever, and runs the calls of a single worker in this process.
    """

    def effective_n_jobs(self, n_jobs: int) -> int:
        """Return the number of threads of all workers."""
        try:
            return max(2, super().effective_n_jobs(n_jobs))
        except TimeoutError as error:
            raise UserError(
                "the cluster has no workers; start some with `dask worker ADDRESS`"
            ) from error

    def submit(self, func: Callable[[], Any], callback: Callable[[Any], Any]) -> Future[Any]:
        """Submit a call; hand on its result, or what became of it, to `callback`."""
        future: Future[Any] = super().submit(func, callback)
        future.add_done_callback(lambda done: done.exception() and callback(done.exception()))
        return future

    def retrieve_result_callback(self, out: Any) -> Any:
        """Return the result of a call; an exception here is the cluster's, not the call's."""
        if isinstance(out, BaseException):
            raise UserError(
                f"the cluster lost a call ({one_line(out)}); read the output of its scheduler and "
                "workers, and run the same command again"
            ) from out
        return super().retrieve_result_callback(out)


@contextlib.contextmanager
def connected(address: str) -> Iterator[None]:
    """Let `run_tasks` use the workers of the scheduler at `address`."""
    distributed = extra("distributed", "a cluster", of="dask")
    with _quiet():
        _require_scheduler(address)
        with distributed.Client(address, timeout=_CONNECT, set_as_default=False) as client:
            _require_same_version(client)
            token = CLUSTER.set(functools.partial(DaskBackend, client=client))
            try:
                yield
            finally:
                CLUSTER.reset(token)


def _require_scheduler(address: str) -> None:
    """Raise UserError unless a scheduler answers; a Client may wait for another for ever."""
    from distributed.core import rpc

    async def kind() -> Any:
        async with rpc(address, timeout=_CONNECT) as there:
            return (await asyncio.wait_for(there.identity(), _CONNECT))["type"]

    with ThreadPoolExecutor(1) as apart:  # a notebook has an event loop in this thread already
        try:
            found = apart.submit(lambda: asyncio.run(kind())).result()
        except Exception as error:
            raise UserError(
                f"no scheduler answers at {address!r}; start one with `dask scheduler` and give "
                "the address it prints, tcp://HOST:PORT"
            ) from error
    if found != "Scheduler":
        raise UserError(f"{address} is a {found.lower()}; give the scheduler's address")


def _require_same_version(client: Any) -> None:
    here = version(_PACKAGE)
    found = client.run(version, _PACKAGE, on_error="return")
    try:
        found["scheduler"] = client.run_on_scheduler(version, _PACKAGE)
    except Exception as error:
        found["scheduler"] = error
    for where, there in found.items():
        if there != here:
            raise UserError(
                f"{where} of the cluster has no samuel {here} ({there}); install one version on "
                "every machine"
            )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep dask's log off the terminal: what goes wrong is said here."""
    before = {logger: logger.level for logger in map(logging.getLogger, _LOGGERS)}
    for logger in before:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in before.items():
            logger.setLevel(level)
