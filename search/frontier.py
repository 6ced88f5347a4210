"""The last ply of a search: an evaluator and a game compiled into one function.

Most positions that a search visits are leaves. At a node of depth 1 the rules and the evaluation
are therefore not called through pointers, position by position, but compiled together: one
pointer a node, everything below it inlined, and what the rules and the evaluation both compute
computed once. (docs/decisions/009)
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from numba import float32, int32, int64, types
from numba.extending import typeof_impl

from games.abi import ANY_LENGTH, EVALUATE, NO_MOVE, Evaluator, Game
from games.budget import NODES, STOPPED, count_node, look_up
from games.pointers import COUNTS, FLOATS, INTS, WORDS, Pointer, at, offset, view
from jit import EntryPoint, compose_closure, jit
from search.ordering import bring_best, keep_cutoff, rate_known
from search.score import INFINITY, PLIES, from_evaluation, from_utility, limits
from search.switches import GAME_ORDER, KILLERS

FRONTIER = int64(WORDS, *[INTS] * 5, *[int64] * 5, INTS, FLOATS, COUNTS)


class Scoring(NamedTuple):
    """An evaluator as a search of one game takes it.

    Attributes
    ----------
    evaluate
        the pointer `evaluate(position, integers, floats) -> units`.
    frontier
        the pointer to `frontier`, below, compiled for this game and evaluator.
    integers, floats
        the evaluator's parameters: arrays in `SCORING`, pointers in `STATIC`.
    """

    evaluate: Any
    frontier: Any
    integers: Any
    floats: Any


_FUNCTIONS = [types.FunctionType(EVALUATE), types.FunctionType(FRONTIER)]
SCORING = types.NamedTuple(
    [*_FUNCTIONS, types.Array(int32, 1, "C"), types.Array(float32, 1, "C")], Scoring
)
"""As Python passes it."""
STATIC = types.NamedTuple([*_FUNCTIONS, INTS, FLOATS], Scoring)
"""As kernels pass it on (`static_of`)."""


@typeof_impl.register(Scoring)
def _type_of_scoring(_value: Scoring, _context: Any) -> Any:
    return SCORING


@jit
def static_of(scoring: Scoring) -> Scoring:
    """Return a scoring with pointers in place of its arrays."""
    return Scoring(
        scoring.evaluate, scoring.frontier, at(scoring.integers, 0), at(scoring.floats, 0)
    )


def _closure_of(
    legal_moves: Any,
    play: Any,
    is_terminal: Any,
    utility: Any,
    order: Any,
    evaluate: Any,
    words: int,
    width: int,
    proven: int,
    static_limit: int,
) -> Any:
    """Return `frontier`, put together of the rules of a game and an evaluation."""

    @jit
    def last_ply(
        rows: Pointer,
        move_rows: Pointer,
        killers: Pointer,
        line: Pointer,
        ply: int,
        beta: int,
        switches: int,
        integers: Pointer,
        floats: Pointer,
        counters: Pointer,
    ) -> int:
        """Return the score at depth 1; line[0] is the best move, or NO_MOVE at a game's end."""
        position, child = view(rows, words), view(offset(rows, words), words)
        moves = view(move_rows, width)
        n = legal_moves(position, moves)
        counters[NODES] += 1
        if n == 0:
            line[0] = NO_MOVE
            return from_utility(utility(position), ply, proven)
        if switches & KILLERS:
            for i in range(1, n):
                if moves[i] == killers[0]:
                    moves[0], moves[i] = moves[i], moves[0]
        best, best_move, visited = int64(-INFINITY), moves[0], n
        for i in range(n):
            play(position, int64(moves[i]), child)
            if is_terminal(child):
                score = -from_utility(utility(child), ply + 1, proven)
            else:
                score = -from_evaluation(evaluate(child, integers, floats), static_limit)
            if score > best:
                best, best_move = score, moves[i]
                if score >= beta:
                    killers[0] = moves[i]
                    visited = i + 1
                    break
        counters[NODES] += visited
        line[0] = best_move
        return best

    def frontier(
        rows: Pointer,
        move_rows: Pointer,
        hint_rows: Pointer,
        killers: Pointer,
        history: Pointer,
        line: Pointer,
        ply: int,
        depth: int,
        alpha: int,
        beta: int,
        switches: int,
        integers: Pointer,
        floats: Pointer,
        counters: Pointer,
    ) -> int:
        """Return the score of rows[0] searched to `depth`, 1 or 2, fail-soft, in points.

        All pointers are to what belongs to `ply`; `line` gets the principal variation, up to
        the first NO_MOVE.
        """
        below = offset(line, PLIES)
        line[1] = NO_MOVE
        if depth == 1:
            look_up(counters)
            return last_ply(
                *(rows, move_rows, killers, line, ply, beta, switches),
                *(integers, floats, counters),
            )
        position, child = view(rows, words), view(offset(rows, words), words)
        moves, hints = view(move_rows, width), view(hint_rows, width)
        n = legal_moves(position, moves)
        count_node(counters)
        line[0] = NO_MOVE
        if n == 0:
            return from_utility(utility(position), ply, proven)
        ordered = switches & GAME_ORDER != 0
        if ordered:
            order(position, moves, n, hints)
        else:
            for i in range(n):
                hints[i] = 0
        rate_known(
            *(switches, move_rows, hint_rows, n, int64(NO_MOVE)),
            *(killers, history, ply, ordered),
        )
        best, reached = int64(-INFINITY), alpha
        for i in range(n):
            move = bring_best(move_rows, hint_rows, i, n)
            play(position, move, child)
            # a null window would be no narrower: at depth 1 only beta counts
            score = -last_ply(
                *(offset(rows, words), offset(move_rows, width), offset(killers, 2), below),
                *(ply + 1, -reached, switches, integers, floats, counters),
            )
            if score > best:
                best = score
                if score > reached:
                    reached = score
                    line[0], line[1], line[2] = move, below[0], NO_MOVE
                    if score >= beta:
                        keep_cutoff(switches, killers, history, ply, depth, move)
                        break
            look_up(counters)
            if counters[STOPPED]:
                return int64(0)
        return best

    return frontier


@functools.lru_cache(maxsize=256)
def _frontier(game: Game, evaluate: Any) -> Any:
    takes_pointers = isinstance(evaluate, EntryPoint)

    @jit
    def of_child(child: Any, integers: Pointer, floats: Pointer) -> float:
        if takes_pointers:
            return evaluate(at(child, 0), integers, floats)
        return evaluate(child, view(integers, ANY_LENGTH), view(floats, ANY_LENGTH))

    return compose_closure(
        _closure_of(
            game.legal_moves,
            game.play,
            game.is_terminal,
            game.utility,
            game.order,
            of_child,
            game.words,
            game.max_moves,
            *limits(game),
        ),
        FRONTIER,
    )


def scoring_of(evaluator: Evaluator, game: Game) -> Scoring:
    """Return an evaluator as searches of `game` take it, with arrays no other thread writes to.

    Raises
    ------
    UserError
        A rule or the evaluator is no code that numba can compile.
    """
    evaluate, integers, floats = evaluator.evaluation()
    return Scoring(evaluate, _frontier(game, evaluator.evaluate), integers, floats)
