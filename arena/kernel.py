"""Match games inside one kernel: two evaluators, the same opening and dice, colours swapped.

The dice of a pair come from a stream of its own, (seed, number of the pair), of which each throw
takes the next number: where both games come to throw alike, they throw the same. Random moves are
drawn from that stream, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int8, int32, int64, types

from samuel.arena.clocks import moves_left, share_of_clock
from samuel.games.game import Game
from samuel.games.playing import (
    GAME_STATE,
    GameState,
    advance,
    begin,
    draw,
    forced,
    is_chances_turn,
    is_over,
    mover,
    result_of,
    seed_dice,
)
from samuel.games.rules import NO_MOVE, ROWS, Rules
from samuel.kernels import budget
from samuel.kernels.bits import below, seed_stream, uniform
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at
from samuel.kernels.records import allocate, array, array_type, record, to_pointers
from samuel.search.greedy import best_move
from samuel.search.limits import LimitCounts
from samuel.search.method import SEARCHER, Found, ask_at, forget, head_of, thaw_searcher
from samuel.search.score import INFINITY, SCORE_UNIT
from samuel.selfplay.agreement import DRAWN, FIRST_WINS, GOES_ON, agreed

PLIES_PLAYED, SOLVED, OUT_OF_TIME, AGREED = 0, 1, 2, 8
"""Ways in which a game was decided: at its end, by an exact search, by the mover's clock, by the
scores of both sides; places in records.ENDINGS."""
_NO_SCORE = INFINITY

NODES, NANOSECONDS, MOVES = range(3)
"""Places of what a side spends."""


class Seat(NamedTuple):
    """One side: its packed searcher, what it may spend, and how it does without a search."""

    searcher: Pointer
    limits: LimitCounts
    greedy: int
    epsilon: float


@record
class ScoreSheet(NamedTuple):
    """Record of n pairs of games; index 0 of a game is A's, 1 is B's first move."""

    results: Any = array(float32, ("pairs", 2), "the results for A in the game's unit")
    moves: Any = array(
        int32,
        ("pairs", 2, "plies"),
        "the moves of each game from its opening on, and what chance brought; once decided, a game "
        "is played on without limits, by exact search",
    )
    lengths: Any = array(int32, ("pairs", 2), "how many those are")
    decided: Any = array(
        int32, ("pairs", 2), "how many of them were played when the game was decided"
    )
    endings: Any = array(int8, ("pairs", 2), "PLIES_PLAYED, SOLVED, OUT_OF_TIME, AGREED")
    scores: Any = array(
        float32, ("pairs", 2, "plies"), "the mover's score of each move; NaN without a search"
    )
    depths: Any = array(int32, ("pairs", 2, "plies"), "the depth of its search")
    nanoseconds: Any = array(int64, ("pairs", 2, "plies"), "the time that it took")
    movers: Any = array(int8, ("pairs", 2), "whose turn it was then, 0 for A")
    spent: Any = array(
        int64, ("pairs", 2, 2, 3), "nodes, nanoseconds and moves of A and of B in each game"
    )


LIMITS, SCORE_SHEET = array_type(LimitCounts), array_type(ScoreSheet)


def new_score_sheet(game: Game, pairs: int) -> ScoreSheet:
    """Return room for `pairs` pairs of games."""
    return allocate(ScoreSheet, {"pairs": pairs, "plies": game.max_plies})


@jit
def _unsearched(rules: Rules, seat: Seat, state: GameState) -> int:
    """Return a random or a greedy move; NO_MOVE where the side is to search."""
    if not seat.greedy and not seat.epsilon > 0:
        return int64(NO_MOVE)
    n = rules.legal_moves(state.position, state.moves)
    if uniform(state.stream) < seat.epsilon:
        return int64(state.moves[below(state.stream, n)])
    if seat.greedy:
        return best_move(rules, thaw_searcher(seat.searcher).evaluation, state, n)
    return int64(NO_MOVE)


@jit
def _move(rules: Rules, seat: Seat, state: GameState, clocks: Any, side: int, spent: Any) -> Found:
    """Return what a side's search found; its move is in the line of its head."""
    head, limits = head_of(seat.searcher), seat.limits
    spent[side, MOVES] += 1
    move = _unsearched(rules, seat, state)
    if move != NO_MOVE:
        head.line[0] = move
        return Found(int64(_NO_SCORE), int64(0), int64(1), int64(0))
    is_limited = min(limits.nodes, min(limits.nanoseconds, limits.game_nanoseconds))
    if is_limited < budget.UNLIMITED:
        move = forced(rules, state)
        if move != NO_MOVE:
            head.line[0] = move  # nothing to think about, a pass above all
            return Found(int64(_NO_SCORE), int64(0), int64(1), int64(0))
    began = budget.now()
    nanoseconds = limits.nanoseconds
    if limits.game_nanoseconds < budget.UNLIMITED:
        share = share_of_clock(
            clocks[side], limits.increment, moves_left(rules.plies_left(state.position))
        )
        nanoseconds = min(nanoseconds, share)
    budget.start(head.counters, limits.nodes, nanoseconds)
    found = ask_at(seat.searcher, state, limits.depth, limits.exact_from)
    took = budget.now() - began
    clocks[side] -= took
    spent[side, NODES] += head.counters[budget.NODES]
    spent[side, NANOSECONDS] += took
    return found


