"""What one search thread writes to: made once, so that a node allocates nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float32, int32, int64, types, uint64
from numba.extending import typeof_impl

from samuel.errors import require_number
from samuel.games.interface import NO_MOVE, SAME, Game, keep_order
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import COUNTS, FLOATS, INTS, WORDS, Pointer, at, offset
from samuel.search.alphabeta.switches import CORRECTION, GAME_ORDER, Switches
from samuel.search.alphabeta.table import new_table
from samuel.search.score import PLIES, limits

SWITCHES, AGE, SALT, CONTRADICTIONS, THREADS, STAGES, DEPTHS, TOTAL, GUIDED, SETTINGS = range(10)
"""Places in `settings`: the switches' bits; the number of this search, of 8 bits; what keeps
searches of several evaluators apart in one table; rows of the table that were contradicted; the
threads that share it; the shape of `cuts`; what is left of a game at its start; whether the game's
solver orders moves by the evaluator."""

HISTORY_MOVES = 1 << 12
"""Moves that the history tells apart; larger ones share places."""
BUSY = 1 << 12
CORRECTIONS = 1 << 14
REGIONS = 4
"""Corrections that are added up for a position, at most."""


class Memory(NamedTuple):
    """Arrays of one thread, for a game of K words and at most M moves.

    Attributes
    ----------
    stack
        uint64 (PLIES, K), the position at each ply; row 0 is the root.
    moves
        int32 (PLIES, M), the legal moves at each ply.
    hints
        int32 (PLIES, M), their ratings; the endgame solver's scratch.
    pv
        int32 (PLIES, PLIES), the principal variation from each ply on.
    pv_length
        int32 (PLIES,).
    line
        int32 (PLIES,), the principal variation of the last finished iteration.
    again
        int32 (PLIES,), whether sides moved again an odd number of times on the way to a ply: with
        the ply it tells whose turn it is.
    killers
        int32 (PLIES, 2, 2), the last moves that made a cutoff at each ply, by `again`.
    history
        int32 (2, HISTORY_MOVES), how often a move made a cutoff, by whose turn it was.
    corrections
        int32 (REGIONS, CORRECTIONS), points to add to static evaluations.
    regions
        uint64 (R, K), the parts of the board by which positions are alike.
    cuts
        float32, what ProbCut knows of the evaluator (search/alphabeta/probcut.py).
    table
        uint64 (rows, 2), the transposition table; threads may share it.
    busy
        uint64 (BUSY,), the moves that threads are searching; shared with the table.
    solver_table
        uint64 (rows, 2), for the game's endgame solver.
    counters
        int64, nodes and limits (kernels/budget.py).
    settings
        int64, what a search is to do; see SETTINGS.
    proven
        points from which a score is a forced result (search/score.py).
    static_limit
        points to which static evaluations are clipped.
    chances
        the sum of the weights of what chance may bring.
    has_solver
        1 where the game has an endgame solver of its own, else 0.
    """

    stack: Any
    moves: Any
    hints: Any
    pv: Any
    pv_length: Any
    line: Any
    again: Any
    killers: Any
    history: Any
    corrections: Any
    regions: Any
    cuts: Any
    table: Any
    busy: Any
    solver_table: Any
    counters: Any
    settings: Any
    proven: int
    static_limit: int
    chances: int
    has_solver: int


class Work(NamedTuple):
    """The same as kernels pass it on: pointers, and the lengths they do not carry."""

    stack: Pointer
    moves: Pointer
    hints: Pointer
    pv: Pointer
    pv_length: Pointer
    line: Pointer
    again: Pointer
    killers: Pointer
    history: Pointer
    corrections: Pointer
    regions: Pointer
    region_count: int
    cuts: Pointer
    table: Pointer
    table_rows: int
    busy: Pointer
    solver_table: Pointer
    solver_rows: int
    counters: Pointer
    settings: Pointer
    words: int
    width: int
    proven: int
    static_limit: int
    chances: int
    has_solver: int


def _array(dtype: Any, dimensions: int) -> Any:
    return types.Array(dtype, dimensions, "C")


MEMORY = types.NamedTuple(
    [
        _array(uint64, 2),
        *[_array(int32, 2)] * 3,
        *[_array(int32, 1)] * 3,
        _array(int32, 3),
        *[_array(int32, 2)] * 2,
        _array(uint64, 2),
        _array(float32, 1),
        _array(uint64, 2),
        _array(uint64, 1),
        _array(uint64, 2),
        *[_array(int64, 1)] * 2,
        *[int64] * 4,
    ],
    Memory,
)
WORK = types.NamedTuple(
    [
        *[WORDS, *[INTS] * 9, WORDS, int64, FLOATS, WORDS, int64, WORDS, WORDS, int64],
        *[COUNTS, COUNTS, *[int64] * 6],
    ],
    Work,
)


@typeof_impl.register(Memory)
def _type_of_memory(_value: Memory, _context: Any) -> Any:
    return MEMORY


MOST_BITS = 34
"""Of a table: 2**34 rows are 256 GB."""


def new_memory(
    game: Game,
    table_bits: int = 16,
    solver_bits: int = 16,
    switches: Switches | None = None,
) -> Memory:
    """Return memory for searches of `game`; tables of 2**bits rows of 16 bytes."""
    require_number("table_bits", table_bits, 0, MOST_BITS)
    require_number("solver_bits", solver_bits, 0, MOST_BITS)
    proven, static_limit = limits(game)
    settings = np.zeros(SETTINGS, np.int64)
    settings[SWITCHES] = (switches or Switches()).bits
    if game.order is keep_order:
        settings[SWITCHES] &= ~GAME_ORDER
    settings[TOTAL] = game.most_left
    return Memory(
        stack=np.zeros((PLIES, game.words), np.uint64),
        moves=np.zeros((PLIES, game.max_moves), np.int32),
        hints=np.zeros((PLIES, game.max_moves), np.int32),
        pv=np.zeros((PLIES, PLIES), np.int32),
        pv_length=np.zeros(PLIES, np.int32),
        line=np.zeros(PLIES, np.int32),
        again=np.zeros(PLIES, np.int32),
        killers=np.full((PLIES, 2, 2), NO_MOVE, np.int32),
        history=np.zeros((2, HISTORY_MOVES), np.int32),
        corrections=np.zeros((REGIONS, CORRECTIONS), np.int32),
        regions=np.ascontiguousarray(game.regions, np.uint64),
        cuts=np.zeros(1, np.float32),
        table=new_table(table_bits),
        busy=np.zeros(BUSY, np.uint64),
        solver_table=new_table(solver_bits if game.solve is not None else 1),
        counters=budget.new_counters(),
        settings=settings,
        proven=proven,
        static_limit=static_limit,
        chances=game.chances,
        has_solver=int(game.solve is not None),
    )


def fits(memory: Memory, game: Game) -> bool:
    """Return whether memory was made for this game, or for one that searches alike."""
    return (
        (memory.stack.shape[1], memory.moves.shape[1]) == (game.words, game.max_moves)
        and (memory.proven, memory.static_limit) == limits(game)
        and memory.settings[TOTAL] == game.most_left
        and (memory.chances, memory.has_solver) == (game.chances, game.solve is not None)
        and np.array_equal(memory.regions, np.asarray(game.regions))
    )


def companion(memory: Memory, game: Game) -> Memory:
    """Return memory for another thread of the same search: all its own but the shared table."""
    own = new_memory(game, 0, 0)
    own.settings[:] = memory.settings
    return own._replace(table=memory.table, busy=memory.busy, cuts=memory.cuts)


@jit
def work_of(memory: Memory) -> Work:
    """Return the pointers to a thread's memory."""
    return Work(
        at(memory.stack, 0),
        at(memory.moves, 0),
        at(memory.hints, 0),
        at(memory.pv, 0),
        at(memory.pv_length, 0),
        at(memory.line, 0),
        at(memory.again, 0),
        at(memory.killers, 0),
        at(memory.history, 0),
        at(memory.corrections, 0),
        at(memory.regions, 0),
        int64(memory.regions.shape[0]),
        at(memory.cuts, 0),
        at(memory.table, 0),
        int64(memory.table.shape[0]),
        at(memory.busy, 0),
        at(memory.solver_table, 0),
        int64(memory.solver_table.shape[0]),
        at(memory.counters, 0),
        at(memory.settings, 0),
        int64(memory.stack.shape[1]),
        int64(memory.moves.shape[1]),
        memory.proven,
        memory.static_limit,
        memory.chances,
        memory.has_solver,
    )


