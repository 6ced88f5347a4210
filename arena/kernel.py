"""Match games inside one kernel: two evaluators, the same opening, colours swapped."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import float32, int64, types
from numba.extending import typeof_impl

from games import budget
from games.abi import ROWS, RULES, Rules
from games.pointers import at, copy
from jit import jit
from search.memory import MEMORY, Memory, Work, clear_tables, position_at, work_of
from search.root import think
from search.score import MAX_PLY, POINTS
from search.scoring import SCORING, Scoring, static_of


class Limits(NamedTuple):
    """What a side may spend on a move.

    Attributes
    ----------
    depth
        plies.
    nodes
        positions, or budget.UNLIMITED.
    nanoseconds
        wall time, or budget.UNLIMITED.
    exact_from
        positions are solved from this many remaining squares on.
    """

    depth: int
    nodes: int
    nanoseconds: int
    exact_from: int


class Player(NamedTuple):
    """One side, as the kernel takes it."""

    static: Scoring
    work: Work
    limits: Limits


LIMITS = types.NamedUniTuple(int64, 4, Limits)


@typeof_impl.register(Limits)
def _type_of_limits(_value: Limits, _context: Any) -> Any:
    return LIMITS


@jit
def _move(rules: Rules, player: Player, position: Any, spent: Any, side: int) -> tuple[int, int]:
    """Return (score, depth) of the player's search; its move is in work.line[0]."""
    work, limits = player.work, player.limits
    copy(work.stack, position, work.words)
    began = budget.now()
    budget.start(work.counters, limits.nodes, limits.nanoseconds)
    score, depth, _ = think(rules, player.static, work, limits.depth, limits.exact_from)
    spent[side, 0] += work.counters[budget.NODES]
    spent[side, 1] += budget.now() - began
    spent[side, 2] += 1
    return score, depth


@jit
def _result_of(score: int, proven: int) -> int:
    """Return the result that an exact score stands for: a proven win is a win however far."""
    if score >= proven:
        return proven + MAX_PLY
    if score <= -proven:
        return -proven - MAX_PLY
    return score


@jit
def _play_game(
    rules: Rules, first: Player, second: Player, opening: Any, spent: Any, swapped: int
) -> float:
    """Return the result of a game for its first player; once solved, a game is decided."""
    clear_tables(first.work)
    clear_tables(second.work)
    work = first.work
    board = position_at(work, MAX_PLY)  # beyond what either search touches
    copy(board, opening, work.words)
    sign, ply = float32(1), 0
    while not rules.is_terminal(board):
        player = first if ply & 1 == 0 else second
        score, depth = _move(rules, player, board, spent, (ply & 1) ^ swapped)
        if player.work.counters[budget.INTERRUPTED]:
            return float32(0)
        if depth == MAX_PLY:
            return sign * float32(_result_of(score, work.proven)) / float32(POINTS)
        rules.play(board, int64(player.work.line[0]), position_at(player.work, 1))
        copy(board, position_at(player.work, 1), work.words)
        sign, ply = -sign, ply + 1
    return sign * rules.utility(board)


_RESULTS = types.Array(float32, 2, "C")
_SPENT = types.Array(int64, 2, "C")


@jit(types.void(RULES, SCORING, SCORING, MEMORY, MEMORY, LIMITS, LIMITS, ROWS, _RESULTS, _SPENT))
def play_pairs(
    rules: Rules,
    evaluation_a: Scoring,
    evaluation_b: Scoring,
    memory_a: Memory,
    memory_b: Memory,
    limits_a: Limits,
    limits_b: Limits,
    openings: Any,
    results: Any,
    spent: Any,
) -> None:
    """Play each opening (n, K) twice, A to move first and then B.

    Fills in `results` (n, 2), the results for A in the game's unit, and adds to `spent` (2, 3):
    nodes, nanoseconds and moves of A and of B.
    """
    a = Player(static_of(evaluation_a), work_of(memory_a), limits_a)
    b = Player(static_of(evaluation_b), work_of(memory_b), limits_b)
    for i in range(openings.shape[0]):
        opening = at(openings, i)
        results[i, 0] = _play_game(rules, a, b, opening, spent, 0)
        results[i, 1] = -_play_game(rules, b, a, opening, spent, 1)
