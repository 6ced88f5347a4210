"""Whole self-play games inside one kernel.

A game's random numbers, dice too, come from a stream of its own, (seed, number of the game), and
the search forgets all before it: so a game does not depend on which were played before it, or
where. A position is recorded where a side decides; what chance brings is not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float32, float64, int8, int16, int32, int64, types
from numba.extending import typeof_impl
from numpy.typing import NDArray

from samuel.games.interface import ROW, ROWS, Rules
from samuel.games.playing import (
    ROOM,
    Room,
    Table,
    advance,
    begin,
    is_over,
    mover,
    playout,
    result_of,
    table_in,
    throw,
)
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at
from samuel.kernels.random import below, seed_stream, uniform
from samuel.search.method import (
    SEARCHER,
    Found,
    ask_at,
    forget,
    head_of,
    score_moves,
    thaw_searcher,
)
from samuel.search.score import INFINITY, POINTS

LONGEST = 127
"""The most squares left to play that a row says; a game may count otherwise, and higher."""


OPENING_TRIES = 100_000
"""Random openings after which no game is taken to last so long."""
TOO_SHORT = -1
"""In place of a row: random games are over before the opening is."""


class KernelPlan(NamedTuple):
    """How games are played: a SelfplayPlan (selfplay/generate.py) as kernels take it.

    Attributes
    ----------
    depth
        plies of search a move.
    node_limit
        nodes a move, or budget.UNLIMITED.
    exact_from
        games are solved from this many squares on.
    opening_plies
        uniformly random moves at the start, not recorded.
    explore
        probability of a uniformly random move in place of the best.
    temperature
        moves are drawn with probability proportional to exp(score / temperature),
        in the game's unit; 0 for the best move.
    """

    depth: int
    node_limit: int
    exact_from: int
    opening_plies: int
    explore: float
    temperature: float


class Sheet(NamedTuple):
    """Columns of recorded positions, one row each; selfplay/data/shard.py has their meaning.

    The visits of row i are those from `offsets[i]` to before `offsets[i + 1]`.
    """

    words: Any
    game: Any
    ply: Any
    side: Any
    score: Any
    depth: Any
    exact: Any
    outcome: Any
    exploratory: Any
    move: Any
    offsets: Any
    visits: Any


KERNEL_PLAN = types.NamedTuple([int64, int64, int64, int64, float64, float64], KernelPlan)
SHEET = types.NamedTuple(
    [ROWS, *[types.Array(t, 1, "C") for t in (int64, int16, int8, float32, int8, boolean)]]
    + [types.Array(t, 1, "C") for t in (float32, boolean, int32, int32, int32)],
    Sheet,
)


@typeof_impl.register(KernelPlan)
def _type_of_plan(_value: KernelPlan, _context: Any) -> Any:
    return KERNEL_PLAN


@typeof_impl.register(Sheet)
def _type_of_sheet(_value: Sheet, _context: Any) -> Any:
    return SHEET


def new_sheet(rows: int, words: int, moves: int = 0) -> Sheet:
    """Return an empty sheet, with room for the visits of so many moves in each row."""
    labels = (np.int64, np.int16, np.int8, np.float32, np.int8, np.bool_)
    dtypes = (*labels, np.float32, np.bool_, np.int32)
    columns: list[NDArray[Any]] = [np.zeros((rows, words), np.uint64)]
    columns += [np.zeros(rows, t) for t in dtypes]
    columns += [np.zeros(rows + 1, np.int32), np.zeros(rows * moves, np.int32)]
    return Sheet(*columns)


@jit
def _draw_move(
    rules: Rules, searcher: Pointer, table: Table, temperature: float, depth: int
) -> int:
    """Return a legal move of the table's position, searched last, drawn by its score (softmax)."""
    scores, best = table.weights, int64(-INFINITY)
    score_moves(searcher, depth, scores)
    n = rules.legal_moves(table.position, table.moves)
    for i in range(n):
        best = max(best, int64(scores[i]))
    total = 0.0
    for i in range(n):
        total += math.exp((scores[i] - best) / (POINTS * temperature))
    target = uniform(table.stream) * total
    for i in range(n):
        target -= math.exp((scores[i] - best) / (POINTS * temperature))
        if target < 0.0:
            return int64(table.moves[i])
    return int64(table.moves[n - 1])


