"""Kernels run from Python: their limits, their threads, and how they are ended."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.evaluator import Evaluator
from samuel.kernels import budget

_CHECK_EVERY = 0.2
"""Seconds between two looks at whether an evaluator that runs in Python has failed."""


class Counted(Protocol):
    """The memory of any method, as Python sees it."""

    @property
    def counters(self) -> NDArray[np.int64]:
        """Nodes and limits (kernels/budget.py)."""

    @property
    def contradictions(self) -> int:
        """How often what was found contradicted what was known: with a sound evaluator never."""


def start_limits(memory: Counted, nodes: int | None, seconds: float | None) -> None:
    """Count anew and set the limits that are given; a search that was stopped stays so."""
    budget.begin(
        memory.counters,
        budget.UNLIMITED if nodes is None else int(max(0, min(nodes, budget.UNLIMITED))),
        # the smaller first: a float beyond all integers (inf) cannot be rounded
        budget.UNLIMITED
        if seconds is None
        else math.ceil(max(0.0, min(seconds * 1e9, budget.UNLIMITED))),
    )


def stop(memory: Counted) -> None:
    """End the search that another thread makes with `memory`; it returns what it has so far.

    A search that has not begun yet (its kernels may still be compiling) is not ended by it.
    """
    memory.counters[budget.INTERRUPTED] = 1


def run_together(
    kernels: Sequence[Callable[[], Any]], memories: Sequence[Counted], check: Callable[[], None]
) -> list[Any]:
    """Run kernels in threads of their own; when one ends, stop the others.

    This thread waits, so that Ctrl-C reaches it; `check` is called meanwhile and at the end.

    Returns
    -------
    What the kernels returned, in their order.
    """
    found: list[Any] = [None] * len(kernels)
    failed: list[BaseException] = []

    def work(k: int) -> None:
        try:
            found[k] = kernels[k]()
        except BaseException as error:
            failed.append(error)
        for memory in memories:
            # not by `stop`: that is the user's, and tells what follows not to begin
            memory.counters[budget.NODE_LIMIT] = 0

    threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(len(kernels))]
    try:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(_CHECK_EVERY)
            check()
    except BaseException:
        for memory in memories:
            stop(memory)
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        raise
    check()
    if failed:
        raise failed[0]
    return found


def require_finished(memory: Counted, evaluator: Evaluator) -> None:
    """Raise KeyboardInterrupt after an interrupted search, UserError where bounds contradict."""
    if memory.counters[budget.INTERRUPTED]:
        raise KeyboardInterrupt
    if memory.contradictions:
        raise UserError(
            f"a search with {evaluator.name} contradicted itself: a lower bound came out above the "
            "upper one; an evaluation that changes from call to call does that"
        )
