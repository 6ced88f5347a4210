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

from samuel.games.interface import NO_MOVE, ROW, USUAL_PLIES, Game, Rules
from samuel.games.playing import (
    ROOM,
    Room,
    Table,
    advance,
    begin,
    draw,
    forced,
    is_chances_turn,
    is_over,
    mover,
    result_of,
    seed_dice,
    table_in,
)
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at
from samuel.search.limits import LimitCounts
from samuel.search.method import SEARCHER, Found, ask_at, forget, head_of, thaw_searcher

PLAYED, SOLVED, OUT_OF_TIME = range(3)
"""How a game was decided: at its end, by an exact search, by the clock of the side to move."""

NODES, NANOSECONDS, MOVES = range(3)
"""What a side spends."""


class Seat(NamedTuple):
    """One side: its packed searcher, and what it may spend."""

    searcher: Pointer
    limits: LimitCounts


class ScoreSheet(NamedTuple):
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


LIMITS = types.NamedUniTuple(int64, len(LimitCounts._fields), LimitCounts)
_INTS, _INT64S = types.Array(int32, 2, "C"), types.Array(int64, 1, "C")
SCORE_SHEET = types.NamedTuple(
    [
        types.Array(float32, 2, "C"),
        types.Array(int32, 3, "C"),
        *(_INTS, _INTS),
        *[types.Array(int8, 2, "C")] * 2,
        types.Array(int64, 4, "C"),
    ],
    ScoreSheet,
)


@typeof_impl.register(LimitCounts)
def _type_of_limits(_value: LimitCounts, _context: Any) -> Any:
    return LIMITS


@typeof_impl.register(ScoreSheet)
def _type_of_sheet(_value: ScoreSheet, _context: Any) -> Any:
    return SCORE_SHEET


def new_score_sheet(game: Game, pairs: int) -> ScoreSheet:
    """Return room for `pairs` pairs of games."""
    lengths, decided = (np.zeros((pairs, 2), np.int32) for _ in range(2))
    endings, movers = (np.zeros((pairs, 2), np.int8) for _ in range(2))
    results: NDArray[np.float32] = np.zeros((pairs, 2), np.float32)
    moves = np.zeros((pairs, 2, game.max_plies), np.int32)
    spent = np.zeros((pairs, 2, 2, 3), np.int64)
    return ScoreSheet(results, moves, lengths, decided, endings, movers, spent)


