"""Methods that sample, as Python sees them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from samuel.errors import require_number
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.search.method import (
    Calls,
    RootMemory,
    packed_searcher,
)
from samuel.search.score import MAX_PLY, POINTS
from samuel.search.trees.frame import TreeSearcher, UctParts
from samuel.search.trees.memory import (
    EXPLORATION,
    SCALE,
    TreeMemory,
    fits,
    new_tree_memory,
    sharing,
)
from samuel.search.trees.simulations import rules_in, simulations_of
from samuel.search.trees.thinking import forget, score_moves, think

MOST_NODE_BITS = 27
MOST_SEED = (1 << 32) - 1
_EVENLY = 1e6
"""An exploration so large that what was tried least comes next."""


class _Sampling:
    """What both have in common."""

    playouts: int
    playout_plies: int | None
    candidates: bool
    scale: float | None
    seed: int

    @property
    def asks_evaluator(self) -> bool:
        """Whether it asks the evaluator: not where random games are played to their end."""
        return self.playout_plies is not None

    @property
    def deepens(self) -> bool:
        """Whether it searches to a depth: no."""
        return False

    def fits(self, memory: RootMemory, game: Game) -> bool:
        """Return whether memory was made for such searches of this game."""
        return fits(memory, game)

    def shared(self, memory: TreeMemory, game: Game, threads: int) -> list[TreeMemory]:
        """Return the memories of threads that grow one tree."""
        return sharing(memory, threads)

    def _require_sound(self) -> None:
        """Raise UserError where a number that both have is out of its range."""
        require_number("playouts", self.playouts, 1, 1 << 40)
        require_number("playout_plies", self.playout_plies, 0, MAX_PLY)
        require_number("seed", self.seed, 0, MOST_SEED)

    def _packed(self, game: Game, evaluator: Evaluator, memory: TreeMemory) -> Any:
        """Return the searcher."""
        scale = self.scale
        if scale is None:  # there is no unit but the result where that is small
            scale = 0.0 if game.max_utility <= 3 else game.max_utility / 16
        before = memory.searched_with
        if before is None or before[:2] != (self, game.name) or before[2] is not evaluator:
            memory.searched_with = self, game.name, evaluator
            if memory.thread == 0:
                memory.size[0] = 0
        memory.settings[SCALE] = scale * POINTS
        memory.plies = game.max_plies if self.playout_plies is None else self.playout_plies
        memory.playouts, memory.seed = self.playouts, self.seed
        calls = Calls(think, score_moves, forget)
        parts = UctParts(simulations_of(game, memory.threads > 1, self.candidates))
        memory.whole = int(game.candidates is None or not self.candidates)
        own: Any = (
            rules_in(game, self.candidates),
            evaluator.evaluation(),
            calls,
            memory.block(),
            parts,
        )
        return packed_searcher(TreeSearcher(*own))


@dataclass(frozen=True)
class UCT(_Sampling):
    """UCT as a method of search (search.method.Method).

    Attributes
    ----------
    exploration
        of the bonus for moves that were tried seldom: c in mean + c * sqrt(ln n / n_j), with means
        in [0, 1]; the square root of 2 is that of the proof.
    tuned
        whether the variance takes its place (UCB1-tuned).
    playout_plies
        plies of random play before the evaluator says what a position is worth; 0 for the evaluator
        alone, None for games played to their end.
    playouts
        simulations a move, where neither nodes nor time are limited.
    scale
        in the game's unit, what makes a win likely: a score counts 1 / (1 + exp(-score / scale)).
        In proportion to the highest result where it is 0; where None, so in games whose results
        are at most 3, and a 16th of the highest result in others.
    candidates
        whether the tree leaves out the moves that the game says are not worth a search
        (`Game.candidates`); random games take any. A proof is then no certainty.
    tree_bits
        the tree has room for 2**tree_bits nodes of 56 bytes; full, it grows no further, and the
        sampling goes on.
    seed
        of the random games; with it, a position alone decides what is drawn. What the tree of the
        search before knew of the position is kept (search/trees/keeping.py).
    """

    exploration: float = math.sqrt(2.0)
    tuned: bool = False
    playout_plies: int | None = None
    playouts: int = 1000
    scale: float | None = None
    candidates: bool = True
    tree_bits: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        require_number("exploration", self.exploration, 0.0, 1000.0)
        require_number("scale", self.scale, 0.0, 1e6)
        require_number("tree_bits", self.tree_bits, 0, MOST_NODE_BITS)
        self._require_sound()

    def new_memory(self, game: Game, table_bits: int = 0, solver_bits: int = 0) -> TreeMemory:
        """Return memory for searches of `game`; the method itself says how large a tree is."""
        return new_tree_memory(game, 1 << self.tree_bits)

    def searcher(
        self, game: Game, evaluator: Evaluator, memory: TreeMemory, *, solves: bool = True
    ) -> Any:
        """Return a searcher of a game, compiled and packed; see `AlphaBeta.searcher`."""
        memory.settings[EXPLORATION] = self.exploration
        memory.tuned, memory.levels = int(self.tuned), len(memory.way)
        return self._packed(game, evaluator, memory)


@dataclass(frozen=True)
class MonteCarlo(_Sampling):
    """Pure Monte Carlo as a method of search: the move whose random games end best on average.

    Attributes
    ----------
    playouts
        random games for each move, where neither nodes nor time are limited.
    playout_plies
        plies of each before the evaluator says what the position is worth; None for games played to
        their end.
    candidates
        whether moves are left out that the game says are not worth a search; random games take any.
    seed
        of the random games; with it, a position alone decides what is drawn.
    """

    playouts: int = 100
    playout_plies: int | None = None
    candidates: bool = True
    seed: int = 0
    scale = 0.0

    def __post_init__(self) -> None:
        self._require_sound()

    def new_memory(self, game: Game, table_bits: int = 0, solver_bits: int = 0) -> TreeMemory:
        """Return memory for searches of `game`."""
        return new_tree_memory(game, 0)

    def searcher(
        self, game: Game, evaluator: Evaluator, memory: TreeMemory, *, solves: bool = True
    ) -> Any:
        """Return a searcher of a game, compiled and packed; see `AlphaBeta.searcher`."""
        memory.settings[EXPLORATION] = _EVENLY
        memory.tuned, memory.levels = 0, 1
        return self._packed(game, evaluator, memory)
