"""Threads and processes that a test leaves behind: they would fail, or slow down, another test."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

GRACE = 20.0
"""Seconds for what is just ending, on a slow and busy machine."""

KEPT = (
    *("loky", "resource_tracker", "forkserver", "ExecutorManager", "QueueFeeder"),
    *("Dask", "IO loop", "spawn_main", "asyncio_", "samuel-kernel"),
)
"""Parts of the names of what joblib, Dask, the browser and searches keep for the next call."""


class Leftovers:
    """Threads and child processes that began since this object was made."""

    def __init__(self) -> None:
        self._threads, self._children = set(threading.enumerate()), _children()

    def names(self) -> list[str]:
        """Return what runs now and did not before, in words."""
        threads = [one.name for one in set(threading.enumerate()) - self._threads]
        children = [_command(child) for child in _children() - self._children]
        names = filter(None, threads + children)
        return sorted(name for name in names if not any(kept in name for kept in KEPT))

    def after_grace(self) -> list[str]:
        """Return what still runs once all that is ending had the time to end."""
        until = time.monotonic() + GRACE
        while (names := self.names()) and time.monotonic() < until:
            time.sleep(0.01)
        return names


def _children() -> set[int]:
    """Return the numbers of the child processes, on Linux; elsewhere none are known."""
    found: set[int] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        try:
            found.update(map(int, file.read_text().split()))
        except OSError:  # the thread has ended
            continue
    return found


def _command(process: int) -> str:
    """Return the command of a process, or "" if it has ended and waits to be asked for."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return os.fsdecode(b" ".join(words)).strip()[:200]