@jit
def _result(rules: Rules, state: GameState, began: int) -> float:
    """Return the result of a finished game for its first player, who is side `began`."""
    result = result_of(rules, state)
    return result if began == 0 else -result


@jit
def _play(
    rules: Rules, state: GameState, move: int, sheet: ScoreSheet, pair: int, game: int
) -> None:
    """Play a move, or what chance brings, and write it down."""
    advance(rules, state, move)
    sheet.moves[pair, game, sheet.lengths[pair, game]] = move
    sheet.scores[pair, game, sheet.lengths[pair, game]] = np.nan
    sheet.lengths[pair, game] += 1


@jit
def _throw(rules: Rules, state: GameState, sheet: ScoreSheet, pair: int, game: int) -> None:
    """Throw the dice, as often as they come before a side moves, and write them down."""
    while is_chances_turn(state):
        _play(rules, state, draw(rules, state), sheet, pair, game)


@jit
def _play_out(
    rules: Rules, seat: Seat, state: GameState, sheet: ScoreSheet, pair: int, game: int
) -> None:
    """Play a solved game to its end for the record, by exact search."""
    head, limits = head_of(seat.searcher), seat.limits
    while not is_over(rules, state):
        budget.start(head.counters, budget.UNLIMITED, budget.UNLIMITED)
        ask_at(seat.searcher, state, limits.depth, limits.exact_from)
        if head.counters[budget.INTERRUPTED]:
            return
        _play(rules, state, int64(head.line[0]), sheet, pair, game)


@jit
def _open(rules: Rules, state: GameState, start: Pointer, side: int, opening: Any) -> int:
    """Play an opening's moves from where a side is to move; return whose turn it is then."""
    begin(rules, state, start, side)
    for k in range(opening.shape[0]):
        advance(rules, state, int64(opening[k]))
    return mover(state)


