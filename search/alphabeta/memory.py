"""What one thread of alpha-beta writes to: made once, so that a node allocates nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numba import float64, int32, int64, types
from numpy.typing import NDArray

from samuel.errors import require_number
from samuel.games.draws import end_by_past, key_after, key_of, utility_by_past
from samuel.games.interface import NO_MOVE, QUIET, SAME, Game, keep_order
from samuel.kernels import budget
from samuel.kernels.jit import jit
from samuel.kernels.packed import packed, thawing
from samuel.kernels.pointers import COUNTS, FLOATS, INTS, WORDS, Pointer, offset
from samuel.search.alphabeta.switches import CANDIDATES, CORRECTION, GAME_ORDER, Switches
from samuel.search.alphabeta.table import new_table
from samuel.search.method import FOUND, HEAD, RootMemory
from samuel.search.score import MAX_PLY, PLIES, from_utility, limits

AGE, CONTRADICTIONS, TALLY = range(3)
"""Places in `tally`: the number of this search, of 8 bits; rows of the table that were
contradicted."""

HISTORY_MOVES = 1 << 12
"""Moves that the history tells apart; larger ones share places."""
BUSY = 1 << 12
CORRECTIONS = 1 << 14
REGIONS = 4
"""Corrections that are added up for a position, at most."""


@dataclass(eq=False)
class Memory(RootMemory):
    """Of one thread, for a game of K words and at most M moves.

    Attributes
    ----------
    stack
        uint64 (PLIES, K), the position at each ply; row 0 is the root.
    path
        uint64 (most_quiet + PLIES,), the keys of the positions before the root, of the root and of
        those on the way to a ply (games/draws.py).
    quiet
        int32 (PLIES,), the quiet plies in a row up to a ply; those up to the root say where its key
        stands in `path`.
    moves
        int32 (PLIES, M), the legal moves at each ply.
    hints
        int32 (PLIES, M), their ratings; the endgame solver's scratch.
    bounds
        int32 (PLIES, M), what probes found of outcomes; empty where nothing is left to chance.
    pv
        int32 (PLIES, PLIES), the principal variation from each ply on.
    pv_length
        int32 (PLIES,).
    again
        int32 (PLIES,), whether sides moved again an odd number of times on the way to a ply: with
        the ply it tells whose turn it is.
    moved
        int32 (PLIES,), the move that led to each ply, which rules of what is pending ask for.
    killers
        int32 (PLIES, 2, 2), the last moves that made a cutoff at each ply, by `again`.
    history
        int32 (2, HISTORY_MOVES), how often a move made a cutoff, by whose turn it was.
    corrections
        int32 (REGIONS, CORRECTIONS), points to add to static evaluations.
    regions
        uint64 (R, K), the parts of the board by which positions are alike.
    cuts
        float32 (stages * depths * ...,), the pairs of ProbCut fitted to the evaluator
        (search/alphabeta/probcut.py).
    table
        uint64 (rows, 2), the transposition table; threads may share it.
    busy
        uint64 (BUSY,), the moves that threads are searching; shared with the table.
    solver_table
        uint64 (rows, 2), for the game's endgame solver.
    tally
        int64 (TALLY,), see AGE.
    switches
        the bits of the methods that are used (search/alphabeta/switches.py).
    salt
        what keeps searches of several evaluators apart in one table.
    threads
        those that share the table.
    stages, depths
        the shape of `cuts`.
    most_left
        what is left of a game at its start.
    guided
        1 where the game's solver orders moves by the evaluator, else 0.
    proven
        points from which a score is a forced result (search/score.py).
    static_limit
        points to which static evaluations are clipped.
    chances
        the sum of the weights of what chance may bring.
    has_solver
        1 where the game has an endgame solver of its own, else 0.
    cuts_chance
        1 where the search cuts through chance, else 0.
    repetitions, most_quiet
        what ends the game as a draw (Game).
    listens
        1 where somebody is told what is found of nodes (LEARN), else 0.
    confidence
        sigmas with which a search leaves things out; 0 at full width.
    """

    moves: NDArray[np.int32]
    hints: NDArray[np.int32]
    bounds: NDArray[np.int32]
    pv: NDArray[np.int32]
    pv_length: NDArray[np.int32]
    again: NDArray[np.int32]
    moved: NDArray[np.int32]
    killers: NDArray[np.int32]
    history: NDArray[np.int32]
    corrections: NDArray[np.int32]
    regions: NDArray[np.uint64]
    cuts: NDArray[np.float32]
    table: NDArray[np.uint64]
    busy: NDArray[np.uint64]
    solver_table: NDArray[np.uint64]
    tally: NDArray[np.int64]
    switches: int
    salt: int
    threads: int
    stages: int
    depths: int
    most_left: int
    guided: int
    proven: int
    static_limit: int
    chances: int
    has_solver: int
    cuts_chance: int
    repetitions: int
    most_quiet: int
    listens: int
    confidence: float

    @property
    def contradictions(self) -> int:
        """How many rows of the table were contradicted by later searches: of sound ones none.

        Where there are draws by rule a score depends on the way to a position, and none is counted.
        """
        return 0 if self.most_quiet else int(self.tally[CONTRADICTIONS])

    def block(self, solves: bool = True) -> Any:
        """Return the memory as kernels take it, a Work; without `solves` it has no solver."""
        own = {name: value for name, value in vars(self).items() if name != "stack"}
        own["has_solver"] = int(solves and self.has_solver)
        work = Work(
            root=self.stack,
            region_count=len(self.regions),
            table_rows=len(self.table),
            solver_rows=len(self.solver_table),
            words=self.stack.shape[1],
            width=self.moves.shape[1],
            **own,
        )
        return packed(work, WORK)


class Work(NamedTuple):
    """The same as kernels see it: pointers, and the lengths they do not carry; see Memory.

    It begins as every method's memory does (search/method.py).
    """

    root: Pointer
    line: Pointer
    found: Pointer
    counters: Pointer
    path: Pointer
    quiet: Pointer
    visits: Pointer
    moves: Pointer
    hints: Pointer
    bounds: Pointer
    pv: Pointer
    pv_length: Pointer
    again: Pointer
    moved: Pointer
    killers: Pointer
    history: Pointer
    corrections: Pointer
    regions: Pointer
    region_count: int
    cuts: Pointer
    table: Pointer
    table_rows: int
    busy: Pointer
    solver_table: Pointer
    solver_rows: int
    tally: Pointer
    switches: int
    salt: int
    threads: int
    stages: int
    depths: int
    most_left: int
    guided: int
    words: int
    width: int
    proven: int
    static_limit: int
    chances: int
    has_solver: int
    cuts_chance: int
    repetitions: int
    most_quiet: int
    listens: int
    confidence: float


WORK = types.NamedTuple(
    [
        *HEAD,
        *[INTS] * 10,
        *(WORDS, int64, FLOATS, WORDS, int64, WORDS, WORDS, int64, COUNTS),
        *[int64] * 17,
        float64,
    ],
    Work,
)
work_at = thawing(WORK)
"""`work_at(memory)` returns the Work that begins there."""


MOST_BITS = 34
"""Of a table: 2**34 rows are 256 GB."""


def new_memory(
    game: Game,
    table_bits: int = 16,
    solver_bits: int = 16,
    switches: Switches | None = None,
) -> Memory:
    """Return memory for searches of `game`; tables of 2**bits rows of 16 bytes."""
    require_number("table_bits", table_bits, 0, MOST_BITS)
    require_number("solver_bits", solver_bits, 0, MOST_BITS)
    proven, static_limit = limits(game)
    return Memory(
        stack=np.zeros((PLIES, game.words), np.uint64),
        line=np.zeros(PLIES, np.int32),
        found=np.zeros(FOUND, np.int64),
        counters=budget.new_counters(),
        path=np.zeros(game.most_quiet + PLIES, np.uint64),
        quiet=np.zeros(PLIES, np.int32),
        visits=np.zeros(1, np.int32),
        moves=np.zeros((PLIES, game.max_moves), np.int32),
        hints=np.zeros((PLIES, game.max_moves), np.int32),
        bounds=np.zeros((PLIES if game.outcomes else 0, game.max_moves), np.int32),
        pv=np.zeros((PLIES, PLIES), np.int32),
        pv_length=np.zeros(PLIES, np.int32),
        again=np.zeros(PLIES, np.int32),
        moved=np.full(PLIES, NO_MOVE, np.int32),
        killers=np.full((PLIES, 2, 2), NO_MOVE, np.int32),
        history=np.zeros((2, HISTORY_MOVES), np.int32),
        corrections=np.zeros((REGIONS, CORRECTIONS), np.int32),
        regions=np.ascontiguousarray(game.regions, np.uint64),
        cuts=np.zeros(0, np.float32),
        table=new_table(table_bits),
        busy=np.zeros(BUSY, np.uint64),
        solver_table=new_table(solver_bits if game.solve is not None else 1),
        tally=np.zeros(TALLY, np.int64),
        switches=bits_for(switches or Switches(), game),
        salt=0,
        threads=1,
        stages=0,
        depths=0,
        most_left=game.most_left,
        guided=0,
        proven=proven,
        static_limit=static_limit,
        chances=game.chances,
        has_solver=int(game.solve is not None),
        cuts_chance=0,
        repetitions=game.repetitions,
        most_quiet=game.most_quiet,
        listens=0,
        confidence=0.0,
    )


def bits_for(switches: Switches, game: Game) -> int:
    """Return the bits of switches, without those for rules that the game has not."""
    absent = GAME_ORDER if game.order is keep_order else 0
    return switches.bits & ~(absent | (0 if game.candidates else CANDIDATES))


def fits(memory: Memory, game: Game) -> bool:
    """Return whether memory was made for this game, or for one that searches alike."""
    return (
        (memory.stack.shape[1], memory.moves.shape[1]) == (game.words, game.max_moves)
        and (memory.proven, memory.static_limit) == limits(game)
        and memory.most_left == game.most_left
        and (memory.chances, memory.has_solver) == (game.chances, game.solve is not None)
        and (memory.repetitions, memory.most_quiet) == (game.repetitions, game.most_quiet)
        and np.array_equal(memory.regions, np.asarray(game.regions))
    )


def companion(memory: Memory, game: Game) -> Memory:
    """Return memory for another thread of the same search: all its own but the shared table."""
    own = new_memory(game, 0, 0)
    shared = ("table", "busy", "threads", "switches", "guided")
    return replace(own, **{name: getattr(memory, name) for name in shared})


@jit
def position_at(work: Work, ply: int) -> Pointer:
    """Return the position at a ply."""
    return offset(work.root, ply * work.words)


@jit
def moves_at(work: Work, ply: int) -> Pointer:
    """Return the move list of a ply."""
    return offset(work.moves, ply * work.width)


@jit
def hints_at(work: Work, ply: int) -> Pointer:
    """Return the ratings of the moves of a ply."""
    return offset(work.hints, ply * work.width)


@jit
def bounds_at(work: Work, ply: int) -> Pointer:
    """Return what probes found of the outcomes of a ply."""
    return offset(work.bounds, ply * work.width)


@jit
def keep_turn(work: Work, ply: int, turn: int) -> None:
    """Note whose turn it is at the ply after `ply`: what `play` said there."""
    work.again[ply + 1] = work.again[ply] ^ int32(turn & SAME)


@jit
def keep_path(work: Work, ply: int, turn: int) -> None:
    """Note what draws by rule ask of the position at the ply after `ply`, after `keep_turn`."""
    work.quiet[ply + 1] = work.quiet[ply] + 1 if turn & QUIET else 0
    key = key_of(position_at(work, ply + 1), work.words, side_at(work, ply + 1))
    place = work.quiet[0] + ply
    work.path[place] = key_after(work.path[place], turn)
    work.path[place + 1] = key


@jit
def end_at(work: Work, ply: int) -> int:
    """Return what its past makes of the position at a ply, if its rules do not end it."""
    quiet = int64(work.quiet[ply])
    path = offset(work.path, work.quiet[0] + ply - quiet)
    return end_by_past(path, quiet, int64(ply), work.repetitions, work.most_quiet)


@jit
def score_by_past(end: int, ply: int, proven: int) -> int:
    """Return the score of a position at a ply that its past has ended (`end_at`)."""
    return from_utility(utility_by_past(end), ply, proven)


@jit
def side_at(work: Work, ply: int) -> int:
    """Return whose turn it is at a ply: 0 for the side of the root, 1 for the other."""
    return (ply + work.again[ply]) & 1


@jit
def killers_at(work: Work, ply: int, again: int) -> Pointer:
    """Return the two killers of the side to move at a ply; `again` is `work.again[ply]`."""
    return offset(work.killers, 4 * ply + 2 * again)


@jit
def pv_at(work: Work, ply: int) -> Pointer:
    """Return the principal variation from a ply on."""
    return offset(work.pv, ply * PLIES)


@jit
def is_on(work: Work, switch: int) -> bool:
    """Return whether a method is switched on."""
    return work.switches & switch != 0


@jit
def is_selective(work: Work, ply: int, depth: int) -> bool:
    """Return whether a search of the node at a ply may leave things out.

    One that goes to the end of the game (MAX_PLY) does not: what it finds is called exact.
    """
    return work.confidence > 0.0 and ply + depth < MAX_PLY


@jit
def forget_all(work: Work) -> None:
    """Forget everything, so that what follows does not depend on what went before."""
    for i in range(2 * work.table_rows):
        work.table[i] = 0
    for i in range(2 * work.solver_rows):
        work.solver_table[i] = 0
    for i in range(4 * PLIES):
        work.killers[i] = NO_MOVE
    for i in range(2 * HISTORY_MOVES):
        work.history[i] = 0
    for i in range(PLIES):
        work.again[i] = 0
    if is_on(work, CORRECTION):
        for i in range(REGIONS * CORRECTIONS):
            work.corrections[i] = 0
    work.tally[AGE] = 0
