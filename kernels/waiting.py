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


@contextlib.contextmanager
def log(line: str) -> Iterator[None]:
    """Say it as libraries do: a warning of the logger `samuel`, on standard error by default."""
    logging.getLogger("samuel").warning(line)
    yield


class Waiting:
    """Time that this process has spent compiling, and how much of that was announced.

    Attributes
    ----------
    announce
        function that is called with the line.
    seconds
        seconds of wall time spent so far.
    """

    def __init__(self, announce: Announcer = log) -> None:
        self.announce = announce
        self.seconds = 0.0
        self._expected = self._unsaid = self._longest_said = 0.0
        self._depth = 0

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
                likely = pace * expected
                self._unsaid += likely
                if self._is_news(likely):
                    self._longest_said = likely
                    said.enter_context(
                        self.announce(f"compiling, once: about {math.ceil(likely)} s")
                    )
            yield

    def _is_news(self, expected: float) -> bool:
        """Return whether nothing was said yet, or nothing of so long a wait."""
        if self._longest_said == 0:
            return self._unsaid >= SILENT_BELOW
        return expected >= 2 * self._longest_said

    def _leave(self) -> None:
        self._depth -= 1

    def _count(self, began: float, expected: float) -> None:
        self.seconds += time.perf_counter() - began
        self._expected += expected


compiling = Waiting()
"""Compile time of this process."""


@contextlib.contextmanager
def announced_by(announce: Announcer) -> Iterator[None]:
    """Let compilations be announced by a function of one's own."""
    before, compiling.announce = compiling.announce, announce
    try:
        yield
    finally:
        compiling.announce = before
