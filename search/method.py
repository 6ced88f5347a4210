"""Choosing a move as a value: a method of search with the rules, an evaluator and its memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numba import int32, int64, types, uint64

from samuel.games.draws import Past, key_of, key_of_row
from samuel.games.evaluator import Evaluation, Evaluator
from samuel.games.game import Game
from samuel.games.playing import GameState, mover, reversible_plies
from samuel.games.rules import Row, Rules
from samuel.kernels import budget
from samuel.kernels.jit import jit, make_ready
from samuel.kernels.pointers import COUNTS, INTS, Pointer, at, copy
from samuel.kernels.records import array, entry, filled, packed, part, pointer_type, record, thawing
from samuel.search.score import PLIES

THINK = types.void(COUNTS, int64, int64)
"""`think(searcher, depth, exact_from)` searches the root and writes into the head what it found:
exactly from `exact_from` plies left on, else to `depth`, within the limits of the counters."""
SCORE_MOVES = types.void(COUNTS, int64, int64, INTS)
"""`score_moves(searcher, depth, exact, scores)` fills in the points of each legal move of the root,
in the game's order, for its side to move: searched to `depth`, or to the end where `exact` is not
0."""
REACHES = int64(COUNTS, int64, int64, int64)
"""`reaches(searcher, move, depth, score)` returns 1 where a legal move of the root, searched to
`depth`, has at least so many points for its side to move, else 0. It is asked of a root that was
searched, and costs a fraction of that search: one window without width, or a look into the tree."""
FORGET = types.void(COUNTS)
"""`forget(searcher)` empties the memory: what follows does not depend on what went before."""


class Found(NamedTuple):
    """Result of a search in a kernel."""

    score: int
    depth: int
    length: int
    exact: int


FOUND = len(Found._fields)


@record
class Calls(NamedTuple):
    """The entry points of a method, as pointers."""

    think: Any = entry(THINK, "searches the root")
    score_moves: Any = entry(SCORE_MOVES, "scores each legal move of the root")
    reaches: Any = entry(REACHES, "finds whether a move of the root reaches a score")
    forget: Any = entry(FORGET, "empties the memory")


@record
class Searcher(NamedTuple):
    """The source of moves: a method with the rules, an evaluator and its memory."""

    rules: Rules = part(Rules, "the rules of the game")
    evaluation: Evaluation = part(Evaluation, "the evaluator")
    calls: Calls = part(Calls, "the calls of the method")
    memory: Any = array(int64, ("words",), "the memory, packed (RootMemory.block)")


@record
class Head(NamedTuple):
    """Head of the memory of every method."""

    positions: Pointer = array(
        uint64, ("plies", "words"), "the position at each ply; row 0 is the root"
    )
    line: Pointer = array(int32, (PLIES,), "the best move and what is expected to follow")
    found: Pointer = array(int64, (FOUND,), "what the last search found (Found)")
    counters: Pointer = array(int64, (budget.SIZE,), "nodes and limits (kernels/budget.py)")
    history: Pointer = array(
        uint64,
        ("keys",),
        "the keys of the positions since the last move that was not reversible, the root's last, "
        "and then of those on the way to a ply (games/draws.py)",
    )
    reversible: Pointer = array(
        int32,
        (PLIES,),
        "the reversible plies in a row up to a ply; those up to the root give the place of its key "
        "in `history`",
    )
    visits: Pointer = array(
        int32,
        ("visits",),
        "how many legal moves the root has, and then how often each was visited by `think`, in the "
        "game's order; 0 moves where the method counts no visits",
    )


SEARCHER = int64[::1]
"""As Python passes it to an entry point (`packed_searcher`)."""

thaw_searcher = thawing(pointer_type(Searcher))
"""`thaw_searcher(pointer)` returns the Searcher at `at(packed_searcher(...), 0)`."""
thaw_head = thawing(pointer_type(Head))
"""`thaw_head(memory)` returns the head of any method's memory."""


