"""Methods that sample, as Python sees them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from samuel.common.errors import UserError, require_number
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.search.method import RootMemory
from samuel.search.score import MAX_PLY

if TYPE_CHECKING:
    from samuel.search.trees.memory import TreeMemory

MOST_NODE_BITS = 27
MOST_SEED = (1 << 32) - 1
_EVENLY = 1e6
"""An exploration so large that what was tried least comes next."""


class _Sampling:
    """Base of UCT and pure Monte Carlo."""

    playouts: int
    playout_plies: int | None
    candidates: bool
    scale: float | None
    seed: int
    exploration: float

    def _nodes(self) -> int:
        """Return the number of nodes of the tree; 0 for only the root."""
        return 0

    @property
    def asks_evaluator(self) -> bool:
        """True if it calls the evaluator: not where random games are played to their end."""
        return self.playout_plies is not None

    deepens: ClassVar[bool] = False

    def fits(self, memory: RootMemory, game: Game) -> bool:
        """Return whether memory was made for such searches of this game."""
        from samuel.search.trees.memory import TreeMemory

        return isinstance(memory, TreeMemory) and memory.game is game

    def shared(self, memory: TreeMemory, game: Game, threads: int) -> list[TreeMemory]:
        """Return the memory in a list."""
        if threads > 1:
            raise UserError(
                f"a method that samples uses one thread; leave threads out (got {threads})"
            )
        return [memory]

    def _require_sound(self) -> None:
        """Raise UserError where a number that both have is out of its range."""
        require_number("playouts", self.playouts, 1, 1 << 40)
        require_number("playout_plies", self.playout_plies, 0, MAX_PLY)
        require_number("seed", self.seed, 0, MOST_SEED)

    def new_memory(self, game: Game, table_bits: int = 0, solver_bits: int = 0) -> TreeMemory:
        """Return new memory for searches of a game; the method determines the size of the tree."""
        from samuel.search.trees.memory import new_tree_memory

        return new_tree_memory(game, self._nodes())

    def searcher(
        self, game: Game, evaluator: Evaluator, memory: TreeMemory, *, solves: bool = True
    ) -> Any:
        """Return a searcher of a game, compiled and packed (`AlphaBeta.searcher`)."""
        from samuel.search.trees.searcher import searcher_of

        return searcher_of(self, game, evaluator, memory, grows=self._nodes() > 0)


@dataclass(frozen=True)
class UCT(_Sampling):
    """UCT: Monte Carlo tree search with upper confidence bounds.

    Attributes
    ----------
    exploration
        Constant c of the bonus for rarely tried moves: mean + c * sqrt(ln n / n_j), with means in
        [0, 1]. The proof of UCT has the square root of 2.
    playout_plies
        Number of random plies before the evaluator scores a position. 0 for no random plies,
        None for games played to their end.
    playouts
        Number of simulations per move, unless nodes or time are limited.
    scale
        Scale of the probability of a win, 1 / (1 + exp(-score / scale)), in the game's unit. 0
        counts scores in proportion to the highest result. None is 0 in games whose results are at
        most 3, and a 16th of the highest result in others.
    candidates
        Leave out moves that are no candidates of the game (`candidates`). A proof is
        then no certainty.
    tree_bits
        Size of the tree: 2**tree_bits nodes of 56 bytes. A full tree stops growing, and the
        sampling continues.
    seed
        Seed of the random games. With one seed the random games depend only on the position.

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.start("tic_tac_toe")
    >>> samuel.analyse(position, "zero", method=samuel.UCT(playouts=200)).move
    'b2'
    """

    exploration: float = math.sqrt(2.0)
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

    def _nodes(self) -> int:
        return 1 << self.tree_bits


@dataclass(frozen=True)
class MonteCarlo(_Sampling):
    """Pure Monte Carlo: the best move is the one whose random games end best on average.

    Attributes
    ----------
    playouts
        Number of random games per move, unless nodes or time are limited.
    playout_plies
        Number of plies of each before the evaluator scores the position. None for games played to
        their end.
    candidates
        Leave out moves that are no candidates of the game.
    seed
        Seed of the random games. With one seed the random games depend only on the position.

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.start("tic_tac_toe")
    >>> samuel.analyse(position, "zero", method=samuel.MonteCarlo(playouts=200)).move
    'b2'
    """

    playouts: int = 100
    playout_plies: int | None = None
    candidates: bool = True
    seed: int = 0
    scale, exploration = 0.0, _EVENLY

    def __post_init__(self) -> None:
        self._require_sound()
