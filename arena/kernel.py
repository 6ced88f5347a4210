"""Match games inside one kernel: two evaluators, the same opening and dice, colours swapped.

The dice of a pair come from a stream of its own, (seed, number of the pair), of which each throw
takes the next number: where both games come to throw alike, they throw the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float32, int8, int32, int64, types
from numba.extending import typeof_impl
from numpy.typing import NDArray

from samuel.arena.allowance import Limits
from samuel.games.interface import NO_MOVE, ROWS, RULES, USUAL_PLIES, Game, Rules
from samuel.games.playing import (
    ROOM,
    Room,
    Table,
    advance,
    begin,
    draw,
    forced,
    is_chances_turn,
    mover,
    result_of,
    seed_dice,
    table_in,
)
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at, copy
from samuel.search.alphabeta.root import think
from samuel.search.memory import MEMORY, Memory, Work, clear_tables, work_of
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
        int32 (n, 2, P), the moves of each game from its opening on, and what chance brought; once
        decided, a game is played on without limits, by exact search.
    lengths
        int32 (n, 2), how many those are.
    decided
        int32 (n, 2), how many of them were played when the game was decided.
    endings
        int8 (n, 2), PLAYED, SOLVED or OUT_OF_TIME.
    movers
        int8 (n, 2), whose turn it was then, 0 for A.
    spent
        int64 (n, 2, 2, 3), nodes, nanoseconds and moves of A and of B in each game.
    """

    results: Any
    moves: Any
    lengths: Any
    decided: Any
    endings: Any
    movers: Any
    spent: Any


