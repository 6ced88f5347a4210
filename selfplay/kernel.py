"""Whole self-play games inside one kernel.

A game's random numbers, dice too, come from its stream (seed, number of the game), and
the search forgets all before it: so a game does not depend on which were played before it, or
where. A position is recorded where a side decides; what chance brings is not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float32, float64, int8, int16, int32, int64, types, uint64

from samuel.games.playing import (
    GAME_STATE,
    GameState,
    advance,
    begin,
    is_chances_turn,
    is_over,
    mover,
    playout,
    result_of,
    set_reversible,
    throw,
)
from samuel.games.rules import Rules
from samuel.kernels import budget
from samuel.kernels.bits import below, seed_stream, uniform
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at
from samuel.kernels.records import allocate, array, array_type, number, record, to_pointers
from samuel.search.method import (
    SEARCHER,
    Found,
    ask,
    ask_at,
    forget,
    head_of,
    reaches,
    score_moves,
    thaw_searcher,
)
from samuel.search.score import INFINITY, SCORE_UNIT
from samuel.selfplay.agreement import FIRST_WINS, GOES_ON, agreed

LONGEST = 127
"""The most squares left to play in a row; a game may count otherwise, and higher."""


OPENING_TRIES = 100_000
"""Random openings after which no game is taken to last so long."""
TOO_SHORT = -1
"""Instead of a row: random games are over before the opening is."""


@record
class KernelPlan(NamedTuple):
    """Plan of games: a SelfplayPlan (selfplay/plan.py) as kernels take it."""

    depth: int = number("plies of search per move")
    node_limit: int = number("nodes per move, or budget.UNLIMITED")
    exact_from: int = number("games are solved from this many squares on")
    opening_plies: int = number("uniformly random moves after the opening, not recorded")
    epsilon: float = number("probability of a uniformly random move instead of the best", float64)
    temperature: float = number(
        "moves are drawn with probability proportional to exp(score / temperature), in the game's "
        "unit; 0 for the best move",
        float64,
    )
    win_score: float = number("lead in the game's unit at which a game is won", float64)
    win_moves: int = number("moves of each side that must see this lead; 0: games are played out")


@record
class PositionBuffer(NamedTuple):
    """Columns of recorded positions, one row each; selfplay/data/shard.py has their meaning."""

    words: Any = array(uint64, ("rows", "words"), "the position")
    game: Any = array(int64, ("rows",), "the game that it is of")
    ply: Any = array(int16, ("rows",), "how many moves came before it")
    side: Any = array(int8, ("rows",), "whose turn it is")
    score: Any = array(float32, ("rows",), "what the search found")
    depth: Any = array(int8, ("rows",), "how deep it searched")
    exact: Any = array(boolean, ("rows",), "whether the score is exact")
    outcome: Any = array(float32, ("rows",), "what came of the game")
    exploratory: Any = array(boolean, ("rows",), "whether the move has a lower score than the best")
    move: Any = array(int32, ("rows",), "the move that was played")
    offsets: Any = array(
        int32,
        ("rows + 1",),
        "the visits of row i are those from `offsets[i]` to before `offsets[i + 1]`",
    )
    visits: Any = array(int32, ("visits",), "how often each legal move was visited")


@record
class OpeningLines(NamedTuple):
    """Openings of games, one each: positions, and moves from there, which are not recorded."""

    positions: Any = array(uint64, ("games", "words"), "the position where it begins")
    sides: Any = array(int8, ("games",), "whose turn it is there")
    plies: Any = array(int16, ("games",), "how many moves came before it")
    reversible: Any = array(int16, ("games",), "how many of the last were reversible")
    moves: Any = array(int32, ("moves",), "moves of all openings, outcomes of chance too")
    ends: Any = array(int64, ("games + 1",), "moves of opening i are `ends[i]` to `ends[i + 1]`")


OPENING_LINES = array_type(OpeningLines)
KERNEL_PLAN, POSITION_BUFFER = array_type(KernelPlan), array_type(PositionBuffer)


def new_position_buffer(rows: int, words: int, moves: int = 0) -> PositionBuffer:
    """Return an empty buffer, with room for the visits of so many moves in each row."""
    sizes = {"rows": rows, "words": words, "rows + 1": rows + 1, "visits": rows * moves}
    return allocate(PositionBuffer, sizes)


@jit
def _draw_move(
    rules: Rules, searcher: Pointer, state: GameState, temperature: float, depth: int
) -> tuple[int, bool]:
    """Draw a legal move of the state's position, searched last, by its score (softmax)."""
    scores, best = state.weights, int64(-INFINITY)
    score_moves(searcher, depth, scores)
    n = rules.legal_moves(state.position, state.moves)
    for i in range(n):
        best = max(best, int64(scores[i]))
    total = 0.0
    for i in range(n):
        total += math.exp((scores[i] - best) / (SCORE_UNIT * temperature))
    target, drawn = uniform(state.stream) * total, n - 1
    for i in range(n):
        target -= math.exp((scores[i] - best) / (SCORE_UNIT * temperature))
        if target < 0.0:
            drawn = i
            break
    return int64(state.moves[drawn]), scores[drawn] < best


