"""Calls on the workers of a dask cluster, any of which may be lost at any time.

joblib has an adapter to dask of its own. It places large arguments on some workers, and with
these they, and the run, are lost; it counts the workers once, at the start. Here a model
is the result of a task of its own, which the scheduler makes anew wherever it is lost, and a call
that was lost with its worker is sent again. The results are the same: a call depends on nothing
but its arguments.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import importlib.util
import logging
import math
import queue
import time
import warnings
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samuel.common.errors import UserError, one_line
from samuel.common.extras import extra
from samuel.models.saved.payloads import Payload, unpacked, without_payloads

_CONNECT = 10.0
"""Seconds for a scheduler to answer."""
_IN_FLIGHT = 3
"""Calls a thread of the workers: one runs and others wait, so none idles, and a stop wastes few."""
_LOOK_UP = 1.0
"""Seconds between counts of the workers."""
_SETTLED = 5.0
"""Seconds within which all calls that were lost with a scheduler are known to be."""
_MOST_LOSSES = 3
"""Most times that a call is sent again.

By then it was lost with some twelve workers: dask itself runs it on another worker three times
(distributed.scheduler.allowed-failures) before it gives up.
"""
_FILES = ("common/errors.py", "common/files.py")
_FOLDERS = (*("kernels", "games", "features", "models", "search", "selfplay", "arena", "learning"),)
"""Folders whose files decide what a call returns."""


def run_on_cluster(calls: Iterable[Any], client: Any, in_order: bool) -> Generator[Any, None, None]:
    """Yield what calls (of `joblib.delayed`) return, on all workers there are; see `run_tasks`."""
    flight = _Flight(client)
    numbered = enumerate(calls)
    early: dict[int, Any] = {}
    following = 0
    try:
        while flight.launch(numbered):
            number, result = flight.landed()
            if not in_order:
                yield result
                continue
            early[number] = result
            while following in early:
                yield early.pop(following)
                following += 1
    finally:
        flight.end()


@dataclass
class _Call:
    """A call under way.

    Attributes
    ----------
    number
        Its place among the calls.
    content, payloads
        As `without_payloads` returned them.
    losses
        How often it was lost.
    future
        dask's.
    """

    number: int
    content: bytes
    payloads: dict[str, Payload]
    losses: int = 0
    future: Any = None


class _Flight:
    """The calls that are under way."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._calls: dict[str, _Call] = {}
        self._models: dict[str, Any] = {}
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._threads, self._deserted = 0, False
        self._counted = self._lost = -math.inf

    def launch(self, calls: Iterator[tuple[int, Any]]) -> bool:
        """Send calls until all workers have enough; return whether any is under way."""
        self._count_threads()
        while len(self._calls) < _IN_FLIGHT * max(1, self._threads):
            number, call = next(calls, (-1, None))
            if call is None:
                break
            self._send(_Call(number, *without_payloads(call)))
        return bool(self._calls)

    def landed(self) -> tuple[int, Any]:
        """Wait for a call to end; return its number and result."""
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        while True:
            try:
                future = self._ended.get(timeout=_LOOK_UP)
            except queue.Empty:
                self._count_threads()
                continue
            call = self._calls.pop(future.key)
            with _failures_said(self._client):
                try:
                    return call.number, future.result()
                except (CancelledError, CommClosedError):
                    self._await_scheduler()
                except KilledWorker:
                    self._drop_lost(call.payloads)
            self._send_again(call)

    def end(self) -> None:
        """Cancel the tasks that are not done."""
        for future in [*(call.future for call in self._calls.values()), *self._models.values()]:
            future.release()
        self._calls.clear()
        self._models.clear()

    def _send(self, call: _Call) -> None:
        with _failures_said(self._client), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # a model does go but once
            for digest, payload in call.payloads.items():
                if digest not in self._models:
                    # not pure: its key is new, and dask knows of no failure under it
                    self._models[digest] = self._client.submit(_hold, payload, pure=False)
            models = {digest: self._models[digest] for digest in call.payloads}
            call.future = self._client.submit(
                run_call, call.content, models, program_digest(), pure=False
            )
        self._calls[call.future.key] = call
        call.future.add_done_callback(self._ended.put)

    def _drop_lost(self, models: Iterable[str]) -> None:
        """Drop the models that were lost with every worker that took them: they stay so."""
        for digest in models:
            if digest in self._models and self._models[digest].status == "error":
                self._models.pop(digest).release()

    def _send_again(self, call: _Call) -> None:
        call.losses += 1
        if call.losses > _MOST_LOSSES:
            raise UserError(
                "a task failed on every worker that took it; read the workers' output (is "
                "samuel installed there? is there enough memory?) and run the command again"
            )
        self._send(call)

    def _await_scheduler(self) -> None:
        """Wait while the connection to the scheduler is made anew, where that can be."""
        if time.monotonic() < self._lost + _SETTLED:
            return  # all calls under way are lost at once
        time.sleep(_LOOK_UP)  # the client may not have noticed yet
        while self._client.status == "connecting":
            time.sleep(0.1)
        if self._client.status != "running":
            raise ConnectionError
        self._models.clear()  # a new scheduler knows nothing of them
        self._lost = time.monotonic()

    def _count_threads(self) -> None:
        """Count the threads of all workers, now and then; say so where there are none."""
        if time.monotonic() < self._counted + _LOOK_UP or self._client.status != "running":
            return
        self._counted = time.monotonic()
        with contextlib.suppress(OSError):  # where the scheduler is lost, calls end and say so
            self._threads = sum(self._client.nthreads().values())
            if self._threads == 0 and not self._deserted:
                warnings.warn("the cluster has no workers now; waiting for one", stacklevel=2)
            self._deserted = self._threads == 0


