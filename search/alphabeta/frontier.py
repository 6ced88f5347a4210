"""The last two plies of a search, and what lies beyond: evaluator and game in one function.

Most positions that a search visits are leaves. At nodes of depth 1 and 2 the rules and the
evaluation are therefore not called through pointers, position by position, but compiled together:
everything below is inlined, and what the rules and the evaluation both compute is computed once.
(docs/decisions/002)

An evaluator knows nothing of a piece that is about to be taken. Where a game lists noisy moves
(`noisy`), they are searched beyond the depth until the position is quiet: A. Samuel, "Some studies
in machine learning using the game of checkers", 1959, which went on while a jump was noisy; L.
Harris, "The heuristic search under conditions of error", 1974, has the name. A side that need not
play one may stand pat: the evaluation is then a lower bound of the score.
"""

from __future__ import annotations

import functools
from typing import Any

from numba import int64

from samuel.games.draws import GOES_ON
from samuel.games.game import Game
from samuel.games.rules import CHANCE, NO_MOVE, REVERSIBLE, SAME, keep_order, no_exchange
from samuel.kernels.budget import NODES, STOPPED, count_node, look_up
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, compose_closure, view
from samuel.search.alphabeta.chance import window_below
from samuel.search.alphabeta.context import SEARCH, SearchContext, thaw
from samuel.search.alphabeta.evaluation import corrected_score, evaluation_at, leaf_score
from samuel.search.alphabeta.options import CORRECTION, EXCHANGE, GAME_ORDER, KILLERS
from samuel.search.alphabeta.ordering import bring_best, chooses, keep_cutoff, rate_known
from samuel.search.alphabeta.stack import (
    SearchStack,
    end_at,
    hints_at,
    is_on,
    keep_history,
    keep_turn,
    killers_at,
    margin_of,
    moves_at,
    position_at,
    pv_at,
    score_by_past,
)
from samuel.search.score import INFINITY, PLIES, from_utility, limits


@jit
def _end_after(stack: SearchStack, ply: int, turn: int) -> int:
    """Return how its history ends the position at the ply after `ply`."""
    keep_turn(stack, ply, turn)
    keep_history(stack, ply, turn)
    return end_at(stack, ply + 1)


def _moves_of(game: Game) -> Any:
    """Return `list_moves` of search/alphabeta/ordering.py with the rules compiled in."""
    legal_moves, candidates = game.legal_moves, game.search.candidates or game.legal_moves
    words, width, has_candidates = game.words, game.max_moves, game.search.candidates is not None

    @jit
    def list_moves(stack: SearchStack, ply: int, depth: int) -> int:
        position, moves = view(position_at(stack, ply), words), view(moves_at(stack, ply), width)
        if has_candidates and chooses(stack, ply, depth):
            return candidates(position, moves)
        return legal_moves(position, moves)

    return list_moves


def _child_of(game: Game, evaluate: Any, throws_at_leaves: bool) -> Any:
    """Return the search of a leaf: of the position at ply + 1, which a move leads to."""
    is_terminal, utility = game.is_terminal, game.utility
    words, has_draws, has_noisy = game.words, game.has_draws, game.search.noisy is not None
    proven, static_limit = limits(game)
    static = evaluation_at(evaluate, static_limit)

    @jit
    def leaf(
        context: Pointer,
        searcher: SearchContext,
        ply: int,
        turn: int,
        move: int,
        alpha: int,
        beta: int,
    ) -> int:
        """Return the score of the leaf after a move at `ply`, for who moves next."""
        _, its, parts, stack = searcher
        child = view(position_at(stack, ply + 1), words)
        low, high = window_below(turn, alpha, beta)
        if throws_at_leaves and turn & CHANCE:
            return parts.chance(context, ply + 1, int64(0), low, high)
        end = int64(GOES_ON)
        if has_draws and turn & REVERSIBLE:
            end = _end_after(stack, ply, turn)
        if (not has_noisy or end != GOES_ON) and is_terminal(child):
            return from_utility(utility(child), ply + 1, proven)
        if end != GOES_ON:
            return score_by_past(stack, end, ply + 1)
        if has_noisy:
            stack.moved[ply + 1] = move
            return parts.quiesce(context, ply + 1, int64(0), low, high)
        return static(child, stack, its, ply + 1, low, high)

    return leaf