class RootMemory:
    """The memory of a method, as Python sees it: the fields of its record are attributes of it."""

    record: ClassVar[Any] = Head

    def __init__(self, values: Any, game: Game) -> None:
        vars(self).update(values._asdict(), game=game, prepared=None)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field; a searcher that was prepared has it as it was before, so it is dropped."""
        vars(self).update({name: value, "prepared": None})

    def block(self, **changes: Any) -> Any:
        """Return the memory as kernels take it, packed, with some values changed."""
        return packed(filled(self.record, vars(self) | changes))

    def begin_at(self, row: Row, side: int = 0, past: Past = ()) -> None:
        """Make a position (K,) the root, in which `side` is to move after that past."""
        self.positions[0], self.reversible[0] = row, len(past)
        # the root's side is 0 in a search
        keys = [key ^ side for key in (*past, key_of_row(row, side))]
        self.history[: len(keys)] = np.array(keys, np.uint64)

    @property
    def last(self) -> Found:
        """Result of the last search."""
        return Found(*self.found.tolist())


class Method(Protocol):
    """A way to choose moves, as Python sees it: its settings, and how a searcher is made of it."""

    @property
    def asks_evaluator(self) -> bool:
        """True if it asks the evaluator; False if it scores by whole games alone."""

    @property
    def deepens(self) -> bool:
        """True if it searches to a depth; a method that samples does not."""

    def new_memory(self, game: Game, table_bits: int, solver_bits: int) -> Any:
        """Return memory for searches of `game`, a RootMemory; 2**bits say how large."""

    def fits(self, memory: RootMemory, game: Game) -> bool:
        """Return whether memory was made for such searches of this game."""

    def shared(self, memory: Any, game: Game, threads: int) -> list[Any]:
        """Return the memories of threads that search together, `memory` the first of them."""

    def searcher(self, game: Game, evaluator: Evaluator, memory: Any, *, solves: bool) -> Any:
        """Return a searcher of a game with an evaluator, compiled and packed, for one thread."""


def packed_searcher(searcher: Any) -> Any:
    """Return a searcher as kernels take it, compiled, in one array that keeps what it points to."""
    entries = *searcher.rules, searcher.evaluation.evaluate, *searcher.calls, *searcher.parts
    make_ready(entries)
    return packed(searcher)


@jit
def head_of(searcher: Pointer) -> Head:
    """Return the head of a searcher's memory."""
    return thaw_head(thaw_searcher(searcher).memory)


@jit
def ask(searcher: Pointer, position: Pointer, words: int, depth: int, exact_from: int) -> Found:
    """Have a position (`words`,) searched, and return what is found; its line is in the head."""
    head = head_of(searcher)
    copy(head.positions, position, words)
    head.reversible[0] = 0
    head.history[0] = key_of(position, words, int64(0))
    return _think(searcher, depth, exact_from)


@jit
def ask_at(searcher: Pointer, state: GameState, depth: int, exact_from: int) -> Found:
    """Have the position of a game searched, with its past."""
    head, reversible = head_of(searcher), reversible_plies(state)
    copy(head.positions, state.position, state.words)
    head.reversible[0] = reversible
    for k in range(reversible + 1):
        head.history[k] = state.history[k] ^ uint64(
            mover(state)
        )  # the root's side is 0 in a search
    return _think(searcher, depth, exact_from)


@jit
def _think(searcher: Pointer, depth: int, exact_from: int) -> Found:
    thaw_searcher(searcher).calls.think(searcher, depth, exact_from)
    found = head_of(searcher).found
    return Found(found[0], found[1], found[2], found[3])


@jit
def score_moves(searcher: Pointer, depth: int, scores: Pointer) -> None:
    """Fill in the points of each legal move of the root, searched to `depth`."""
    thaw_searcher(searcher).calls.score_moves(searcher, depth, int64(0), scores)


@jit
def reaches(searcher: Pointer, move: int, depth: int, score: int) -> bool:
    """Return whether a move of the root, searched before to `depth`, has at least that score."""
    return bool(thaw_searcher(searcher).calls.reaches(searcher, move, depth, score))


@jit
def forget(searcher: Pointer) -> None:
    """Have everything forgotten."""
    thaw_searcher(searcher).calls.forget(searcher)


@jit
def write_found(searcher: Pointer, found: Found) -> None:
    """Keep what a search found."""
    place = head_of(searcher).found
    place[0], place[1], place[2], place[3] = found.score, found.depth, found.length, found.exact


@jit(types.void(SEARCHER, int64, int64))
def think_at_root(searcher: Any, depth: int, exact_from: int) -> None:
    """Search from Python."""
    thaw_searcher(at(searcher, 0)).calls.think(at(searcher, 0), depth, exact_from)


@jit(types.void(SEARCHER, int64, int64, int32[::1]))
def score_moves_at_root(searcher: Any, depth: int, exact: int, scores: Any) -> None:
    """Rate the moves of the root from Python."""
    thaw_searcher(at(searcher, 0)).calls.score_moves(at(searcher, 0), depth, exact, at(scores, 0))
