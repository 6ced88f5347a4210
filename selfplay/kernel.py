"""Whole self-play games inside one kernel.

A game's random numbers come from a stream of its own, (seed, number of the game), and the
search forgets all before it: so a game does not depend on which were played before it, or where.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float32, float64, int8, int16, int32, int64, types
from numba.extending import typeof_impl

from samuel.games.interface import ROW, ROWS, RULES, Rules
from samuel.games.random import STREAM, below, play_random, seed_stream, uniform
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at, copy
from samuel.search.alphabeta.root import search_widely, think
from samuel.search.memory import (
    MEMORY,
    Memory,
    Work,
    clear_tables,
    moves_at,
    position_at,
    pv_at,
    work_of,
)
from samuel.search.score import INFINITY, MAX_PLY, POINTS
from samuel.search.scoring import SCORING, Scoring, static_of

LONGEST = 127
"""The most squares left to play that a row says; a game may count otherwise, and higher."""


class Settings(NamedTuple):
    """How games are played.

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
    """Columns of recorded positions, one row each; see selfplay.dataset for their meaning."""

    words: Any
    game: Any
    ply: Any
    score: Any
    depth: Any
    exact: Any
    outcome: Any
    exploratory: Any
    move: Any


SETTINGS = types.NamedTuple([int64, int64, int64, int64, float64, float64], Settings)
SHEET = types.NamedTuple(
    [ROWS, *[types.Array(t, 1, "C") for t in (int64, int16, float32, int8, boolean)]]
    + [types.Array(t, 1, "C") for t in (float32, boolean, int32)],
    Sheet,
)


@typeof_impl.register(Settings)
def _type_of_settings(_value: Settings, _context: Any) -> Any:
    return SETTINGS


@typeof_impl.register(Sheet)
def _type_of_sheet(_value: Sheet, _context: Any) -> Any:
    return SHEET


def new_sheet(rows: int, words: int) -> Sheet:
    """Return an empty sheet."""
    dtypes = (np.int64, np.int16, np.float32, np.int8, np.bool_, np.float32, np.bool_, np.int32)
    return Sheet(np.zeros((rows, words), np.uint64), *(np.zeros(rows, t) for t in dtypes))


@jit
def _draw_move(
    rules: Rules, static: Scoring, work: Work, settings: Settings, stream: Any, depth: int
) -> int:
    """Return a legal move of position 0, drawn by its score at `depth` (softmax)."""
    moves, scores = moves_at(work, 0), pv_at(work, 0)
    n = rules.legal_moves(position_at(work, 0), moves)
    best = int64(-INFINITY)
    for i in range(n):
        rules.play(position_at(work, 0), moves[i], position_at(work, 1))
        # pv_at(work, 0) is free meanwhile: nothing is searched at ply 0
        score = -search_widely(rules, static, work, int64(1), depth - 1)
        scores[i] = score
        best = max(best, score)
    total = 0.0
    for i in range(n):
        total += math.exp((scores[i] - best) / (POINTS * settings.temperature))
    target = uniform(stream) * total
    for i in range(n):
        target -= math.exp((scores[i] - best) / (POINTS * settings.temperature))
        if target < 0.0:
            return int64(moves[i])
    return int64(moves[n - 1])


@jit
def _choose(
    rules: Rules,
    static: Scoring,
    work: Work,
    settings: Settings,
    stream: Any,
    best: int,
    reached: int,
) -> int:
    """Return the move to play: the best, or one drawn for exploration. Solved games are kept.

    `reached` is the depth of the search that found `best`. Moves are drawn by their scores at
    that depth, so that a limit on nodes, though not kept here, bounds this too.
    """
    if reached == MAX_PLY:
        return best
    if settings.temperature > 0.0:
        budget.start(work.counters, budget.UNLIMITED, budget.UNLIMITED)
        return _draw_move(rules, static, work, settings, stream, max(int64(1), reached))
    if settings.explore > 0.0 and uniform(stream) < settings.explore:
        n = rules.legal_moves(position_at(work, 0), moves_at(work, 0))
        return int64(moves_at(work, 0)[below(stream, n)])
    return best


@jit
def _open(rules: Rules, work: Work, start: Pointer, plies: int, stream: Any) -> None:
    """Set position 0 after `plies` random moves, from which the game goes on."""
    while True:
        copy(work.stack, start, work.words)
        played = play_random(
            rules, work.stack, position_at(work, 1), work.words, work.moves, stream, plies
        )
        if played == plies and not rules.is_terminal(work.stack):
            return


@jit
def _record(
    rules: Rules,
    work: Work,
    found: Any,
    best: int,
    move: int,
    game: int,
    ply: int,
    sheet: Sheet,
    row: int,
) -> None:
    """Write a position, what was found there and the move played into a row of the sheet."""
    score, depth, _ = found
    exact = depth == MAX_PLY
    for k in range(work.words):
        sheet.words[row, k] = work.stack[k]
    sheet.game[row] = game
    sheet.ply[row] = ply
    sheet.score[row] = np.float32(score / POINTS)
    sheet.depth[row] = min(rules.plies_left(work.stack), LONGEST) if exact else depth
    sheet.exact[row] = exact
    sheet.exploratory[row] = move != best
    sheet.move[row] = move


@jit
def _play_game(
    rules: Rules,
    static: Scoring,
    work: Work,
    settings: Settings,
    start: Pointer,
    stream: Any,
    game: int,
    sheet: Sheet,
    row: int,
) -> int:
    """Play one game, record it from `row` on, and return the row after it."""
    clear_tables(work)
    _open(rules, work, start, settings.opening_plies, stream)
    first, ply = row, settings.opening_plies
    while not rules.is_terminal(work.stack):
        budget.start(work.counters, settings.node_limit, budget.UNLIMITED)
        found = think(rules, static, work, settings.depth, settings.exact_from)
        if work.counters[budget.INTERRUPTED]:
            return first
        best = int64(work.line[0])
        move = _choose(rules, static, work, settings, stream, best, found[1])
        _record(rules, work, found, best, move, game, ply, sheet, row)
        rules.play(work.stack, move, position_at(work, 1))
        copy(work.stack, position_at(work, 1), work.words)
        row += 1
        ply += 1
    outcome = rules.utility(work.stack)
    for i in range(row - 1, first - 1, -1):
        outcome = -outcome  # the sides alternate, a pass being a ply
        sheet.outcome[i] = outcome
    return row


@jit(int64(RULES, SCORING, MEMORY, SETTINGS, ROW, STREAM, int64, int64, int64, SHEET))
def play_games(
    rules: Rules,
    evaluation: Scoring,
    memory: Memory,
    settings: Settings,
    start: Any,
    stream: Any,
    seed: int,
    first: int,
    games: int,
    sheet: Sheet,
) -> int:
    """Play games number `first` to `first + games` of `seed`; return the rows recorded.

    `start` is the initial position (K,); `sheet` has room for every ply of every game.
    """
    work, static, row = work_of(memory), static_of(evaluation), int64(0)
    for game in range(first, first + games):
        seed_stream(stream, seed, game)
        row = _play_game(rules, static, work, settings, at(start, 0), stream, game, sheet, row)
    return row
