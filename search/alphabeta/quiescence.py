"""What is left to look at before an evaluator may be asked: captures, answers to a threat.

An evaluator knows nothing of a piece that is about to be taken. Where a game says which moves are
pending (`Game.pending`), they are searched beyond the depth until the position is quiet: A. Samuel,
"Some studies in machine learning using the game of checkers", 1959, which went on while a jump was
pending; L. Harris, "The heuristic search under conditions of error", 1974, has the name. Who need
not play one may stand pat: the evaluation is then a lower bound of the score.
"""

from __future__ import annotations

import functools
from typing import Any

from numba import int64

from samuel.games.interface import SAME, Game
from samuel.kernels.budget import NODES
from samuel.kernels.compose import compose_closure
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, view
from samuel.search.alphabeta.chance import window_below
from samuel.search.alphabeta.evaluation import corrected_score, evaluation_of_rows, leaf_score
from samuel.search.alphabeta.frame import SEARCH, thaw
from samuel.search.alphabeta.memory import hints_at, is_on, moves_at, position_at
from samuel.search.alphabeta.ordering import bring_best
from samuel.search.alphabeta.switches import CORRECTION
from samuel.search.score import INFINITY, PLIES, from_utility, limits


@jit(SEARCH)
def is_quiet(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
    """Return the score of a leaf in a game where nothing is ever pending."""
    return leaf_score(context, ply)


def _closure_of(
    pending: Any,
    play: Any,
    is_terminal: Any,
    utility: Any,
    order: Any,
    evaluate: Any,
    words: int,
    width: int,
    proven: int,
) -> Any:
    """Return `quiesce`, put together of the rules of a game and an evaluation."""

    def quiesce(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
        """Return the score of the position at `ply` after what is pending; fail-soft.

        The depth is how far beyond the search's own it lies, negated. Draws by rule are not looked
        for. A line that would take more rows than there are ends with
        the evaluation.
        """
        _, its, parts, stack = thaw(context)
        position = view(position_at(stack, ply), words)
        child = view(position_at(stack, ply + 1), words)
        if is_terminal(position):
            return from_utility(utility(position), ply, proven)
        moves, hints = view(moves_at(stack, ply), width), view(hints_at(stack, ply), width)
        n = int64(pending(position, int64(stack.moved[ply]), -depth, moves))
        best, is_last = int64(-INFINITY), ply >= PLIES - 2
        if n >= 0 or is_last:
            if is_on(stack, CORRECTION):
                best = corrected_score(context, ply)
            else:
                best = evaluate(position, its.integers, its.floats, alpha, beta)
            if n == 0 or is_last or best >= beta:
                return best
        n, reached = abs(n), max(alpha, best)
        order(position, moves, n, hints)
        for i in range(n):
            move = bring_best(moves_at(stack, ply), hints_at(stack, ply), i, n)
            turn = int64(play(position, move, child))
            stack.moved[ply + 1] = move
            stack.counters[NODES] += 1
            low, high = window_below(turn, reached, beta)
            score = parts.quiesce(context, ply + 1, depth - 1, low, high)
            if not turn & SAME:
                score = -score
            if score > best:
                best = score
                if score >= beta:
                    break
                reached = max(reached, score)
        return best

    return quiesce


@functools.lru_cache(maxsize=256)
def quiescence_of(game: Game, evaluate: Any, within: Any) -> Any:
    """Return the search of what is pending, compiled for a game and an evaluator's functions.

    Raises
    ------
    UserError
        A rule or the evaluation is no code that numba can compile.
    """
    if game.pending is None:
        return is_quiet
    proven, static_limit = limits(game)
    return compose_closure(
        _closure_of(
            game.pending,
            game.whole_play,
            game.is_terminal,
            game.utility,
            game.order,
            evaluation_of_rows(evaluate, within, static_limit),
            game.words,
            game.max_moves,
            proven,
        ),
        SEARCH,
    )