@jit
def position_at(work: Work, ply: int) -> Pointer:
    """Return the position at a ply."""
    return offset(work.stack, ply * work.words)


@jit
def moves_at(work: Work, ply: int) -> Pointer:
    """Return the move list of a ply."""
    return offset(work.moves, ply * work.width)


@jit
def hints_at(work: Work, ply: int) -> Pointer:
    """Return the ratings of the moves of a ply."""
    return offset(work.hints, ply * work.width)


@jit
def keep_turn(work: Work, ply: int, turn: int) -> None:
    """Note whose turn it is at the ply after `ply`: what `play` said there."""
    work.again[ply + 1] = work.again[ply] ^ int32(turn & SAME)


@jit
def side_at(work: Work, ply: int) -> int:
    """Return whose turn it is at a ply: 0 for the side of the root, 1 for the other."""
    return (ply + work.again[ply]) & 1


@jit
def killers_at(work: Work, ply: int, again: int) -> Pointer:
    """Return the two killers of the side to move at a ply; `again` is `work.again[ply]`."""
    return offset(work.killers, 4 * ply + 2 * again)


@jit
def pv_at(work: Work, ply: int) -> Pointer:
    """Return the principal variation from a ply on."""
    return offset(work.pv, ply * PLIES)


@jit
def is_on(work: Work, switch: int) -> bool:
    """Return whether a method is switched on."""
    return work.settings[SWITCHES] & switch != 0


@jit
def clear_tables(work: Work) -> None:
    """Forget everything, so that what follows does not depend on what went before."""
    for i in range(2 * work.table_rows):
        work.table[i] = 0
    for i in range(2 * work.solver_rows):
        work.solver_table[i] = 0
    for i in range(4 * PLIES):
        work.killers[i] = NO_MOVE
    for i in range(2 * HISTORY_MOVES):
        work.history[i] = 0
    for i in range(PLIES):
        work.again[i] = 0
    if is_on(work, CORRECTION):
        for i in range(REGIONS * CORRECTIONS):
            work.corrections[i] = 0
    work.settings[AGE] = 0
