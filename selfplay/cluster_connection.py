"""A connection to the scheduler of a dask cluster, made or refused in one sentence."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from samuel.errors import UserError, one_line
from samuel.extras import extra

_CONNECT = 10.0
"""Seconds for a scheduler to answer."""


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """Yield a client of the scheduler at `address`.

    Raises
    ------
    UserError
        dask is not installed, or no scheduler answers.
    """
    distributed = extra("distributed", "a cluster", of="dask")
    with _quiet():
        _require_scheduler(address)
        client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
        try:
            _require_samuel(client)
            yield client
        finally:
            client.close(timeout=_CONNECT)


def _require_samuel(client: Any) -> None:
    """Raise UserError where a worker lacks this package: it would end at the first call."""
    found = client.run(importlib.util.find_spec, __package__, on_error="return")
    for worker, spec in found.items():
        if spec is None:
            raise UserError(
                f"the worker at {worker} has no samuel; install the same on every machine as here"
            )


def _require_scheduler(address: str) -> None:
    """Raise UserError unless a scheduler answers; a Client that found none is slow to go."""
    from distributed.core import rpc

    async def who_is_there() -> Any:
        async with rpc(address, timeout=_CONNECT) as there:
            return await there.identity()

    with ThreadPoolExecutor(1) as apart:  # a notebook has an event loop in this thread already
        answer = apart.submit(lambda: asyncio.run(asyncio.wait_for(who_is_there(), _CONNECT)))
        try:
            found = answer.result()["type"]
        except Exception as error:
            known = isinstance(error, OSError | ValueError) and str(error)
            reason = f" ({one_line(error)})" if known else ""
            raise UserError(
                f"no scheduler answers at {address!r}{reason}; "
                "start one with `dask scheduler` and give the address it prints, tcp://HOST:PORT"
            ) from error
    if found != "Scheduler":
        raise UserError(f"at {address} is a {found.lower()}; give the scheduler's address")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep dask's log off the terminal: what goes wrong is said here."""
    names = ["distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado"]
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
