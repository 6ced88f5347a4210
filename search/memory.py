"""What one search thread writes to: made once, so that a node allocates nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int32, int64, types, uint64
from numba.extending import typeof_impl

from games import budget
from games.abi import Game
from games.pointers import COUNTS, INTS, WORDS, Pointer, at, offset
from jit import jit
from search.score import MAX_PLY, limits
from search.table import new_table

PLIES = MAX_PLY + 8
"""Rows of everything that has one a ply."""


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
    table
        uint64 (rows, 2), the transposition table.
    solver_table
        the same, for the game's endgame solver.
    counters
        int64, nodes and limits (games/budget.py).
    proven
        points from which a score is a forced result (search/score.py).
    static_limit
        points to which static evaluations are clipped.
    has_solver
        1 where the game has an endgame solver of its own, else 0.
    """

    stack: Any
    moves: Any
    hints: Any
    pv: Any
    pv_length: Any
    line: Any
    table: Any
    solver_table: Any
    counters: Any
    proven: int
    static_limit: int
    has_solver: int


class Work(NamedTuple):
    """The same as kernels pass it on: pointers, and the lengths they do not carry."""

    stack: Pointer
    moves: Pointer
    hints: Pointer
    pv: Pointer
    pv_length: Pointer
    line: Pointer
    table: Pointer
    table_rows: int
    solver_table: Pointer
    solver_rows: int
    counters: Pointer
    words: int
    width: int
    proven: int
    static_limit: int
    has_solver: int


def _array(dtype: Any, dimensions: int) -> Any:
    return types.Array(dtype, dimensions, "C")


MEMORY = types.NamedTuple(
    [
        _array(uint64, 2),
        *[_array(int32, 2)] * 3,
        *[_array(int32, 1)] * 2,
        *[_array(uint64, 2)] * 2,
        _array(int64, 1),
        *[int64] * 3,
    ],
    Memory,
)
WORK = types.NamedTuple(
    [WORDS, *[INTS] * 5, WORDS, int64, WORDS, int64, COUNTS, *[int64] * 5], Work
)


@typeof_impl.register(Memory)
def _type_of_memory(_value: Memory, _context: Any) -> Any:
    return MEMORY


def new_memory(game: Game, table_bits: int = 16, solver_bits: int = 16) -> Memory:
    """Return memory for searches of `game`; tables of 2**bits rows of 16 bytes."""
    if game.max_moves > PLIES:
        raise ValueError(f"{game.name} has {game.max_moves} moves; the search takes {PLIES}")
    proven, static_limit = limits(game)
    return Memory(
        stack=np.zeros((PLIES, game.words), np.uint64),
        moves=np.zeros((PLIES, game.max_moves), np.int32),
        hints=np.zeros((PLIES, game.max_moves), np.int32),
        pv=np.zeros((PLIES, PLIES), np.int32),
        pv_length=np.zeros(PLIES, np.int32),
        line=np.zeros(PLIES, np.int32),
        table=new_table(table_bits),
        solver_table=new_table(solver_bits if game.solve is not None else 1),
        counters=budget.new_counters(),
        proven=proven,
        static_limit=static_limit,
        has_solver=int(game.solve is not None),
    )


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
        at(memory.table, 0),
        int64(memory.table.shape[0]),
        at(memory.solver_table, 0),
        int64(memory.solver_table.shape[0]),
        at(memory.counters, 0),
        int64(memory.stack.shape[1]),
        int64(memory.moves.shape[1]),
        memory.proven,
        memory.static_limit,
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
def pv_at(work: Work, ply: int) -> Pointer:
    """Return the principal variation from a ply on."""
    return offset(work.pv, ply * PLIES)


@jit
def clear_tables(work: Work) -> None:
    """Forget everything, so that what follows does not depend on what went before."""
    for i in range(2 * work.table_rows):
        work.table[i] = 0
    for i in range(2 * work.solver_rows):
        work.solver_table[i] = 0
