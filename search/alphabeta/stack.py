"""Stack of one thread of alpha-beta: made once, so that a node allocates nothing."""

from __future__ import annotations

import numpy as np
from numba import float32, float64, int32, int64, uint64

from samuel.games.draws import end_by_past, key_after, key_of
from samuel.games.rules import NO_MOVE, REVERSIBLE, SAME
from samuel.kernels.bits import ZERO, Word
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, offset
from samuel.kernels.records import array, length, number, pointer_type, record, thawing
from samuel.search.alphabeta.options import CORRECTION
from samuel.search.method import Head
from samuel.search.score import MAX_PLY, PLIES, from_past

AGE, CONTRADICTIONS, ROOT_DEPTH, NO_NULL_BEFORE, TALLY = range(5)
"""Places in `tally`: the number of this search, of 8 bits; rows of the table that were
contradicted; in a search that prunes, the depth of the root, and the ply before which no side
passes."""

HISTORY_MOVES = 1 << 12
"""Moves that the history tells apart; larger ones share places."""
CONTINUATIONS = 1 << 16
"""Places for pairs of moves, which share them by a hash."""
BUSY = 1 << 12
CORRECTIONS = 1 << 14
MOST_REDUCED = 64
"""Plies and moves beyond this are reduced no more."""
REGIONS = 4
"""Corrections that are added up for a position, at most."""


@record
class SearchStack(Head):
    """Memory of one thread of alpha-beta, for a game of K words, as kernels see it."""

    moves: Pointer = array(int32, (PLIES, "moves"), "the legal moves at each ply")
    hints: Pointer = array(int32, (PLIES, "moves"), "their ratings; the endgame solver's scratch")
    bounds: Pointer = array(
        int32,
        ("chance_plies", "moves"),
        "what probes found of outcomes; empty where nothing is left to chance",
    )
    pv: Pointer = array(int32, (PLIES, PLIES), "the principal variation from each ply on")
    pv_length: Pointer = array(int32, (PLIES,), "how long each of them is")
    same_side_parity: Pointer = array(
        int32,
        (PLIES,),
        "whether sides moved again an odd number of times on the way to a ply: with the ply it "
        "gives the side to move",
    )
    moved: Pointer = array(
        int32,
        (PLIES,),
        "the move that led to each ply, which rules of quiescence search read",
        fill=NO_MOVE,
    )
    checked: Pointer = array(
        int32, (PLIES,), "whether the side to move at each ply is in check, in a search that prunes"
    )
    static_scores: Pointer = array(
        int64, (PLIES,), "static evaluations at each ply, in points, in a search that prunes"
    )
    killers: Pointer = array(
        int32,
        (PLIES, 2, 2),
        "the last moves that made a cutoff at each ply, by `same_side_parity`",
        fill=NO_MOVE,
    )
    history_scores: Pointer = array(
        int32, (2, HISTORY_MOVES), "how often a move made a cutoff, by whose turn it was"
    )
    continuations: Pointer = array(
        int32,
        ("continuations",),
        "how often a move made a cutoff after the previous move, in a search that prunes",
    )
    continuation_count: int = length("continuations", "how many there are; a power of two, or 0")
    corrections: Pointer = array(
        int32, (REGIONS, CORRECTIONS), "points to add to static evaluations"
    )
    regions: Pointer = array(
        uint64, ("regions", "words"), "the parts of the board by which positions are alike"
    )
    region_count: int = length("regions", "how many there are")
    cuts: Pointer = array(
        float32,
        ("stages", "depths", "pairs", "fields"),
        "the pairs of ProbCut fitted to the evaluator (search/alphabeta/probcut.py)",
    )
    states: Pointer = array(
        uint64,
        ("states", "state_words"),
        "a row per ply for an evaluator whose state follows the line (evaluation.py)",
    )
    state_words: int = length("states", "words of such a row; 0 without a state", axis=1)
    table: Pointer = array(uint64, ("rows", 2), "the transposition table; threads may share it")
    table_rows: int = length("table", "the rows of the table")
    busy: Pointer = array(
        uint64, (BUSY,), "the moves that threads are searching; shared with the table"
    )
    solver_table: Pointer = array(
        uint64, ("rows", 2), "for the game's endgame solver; threads may share it"
    )
    solver_rows: int = length("solver_table", "the rows of it")
    tally: Pointer = array(int64, (TALLY,), "see AGE")
    options: int = number("the bits of the methods that are used (search/alphabeta/options.py)")
    salt: int = number("what keeps searches of several evaluators apart in one table")
    threads: int = number("how many share the table", value=1)
    thread: int = number("which of them this is, from 0 on")
    stages: int = length("cuts", "stages of a game with separate pairs")
    depths: int = length("cuts", "depths that have pairs", axis=1)
    most_left: int = number("what is left of a game at its start")
    guided: int = number(
        "1 where the game's solver orders moves by the evaluator, else 0; -1: where it "
        "`orders_endings`"
    )
    words: int = length("positions", "K", axis=1)
    width: int = length("moves", "the most legal moves of a position", axis=1)
    proven: int = number("points from which a score is a forced result (search/score.py)")
    static_limit: int = number("points to which static evaluations are clipped")
    chances: int = number("the sum of the weights of what chance may bring")
    has_solver: int = number("1 where the game has an endgame solver, else 0")
    cuts_chance: int = number("1 where the search cuts through chance, else 0")
    repetitions: int = number("what ends the game as a draw (Game)")
    most_reversible: int = number("what ends the game as a draw, too (Game)")
    margin: int = number("points of the game's margin, in a search that prunes; else 0")
    reductions: Pointer = array(
        int64,
        (MOST_REDUCED, MOST_REDUCED),
        "plies by which a late move is reduced, by depth and by its place among the moves",
    )
    reverse_futility_margin: int = number("this and the next are numbers of SearchOptions")
    futility_margin: int = number("margin per ply below the window")
    futility_base: int = number("margin at depth 0")
    exchange_margin: int = number("margin per ply of losing captures")
    delta_margin: int = number("margin of captures in quiescence search")
    null_move_reduction: int = number("hundredths of a ply")
    null_move_divisor: int = number("hundredths of plies of depth per ply of reduction")
    null_move_surplus: int = number("margin above the window per ply of reduction")
    history_divisor: int = number("points of history per ply of reduction")
    late_move_count: int = number("quiet moves that are searched at depth 0")
    late_move_growth: int = number("hundredths of a move per square of the depth")
    aspiration_window: int = number("thousandths of the margin")
    listens: int = number("1 where a listener gets the results of nodes (LEARN), else 0")
    confidence: float = number(
        "sigmas with which a search leaves things out; 0 at full width", float64
    )


