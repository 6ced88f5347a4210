"""The greedy method: the move whose position the evaluator likes best, one ply ahead."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from numba import float32, int64

from samuel.games.evaluator import Evaluation
from samuel.games.playing import GameState
from samuel.games.rules import SAME, Rules
from samuel.kernels.bits import below
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.root import deepen
from samuel.search.method import THINK, write_found


@jit
def _score_of(rules: Rules, static: Evaluation, child: Pointer, turn: int) -> float:
    """Return the score of a move for who made it, from the position it leads to, dice unthrown."""
    if rules.is_terminal(child):
        score = rules.utility(child)
    else:
        score = static.evaluate(child, static.integers, static.floats)
    return score if turn & SAME else -score


@jit
def best_move(rules: Rules, static: Evaluation, state: GameState, n: int) -> int:
    """Return the best of the n moves listed, drawn uniformly among those that score the same."""
    best, ties, choice = float32(-math.inf), 0, int64(state.moves[0])
    for i in range(n):
        turn = rules.play(state.position, int64(state.moves[i]), state.child)
        score = float32(_score_of(rules, static, state.child, turn))
        if score > best:
            best, ties = score, 0
        if score == best:
            ties += 1
            if below(state.stream, ties) == 0:
                choice = int64(state.moves[i])
    return choice


@jit(THINK)
def _think(searcher: Pointer, _depth: int, _exact_from: int) -> None:
    """Look one ply ahead."""
    write_found(searcher, deepen(searcher, int64(1)))


@dataclass(frozen=True)
class Greedy(AlphaBeta):
    """One ply of search, whatever the limits (search.method.Method)."""

    deepens: ClassVar[bool] = False

    @property
    def entry(self) -> Any:
        """The entry point that searches the root."""
        return _think
