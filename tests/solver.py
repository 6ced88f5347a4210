"""The endgame solver of a game, called directly: no root of the search above it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int32, int64, types

from samuel.games import Evaluator, Position
from samuel.games.evaluator import EVALUATION
from samuel.games.rules import ROW, ROWS, RULES
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.kernels.records import to_pointers
from samuel.search.alphabeta.memory import new_table
from samuel.search.score import PLIES


@jit(
    int64(
        *(RULES, EVALUATION, ROW, int64, int64, ROWS),
        *(types.Array(int32, 2, "C"), types.Array(int64, 1, "C"), int64),
    )
)
def _from_python(
    rules: Any,
    evaluation: Any,
    position: Any,
    alpha: int,
    beta: int,
    table: Any,
    scratch: Any,
    counters: Any,
    guided: int,
) -> int:
    static = to_pointers(evaluation)
    return rules.solve(
        at(position, 0),
        alpha,
        beta,
        at(table, 0),
        int64(table.shape[0]),
        at(scratch, 0),
        at(counters, 0),
        static.evaluate,
        static.integers,
        static.floats,
        guided,
    )


@dataclass(frozen=True)
class Solved:
    """What the solver says: a score, its best move as text ('' where it has none), nodes."""

    score: int
    move: str
    nodes: int


def solve_directly(
    position: Position,
    evaluator: Evaluator,
    alpha: int = -64,
    beta: int = 64,
    *,
    table_bits: int = 12,
    guided: int = 0,
) -> Solved:
    """Solve a position in a window, with a new table."""
    game = position.game
    scratch, counters = np.zeros((PLIES, game.max_moves), np.int32), budget.new_counters()
    table = new_table(table_bits)
    evaluation, row = evaluator.evaluation(), position.row.copy()
    score = _from_python(game.rules, evaluation, row, alpha, beta, table, scratch, counters, guided)
    square = int(scratch[0, 0])
    move = game.notation.write_move(square) if square >= 0 else ""
    return Solved(int(score), move, int(counters[budget.NODES]))
