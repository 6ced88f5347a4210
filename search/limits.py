"""Limits: what a search, or a side of a game, may spend, and how kernels are run within them."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import OptionError, UserError
from samuel.common.options import Also, OptionClass, Range, Text
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.kernels import budget
from samuel.kernels.records import number, record
from samuel.search.score import MOST_DEPTH, MOST_REMAINING, MOST_SECONDS

_NODES_PER_SECOND = 5e6
"""Nodes of a fast search, to guess how much a table is to hold."""
_MOVES_A_GAME = 30
"""Moves of a side in a game, to guess the same from a clock."""
_ONLY_ALPHA_BETA = (
    "is for alpha-beta only; limit uct and montecarlo by nodes, ms or playouts (uct:playouts=5000)"
)


@record
class LimitCounts(NamedTuple):
    """Limits as kernels take them: whole numbers, `budget.UNLIMITED` where there is no limit."""

    depth: int = number("plies per move")
    nodes: int = number("positions per move")
    nanoseconds: int = number("wall time per move")
    exact_from: int = number("positions are solved from this many plies left on")
    game_nanoseconds: int = number("wall time for all moves of a game")
    increment: int = number("nanoseconds that every move adds to that")


@dataclass(frozen=True)
class Limits(OptionClass):
    """Limits of a search per move, or of a game; the first limit that is reached ends a search.

    Attributes
    ----------
    depth
        Search depth in plies; a pass counts as one. Without any limit, the game's usual depth.
    nodes
        Approximate number of positions to visit per move. No limit by default.
    seconds
        Wall time per move, in seconds. No limit by default.
    clock
        Seconds for all moves of a game: 10, or 10+0.1 with 0.1 s added per move. A side that runs
        out of time loses.
    increment
        Seconds that each move adds to the clock. Default: 0.
    exact_from
        Plies left (Othello: empty squares) from which positions are solved exactly; 0 for never. By
        default the game's own number.

    Raises
    ------
    UserError
        A number is out of its range.

    Examples
    --------
    >>> import samuel
    >>> samuel.Limits(depth=4, ms=1500).seconds
    1.5
    """

    depth: Annotated[int | None, Range(1, MOST_DEPTH)] = None
    nodes: Annotated[int | None, Range(1, budget.UNLIMITED)] = None
    seconds: Annotated[
        float | None,
        Range(1e-9, MOST_SECONDS),
        Also("ms", 1e-3, about="Wall time per move, in milliseconds."),
    ] = None
    clock: Annotated[float | None, Range(1e-9, MOST_SECONDS), Text(str, "10 or 10+0.1")] = None
    increment: Annotated[float | None, Range(0.0, MOST_SECONDS)] = None
    exact_from: Annotated[int | None, Range(0, MOST_REMAINING)] = None

    def __post_init__(self) -> None:
        text = self.clock
        if isinstance(text, str):
            seconds, plus, increment = text.partition("+")
            try:
                object.__setattr__(self, "clock", float(seconds))
                if plus:
                    object.__setattr__(self, "increment", float(increment))
                    if not 0 <= self.added <= MOST_SECONDS:
                        raise ValueError
            except ValueError:
                said = f"must be seconds, such as 10 or 10+0.1 (got {text!r})"
                raise OptionError("clock", said) from None
        super().__post_init__()

    def refuse_depth(self, shared_with: Sequence[Limits] = ()) -> None:
        """Raise OptionError for limits that only alpha-beta reads, and no player who shares them.

        Never solving (`exact_from` 0) is what other methods do.
        """
        for name in ("depth", "exact_from"):
            value = getattr(self, name)
            if value and all(getattr(other, name) != value for other in shared_with):
                raise OptionError(name, _ONLY_ALPHA_BETA)

    def counts(self, game: Game) -> LimitCounts:
        """Return the limits as kernels take them."""
        return LimitCounts(
            self.depth or MOST_DEPTH,
            min(self.nodes or budget.UNLIMITED, budget.UNLIMITED),
            _nanoseconds(self.seconds),
            self.solved_from(game),
            _nanoseconds(self.clock),
            min(_nanoseconds(self.added), budget.UNLIMITED >> 8),
        )

    def solved_from(self, game: Game) -> int:
        """Return the number of plies left from which positions are solved."""
        return game.solver.exact_from if self.exact_from is None else self.exact_from

    @property
    def added(self) -> float:
        """Seconds that each move adds to the clock; 0 if none are given."""
        return self.increment or 0.0

    @property
    def is_open(self) -> bool:
        """True if only the end of the game ends a search."""
        return (self.depth, self.nodes, self.seconds, self.clock) == (None,) * 4

    def in_game(self, game: Game) -> Limits:
        """Return the limits, with the game's usual depth if nothing is limited."""
        return replace(self, depth=game.defaults.depth) if self.is_open else self

    @property
    def is_timed(self) -> bool:
        """True if a limit is a time, so that games may differ from run to run."""
        return self.seconds is not None or self.clock is not None

    @property
    def table_bits(self) -> int:
        """Suitable size of a transposition table for searches with these limits."""
        a_move = math.inf if self.clock is None else self.clock / _MOVES_A_GAME
        seconds = min(self.seconds or math.inf, a_move + self.added)
        nodes = min(self.nodes or math.inf, _NODES_PER_SECOND * seconds)
        by_nodes = max(16, min(20, math.ceil(math.log2(max(1.0, min(nodes, 1 << 20))))))
        return min(8 + (self.depth or MOST_DEPTH), by_nodes)

    def __str__(self) -> str:
        more = f" + {1000 * self.added:.12g} ms per move" if self.added else ""
        parts = [
            "" if self.depth is None else f"depth {self.depth}",
            "" if self.nodes is None else f"{self.nodes} nodes",
            "" if self.seconds is None else f"{1000 * self.seconds:.12g} ms per move",
            "" if self.clock is None else f"{self.clock:.12g} s per game{more}",
        ]
        return ", ".join(part for part in parts if part)


