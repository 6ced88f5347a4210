"""Match games inside one kernel: two evaluators, the same opening, colours swapped."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float32, int8, int32, int64, types
from numba.extending import typeof_impl
from numpy.typing import NDArray

from samuel.arena.allowance import Limits
from samuel.games.interface import ROWS, RULES, Game, Rules
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at, copy
from samuel.search.alphabeta.root import think
from samuel.search.memory import MEMORY, Memory, Work, clear_tables, moves_at, position_at, work_of
from samuel.search.score import MAX_PLY, POINTS
from samuel.search.scoring import SCORING, Scoring, static_of

PLAYED, SOLVED, OUT_OF_TIME = range(3)
"""How a game was decided: at its end, by an exact search, by the clock of the side to move."""

NODES, NANOSECONDS, MOVES = range(3)
"""What a side spends."""


class Player(NamedTuple):
    """One side, as the kernel takes it."""

    static: Scoring
    work: Work
    limits: Limits


class Sheet(NamedTuple):
    """Where n pairs of games are written down; index 0 of a game is A's, 1 is B's first move.

    Attributes
    ----------
    results
        float32 (n, 2), the results for A in the game's unit.
    moves
        int32 (n, 2, P), the moves of each game from its opening on; once decided, a game is
        played on without limits, by exact search.
    lengths
        int32 (n, 2), how many those are.
    decided
        int32 (n, 2), how many of them were played when the game was decided.
    endings
        int8 (n, 2), PLAYED, SOLVED or OUT_OF_TIME.
    spent
        int64 (n, 2, 2, 3), nodes, nanoseconds and moves of A and of B in each game.
    """

    results: Any
    moves: Any
    lengths: Any
    decided: Any
    endings: Any
    spent: Any


LIMITS = types.NamedUniTuple(int64, len(Limits._fields), Limits)
_INTS = types.Array(int32, 2, "C")
SHEET = types.NamedTuple(
    [
        types.Array(float32, 2, "C"),
        types.Array(int32, 3, "C"),
        *(_INTS, _INTS),
        types.Array(int8, 2, "C"),
        types.Array(int64, 4, "C"),
    ],
    Sheet,
)


@typeof_impl.register(Limits)
def _type_of_limits(_value: Limits, _context: Any) -> Any:
    return LIMITS


@typeof_impl.register(Sheet)
def _type_of_sheet(_value: Sheet, _context: Any) -> Any:
    return SHEET


def new_sheet(game: Game, pairs: int) -> Sheet:
    """Return room for `pairs` pairs of games."""
    a, b = (np.zeros((pairs, 2), np.int32) for _ in range(2))
    results: NDArray[np.float32] = np.zeros((pairs, 2), np.float32)
    moves = np.zeros((pairs, 2, game.max_plies), np.int32)
    spent = np.zeros((pairs, 2, 2, 3), np.int64)
    return Sheet(results, moves, a, b, np.zeros((pairs, 2), np.int8), spent)


@jit
def share_of_clock(left: int, increment: int, remaining: int) -> int:
    """Return the nanoseconds to spend on a move, of those `left` for the rest of the game.

    A side has about half of the `remaining` squares still to fill. It never takes more than
    half of what is left, so that the clock's last share is not the move's.
    """
    moves = remaining // 2 + 1
    return max(int64(1), min(left // moves + increment, left // 2))


@jit
def _move(
    rules: Rules, player: Player, position: Any, clocks: Any, side: int, spent: Any
) -> tuple[int, int]:
    """Return (score, depth) of the player's search; its move is in work.line[0].

    A single legal move is played at once, unless depth alone limits the search. `clocks` are the
    nanoseconds left to both sides; the move is added to `spent`.
    """
    work, limits = player.work, player.limits
    copy(work.stack, position, work.words)
    spent[side, MOVES] += 1
    is_limited = min(limits.nodes, min(limits.nanoseconds, limits.game_nanoseconds))
    if is_limited < budget.UNLIMITED and rules.legal_moves(position, moves_at(work, 0)) == 1:
        work.line[0] = moves_at(work, 0)[0]  # nothing to think about, a pass above all
        return int64(0), int64(0)
    began = budget.now()
    nanoseconds = limits.nanoseconds
    if limits.game_nanoseconds < budget.UNLIMITED:
        share = share_of_clock(clocks[side], limits.increment, rules.plies_left(position))
        nanoseconds = min(nanoseconds, share)
    budget.start(work.counters, limits.nodes, nanoseconds)
    score, depth, _ = think(rules, player.static, work, limits.depth, limits.exact_from)
    took = budget.now() - began
    clocks[side] -= took
    spent[side, NODES] += work.counters[budget.NODES]
    spent[side, NANOSECONDS] += took
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
def _advance(rules: Rules, board: Any, work: Work, sheet: Sheet, pair: int, game: int) -> None:
    """Play work.line[0] on the board, by way of the row after it, and write it down."""
    move = int64(work.line[0])
    rules.play(board, move, position_at(work, 1))
    copy(board, position_at(work, 1), work.words)
    sheet.moves[pair, game, sheet.lengths[pair, game]] = move
    sheet.lengths[pair, game] += 1


@jit
def _play_out(rules: Rules, player: Player, board: Any, sheet: Sheet, pair: int, game: int) -> None:
    """Play a solved game to its end for the record, by exact search."""
    work, limits = player.work, player.limits
    while not rules.is_terminal(board):
        copy(work.stack, board, work.words)
        budget.start(work.counters, budget.UNLIMITED, budget.UNLIMITED)
        think(rules, player.static, work, limits.depth, limits.exact_from)
        if work.counters[budget.INTERRUPTED]:
            return
        _advance(rules, board, work, sheet, pair, game)


@jit
def _play_game(
    rules: Rules,
    first: Player,
    second: Player,
    opening: Any,
    largest: float,
    clocks: Any,
    sheet: Sheet,
    pair: int,
    game: int,
) -> float:
    """Return the result of a game for its first player; once solved, a game is decided."""
    clear_tables(first.work)
    clear_tables(second.work)
    work = first.work
    board = position_at(work, MAX_PLY)  # beyond what either search touches
    copy(board, opening, work.words)
    clocks[game] = first.limits.game_nanoseconds
    clocks[1 - game] = second.limits.game_nanoseconds
    sign, ply = float32(1), 0
    while not rules.is_terminal(board):
        player = first if ply & 1 == 0 else second
        side = (ply & 1) ^ game
        score, depth = _move(rules, player, board, clocks, side, sheet.spent[pair, game])
        if player.work.counters[budget.INTERRUPTED]:
            return float32(0)
        sheet.decided[pair, game] = ply
        if clocks[side] < 0:
            sheet.endings[pair, game] = OUT_OF_TIME
            return -sign * float32(largest)
        clocks[side] += player.limits.increment
        _advance(rules, board, player.work, sheet, pair, game)
        if depth == MAX_PLY:
            sheet.endings[pair, game] = SOLVED
            _play_out(rules, player, board, sheet, pair, game)
            return sign * float32(_result_of(score, work.proven)) / float32(POINTS)
        sign, ply = -sign, ply + 1
    sheet.decided[pair, game] = ply
    return sign * rules.utility(board)


@jit(
    types.void(
        *(RULES, SCORING, SCORING, MEMORY, MEMORY, LIMITS, LIMITS, float32),
        *(ROWS, types.Array(int64, 1, "C"), SHEET),
    )
)
def play_pairs(
    rules: Rules,
    evaluation_a: Scoring,
    evaluation_b: Scoring,
    memory_a: Memory,
    memory_b: Memory,
    limits_a: Limits,
    limits_b: Limits,
    largest: float,
    openings: Any,
    clocks: Any,
    sheet: Sheet,
) -> None:
    """Play each opening (n, K) twice, A to move first and then B, and write down what happens.

    `largest` is what a win by the clock counts, in the game's unit; `clocks` (2,) is room for
    the time left to both sides.
    """
    a = Player(static_of(evaluation_a), work_of(memory_a), limits_a)
    b = Player(static_of(evaluation_b), work_of(memory_b), limits_b)
    for i in range(openings.shape[0]):
        opening = at(openings, i)
        won = _play_game(rules, a, b, opening, largest, clocks, sheet, i, 0)
        sheet.results[i, 0] = won
        sheet.results[i, 1] = -_play_game(rules, b, a, opening, largest, clocks, sheet, i, 1)
