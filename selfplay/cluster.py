"""A Dask cluster as joblib's backend for the calls of `run_tasks`."""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from importlib.metadata import version
from typing import Any

from joblib._dask import DaskDistributedBackend

from samuel.common.errors import UserError, one_line
from samuel.common.extras import extra
from samuel.selfplay.workers import CLUSTER

_CONNECT = 30.0
"""Seconds for a scheduler and a worker to answer."""
_RESTART = 60.0
"""Seconds for a worker that was lost to be replaced."""
_LOGGERS = ("distributed", "distributed.client", "distributed.core", "distributed.comm")
_PACKAGE = "samuel-learning"


class DaskBackend(DaskDistributedBackend):
    """joblib's backend for Dask, which would wait for ever for a call that the cluster lost."""

    def effective_n_jobs(self, n_jobs: int) -> int:
        """Return the number of threads of all workers; joblib would run the calls of one here."""
        try:
            return max(2, super().effective_n_jobs(n_jobs))
        except TimeoutError:
            raise UserError(
                "the cluster has no worker any more; start `dask worker ADDRESS`, and run the same "
                "command again"
            ) from None

    def submit(self, func: Callable[[], Any], callback: Callable[[Any], Any]) -> Future[Any]:
        """Submit a call; hand on its result, or what became of it, to `callback`."""

        def report(done: Future[Any]) -> None:
            if (error := done.exception()) is not None:
                lost = f"the cluster lost a call ({one_line(error)}); read the output of its "
                callback(UserError(f"{lost}scheduler and workers, and run the same command again"))

        future: Future[Any] = super().submit(func, callback)
        future.add_done_callback(report)
        return future


async def _kind(distributed: Any, address: str) -> str:
    """Return what answers at `address`: a Client of anything but a scheduler never closes."""
    async with distributed.rpc(address, timeout=_CONNECT) as there:
        kind: str = (await there.identity())["type"]
    return kind


@contextlib.contextmanager
def connected(address: str) -> Iterator[None]:
    """Let `run_tasks` use the workers of the scheduler at `address`."""
    distributed, here = extra("distributed", "a cluster", of="dask"), version(_PACKAGE)
    with contextlib.ExitStack() as closing:
        for logger in map(logging.getLogger, _LOGGERS):
            closing.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL + 1)  # what goes wrong is said here
        try:
            kind = distributed.utils.LoopRunner().run_sync(_kind, distributed, address)
            if kind == "Scheduler":
                client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
                closing.enter_context(client).wait_for_workers(1, timeout=_CONNECT)
        except Exception as error:
            raise UserError(
                f"no scheduler with workers answers at {address!r}; start `dask scheduler`, give "
                "the address that it prints (tcp://HOST:PORT), and start `dask worker ADDRESS`"
            ) from error
        if kind != "Scheduler":
            raise UserError(
                f"{address!r} is the address of a {kind.lower()}; give that of the scheduler"
            )
        for where, there in client.run(version, _PACKAGE, on_error="return").items():
            if there != here:
                raise UserError(
                    f"{where} of the cluster has no samuel {here} ({there}); install one version "
                    "on every machine"
                )
        token = CLUSTER.set(
            functools.partial(DaskBackend, client=client, wait_for_workers_timeout=_RESTART)
        )
        closing.callback(CLUSTER.reset, token)
        yield