def _last_ply_of(game: Game, evaluate: Any, throws_at_leaves: bool) -> Any:
    """Return the search at depth 1."""
    play, utility, alternates = game.whole_play, game.utility, game.alternates
    words, width = game.words, game.max_moves
    may_stop = game.search.noisy is not None or throws_at_leaves
    proven, _ = limits(game)
    list_moves, leaf = _moves_of(game), _child_of(game, evaluate, throws_at_leaves)

    @jit
    def last_ply(context: Pointer, ply: int, alpha: int, beta: int) -> int:
        """Return the score at depth 1; the line's first is the best move, or NO_MOVE at an end."""
        searcher = thaw(context)
        stack = searcher.stack
        position = view(position_at(stack, ply), words)
        child = view(position_at(stack, ply + 1), words)
        moves, line, counters = view(moves_at(stack, ply), width), pv_at(stack, ply), stack.counters
        n = list_moves(stack, ply, 1)
        counters[NODES] += 1
        if n == 0:
            line[0] = NO_MOVE
            return from_utility(utility(position), ply, proven)
        killers = killers_at(stack, ply, int64(0) if alternates else stack.same_side_parity[ply])
        if is_on(stack, KILLERS):
            for i in range(1, n):
                if moves[i] == killers[0]:
                    moves[0], moves[i] = moves[i], moves[0]
        best, best_move, visited = int64(-INFINITY), moves[0], n
        for i in range(n):
            move, low = int64(moves[i]), max(alpha, best)
            turn = play(position, move, child)
            score = leaf(context, searcher, ply, turn, move, low, beta)
            if may_stop and counters[STOPPED]:
                visited = i + 1
                break
            if not turn & SAME:
                score = -score
            if score > best:
                best, best_move = score, moves[i]
                if score >= beta:
                    if is_on(stack, KILLERS):
                        killers[0] = moves[i]
                    visited = i + 1
                    break
        counters[NODES] += visited
        line[0] = best_move
        return best

    return last_ply