@jit
def _play_game(
    rules: Rules,
    first: Seat,
    second: Seat,
    state: GameState,
    start: Pointer,
    starter: int,
    opening: Any,
    largest: float,
    is_sure: int,
    terms: Any,
    counts: Any,
    clocks: Any,
    sheet: ScoreSheet,
    pair: int,
    game: int,
) -> float:
    """Return the result of a game for its first player; once solved, a sure game is decided."""
    counts[:] = 0
    forget(first.searcher)
    forget(second.searcher)
    clocks[game] = first.limits.game_nanoseconds
    clocks[1 - game] = second.limits.game_nanoseconds
    began = _open(rules, state, start, starter, opening)
    _throw(rules, state, sheet, pair, game)
    while not is_over(rules, state):
        turn = mover(state) ^ began
        seat = first if turn == 0 else second
        head = head_of(seat.searcher)
        sign = float32(1) if turn == 0 else float32(-1)
        side = turn ^ game
        took = -sheet.spent[pair, game, side, NANOSECONDS]
        found = _move(rules, seat, state, clocks, side, sheet.spent[pair, game])
        took += sheet.spent[pair, game, side, NANOSECONDS]
        if head.counters[budget.INTERRUPTED]:
            return float32(0)
        sheet.decided[pair, game] = sheet.lengths[pair, game]
        sheet.movers[pair, game] = side
        if clocks[side] < 0:
            sheet.endings[pair, game] = OUT_OF_TIME
            return -sign * float32(largest)
        clocks[side] += seat.limits.increment
        _play(rules, state, int64(head.line[0]), sheet, pair, game)
        if found.score != _NO_SCORE:
            ply = sheet.lengths[pair, game] - 1
            sheet.scores[pair, game, ply] = found.score / SCORE_UNIT
            sheet.depths[pair, game, ply] = found.depth
            sheet.nanoseconds[pair, game, ply] = took
        if found.exact and is_sure:
            sheet.endings[pair, game] = SOLVED
            _play_out(rules, seat, state, sheet, pair, game)
            return _result(rules, state, began)
        if found.score != _NO_SCORE:
            score, plies = sign * found.score / SCORE_UNIT, sheet.lengths[pair, game] + len(opening)
            decision = agreed(terms, counts, turn, score, plies)
            if decision != GOES_ON and not is_over(rules, state):
                sheet.decided[pair, game] = sheet.lengths[pair, game]
                sheet.endings[pair, game] = AGREED
                if decision == DRAWN:
                    return float32(0)
                return float32(largest if decision == FIRST_WINS else -largest)
        _throw(rules, state, sheet, pair, game)
    sheet.decided[pair, game] = sheet.lengths[pair, game]
    return _result(rules, state, began)


@jit(
    types.void(
        *(SEARCHER, SEARCHER, LIMITS, LIMITS, int64, int64, float64, float32, int64),
        *(
            int64,
            int64[::1],
            ROWS,
            int8[::1],
            int32[::1],
            int64[::1],
            GAME_STATE,
            float64[::1],
            int64[:, ::1],
            int64[::1],
            SCORE_SHEET,
        ),
    )
)
def play_pairs(
    searcher_a: Any,
    searcher_b: Any,
    limits_a: LimitCounts,
    limits_b: LimitCounts,
    greedy_a: int,
    greedy_b: int,
    epsilon: float,
    largest: float,
    is_sure: int,
    seed: int,
    numbers: Any,
    starts: Any,
    starters: Any,
    openings: Any,
    ends: Any,
    arrays: GameState,
    terms: Any,
    counts: Any,
    clocks: Any,
    sheet: ScoreSheet,
) -> None:
    """Play each of n openings twice, A to move first and then B, and write down what happens."""
    a = Seat(at(searcher_a, 0), limits_a, greedy_a, epsilon)
    b = Seat(at(searcher_b, 0), limits_b, greedy_b, epsilon)
    draws_moves = greedy_a != 0 or greedy_b != 0 or epsilon > 0
    rules, state = thaw_searcher(a.searcher).rules, to_pointers(arrays)
    for i in range(ends.shape[0]):
        opening = openings[(0 if i == 0 else ends[i - 1]) : ends[i]]
        for game in range(2):
            one, other, sign = (a, b, 1) if game == 0 else (b, a, -1)
            if draws_moves:
                seed_stream(arrays.stream, seed, numbers[i])
            else:
                seed_dice(arrays.stream, seed, numbers[i])
            sheet.results[i, game] = sign * _play_game(
                *(rules, one, other, state, at(starts, i), int64(starters[i])),
                *(opening, largest, is_sure),
                *(terms, counts, clocks, sheet, i, game),
            )
