"""Whoever waits for a compilation hears of it, in one line before it begins.

It stands apart from `jit` because the command imports it, and must not import numba for `--help`.
"""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TypeAlias

Announcer: TypeAlias = Callable[[str], AbstractContextManager[object]]
"""Is given the line, and entered while the compilation lasts."""

SILENT_BELOW = 1.0
"""Seconds of compilation, together, that nobody needs to hear of."""
_NEWS = 1.5
"""Ratio of the time in all to the time that was said, from which it is said again."""


@contextlib.contextmanager
def log(line: str) -> Iterator[None]:
    """Log a line as a warning of the logger `samuel`, on standard error by default."""
    logging.getLogger("samuel").warning(line)
    yield


class Waiting:
    """Time that this process has spent compiling, and how much of that was announced."""

    def __init__(self, announce: Announcer = log) -> None:
        self.announce = announce
        self.seconds = 0.0
        self._expected = self._said = 0.0
        self._depth = 0
        self._began: float | None = None

    @contextlib.contextmanager
    def announced(self, expected: float) -> Iterator[None]:
        """Announce what is to take about `expected` seconds; one inside another is its part."""
        with contextlib.ExitStack() as said:
            self._depth += 1
            said.callback(self._leave)
            if self._depth == 1 and expected > 0:
                # what was compiled so far tells how fast this machine is
                pace = max(0.2, self.seconds / self._expected) if self._expected > 1 else 1.0
                said.callback(self._count, time.perf_counter(), expected)
                self._began = time.perf_counter()
                in_all = self.seconds + pace * expected
                if in_all >= max(SILENT_BELOW, _NEWS * self._said):
                    self._said = in_all
                    line = f"compiling, once: about {math.ceil(in_all)} s in all so far"
                    said.enter_context(self.announce(line))
            yield

    @property
    def doing(self) -> str:
        """Text about the current compilation; empty if there is none."""
        began = self._began  # another thread may end it meanwhile
        if began is None:
            return ""
        return f"compiling, {self.seconds + time.perf_counter() - began:.0f} s"

    def _leave(self) -> None:
        self._depth -= 1

    def _count(self, began: float, expected: float) -> None:
        self._began = None
        self.seconds += time.perf_counter() - began
        self._expected += expected


compiling = Waiting()
"""Compile time of this process."""


@contextlib.contextmanager
def announced_by(announce: Announcer) -> Iterator[None]:
    """Announce compilations inside by another function."""
    before, compiling.announce = compiling.announce, announce
    try:
        yield
    finally:
        compiling.announce = before
