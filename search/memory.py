"""What one search thread writes to: made once, so that a node allocates nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64, types
from numba.extending import typeof_impl

from games import budget
from games.abi import COUNTERS, MOVES, ROWS, SCRATCH, TABLE, Game
from search.score import MAX_PLY, limits
from search.table import new_table


class Memory(NamedTuple):
    """Arrays of one thread; `P` is the greatest ply plus room, `M` the game's most moves.

    Attributes:
        stack: uint64 (P, K), the position at each ply; row 0 is the root.
        moves: int32 (P, M), the legal moves at each ply.
        hints: int32 (P, M), their ratings.
        pv: int32 (P, P), the principal variation from each ply on.
        pv_length: int32 (P,).
        line: int32 (P,), the principal variation of the last finished iteration.
        table: uint64 (rows, 2), the transposition table.
        solver_table: the same, for the game's endgame solver.
        counters: int64, nodes and limits (games/budget.py).
        proven: points from which a score is a forced result (search/score.py).
        static_limit: points to which static evaluations are clipped.
        has_solver: 1 where the game has an endgame solver of its own, else 0.
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
    proven: Any
    static_limit: Any
    has_solver: Any


MEMORY = types.NamedTuple(
    [ROWS, SCRATCH, SCRATCH, SCRATCH, MOVES, MOVES, TABLE, TABLE, COUNTERS, int64, int64, int64],
    Memory,
)


@typeof_impl.register(Memory)
def _type_of_memory(_value: Memory, _context: Any) -> Any:
    return MEMORY


def new_memory(game: Game, table_bits: int = 16, solver_bits: int = 16) -> Memory:
    """Return memory for searches of `game`; tables of 2**bits rows of 16 bytes."""
    plies = MAX_PLY + 8
    proven, static_limit = limits(game)
    return Memory(
        stack=np.zeros((plies, game.words), np.uint64),
        moves=np.zeros((plies, game.max_moves), np.int32),
        hints=np.zeros((plies, game.max_moves), np.int32),
        pv=np.zeros((plies, plies), np.int32),
        pv_length=np.zeros(plies, np.int32),
        line=np.zeros(plies, np.int32),
        table=new_table(table_bits),
        solver_table=new_table(solver_bits if game.solve is not None else 1),
        counters=budget.new_counters(),
        proven=proven,
        static_limit=static_limit,
        has_solver=int(game.solve is not None),
    )
