"""Alpha-beta as a method: its settings, and the searcher that Python makes of it."""

from __future__ import annotations

import hashlib
import weakref
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numba import int64
from numpy.typing import NDArray

from samuel.common.errors import UserError, require_number
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.rules import SAME
from samuel.kernels.budget import DEADLINE, NODE_LIMIT, STOPPED, UNLIMITED
from samuel.kernels.digest import source_digest
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
from samuel.search.alphabeta.alphabeta import node_search
from samuel.search.alphabeta.chance import NO_CUTS, chance_search, no_chance
from samuel.search.alphabeta.context import AlphaBetaSearcher, SearchParts, thaw, unheard
from samuel.search.alphabeta.evaluation import correct, new_states, no_state, static_of
from samuel.search.alphabeta.frontier import frontier_of, quiescence_of
from samuel.search.alphabeta.memory import Memory, companion, new_memory, set_options
from samuel.search.alphabeta.options import (
    CANDIDATES,
    CORRECTION,
    DEEPER_ROWS,
    LATE_MOVES,
    NUMBERS,
    PRUNING,
    SearchOptions,
)
from samuel.search.alphabeta.pruned import pruned_search
from samuel.search.alphabeta.root import (
    deepen,
    find_exactly,
    halve_limits,
    restore_limits,
    score_in_window,
    score_of_move,
    solved_score,
    widest_window,
)
from samuel.search.alphabeta.stack import forget_all, moves_at, position_at
from samuel.search.method import (
    FORGET,
    REACHES,
    SCORE_MOVES,
    THINK,
    Calls,
    Found,
    RootMemory,
    packed_searcher,
    write_found,
)
from samuel.search.score import MAX_PLY, PLIES, SCORE_UNIT

MOST_CONFIDENCE = 1000
MOST_PROBES = 512

Chance: TypeAlias = Literal["expectiminimax", "star1", "star2"]

_identities: weakref.WeakKeyDictionary[Evaluator, bytes] = weakref.WeakKeyDictionary()


@jit(THINK)
def think(searcher: Pointer, depth: int, exact_from: int) -> None:
    """Find the move at the root: exactly from `exact_from` plies left on, else by deepening."""
    context = searcher
    rules, _, _, stack = thaw(context)
    nodes, deadline = stack.counters[NODE_LIMIT], stack.counters[DEADLINE]
    left = rules.plies_left(position_at(stack, 0))
    is_exact = exact_from > 0 and left <= min(exact_from, MAX_PLY - 1)
    found = Found(int64(0), int64(0), int64(0), int64(0))
    if is_exact:
        halve_limits(stack.counters)
    if not is_exact or nodes < UNLIMITED or deadline < UNLIMITED:
        found = deepen(context, depth)
    if is_exact:
        restore_limits(stack.counters, nodes, deadline)
        found = find_exactly(context, found)
    write_found(searcher, found)


@jit(SCORE_MOVES)
def score_moves(searcher: Pointer, depth: int, exact: int, scores: Pointer) -> None:
    """Search each legal move of the root to `depth`, or to the end, with the widest window."""
    context = searcher
    rules, _, _, stack = thaw(context)
    n = rules.legal_moves(position_at(stack, 0), moves_at(stack, 0))
    widest = widest_window(stack)
    for i in range(n):
        move = int64(moves_at(stack, 0)[i])
        if exact and stack.has_solver:
            turn = rules.play(position_at(stack, 0), move, position_at(stack, 1))
            score = solved_score(context, int64(1), -widest, widest) * SCORE_UNIT
            scores[i] = score if turn & SAME else -score
        else:
            scores[i] = score_of_move(context, move, int64(MAX_PLY) if exact else depth)
        if depth > 0 and stack.counters[STOPPED]:
            return


@jit(REACHES)
def reaches(searcher: Pointer, move: int, depth: int, score: int) -> int:
    """Search a move of the root in the window below a score that has no width."""
    return int64(score_in_window(searcher, move, depth, score - 1, score) >= score)


@jit(FORGET)
def forget(searcher: Pointer) -> None:
    """Empty all tables."""
    forget_all(thaw(searcher).stack)