@contextlib.contextmanager
def _failures_said(client: Any) -> Iterator[None]:
    """Turn dask's ways of failing into one clear sentence."""
    try:
        yield
    except UserError:
        raise
    except (OSError, CancelledError) as error:  # the former has ConnectionError and time-outs
        if client.status == "running":
            raise
        raise UserError(
            "the connection to the scheduler is lost; start the scheduler again and run the "
            "same command"
        ) from error
    except (ModuleNotFoundError, RuntimeError) as error:
        is_ours = (getattr(error, "name", None) or "").split(".")[0] in _FOLDERS
        if not is_ours and "deserialization" not in str(error):  # of a call: a fault like another
            raise
        raise UserError(
            "scheduler and workers need this process's version of samuel; install it there "
            f"({one_line(error.__cause__ or error)})"
        ) from error


def _hold(payload: Payload) -> Payload:
    """Return a model's payload; as the result of a task, dask takes it to whoever needs it."""
    return payload


def run_call(content: bytes, models: dict[str, Payload], program: str) -> Any:
    """Run a packed call on a worker.

    Raises
    ------
    UserError
        This worker runs another version of the program, whose results may be others.
    """
    if program != program_digest():
        raise UserError(
            "a worker of the cluster has another version of samuel; install one version "
            "everywhere and start the workers again"
        )
    try:
        function, arguments, named = unpacked(content, models)
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"a worker of the cluster lacks a package or file ({one_line(error)}); install it there"
        ) from error
    try:
        return function(*arguments, **named)
    except KeyboardInterrupt:  # it would take the worker down
        raise UserError("a search was interrupted on a worker") from None


@functools.cache
def program_digest() -> str:
    """Return a SHA-256 over the sources that decide what a call returns."""
    root = Path(__file__).parents[1]
    files = [root / name for name in _FILES]
    files += sorted(file for name in _FOLDERS for file in (root / name).rglob("*.py"))
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    return digest.hexdigest()


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
                f"the worker at {worker} has no samuel; install this version on every machine"
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
        raise UserError(
            f"{address} is the address of a {found.lower()}; give the scheduler's address"
        )


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
