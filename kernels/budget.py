"""Limits on nodes and time, polled inside kernels at the price of one comparison a node.

A kernel counts its nodes in `counters`, an int64 array laid out as below. Time is read once in
at most `POLL_EVERY` nodes, from the system's monotonic clock, and more often where nodes
are slow, so a limit is overshot by well under a millisecond, or by one node. Another thread ends a
kernel by writing 1 to `counters[INTERRUPTED]`.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np
from llvmlite import binding, ir
from numba import int64, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from samuel.kernels.jit import DISABLED, jit
from samuel.kernels.pointers import COUNTS

NODES, CHECK_AT, NODE_LIMIT, DEADLINE, STOPPED, INTERRUPTED, ENDED, INTERVAL, POLLED, SIZE = range(
    10
)
"""Nodes so far; the count at which to look up; the limits (nodes, nanoseconds); whether a limit
was reached; whether somebody wants the kernel to end, and whether another kernel that it runs
together with has ended, which no new limits take back; nodes from one reading of the clock to the
next, and when it was last read."""

POLL_EVERY = 1024
_QUICK = 200_000
"""Nanoseconds between two readings of the clock; nodes that take longer are counted in smaller
steps."""
UNLIMITED = 1 << 62

Returned = TypeVar("Returned")

if sys.platform == "win32":
    _CLOCK = "QueryPerformanceCounter"
    _UNITS = (round(time.get_clock_info("perf_counter").resolution * 1e9),)
    _counter = ctypes.cast(ctypes.windll.kernel32.QueryPerformanceCounter, ctypes.c_void_p).value
    binding.add_symbol(_CLOCK, _counter)
else:
    _CLOCK = "clock_gettime"
    _UNITS = (1_000_000_000, 1)
"""Function that reads the clock, and the nanoseconds of each word that it writes."""
_CLOCK_NUMBERS = {"win32": (), "darwin": (6,)}.get(sys.platform, (1,))
"""Its first arguments."""


@intrinsic
def _read_clock(_typing: Any) -> Any:
    """Call the system's clock; ctypes would keep the caller out of the disk cache."""

    def generate(_context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        word, short = ir.IntType(64), ir.IntType(32)
        place = builder.alloca(word, len(_UNITS))
        given = [*(ir.Constant(short, number) for number in _CLOCK_NUMBERS), place]
        function_type = ir.FunctionType(short, [one.type for one in given])
        function = builder.module.globals.get(_CLOCK) or ir.Function(
            builder.module, function_type, _CLOCK
        )
        builder.call(function, given)
        parts = [
            builder.mul(
                builder.load(builder.gep(place, [ir.Constant(short, k)])), ir.Constant(word, unit)
            )
            for k, unit in enumerate(_UNITS)
        ]
        return functools.reduce(builder.add, parts)

    return int64(), generate


if DISABLED:
    _read_clock = time.monotonic_ns


@jit
def now() -> int:
    """Return the monotonic clock in nanoseconds; its zero is arbitrary."""
    return _read_clock()


@jit
def start(counters: Any, node_limit: int, nanoseconds: int) -> None:
    """Begin to count: at most `node_limit` nodes and `nanoseconds` from now (or UNLIMITED)."""
    counters[NODES] = 0
    counters[STOPPED] = counters[INTERRUPTED]
    counters[NODE_LIMIT] = node_limit
    counters[DEADLINE] = now() + nanoseconds if nanoseconds < UNLIMITED else UNLIMITED
    counters[INTERVAL], counters[POLLED] = 1, now()
    check_soon(counters)


@jit
def check_soon(counters: Any) -> None:
    """Set when to look up next, after a look or where limits have changed."""
    counters[CHECK_AT] = min(counters[NODE_LIMIT], counters[NODES] + counters[INTERVAL])


@jit(types.void(int64[::1], int64, int64))
def begin(counters: Any, node_limit: int, nanoseconds: int) -> None:
    """Call `start` from Python."""
    start(counters, node_limit, nanoseconds)


@jit
def count_node(counters: Any) -> None:
    """Count a node and, now and then, see whether a limit is reached."""
    counters[NODES] += 1
    look_up(counters)


@jit
def look_up(counters: Any) -> None:
    """See, now and then, whether a limit is reached: after nodes that were counted otherwise."""
    if counters[NODES] >= counters[CHECK_AT]:
        poll(counters)


@jit(types.void(COUNTS))
def poll(counters: Any) -> None:
    """See whether a limit is reached, or somebody wants the kernel to end."""
    if counters[NODES] >= counters[NODE_LIMIT]:
        counters[STOPPED] = 1
    here = now()
    if here >= counters[DEADLINE]:
        counters[STOPPED] = 1
    if counters[INTERRUPTED] or counters[ENDED]:
        counters[STOPPED] = 1
    is_quick = here - counters[POLLED] < _QUICK
    interval = counters[INTERVAL] * 2 if is_quick else counters[INTERVAL] // 2
    counters[INTERVAL], counters[POLLED] = max(1, min(interval, POLL_EVERY)), here
    check_soon(counters)


class Group:
    """The kernels of a run, to be ended together; a group made inside another belongs to it."""

    def __init__(self) -> None:
        self._outer = _group.get()
        self._live: list[weakref.ref[NDArray[np.int64]]] = []
        self._lock = threading.Lock()
        self._interrupted = False

    def call(self, function: Callable[..., Returned], /, *args: Any, **kwargs: Any) -> Returned:
        """Call a function; the counters that it makes in this thread are the group's."""
        before = _group.set(self)
        try:
            return function(*args, **kwargs)
        finally:
            _group.reset(before)

    def interrupt(self) -> None:
        """End every kernel of the group at its next poll, and those that are still to begin."""
        with self._lock:
            self._interrupted = True
            live = [reference() for reference in self._live]
        for counters in live:
            if counters is not None:
                counters[INTERRUPTED] = 1

    @property
    def is_ended(self) -> bool:
        """True if it, or one that it belongs to, was interrupted."""
        return self._interrupted or (self._outer is not None and self._outer.is_ended)

    def _join(self, counters: NDArray[np.int64]) -> None:
        if self._outer is not None:
            self._outer._join(counters)
        with self._lock:
            self._live[:] = [reference for reference in self._live if reference() is not None]
            self._live.append(weakref.ref(counters))
            if self._interrupted:
                counters[INTERRUPTED] = 1


_group: ContextVar[Group | None] = ContextVar("group", default=None)
"""The group that this thread is at work for."""


def is_interrupted() -> bool:
    """Return whether a group that this thread is at work for was interrupted."""
    group = _group.get()
    return group is not None and group.is_ended


def new_counters() -> NDArray[np.int64]:
    """Return counters without limits, of the group at work."""
    counters = np.zeros(SIZE, np.int64)
    counters[[NODE_LIMIT, DEADLINE]] = UNLIMITED
    counters[[CHECK_AT, INTERVAL]] = 1
    if (group := _group.get()) is not None:
        group._join(counters)
    return counters
