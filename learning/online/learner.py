"""An evaluation taught by games: its searchers, and what has to be kept to go on.

After any number of games the same settings leave the same weights, in however many goes they were
played.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.playing import new_game_state, random_positions
from samuel.kernels.budget import INTERRUPTED
from samuel.learning.algorithms import DESCENT, GRADIENT_ALGORITHMS
from samuel.learning.fitting.pattern_recipes import shapes_of
from samuel.learning.fitting.reading import features_read, stage_knots
from samuel.learning.online.descent import descend_in_games
from samuel.learning.online.kernel import (
    TREESTRAP,
    OnlinePlan,
    imitate,
    learn_in_games,
    listener_for,
    new_episode,
)
from samuel.learning.options import LearnOptions
from samuel.models.evaluate import evaluate
from samuel.models.trainable.linear import trainable_features, trainable_patterns
from samuel.models.trainable.model import TrainableModel, trainable_network
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.options import SearchOptions
from samuel.search.trees.descent import new_descent_tree
from samuel.selfplay.openings.books import book_of, lines_of_games

_TABLE_BITS = 12
"""Small: it is emptied whenever the weights change."""
_IMITATES = 0.2
"""The rate of the first pass over the scores of another evaluation."""
_TREE_NODES = 1 << 20
"""Room of a tree of Descent."""
_FARTHEST = 100
"""A weight that alone is worth so many times what a game can bring is no longer learning."""

_POSITIONS, _SHOWN, _PASSES = 500, 10_000, 6
"""By how many steps are measured, and by how many, how often, an evaluation is imitated."""
_PATTERN_STAGES = 11
_NETWORKS, _LINEAR = ("network",), ("linear", "ridge", "texel")


class Learner:
    """An evaluation that is taught, with all that its next game depends on."""

    grows: frozenset[str] = frozenset()
    """Parts of its state that have a row for each game; none."""

    def __init__(
        self, trainable: TrainableModel, options: LearnOptions, positions: NDArray[np.uint64]
    ) -> None:
        """Begin; by the gradients at `positions` (n, K), such as come up, steps are measured."""
        self.trainable, self.options, self.games = trainable, options, 0
        self._steps = np.zeros((2, len(trainable.weights) if options.online.tcl else 0))
        self._rate = _learning_rate(options) / _mean_square(trainable, positions)

    def estimator(self) -> Any:
        """Return the learner's model as an estimator."""
        return self.trainable.estimator(self.trainable.weights.astype(np.float64))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what has to be kept."""
        return {
            "weights": self.trainable.weights.copy(),
            "steps": self._steps.copy(),
            "rate": np.array(self._rate),
            "games": np.array(self.games),
        }

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what was kept of a learner with the same options."""
        self.trainable.weights[:] = state["weights"]
        self._steps[:] = state["steps"]
        self._rate, self.games = float(state["rate"]), int(state["games"])

    def imitate(self, positions: NDArray[np.uint64], scores: NDArray[Any], passes: int) -> None:
        """Begin as what comes nearest to given scores (n,) of positions (n, K), in units."""
        trainable, none = self.trainable, np.zeros((2, 0))
        evaluation = trainable.evaluator("learner").evaluation()
        rate = self._rate / _learning_rate(self.options)
        for share in np.linspace(_IMITATES, 0, passes, endpoint=False):
            wanted = scores.astype(np.float64)
            imitate(trainable.gradient, evaluation, positions, wanted, none, share * rate)

    def play(self, games: int, opponent: Evaluator | None = None) -> None:
        """Play games, and learn from them; against itself, or against another evaluation."""
        trainable, game = self.trainable, self.trainable.game
        searcher, memory = self._searcher(trainable.evaluator("learner"), listens=True)
        other, its_memory = searcher, memory
        if opponent is not None:
            opponent.require_game(game)
            other, its_memory = self._searcher(opponent, listens=False)
        played = self._played(searcher, other, int(opponent is None), games)
        self.games += played
        if memory.counters[INTERRUPTED] or its_memory.counters[INTERRUPTED]:
            raise KeyboardInterrupt
        if played < games:
            raise UserError(
                f"games of {game.name} end before {self.options.opening_plies} random plies; "
                "give fewer --opening-plies"
            )
        self._require_bounded()

    def _played(self, searcher: Any, other: Any, alone: int, games: int) -> int:
        """Play games and learn; return how many were finished."""
        game, state = self.trainable.game, new_game_state(self.trainable.game)
        players = self.trainable.gradient, searcher, other, alone, self._plan()
        which = self.options.seed, self.games, games
        book = book_of(game, self.options.selfplay.openings)
        lines = lines_of_games(book, self.options.seed, range(self.games, self.games + games))
        if self.options.algorithm == DESCENT:
            tree, line = new_descent_tree(game, _TREE_NODES), new_game_state(game)
            return int(descend_in_games(*players, tree, self._steps, lines, state, line, *which))
        episode = new_episode(game, self._steps)
        return int(learn_in_games(*players, episode, lines, state, *which))

    def _plan(self) -> OnlinePlan:
        told = self.options
        return OnlinePlan(
            min(GRADIENT_ALGORITHMS.index(told.algorithm), TREESTRAP),
            told.depth,
            told.opening_plies,
            float(told.selfplay.epsilon),
            float(told.fit.td_lambda),
            self._rate,
            self._squash(),
            told.selfplay.nodes or 0,
        )

    def _squash(self) -> float:
        """Return the factor of the scores whose tanh is learned; 0 where scores themselves are."""
        game = self.trainable.game
        if game.scores.scale:
            return 1 / (2 * game.scores.scale)
        return 4 / game.scores.max_utility if self.options.online.wins else 0.0

    def _searcher(self, evaluator: Evaluator, *, listens: bool) -> tuple[Any, Any]:
        method = AlphaBeta()
        if listens and self.options.algorithm.startswith("treestrap"):
            is_full = self.options.algorithm == "treestrap-minimax"
            options = SearchOptions.none() if is_full else None
            listener = listener_for(self.trainable.gradient, self._squash())
            method = AlphaBeta(options, listener=listener, cuts=not is_full)
        game = self.trainable.game
        memory = method.new_memory(game, _TABLE_BITS, 1)
        return method.searcher(game, evaluator, memory, solves=False), memory

    def _require_bounded(self) -> None:
        largest = float(np.abs(self.trainable.weights).max())  # NaN where one is
        if not largest <= _FARTHEST * self.trainable.game.scores.max_utility:
            raise UserError(
                f"the weights diverged after {self.games:,} games; give a smaller "
                f"--learning-rate than {_learning_rate(self.options):g}"
            )