@dataclass(frozen=True)
class AlphaBeta:
    """Alpha-beta search, with expectiminimax or Star1 and Star2 at chance nodes.

    Attributes
    ----------
    options
        Parts of alpha-beta to use. None for those that the memory was made with.
    probcut
        Confidence of selective search, in standard deviations. None or 0 for full width.
    chance
        Method at chance nodes: expectiminimax, star1, star2 or star2.5. The scores are equal.
    probes
        Number of moves that `star2` tries first after each outcome.
    quiescence
        Name of the quiescence rule (`quiescence_rules`). The empty name is the game's own
        rule.
    listener
        Entry point that is called with the results of nodes (LEARN), or None.
    cuts
        False for minimax: every move of every node is searched, whatever its score. The options of
        table, windows and order then have to be off (`SearchOptions.none`).

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.start("tic_tac_toe")
    >>> samuel.analyse(position, "zero", depth=2, method=samuel.AlphaBeta()).depth
    2
    """

    options: SearchOptions | None = None
    probcut: float | None = None
    chance: Chance = "star2"
    probes: int = 1
    quiescence: str = ""
    listener: Any = None
    cuts: bool = True

    asks_evaluator: ClassVar[bool] = True
    deepens: ClassVar[bool] = True

    @property
    def entry(self) -> Any:
        """Entry point that searches the root."""
        return think

    def __post_init__(self) -> None:
        require_number("probes", self.probes, 1, MOST_PROBES)

    def new_memory(self, game: Game, table_bits: int = 16, solver_bits: int = 16) -> Memory:
        """Return new memory for searches of a game."""
        return new_memory(game, table_bits, solver_bits, self.options)

    def fits(self, memory: RootMemory, game: Game) -> bool:
        """Return whether a memory can be used for a game."""
        return isinstance(memory, Memory) and memory.game is game

    def shared(self, memory: Memory, game: Game, threads: int) -> list[Memory]:
        """Return memories for threads that search one tree with one table."""
        if memory.threads != threads:
            memory.threads = threads
        memory.busy[:] = 0
        return [memory, *(companion(memory, game, thread) for thread in range(1, threads))]

    def searcher(
        self,
        game: Game,
        evaluator: Evaluator,
        memory: Memory,
        *,
        solves: bool = True,
        only_quiescence: bool = False,
    ) -> Any:
        """Return a searcher of a game, compiled and packed, for one thread at a time.

        The memory keeps it for the next call with the same arguments.
        With `only_quiescence` nothing else is compiled or may be called.
        """
        asked = self, game, evaluator, solves, only_quiescence
        if memory.prepared is not None and memory.prepared[0] == asked:
            return memory.prepared[1]
        self._set_up(game, evaluator, memory)
        looks = game.with_quiescence(self.quiescence) if self.quiescence else game
        prunes = bool(memory.margin)
        node = leaves = chance = no_state
        if not only_quiescence:
            kind = game.alternates, game.has_draws, self.cuts
            node = pruned_search() if prunes else node_search(*kind)
            leaves = frontier_of(looks, evaluator.evaluate, evaluator.ignores_chance)
            chance = self._chance_search(evaluator) if game.chance else no_chance
        parts = SearchParts(
            node,
            leaves,
            chance,
            quiescence_of(looks, evaluator.evaluate, prunes),
            no_state
            if evaluator.incremental is None
            else static_of(evaluator.incremental, memory.static_limit),
            self.listener or (correct if memory.options & CORRECTION else unheard),
        )
        rules = game.rules if solves else game.rules_of_play
        calls = Calls(self.entry, score_moves, reaches, forget)
        block = memory.block(
            has_solver=int(solves and memory.has_solver),
            guided=int(evaluator.orders_endings) if memory.guided < 0 else memory.guided,
        )
        own: Any = rules, evaluator.evaluation(), calls, block, parts
        vars(memory)["prepared"] = asked, packed_searcher(AlphaBetaSearcher(*own))
        return memory.prepared[1]

    def _chance_search(self, evaluator: Evaluator) -> Any:
        probes = {"expectiminimax": NO_CUTS, "star1": 0, "star2": self.probes}[self.chance]
        return chance_search(probes, evaluator.ignores_chance)

    def _set_up(self, game: Game, evaluator: Evaluator, memory: Memory) -> None:
        """Write the game, the evaluator and the options into the memory."""
        if self.options is not None:
            set_options(memory, self.options, game, bool(self.probcut))
        prunes = self.cuts and memory.options & PRUNING != 0
        memory.margin = round(game.search.margin * SCORE_UNIT) if prunes else 0
        changing = CORRECTION | CANDIDATES | (PRUNING | LATE_MOVES if prunes else 0)
        own = f"{game.name} {memory.options & changing} {self.quiescence}"
        numbers = {name: getattr(memory, name) for name in NUMBERS if prunes}
        own += "".join(f" {k}={n}" for k, n in numbers.items() if n != NUMBERS[k].usual)
        salt = hashlib.sha256(own.encode())
        salt.update(_identity(evaluator))
        is_heard = self.listener is not None or memory.options & CORRECTION != 0
        memory.listens = int(is_heard or not self.cuts)
        memory.cuts, memory.confidence = np.zeros((0, 0, 0, 0), np.float32), 0.0
        memory.cuts_chance = int(self.chance != "expectiminimax")
        if self.probcut:
            if game.chance is not None:
                raise UserError(
                    f"{game.name} has dice, so ProbCut cannot be used; leave out --probcut"
                )
            memory.cuts = _pairs(evaluator, self.probcut)
            memory.confidence = float(self.probcut)
            of_selective = memory.options & (LATE_MOVES | DEEPER_ROWS)
            salt.update(f"{self.probcut} {of_selective}".encode() + memory.cuts.tobytes())
        number = int.from_bytes(salt.digest()[:7], "little")
        if memory.salt != number:
            memory.corrections[:] = 0
        memory.salt = number
        memory.states = new_states(PLIES, game.words, evaluator.incremental)


def _identity(evaluator: Evaluator) -> bytes:
    """Return a digest that is the same in every process, and only for equal evaluators."""
    if evaluator not in _identities:
        function = getattr(evaluator.evaluate, "py_func", evaluator.evaluate)
        digest = hashlib.sha256(source_digest(function).encode())
        digest.update(evaluator.integers.tobytes())
        digest.update(evaluator.floats.tobytes())
        _identities[evaluator] = digest.digest()
    return _identities[evaluator]


def _pairs(evaluator: Evaluator, confidence: float) -> NDArray[np.float32]:
    if not 0 < confidence <= MOST_CONFIDENCE:
        raise UserError(
            f"probcut must be above 0 and at most {MOST_CONFIDENCE:g} standard deviations "
            f"(got {confidence:g})"
        )
    if evaluator.probcut is None:
        raise UserError(
            f"{evaluator.name} has no ProbCut parameters; leave out --probcut, or fit them to "
            "a model of yours: samuel models probcut FOLDER"
        )
    return evaluator.probcut