def _nanoseconds(seconds: float | None) -> int:
    # the smaller first: a float beyond all integers (inf) cannot be rounded
    return round(min((math.inf if seconds is None else seconds) * 1e9, budget.UNLIMITED))


_CHECK_EVERY = 0.2
"""Seconds between two looks at whether an evaluator that runs in Python has failed."""


class Counted(Protocol):
    """The memory of any method, as Python sees it."""

    @property
    def counters(self) -> NDArray[np.int64]:
        """Nodes and limits (kernels/budget.py)."""

    @property
    def contradictions(self) -> int:
        """Number of findings that contradicted what was known: with a sound evaluator none."""


def start_limits(memory: Counted, nodes: int | None, seconds: float | None) -> None:
    """Reset the counters and set the given limits; a stopped search stays stopped."""
    most = budget.UNLIMITED if nodes is None else min(nodes, budget.UNLIMITED)
    budget.begin(memory.counters, max(0, most), max(0, _nanoseconds(seconds)))


def stop(memory: Counted) -> None:
    """Stop the search of another thread; it returns its result so far.

    A search that has not begun, such as one whose kernels are still compiled, is not stopped.

    Parameters
    ----------
    memory
        Memory that the search uses.

    Examples
    --------
    >>> import samuel
    >>> memory = samuel.new_memory(samuel.game_named("tic_tac_toe"))
    >>> samuel.stop(memory)  # usually from another thread
    """
    memory.counters[budget.INTERRUPTED] = 1


class _Worker(threading.Thread):
    """A thread that runs one function after another; to start one costs 60 microseconds."""

    def __init__(self) -> None:
        super().__init__(name="samuel-kernel", daemon=True)
        self.given: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            self.given.get()()


_idle: list[_Worker] = []
"""Workers without a kernel; of a process that was forked, dead ones too."""


def _worker() -> _Worker:
    try:
        worker = _idle.pop()
    except IndexError:
        return _Worker()
    return worker if worker.is_alive() else _worker()


def run_together(
    kernels: Sequence[Callable[[], Any]], memories: Sequence[Counted], check: Callable[[], None]
) -> list[Any]:
    """Run kernels in threads of their own; when one ends, stop the others."""
    found: list[Any] = [None] * len(kernels)
    failed: list[BaseException] = []
    begun, ended = list[_Worker](), set[_Worker]()
    bell = threading.Semaphore(0)

    def work(k: int, worker: _Worker) -> None:
        try:
            found[k] = kernels[k]()
        except BaseException as error:
            failed.append(error)
        for memory in memories:
            # not by `stop`: that is the user's, and tells what follows not to begin
            memory.counters[budget.ENDED] = 1
        end(worker)

    def end(worker: _Worker) -> None:
        ended.add(worker)
        bell.release()

    try:
        for k in range(len(kernels)):
            worker = _worker()
            begun.append(worker)  # of what is begun, the end is waited for
            try:
                worker.given.put(functools.partial(work, k, worker))
            except BaseException:  # an interrupt, before or after it was put
                worker.given.put(functools.partial(end, worker))
                raise
        while len(ended) < len(begun):
            bell.acquire(timeout=_CHECK_EVERY)
            check()
    except BaseException:
        for memory in memories:
            stop(memory)
        while len(ended) < len(begun):
            bell.acquire(timeout=_CHECK_EVERY)
        raise
    finally:
        for memory in memories:
            memory.counters[budget.ENDED] = 0
        _idle.extend(ended)
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
            f"the search with {evaluator.name} found a lower bound above an upper bound; the "
            "evaluator returns different scores for one position"
        )
