"""Kernels run from Python: their settings, their limits, their threads, and how they are ended."""

from __future__ import annotations

import hashlib
import math
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game, keep_order
from samuel.kernels import budget
from samuel.kernels.digest import source_digest
from samuel.search.alphabeta.probcut import FIELDS, PAIRS
from samuel.search.alphabeta.switches import CORRECTION, GAME_ORDER, Switches
from samuel.search.memory import (
    DEPTHS,
    SALT,
    STAGES,
    SWITCHES,
    THREADS,
    Memory,
    companion,
)

_CHECK_EVERY = 0.2
"""Seconds between two looks at whether an evaluator that runs in Python has failed."""

MOST_CONFIDENCE = 1000

_identities: weakref.WeakKeyDictionary[Evaluator, bytes] = weakref.WeakKeyDictionary()


def set_up(
    memory: Memory,
    game: Game,
    evaluator: Evaluator,
    *,
    switches: Switches | None = None,
    probcut: float | None = None,
) -> Memory:
    """Return `memory`, set to search with `evaluator`.

    Parameters
    ----------
    memory
        of `new_memory` for the game; what the table holds from other evaluators stays there
        and is not found.
    switches
        the methods used; those of the memory where None.
    probcut
        the confidence of selective cuts, in standard deviations; none are made where None.

    Raises
    ------
    UserError
        `probcut` is asked for, and the evaluator has no parameters for it.
    """
    settings = memory.settings
    if switches is not None:
        settings[SWITCHES] = switches.bits & ~(GAME_ORDER if game.order is keep_order else 0)
    settings[[STAGES, DEPTHS]] = 0
    if probcut is not None:
        pairs = _pairs(evaluator, probcut)
        settings[[STAGES, DEPTHS]] = pairs.shape[:2]
        cuts = np.concatenate([[probcut], pairs.ravel()]).astype(np.float32)
        memory = memory._replace(cuts=cuts)
    salt = hashlib.sha256(f"{game.name} {settings[SWITCHES] & CORRECTION}".encode())
    salt.update(_identity(evaluator))
    if probcut is not None:
        salt.update(memory.cuts.tobytes())
    number = int.from_bytes(salt.digest()[:7], "little")
    if settings[SALT] != number:
        memory.corrections[:] = 0
    settings[SALT] = number
    return memory


def _identity(evaluator: Evaluator) -> bytes:
    """Return a digest that is the same in every process, and for equal evaluators alone."""
    if evaluator not in _identities:
        function = getattr(evaluator.evaluate, "py_func", evaluator.evaluate)
        digest = hashlib.sha256(source_digest(function).encode())
        digest.update(evaluator.integers.tobytes())
        digest.update(evaluator.floats.tobytes())
        _identities[evaluator] = digest.digest()
    return _identities[evaluator]


def _pairs(evaluator: Evaluator, confidence: float) -> NDArray[np.float32]:
    if not 0 < confidence <= MOST_CONFIDENCE:
        raise UserError(
            f"the confidence of ProbCut is a number of standard deviations, above 0 and at most "
            f"{MOST_CONFIDENCE}, not {confidence:g}"
        )
    if evaluator.probcut is None:
        raise UserError(
            f"{evaluator.name} has no parameters for ProbCut; "
            f"samuel train-probcut {evaluator.name} fits them"
        )
    if evaluator.probcut.ndim != 4 or evaluator.probcut.shape[2:] != (PAIRS, FIELDS):
        raise ValueError("the parameters of ProbCut are an array (stages, depths, 2, 4)")
    return evaluator.probcut


def with_companions(memory: Memory, game: Game, threads: int) -> list[Memory]:
    """Return the memories of `threads` threads that search one tree together."""
    memory.settings[THREADS] = threads
    memory.busy[:] = 0
    return [memory, *(companion(memory, game) for _ in range(threads - 1))]


def start_limits(memory: Memory, nodes: int | None, seconds: float | None) -> None:
    """Count anew and set the limits that are given; a search that was stopped stays so."""
    budget.begin(
        memory.counters,
        budget.UNLIMITED if nodes is None else int(max(0, min(nodes, budget.UNLIMITED))),
        # the smaller first: a float beyond all integers (inf) cannot be rounded
        budget.UNLIMITED
        if seconds is None
        else math.ceil(max(0.0, min(seconds * 1e9, budget.UNLIMITED))),
    )


def stop(memory: Memory) -> None:
    """End the search that another thread makes with `memory`; it returns what it has so far.

    A search that has not begun yet (its kernels may still be compiling) is not ended by it.
    """
    memory.counters[budget.INTERRUPTED] = 1


def run_together(
    kernels: Sequence[Callable[[], Any]], memories: Sequence[Memory], check: Callable[[], None]
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