@jit
def share_of_clock(left: int, increment: int, remaining: int) -> int:
    """Return the nanoseconds to spend on a move, of those `left` for the rest of the game.

    A side has about half of the `remaining` plies still to move. It never takes more than half of
    what is left, so that the clock's last share is not the move's.
    """
    moves = min(remaining, USUAL_PLIES) // 2 + 1
    return max(int64(1), min(left // moves + increment, left // 2))


@jit
def _move(rules: Rules, seat: Seat, table: Table, clocks: Any, side: int, spent: Any) -> Found:
    """Return what a side's search found; its move is in the line of its head.

    A single legal move is played at once, unless depth alone limits the search. `clocks` are the
    nanoseconds left to both sides; the move is added to `spent`.
    """
    head, limits = head_of(seat.searcher), seat.limits
    spent[side, MOVES] += 1
    is_limited = min(limits.nodes, min(limits.nanoseconds, limits.game_nanoseconds))
    if is_limited < budget.UNLIMITED:
        move = forced(rules, table)
        if move != NO_MOVE:
            head.line[0] = move  # nothing to think about, a pass above all
            return Found(int64(0), int64(0), int64(1), int64(0))
    began = budget.now()
    nanoseconds = limits.nanoseconds
    if limits.game_nanoseconds < budget.UNLIMITED:
        share = share_of_clock(clocks[side], limits.increment, rules.plies_left(table.position))
        nanoseconds = min(nanoseconds, share)
    budget.start(head.counters, limits.nodes, nanoseconds)
    found = ask_at(seat.searcher, table, limits.depth, limits.exact_from)
    took = budget.now() - began
    clocks[side] -= took
    spent[side, NODES] += head.counters[budget.NODES]
    spent[side, NANOSECONDS] += took
    return found


@jit
def _result(rules: Rules, table: Table, began: int) -> float:
    """Return the result of a finished game for its first player, who is side `began`."""
    result = result_of(rules, table)
    return result if began == 0 else -result


@jit
def _play(rules: Rules, table: Table, move: int, sheet: ScoreSheet, pair: int, game: int) -> None:
    """Play a move, or what chance brings, and write it down."""
    advance(rules, table, move)
    sheet.moves[pair, game, sheet.lengths[pair, game]] = move
    sheet.lengths[pair, game] += 1


@jit
def _throw(rules: Rules, table: Table, sheet: ScoreSheet, pair: int, game: int) -> None:
    """Throw the dice, as often as they come before a side moves, and write them down."""
    while is_chances_turn(table):
        _play(rules, table, draw(rules, table), sheet, pair, game)


@jit
def _play_out(
    rules: Rules, seat: Seat, table: Table, sheet: ScoreSheet, pair: int, game: int
) -> None:
    """Play a solved game to its end for the record, by exact search."""
    head, limits = head_of(seat.searcher), seat.limits
    while not is_over(rules, table):
        budget.start(head.counters, budget.UNLIMITED, budget.UNLIMITED)
        ask_at(seat.searcher, table, limits.depth, limits.exact_from)
        if head.counters[budget.INTERRUPTED]:
            return
        _play(rules, table, int64(head.line[0]), sheet, pair, game)


@jit
def _open(rules: Rules, table: Table, start: Pointer, opening: Any) -> int:
    """Play an opening's moves from the initial position; return whose turn it is then."""
    begin(rules, table, start, int64(0))
    for k in range(opening.shape[0]):
        advance(rules, table, int64(opening[k]))
    return mover(table)


@jit
def _play_game(
    rules: Rules,
    first: Seat,
    second: Seat,
    table: Table,
    start: Pointer,
    opening: Any,
    largest: float,
    is_sure: int,
    clocks: Any,
    sheet: ScoreSheet,
    pair: int,
    game: int,
) -> float:
    """Return the result of a game for its first player; once solved, a sure game is decided."""
    forget(first.searcher)
    forget(second.searcher)
    clocks[game] = first.limits.game_nanoseconds
    clocks[1 - game] = second.limits.game_nanoseconds
    began = _open(rules, table, start, opening)
    _throw(rules, table, sheet, pair, game)
    while not is_over(rules, table):
        turn = mover(table) ^ began
        seat = first if turn == 0 else second
        head = head_of(seat.searcher)
        sign = float32(1) if turn == 0 else float32(-1)
        side = turn ^ game
        found = _move(rules, seat, table, clocks, side, sheet.spent[pair, game])
        if head.counters[budget.INTERRUPTED]:
            return float32(0)
        sheet.decided[pair, game] = sheet.lengths[pair, game]
        sheet.movers[pair, game] = side
        if clocks[side] < 0:
            sheet.endings[pair, game] = OUT_OF_TIME
            return -sign * float32(largest)
        clocks[side] += seat.limits.increment
        _play(rules, table, int64(head.line[0]), sheet, pair, game)
        if found.exact and is_sure:
            sheet.endings[pair, game] = SOLVED
            _play_out(rules, seat, table, sheet, pair, game)
            return _result(rules, table, began)
        _throw(rules, table, sheet, pair, game)
    sheet.decided[pair, game] = sheet.lengths[pair, game]
    return _result(rules, table, began)


@jit(
    types.void(
        *(SEARCHER, SEARCHER, LIMITS, LIMITS, float32, int64),
        *(int64, _INT64S, ROW, types.Array(int32, 1, "C"), _INT64S, ROOM, _INT64S, SCORE_SHEET),
    )
)
def play_pairs(
    searcher_a: Any,
    searcher_b: Any,
    limits_a: LimitCounts,
    limits_b: LimitCounts,
    largest: float,
    is_sure: int,
    seed: int,
    numbers: Any,
    start: Any,
    openings: Any,
    ends: Any,
    room: Room,
    clocks: Any,
    sheet: ScoreSheet,
) -> None:
    """Play each of n openings twice, A to move first and then B, and write down what happens.

    `start` is the initial position (K,); `openings` are the moves of all, each up to its place in
    `ends` (n,). `largest` is what a win by the clock counts, in the game's unit; `is_sure` is 0
    where chance has a part in the game or a side samples, else 1; `seed` is that of the dice,
    `numbers` (n,) are those of the pairs; `clocks` (2,) is room for the time left to both sides.
    """
    a, b = Seat(at(searcher_a, 0), limits_a), Seat(at(searcher_b, 0), limits_b)
    rules, table = thaw_searcher(a.searcher).rules, table_in(room)
    for i in range(ends.shape[0]):
        opening = openings[(0 if i == 0 else ends[i - 1]) : ends[i]]
        for game in range(2):
            one, other, sign = (a, b, 1) if game == 0 else (b, a, -1)
            seed_dice(room.stream, seed, numbers[i])
            sheet.results[i, game] = sign * _play_game(
                *(rules, one, other, table, at(start, 0), opening, largest, is_sure),
                *(clocks, sheet, i, game),
            )