@jit
def _choose(
    rules: Rules, searcher: Pointer, state: GameState, plan: KernelPlan, found: Found
) -> tuple[int, bool]:
    """Return the move to play, and whether exploration chose one that scores less than the best."""
    head, depth = head_of(searcher), max(int64(1), found.depth)
    best = int64(head.line[0])
    if found.exact:
        return best, False
    if plan.temperature > 0.0:
        budget.start(head.counters, budget.UNLIMITED, budget.UNLIMITED)
        move, is_lower = _draw_move(rules, searcher, state, plan.temperature, depth)
        return move, is_lower and move != best
    if plan.epsilon > 0.0 and uniform(state.stream) < plan.epsilon:
        n = rules.legal_moves(state.position, state.moves)
        move = int64(state.moves[below(state.stream, n)])
        if move != best:
            budget.start(head.counters, budget.UNLIMITED, budget.UNLIMITED)
            return move, not reaches(searcher, move, depth, found.score)
    return best, False


@jit
def open_game(rules: Rules, state: GameState, lines: OpeningLines, k: int, plies: int) -> int:
    """Set up the position after opening k and `plies` random moves; return its ply or TOO_SHORT."""
    for _ in range(OPENING_TRIES):
        begin(rules, state, at(lines.positions, k), int64(lines.sides[k]))
        set_reversible(state, int64(lines.reversible[k]))
        ply = lines.plies[k] + plies
        for i in range(lines.ends[k], lines.ends[k + 1]):
            ply += 0 if is_chances_turn(state) else 1
            advance(rules, state, int64(lines.moves[i]))
        if playout(rules, state, plies) == plies and not is_over(rules, state):
            return ply
    return int64(TOO_SHORT)


@jit
def _record(
    state: GameState,
    found: Found,
    move: int,
    is_exploratory: bool,
    game: int,
    ply: int,
    buffer: PositionBuffer,
    row: int,
) -> None:
    """Write a position, what was found there and the move played into a row of the buffer."""
    for k in range(state.words):
        buffer.words[row, k] = state.position[k]
    buffer.game[row] = game
    buffer.ply[row] = ply
    buffer.side[row] = mover(state)
    _label(found, buffer, row)
    buffer.exploratory[row] = is_exploratory
    buffer.move[row] = move


@jit
def _record_visits(visits: Pointer, buffer: PositionBuffer, row: int) -> None:
    """Write how often the moves of a row were visited (Head) after those of the row before."""
    first, n = buffer.offsets[row], visits[0]
    for i in range(n):
        buffer.visits[first + i] = visits[1 + i]
    buffer.offsets[row + 1] = first + n