LIMITS = types.NamedUniTuple(int64, len(Limits._fields), Limits)
_INTS = types.Array(int32, 2, "C")
SHEET = types.NamedTuple(
    [
        types.Array(float32, 2, "C"),
        types.Array(int32, 3, "C"),
        *(_INTS, _INTS),
        *[types.Array(int8, 2, "C")] * 2,
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
    lengths, decided = (np.zeros((pairs, 2), np.int32) for _ in range(2))
    endings, movers = (np.zeros((pairs, 2), np.int8) for _ in range(2))
    results: NDArray[np.float32] = np.zeros((pairs, 2), np.float32)
    moves = np.zeros((pairs, 2, game.max_plies), np.int32)
    spent = np.zeros((pairs, 2, 2, 3), np.int64)
    return Sheet(results, moves, lengths, decided, endings, movers, spent)


@jit
def share_of_clock(left: int, increment: int, remaining: int) -> int:
    """Return the nanoseconds to spend on a move, of those `left` for the rest of the game.

    A side has about half of the `remaining` plies still to move. It never takes more than half of
    what is left, so that the clock's last share is not the move's.
    """
    moves = min(remaining, USUAL_PLIES) // 2 + 1
    return max(int64(1), min(left // moves + increment, left // 2))


@jit
def _move(
    rules: Rules, player: Player, table: Table, clocks: Any, side: int, spent: Any
) -> tuple[int, int]:
    """Return (score, depth) of the player's search; its move is in work.line[0].

    A single legal move is played at once, unless depth alone limits the search. `clocks` are the
    nanoseconds left to both sides; the move is added to `spent`.
    """
    work, limits = player.work, player.limits
    copy(work.stack, table.position, work.words)
    spent[side, MOVES] += 1
    is_limited = min(limits.nodes, min(limits.nanoseconds, limits.game_nanoseconds))
    if is_limited < budget.UNLIMITED:
        move = forced(rules, table)
        if move != NO_MOVE:
            work.line[0] = move  # nothing to think about, a pass above all
            return int64(0), int64(0)
    began = budget.now()
    nanoseconds = limits.nanoseconds
    if limits.game_nanoseconds < budget.UNLIMITED:
        share = share_of_clock(clocks[side], limits.increment, rules.plies_left(table.position))
        nanoseconds = min(nanoseconds, share)
    budget.start(work.counters, limits.nodes, nanoseconds)
    score, depth, _ = think(rules, player.static, work, limits.depth, limits.exact_from)
    took = budget.now() - began
    clocks[side] -= took
    spent[side, NODES] += work.counters[budget.NODES]
    spent[side, NANOSECONDS] += took
    return score, depth


@jit
def _solved_result(score: int, proven: int) -> int:
    """Return the result that an exact score stands for: a proven win is a win however far."""
    if score >= proven:
        return proven + MAX_PLY
    if score <= -proven:
        return -proven - MAX_PLY
    return score


@jit
def _play(rules: Rules, table: Table, move: int, sheet: Sheet, pair: int, game: int) -> None:
    """Play a move, or what chance brings, and write it down."""
    advance(rules, table, move)
    sheet.moves[pair, game, sheet.lengths[pair, game]] = move
    sheet.lengths[pair, game] += 1


@jit
def _throw(rules: Rules, table: Table, sheet: Sheet, pair: int, game: int) -> None:
    """Throw the dice, as often as they come before a side moves, and write them down."""
    while is_chances_turn(table):
        _play(rules, table, draw(rules, table), sheet, pair, game)


@jit
def _play_out(
    rules: Rules, player: Player, table: Table, sheet: Sheet, pair: int, game: int
) -> None:
    """Play a solved game to its end for the record, by exact search."""
    work, limits = player.work, player.limits
    while not rules.is_terminal(table.position):
        copy(work.stack, table.position, work.words)
        budget.start(work.counters, budget.UNLIMITED, budget.UNLIMITED)
        think(rules, player.static, work, limits.depth, limits.exact_from)
        if work.counters[budget.INTERRUPTED]:
            return
        _play(rules, table, int64(work.line[0]), sheet, pair, game)


@jit
def _play_game(
    rules: Rules,
    first: Player,
    second: Player,
    table: Table,
    opening: Pointer,
    largest: float,
    is_sure: int,
    clocks: Any,
    sheet: Sheet,
    pair: int,
    game: int,
) -> float:
    """Return the result of a game for its first player; once solved, a sure game is decided."""
    clear_tables(first.work)
    clear_tables(second.work)
    clocks[game] = first.limits.game_nanoseconds
    clocks[1 - game] = second.limits.game_nanoseconds
    begin(rules, table, opening, int64(0))
    _throw(rules, table, sheet, pair, game)
    while not rules.is_terminal(table.position):
        turn = mover(table)
        player = first if turn == 0 else second
        sign = float32(1) if turn == 0 else float32(-1)
        side = turn ^ game
        score, depth = _move(rules, player, table, clocks, side, sheet.spent[pair, game])
        if player.work.counters[budget.INTERRUPTED]:
            return float32(0)
        sheet.decided[pair, game] = sheet.lengths[pair, game]
        sheet.movers[pair, game] = side
        if clocks[side] < 0:
            sheet.endings[pair, game] = OUT_OF_TIME
            return -sign * float32(largest)
        clocks[side] += player.limits.increment
        _play(rules, table, int64(player.work.line[0]), sheet, pair, game)
        if depth == MAX_PLY and is_sure:
            sheet.endings[pair, game] = SOLVED
            _play_out(rules, player, table, sheet, pair, game)
            exact = _solved_result(score, player.work.proven)
            return sign * float32(exact) / float32(POINTS)
        _throw(rules, table, sheet, pair, game)
    sheet.decided[pair, game] = sheet.lengths[pair, game]
    return result_of(rules, table)


@jit(
    types.void(
        *(RULES, SCORING, SCORING, MEMORY, MEMORY, LIMITS, LIMITS, float32, int64),
        *(int64, types.Array(int64, 1, "C"), ROWS, ROOM, types.Array(int64, 1, "C"), SHEET),
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
    is_sure: int,
    seed: int,
    numbers: Any,
    openings: Any,
    room: Room,
    clocks: Any,
    sheet: Sheet,
) -> None:
    """Play each opening (n, K) twice, A to move first and then B, and write down what happens.

    `largest` is what a win by the clock counts, in the game's unit; `is_sure` is 0 where chance has
    a part in the game, else 1; `seed` is that of the dice, `numbers` (n,) are those of the pairs;
    `clocks` (2,) is room for the time left to both sides.
    """
    a = Player(static_of(evaluation_a), work_of(memory_a), limits_a)
    b = Player(static_of(evaluation_b), work_of(memory_b), limits_b)
    table = table_in(room)
    for i in range(openings.shape[0]):
        opening = at(openings, i)
        seed_dice(room.stream, seed, numbers[i])
        won = _play_game(rules, a, b, table, opening, largest, is_sure, clocks, sheet, i, 0)
        sheet.results[i, 0] = won
        seed_dice(room.stream, seed, numbers[i])
        lost = _play_game(rules, b, a, table, opening, largest, is_sure, clocks, sheet, i, 1)
        sheet.results[i, 1] = -lost