@jit
def _choose(rules: Rules, searcher: Pointer, table: Table, plan: KernelPlan, found: Found) -> int:
    """Return the move to play: the best, or one drawn for exploration. Solved games are kept.

    Moves are drawn by their scores at the depth of the search that found the best, so that a limit
    on nodes, though not kept here, bounds this too.
    """
    head = head_of(searcher)
    best = int64(head.line[0])
    if found.exact:
        return best
    if plan.temperature > 0.0:
        budget.start(head.counters, budget.UNLIMITED, budget.UNLIMITED)
        return _draw_move(rules, searcher, table, plan.temperature, max(int64(1), found.depth))
    if plan.explore > 0.0 and uniform(table.stream) < plan.explore:
        n = rules.legal_moves(table.position, table.moves)
        return int64(table.moves[below(table.stream, n)])
    return best


@jit
def open_game(rules: Rules, table: Table, start: Pointer, plies: int) -> bool:
    """Set up the position after `plies` random moves, where the game that is recorded begins.

    Returns
    -------
    False where none of many games lasts so long.
    """
    for _ in range(OPENING_TRIES):
        begin(rules, table, start, int64(0))
        if playout(rules, table, plies) == plies and not is_over(rules, table):
            begin(rules, table, table.position, mover(table))
            return True
    return False


@jit
def _record(
    table: Table,
    found: Found,
    best: int,
    move: int,
    game: int,
    ply: int,
    sheet: Sheet,
    row: int,
) -> None:
    """Write a position, what was found there and the move played into a row of the sheet."""
    for k in range(table.words):
        sheet.words[row, k] = table.position[k]
    sheet.game[row] = game
    sheet.ply[row] = ply
    sheet.side[row] = mover(table)
    sheet.score[row] = np.float32(found.score / POINTS)
    sheet.depth[row] = min(found.depth, LONGEST)
    sheet.exact[row] = found.exact != 0
    sheet.exploratory[row] = move != best
    sheet.move[row] = move


@jit
def _record_visits(visits: Pointer, sheet: Sheet, row: int) -> None:
    """Write how often the moves of a row were visited (Head) after those of the row before."""
    first, n = sheet.offsets[row], visits[0]
    for i in range(n):
        sheet.visits[first + i] = visits[1 + i]
    sheet.offsets[row + 1] = first + n


@jit
def _play_game(
    rules: Rules,
    searcher: Pointer,
    table: Table,
    plan: KernelPlan,
    start: Pointer,
    game: int,
    sheet: Sheet,
    row: int,
) -> int:
    """Play one game, record it from `row` on, and return the row after it, or TOO_SHORT."""
    forget(searcher)
    if not open_game(rules, table, start, plan.opening_plies):
        return TOO_SHORT
    first, ply, head = row, plan.opening_plies, head_of(searcher)
    while not is_over(rules, table):
        budget.start(head.counters, plan.node_limit, budget.UNLIMITED)
        found = ask_at(searcher, table, plan.depth, plan.exact_from)
        if head.counters[budget.INTERRUPTED]:
            return first
        best = int64(head.line[0])
        move = _choose(rules, searcher, table, plan, found)
        _record(table, found, best, move, game, ply, sheet, row)
        if len(sheet.visits) > 0:
            _record_visits(head.visits, sheet, row)
        advance(rules, table, move)
        throw(rules, table)
        row += 1
        ply += 1
    write_outcome(sheet, first, row, result_of(rules, table))
    return row


@jit
def write_outcome(sheet: Sheet, first: int, end: int, outcome: float) -> None:
    """Fill in the outcome of a game, for the side that began it, as the side of each row sees it.

    The game has the rows from `first` to before `end`.
    """
    for i in range(first, end):
        sheet.outcome[i] = outcome if sheet.side[i] == 0 else -outcome


@jit(int64(SEARCHER, KERNEL_PLAN, ROW, ROOM, int64, int64, int64, SHEET))
def play_games(
    searcher: Any,
    plan: KernelPlan,
    start: Any,
    room: Room,
    seed: int,
    first: int,
    games: int,
    sheet: Sheet,
) -> int:
    """Play games number `first` to `first + games` of `seed`.

    Returns the rows recorded, or TOO_SHORT.
    `start` is the initial position (K,); `sheet` has room for every ply of every game, and for
    visits where the searcher counts them.
    """
    its, table, row = at(searcher, 0), table_in(room), int64(0)
    rules = thaw_searcher(its).rules
    for game in range(first, first + games):
        seed_stream(table.stream, seed, game)
        row = _play_game(rules, its, table, plan, at(start, 0), game, sheet, row)
        if row < 0:
            break
    return row