@functools.lru_cache(maxsize=256)
def frontier_of(game: Game, evaluate: Any, ignores_chance: bool) -> Any:
    """Return the search of the last two plies, compiled for a game and an evaluator's function."""
    play, is_terminal, utility = game.whole_play, game.is_terminal, game.utility
    order = game.search.order or keep_order
    words, width, alternates, has_draws = (
        game.words,
        game.max_moves,
        game.alternates,
        game.has_draws,
    )
    leaves_to_chance, (proven, _) = game.chance is not None, limits(game)
    list_moves = _moves_of(game)
    last_ply = _last_ply_of(game, evaluate, leaves_to_chance and not ignores_chance)

    def frontier(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
        """Return the score of the position at `ply` at `depth` 1 or 2, as negamax does."""
        _, _, parts, stack = thaw(context)
        line, counters = pv_at(stack, ply), stack.counters
        line[1] = NO_MOVE
        if depth == 1:
            look_up(counters)
            return last_ply(context, ply, alpha, beta)
        position = view(position_at(stack, ply), words)
        child = view(position_at(stack, ply + 1), words)
        moves, hints = view(moves_at(stack, ply), width), view(hints_at(stack, ply), width)
        n = list_moves(stack, ply, depth)
        count_node(counters)
        line[0] = NO_MOVE
        if n == 0:
            return from_utility(utility(position), ply, proven)
        if is_on(stack, GAME_ORDER):
            order(position, moves, n, hints)
        else:
            rate_known(stack, ply, int64(0), n)
        best, reached = int64(-INFINITY), alpha
        for i in range(n):
            move = bring_best(moves_at(stack, ply), hints_at(stack, ply), i, n)
            turn = play(position, move, child)
            if not alternates:
                keep_turn(stack, ply, turn)
            if leaves_to_chance and turn & CHANCE:
                low, high = window_below(turn, reached, beta)
                score = parts.chance(context, ply + 1, int64(1), low, high)
                pv_at(stack, ply + 1)[0] = NO_MOVE  # lines end where the dice are thrown
            else:
                end = _end_after(stack, ply, turn) if has_draws else int64(GOES_ON)
                if end != GOES_ON and not is_terminal(child):
                    score = score_by_past(stack, end, ply + 1)
                    pv_at(stack, ply + 1)[0] = NO_MOVE
                else:
                    # a null window would be no narrower: at depth 1 only beta counts
                    low, high = window_below(turn, reached, beta)
                    score = last_ply(context, ply + 1, low, high)
            look_up(counters)
            if counters[STOPPED]:
                return int64(0)
            if not turn & SAME:
                score = -score
            if score > best:
                best = score
                if score > reached:
                    reached = score
                    line[0], line[1], line[2] = move, pv_at(stack, ply + 1)[0], NO_MOVE
                    if score >= beta:
                        keep_cutoff(stack, ply, depth, move)
                        break
        return best

    return compose_closure(frontier, SEARCH)


@jit(SEARCH)
def is_quiet(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
    """Return the score of a leaf in a game where no move is ever noisy."""
    return leaf_score(context, ply)


@functools.lru_cache(maxsize=256)
def quiescence_of(game: Game, evaluate: Any, prunes: bool = False) -> Any:
    """Return the quiescence search, compiled for a game and an evaluator's function."""
    if game.search.noisy is None:
        return is_quiet
    noisy, exchange = game.search.noisy, game.search.exchange or no_exchange
    order = game.search.order or keep_order
    play, is_terminal, utility = game.whole_play, game.is_terminal, game.utility
    words, width, (proven, static_limit) = game.words, game.max_moves, limits(game)
    static = evaluation_at(evaluate, static_limit)

    def quiesce(context: Pointer, ply: int, depth: int, alpha: int, beta: int) -> int:
        """Return the score of the position at `ply` after the noisy moves; fail-soft."""
        _, its, parts, stack = thaw(context)
        position = view(position_at(stack, ply), words)
        child = view(position_at(stack, ply + 1), words)
        moves, hints = view(moves_at(stack, ply), width), view(hints_at(stack, ply), width)
        n = int64(noisy(position, int64(stack.moved[ply]), -depth, moves))
        if n == 0 and is_terminal(position):
            return from_utility(utility(position), ply, proven)
        best, is_last = int64(-INFINITY), ply >= PLIES - 2
        if n >= 0 or is_last:
            if is_on(stack, CORRECTION):
                best = corrected_score(context, ply)
            else:
                best = static(position, stack, its, ply, alpha, beta)
            if n == 0 or is_last or best >= beta:
                return best
        must, n, reached = n < 0, abs(n), max(alpha, best)
        if n > 1:
            order(position, moves, n, hints)
        for i in range(n):
            move = bring_best(moves_at(stack, ply), hints_at(stack, ply), i, n)
            if prunes and not must and is_on(stack, EXCHANGE):
                gain = exchange(position, move)
                if gain < 0 or best + gain + margin_of(stack, stack.delta_margin) <= alpha:
                    continue
            turn = int64(play(position, move, child))
            stack.moved[ply + 1] = move
            count_node(stack.counters)
            low, high = window_below(turn, reached, beta)
            score = parts.quiesce(context, ply + 1, depth - 1, low, high)
            if stack.counters[STOPPED]:
                return int64(0)
            if not turn & SAME:
                score = -score
            if score > best:
                best = score
                if score >= beta:
                    break
                reached = max(reached, score)
        return best

    return compose_closure(quiesce, SEARCH)