def begin_learning(options: LearnOptions, first: Evaluator | None = None) -> Learner:
    """Return a learner that has played no game."""
    game, seed = options.rules, options.seed
    if options.algorithm == DESCENT and game.chance is not None:
        raise UserError(f"--algorithm descent is for games without dice; {game.name} has dice")
    positions = random_positions(game, _POSITIONS, seed)
    trainable = _trainable(options, game, positions)
    learner = Learner(trainable, options, positions)
    if first is not None:
        shown = random_positions(game, _SHOWN, seed + 1)
        learner.imitate(shown, evaluate(first, game, shown), _PASSES)
    return learner


def _trainable(options: LearnOptions, game: Game, positions: NDArray[np.uint64]) -> TrainableModel:
    model, stages, named = options.model, options.fit.stages, options.fit.features
    shapes = shapes_of(model, game)
    if shapes is not None and named is not None:
        raise UserError(f"{model} reads no features; leave out --features, or give --model ridge")
    if shapes is not None and not shapes[1]:
        usual = min(_PATTERN_STAGES, game.most_left + 1)
        return trainable_patterns(shapes[0], game, usual if stages is None else stages)
    names = features_read(game, named)
    if names and model in _LINEAR:
        return trainable_features(names, game, positions, stage_knots(game, stages))
    if names and model in _NETWORKS:
        return trainable_network(names, game, positions, random=np.random.default_rng(options.seed))
    raise UserError(
        f"{model} cannot learn while it plays {game.name}: take a set of shapes"
        + (", ridge or network" if names else "")
    )


def _learning_rate(options: LearnOptions) -> float:
    rate = options.online.learning_rate
    assert rate is not None
    return rate


def _mean_square(trainable: TrainableModel, positions: NDArray[np.uint64]) -> float:
    """Return the mean of the squared length of the gradients at positions."""
    squares = [
        float((trainable.gradient_at(row).astype(np.float64) ** 2).sum()) for row in positions
    ]
    return float(np.mean(squares)) or 1.0
