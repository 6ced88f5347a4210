"""The best lines of a position: several moves, each with its score and what follows (MultiPV)."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator, Sequence
from typing import Any

from samuel.games.evaluator import Evaluator
from samuel.games.position import Position
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.search.alphabeta.memory import Memory
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.root import score_move_at_root
from samuel.search.alphabeta.stack import AGE
from samuel.search.limits import Limits, run_together, start_limits
from samuel.search.result import Result
from samuel.search.score import INFINITY, MAX_PLY, MOST_DEPTH, SCORE_UNIT


def best_lines(
    position: Position,
    evaluator: Evaluator,
    count: int,
    *,
    limits: Limits,
    method: AlphaBeta,
    memory: Memory,
    moves: Sequence[int] = (),
) -> Iterator[list[Result]]:
    """Yield the best lines of a position, the best first, depth after depth."""
    game = position.game
    evaluator.require_game(game)
    method.shared(memory, game, 1)
    searcher = method.searcher(game, evaluator, memory, solves=False)
    make_ready([score_move_at_root, budget.begin])
    memory.begin_at(position.row, position.side, position.past)
    memory.tally[AGE] = (memory.tally[AGE] + 1) & 0xFF
    memory.counters[budget.INTERRUPTED] = 0
    listed = list(moves) or [int(move) for move in game.moves_in(position.row)]
    visited, began, are_ends = 0, time.monotonic(), False

    def ranked(depth: int) -> list[tuple[int, list[int]]]:
        kernel = functools.partial(_ranked, searcher, memory, listed, depth, count)
        (found,) = run_together([kernel], [memory], evaluator.check)
        return found

    for depth in range(1, (limits.depth or MOST_DEPTH) + 1):
        nodes = None if limits.nodes is None else limits.nodes - visited
        left = None if limits.seconds is None else limits.seconds + began - time.monotonic()
        start_limits(memory, nodes, left)
        reached, found = depth, ranked(depth)
        visited += int(memory.counters[budget.NODES])
        is_stopped = bool(memory.counters[budget.STOPPED])
        if is_stopped and depth > 1:
            return
        if is_stopped:
            reached, found = 0, ranked(0)
        spent = time.monotonic() - began
        yield [
            Result(score / SCORE_UNIT, line[0], line, visited, reached, spent, exact=False)
            for score, line in (
                (score, [game.notation.write_move(move) for move in line]) for score, line in found
            )
        ]
        best = [line[0] for _, line in found]
        listed[:] = [*best, *(move for move in listed if move not in best)]
        # forced ends that no deeper search changes (`deepen` in search/alphabeta/root.py)
        away = [memory.proven + MAX_PLY - abs(score) for score, _ in found]
        were_ends, are_ends = are_ends, all(each <= depth for each in away)
        if is_stopped or (are_ends and (were_ends or not memory.margin)):
            return


def _ranked(
    searcher: Any, memory: Memory, moves: list[int], depth: int, count: int
) -> list[tuple[int, list[int]]]:
    """Return the best moves with scores in points and lines; nothing of use where stopped."""
    found: list[tuple[int, list[int]]] = []
    for move in moves:
        alpha = found[-1][0] if len(found) == count else -INFINITY
        windows = [INFINITY] if len(found) < count else [alpha + 1, INFINITY]
        score = alpha
        for beta in windows:
            score = int(score_move_at_root(searcher, move, depth, alpha, beta))
            if depth > 0 and memory.counters[budget.STOPPED]:
                return found
            if score <= alpha:
                break
        if score > alpha:
            below = memory.pv[1][: memory.pv_length[1]]
            found.append((score, [move, *map(int, below)]))
            found.sort(key=lambda one: -one[0])  # of equal ones the first stays so
            del found[count:]
    return found