stack_at = thawing(pointer_type(SearchStack))
"""`stack_at(memory)` returns the SearchStack that begins there."""


@jit
def position_at(stack: SearchStack, ply: int) -> Pointer:
    """Return the position at a ply."""
    return offset(stack.positions, ply * stack.words)


@jit
def moves_at(stack: SearchStack, ply: int) -> Pointer:
    """Return the move list of a ply."""
    return offset(stack.moves, ply * stack.width)


@jit
def hints_at(stack: SearchStack, ply: int) -> Pointer:
    """Return the ratings of the moves of a ply."""
    return offset(stack.hints, ply * stack.width)


@jit
def bounds_at(stack: SearchStack, ply: int) -> Pointer:
    """Return what probes found of the outcomes of a ply."""
    return offset(stack.bounds, ply * stack.width)


@jit
def keep_turn(stack: SearchStack, ply: int, turn: int) -> None:
    """Note whose turn it is at the ply after `ply`: what `play` said there."""
    stack.same_side_parity[ply + 1] = stack.same_side_parity[ply] ^ int32(turn & SAME)


@jit
def keep_history(stack: SearchStack, ply: int, turn: int) -> None:
    """Note what draws by rule ask of the position at the ply after `ply`, after `keep_turn`."""
    stack.reversible[ply + 1] = stack.reversible[ply] + 1 if turn & REVERSIBLE else 0
    key = key_of(position_at(stack, ply + 1), stack.words, side_at(stack, ply + 1))
    place = stack.reversible[0] + ply
    stack.history[place] = key_after(stack.history[place], turn)
    stack.history[place + 1] = key


@jit
def end_at(stack: SearchStack, ply: int) -> int:
    """Return what its past makes of the position at a ply, if its rules do not end it."""
    reversible = int64(stack.reversible[ply])
    history = offset(stack.history, stack.reversible[0] + ply - reversible)
    return end_by_past(history, reversible, int64(ply), stack.repetitions, stack.most_reversible)


