"""Memory of one thread of alpha-beta: its stack (search/alphabeta/stack.py) as Python sees it."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import require_number
from samuel.games.game import Game
from samuel.kernels import budget
from samuel.kernels.records import allocate
from samuel.search.alphabeta.options import (
    CANDIDATES,
    GAME_ORDER,
    NUMBERS,
    PRUNING,
    SearchOptions,
    options_of,
)
from samuel.search.alphabeta.stack import CONTINUATIONS, CONTRADICTIONS, MOST_REDUCED, SearchStack
from samuel.search.method import RootMemory
from samuel.search.score import PLIES, limits


class Memory(RootMemory):
    """Memory of one thread of alpha-beta, as Python sees it; see SearchStack."""

    record = SearchStack

    @property
    def contradictions(self) -> int:
        """Number of rows of the table that later searches contradicted: none where sound."""
        return 0 if self.most_reversible else int(self.tally[CONTRADICTIONS])


MOST_BITS = 34
"""Largest table: 2**34 rows are 256 GB."""


def new_table(bits: int) -> NDArray[np.uint64]:
    """Return an empty table of 2**bits rows (at least one bucket of 4), buckets aligned."""
    words = 2 << max(2, bits)
    block = np.zeros(words + 8, np.uint64)
    start = -(block.ctypes.data // 8) % 8
    return block[start : start + words].reshape(-1, 2)


def new_memory(
    game: Game, table_bits: int = 16, solver_bits: int = 16, options: SearchOptions | None = None
) -> Memory:
    """Return new memory for alpha-beta searches of a game, to continue with their tables.

    Parameters
    ----------
    game
        Game of the searches.
    table_bits
        Size of the transposition table: 2**table_bits entries of 16 bytes.
    solver_bits
        Size of the table of the exact solver: 2**solver_bits entries.
    options
        Parts of alpha-beta to use. By default the usual ones.

    Returns
    -------
    Memory
        New memory.

    Examples
    --------
    >>> import samuel
    >>> game = samuel.game_named("tic_tac_toe")
    >>> memory = samuel.new_memory(game)
    >>> samuel.analyse(samuel.Position.start(game), "zero", depth=2, memory=memory).depth
    2
    """
    require_number("table_bits", table_bits, 0, MOST_BITS)
    require_number("solver_bits", solver_bits, 0, MOST_BITS)
    proven, static_limit = limits(game)
    sizes = {
        "plies": PLIES,
        "words": game.words,
        "keys": game.most_reversible + PLIES,
        "visits": 1,
        "moves": game.max_moves,
        "chance_plies": PLIES if game.chance else 0,
        "continuations": CONTINUATIONS if game.search.margin else 0,
        **dict.fromkeys(("stages", "depths", "pairs", "fields", "states", "state_words"), 0),
    }
    stack = allocate(
        SearchStack,
        sizes,
        counters=budget.new_counters(),
        regions=np.ascontiguousarray(game.regions, np.uint64),
        table=new_table(table_bits),
        solver_table=new_table(solver_bits if game.solver.solve is not None else 1),
        most_left=game.most_left,
        proven=proven,
        static_limit=static_limit,
        chances=game.chances,
        has_solver=int(game.solver.solve is not None),
        guided=-1,
        repetitions=game.draws.repetitions,
        most_reversible=game.most_reversible,
    )
    memory = Memory(stack, game)
    set_options(memory, options or options_of(game), game)
    return memory


def set_options(
    memory: Memory, options: SearchOptions, game: Game, is_selective: bool = True
) -> None:
    """Write search options into a memory, without those for rules that the game has not."""
    memory.options, memory.reductions, numbers = _read(options, game, is_selective)
    vars(memory).update(numbers)


@functools.lru_cache(maxsize=64)
def _read(
    options: SearchOptions, game: Game, is_selective: bool
) -> tuple[int, NDArray[np.int64], dict[str, int]]:
    """Return what a memory has of search options: bits, reductions and numbers."""
    read: Any = options.of_game(game, is_selective)
    absent = GAME_ORDER if game.search.order is None else 0
    absent |= 0 if game.search.candidates else CANDIDATES
    absent |= 0 if game.search.margin else PRUNING
    reductions = _reductions(read.reduction_base / 100, read.reduction_divisor / 100)
    return read.bits & ~absent, reductions, {name: getattr(read, name) for name in NUMBERS}


def _reductions(base: float, divisor: float) -> NDArray[np.int64]:
    """Return by how many plies a move is reduced, by depth and by its place among the moves."""
    logarithms = np.array([math.log(max(1, k)) for k in range(MOST_REDUCED)])
    return (base + np.outer(logarithms, logarithms) / divisor).astype(np.int64)


def companion(memory: Memory, game: Game, thread: int) -> Memory:
    """Return memory for another thread of the same search: all its own but the shared tables."""
    own = new_memory(game, 0, 0)
    shared = "table", "busy", "solver_table", "threads", "options", "guided", "reductions"
    for name in (*shared, *NUMBERS):
        setattr(own, name, getattr(memory, name))
    own.thread = thread
    return own