@jit
def _play_game(
    rules: Rules,
    searcher: Pointer,
    state: GameState,
    plan: KernelPlan,
    ply: int,
    game: int,
    buffer: PositionBuffer,
    row: int,
) -> int:
    """Play the game that the state has begun, record it from `row` on; return the row after it."""
    first, head, decided = row, head_of(searcher), GOES_ON
    terms = (plan.win_score, float64(plan.win_moves), 0.0, 0.0, 0.0)
    counts = np.zeros((2, 2), np.int64)
    while decided == GOES_ON and not is_over(rules, state):
        budget.start(head.counters, plan.node_limit, budget.UNLIMITED)
        found = ask_at(searcher, state, plan.depth, plan.exact_from)
        if head.counters[budget.INTERRUPTED]:
            return first
        move, is_exploratory = _choose(rules, searcher, state, plan, found)
        _record(state, found, move, is_exploratory, game, ply, buffer, row)
        if len(buffer.visits) > 0:
            _record_visits(head.visits, buffer, row)
        side, score = mover(state), found.score / SCORE_UNIT
        decided = agreed(terms, counts, side, score if side == 0 else -score, ply)
        advance(rules, state, move)
        throw(rules, state)
        row += 1
        ply += 1
    outcome = result_of(rules, state)
    if decided != GOES_ON and not is_over(rules, state):
        outcome = state.best if decided == FIRST_WINS else -state.best
    write_outcome(buffer, first, row, outcome)
    return row


@jit
def write_outcome(buffer: PositionBuffer, first: int, end: int, outcome: float) -> None:
    """Write the first side's outcome into rows `first` to `end` - 1, as each row's side sees it."""
    for i in range(first, end):
        buffer.outcome[i] = outcome if buffer.side[i] == 0 else -outcome


@jit(int64(SEARCHER, KERNEL_PLAN, OPENING_LINES, GAME_STATE, int64, int64, int64, POSITION_BUFFER))
def play_games(
    searcher: Any,
    plan: KernelPlan,
    lines: OpeningLines,
    arrays: GameState,
    seed: int,
    first: int,
    games: int,
    buffer: PositionBuffer,
) -> int:
    """Play games number `first` to `first + games` of `seed`.

    Returns the rows recorded, or TOO_SHORT.
    Game `first + k` begins with opening k of `lines`; `buffer` has room for every ply of every
    game, and for visits where the searcher counts them.
    """
    its, state, row = at(searcher, 0), to_pointers(arrays), int64(0)
    rules = thaw_searcher(its).rules
    for game in range(first, first + games):
        seed_stream(state.stream, seed, game)
        forget(its)
        ply = open_game(rules, state, lines, game - first, plan.opening_plies)
        if ply < 0:
            return ply
        row = _play_game(rules, its, state, plan, ply, game, buffer, row)
    return row


@jit(types.void(SEARCHER, int64, int64, POSITION_BUFFER))
def search_rows(searcher: Any, depth: int, exact_from: int, buffer: PositionBuffer) -> None:
    """Search positions that are not marked exact; write what is found over their labels.

    Everything is forgotten where a row is of another game than the one before it.
    """
    frame, n = at(searcher, 0), buffer.game.shape[0]
    counters = head_of(frame).counters
    for i in range(n):
        if i == 0 or buffer.game[i] != buffer.game[i - 1]:
            forget(frame)
        if buffer.exact[i]:
            continue
        budget.start(counters, budget.UNLIMITED, budget.UNLIMITED)
        row = at(buffer.words, i)
        found = ask(frame, row, buffer.words.shape[1], depth, exact_from)
        if counters[budget.INTERRUPTED]:
            return
        _label(found, buffer, i)


@jit
def _label(found: Found, buffer: PositionBuffer, row: int) -> None:
    """Write what a search has found into a row of the buffer."""
    buffer.score[row] = np.float32(found.score / SCORE_UNIT)
    buffer.depth[row] = min(found.depth, LONGEST)
    buffer.exact[row] = found.exact != 0