@jit
def score_by_past(stack: SearchStack, end: int, ply: int) -> int:
    """Return the score of a position at a ply that its past has ended (`end_at`)."""
    return from_past(end, ply, stack.proven, stack.static_limit)


@jit
def side_at(stack: SearchStack, ply: int) -> int:
    """Return whose turn it is at a ply: 0 for the side of the root, 1 for the other."""
    return (ply + stack.same_side_parity[ply]) & 1


@jit
def killers_at(stack: SearchStack, ply: int, parity: int) -> Pointer:
    """Return the two killers of the side to move at a ply, by `stack.same_side_parity[ply]`."""
    return offset(stack.killers, 4 * ply + 2 * parity)


@jit
def pv_at(stack: SearchStack, ply: int) -> Pointer:
    """Return the principal variation from a ply on."""
    return offset(stack.pv, ply * PLIES)


@jit
def keep_pv(stack: SearchStack, ply: int, move: int) -> None:
    """Make `move` and the variation found below it the principal variation of this ply."""
    line, below = pv_at(stack, ply), pv_at(stack, ply + 1)
    length = stack.pv_length[ply + 1]
    line[0] = move
    for i in range(length):
        line[i + 1] = below[i]
    stack.pv_length[ply] = length + 1


@jit
def is_on(stack: SearchStack, option: int) -> bool:
    """Return whether a search option is on, by its bit."""
    return stack.options & option != 0


@jit
def margin_of(stack: SearchStack, parts: int) -> int:
    """Return so many hundredths of the game's margin, in points."""
    return stack.margin * parts // 100


@jit
def is_selective(stack: SearchStack, ply: int, depth: int) -> bool:
    """Return whether a search of the node at a ply may leave things out."""
    return stack.confidence > 0.0 and ply + depth < MAX_PLY


@jit
def forget_all(stack: SearchStack) -> None:
    """Forget everything, so that what follows does not depend on what went before."""
    for i in range(2 * stack.table_rows):
        stack.table[i] = 0
    for i in range(2 * stack.solver_rows):
        stack.solver_table[i] = 0
    for i in range(4 * PLIES):
        stack.killers[i] = NO_MOVE
    for i in range(2 * HISTORY_MOVES):
        stack.history_scores[i] = 0
    for i in range(stack.continuation_count):
        stack.continuations[i] = 0
    for i in range(PLIES):
        stack.same_side_parity[i] = 0
    if is_on(stack, CORRECTION):
        for i in range(REGIONS * CORRECTIONS):
            stack.corrections[i] = 0
    stack.tally[AGE] = 0


DEFER_FROM = 4
"""Plies from which on a move is worth a look at what others do.

Threads search one tree over one table, each leaving moves to others that are at them: lazy SMP with
deferred moves. Before a move but the first is searched, a thread looks whether another one is
searching it, and if so takes the others first; by then the table knows the answer (J.-C. Weill,
"The ABDADA distributed minimax search algorithm", 1996, in the simplified form of T. Kerrigan,
2017). At full width the score at a fixed depth does not depend on who searched what; in a selective
search a move that was put off comes late.
"""
DEFERRED = -(1 << 30)
"""The rating of a move that was put off, below all others."""


@jit
def _busy_place(key: Word, depth: int) -> Word:
    return (key ^ np.uint64(depth)) & np.uint64(BUSY - 1)


@jit
def is_shared(stack: SearchStack) -> bool:
    """Return whether other threads search the same tree."""
    return stack.threads > 1


@jit
def is_busy(stack: SearchStack, key: Word, depth: int) -> bool:
    """Return whether a thread is searching the position of `key` to `depth`."""
    return stack.busy[_busy_place(key, depth)] == key


@jit
def mark_busy(stack: SearchStack, key: Word, depth: int) -> None:
    """Mark the position of `key` as being searched to `depth` by this thread."""
    stack.busy[_busy_place(key, depth)] = key


@jit
def clear_busy(stack: SearchStack, key: Word, depth: int) -> None:
    """Clear the mark of `mark_busy`."""
    stack.busy[_busy_place(key, depth)] = ZERO
