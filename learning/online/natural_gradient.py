"""Weights learned from the results of one-ply games alone: natural policy gradients.

A policy draws its moves with probability proportional to exp(score / temperature), the score that
of a linear model of patterns, and learns to win against given opponents by the protocol of the
Othello League (samuel match --help). Two things are kept of each game: its result, and its
eligibility, the gradient of the log probability of the policy's moves
(learning/online/policy_kernel.py). Their covariance is the gradient of the expected result (R.
Williams, 1992), the covariance of the eligibilities the Fisher information F of the policy, and the
inverse of F times the gradient the natural gradient: the direction in which the result rises most
for how much the policy changes (S. Kakade, "A natural policy gradient", 2001; J. Peters, S. Schaal,
"Natural actor-critic", 2008). Each generation the weights go so far that way that the policy's
games change by a given divergence.

A policy that is sure of its moves hardly draws any more, and becomes the evaluator: one ply ahead
it plays the move with the best score. It has learned preferences; in the end they are brought
to the game's unit by least squares, to the results of games that it plays against itself.

The learned evaluator is good at just this: moves one ply ahead, against such opponents. For
searches a model fitted to the scores of searches (samuel train) is far stronger.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from scipy.linalg import solve
from sklearn.linear_model import LinearRegression

from samuel.common.errors import UserError, require_workers
from samuel.common.options import Range
from samuel.common.public import public
from samuel.features.shapes import PatternSet, Shapes, pattern_set
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.learning.fitting.metrics import results_of
from samuel.learning.online.policy_kernel import play_policy_task
from samuel.models import game_for, load_evaluator
from samuel.models.patterns.estimators import PatternRegressor
from samuel.selfplay import SelfplayPlan
from samuel.selfplay.data.shard import word_columns
from samuel.selfplay.generate import play_task
from samuel.selfplay.workers import run_tasks

SELF = "self"
"""The opponent that is the model itself, as it plays meanwhile."""
MOST_WEIGHTS = 4096
"""The Fisher information is a matrix of the weights."""
DEFAULT_GENERATIONS = 300
"""Number of generations where neither a number nor a time is given."""
TEMPERATURE = 1 / 64
"""Temperature of the draw, in the most that a game can be worth: in Othello one disc."""

_GAMES = 1000
"""Fewest games of a generation."""
_TASK = 50
"""Games that a worker plays in one go, against one opponent and with one colour."""
_KEPT = 0.9
"""Weight of a generation's games one generation later, for the direction."""
_DIVERGENCE = 0.02
"""Kullback-Leibler, in nats a game, that a generation changes the policy by."""
_DAMPING = 0.01
"""Added to the diagonal of F, in its mean."""
_SCALING_GAMES = 200
_LATE = 3
"""The model is the mean of the weights, those of generation t counted t (t + 1) (t + 2) times: the
polynomial-decay averaging of O. Shamir and T. Zhang, 2013."""


@dataclass(frozen=True, eq=False, repr=False)
class PolicyFit:
    """Result of `policy_gradient`.

    Attributes
    ----------
    estimator
        Model in the game's unit. Its `seen_` is the diagonal of the Fisher information, summed over
        all games.
    scores
        Mean score in [0, 1] of each generation's games, float64 (generations,).
    ended
        Reason of the end: "generations", "minutes" or "interrupted".
    games
        Number of games that were played.
    seconds
        Time of the learning, in seconds.
    """

    estimator: PatternRegressor
    scores: NDArray[np.float64]
    games: int
    seconds: float
    ended: str

    @property
    def about(self) -> dict[str, Any]:
        """Entries for the card of a saved model."""
        return {
            "generations": len(self.scores),
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "ended": self.ended,
            "score": round(float(self.scores[-1]), 4),
        }

    def __repr__(self) -> str:
        return (
            f"PolicyFit({len(self.scores)} generations, {self.games:,} games, "
            f"{self.scores[-1]:.1%} in the last)"
        )


@public
def policy_gradient(
    shapes: Shapes = "tuples2",
    *,
    game: Game | str | None = None,
    against: Sequence[str | Path | Evaluator] = (SELF,),
    epsilon: Annotated[float, Range(0.0, 0.99)] = 0.1,
    generations: Annotated[int | None, Range(1)] = None,
    minutes: Annotated[float | None, Range(1e-6, 1e6)] = None,
    seed: Annotated[int, Range(0, (1 << 62) - 1)] = 0,
    jobs: int = 1,
    progress: Callable[[float, float], None] = lambda share, score: None,
) -> PolicyFit:
    """Learn pattern weights by policy gradient, for play that looks one ply ahead.

    Parameters
    ----------
    shapes
        The name of a set of shapes, a file of shapes, or a list (features.shapes.pattern_set).
    game
        Game: a name, or a Python file that registers one. By default that of the opponents, or
        Othello.
    against
        The opponents, each an evaluator, the name or model folder of one, or "self". All are met
        equally often, with both colours.
    epsilon
        Share of random moves of both sides.
    generations
        Number of generations of about 1,000 games. Default: 300, or as many as the minutes allow.
    minutes
        Learning time, in minutes.
    seed
        Seed of every random choice. Equal seeds and generations give equal models for any `jobs`,
        but for last digits, where another number of threads does the linear algebra.
    jobs
        Number of threads; -1 for one per core.
    progress
        Called after each generation with the share that is done, in [0, 1], and the mean score of
        its games.

    Returns
    -------
    PolicyFit
        Model and the mean score of each generation.

    Raises
    ------
    UserError
        An opponent or the shapes are unknown or not for this game, there are too many weights, or
        a number is out of its range.

    Examples
    --------
    >>> import samuel
    >>> shapes = [["a1", "b1", "c1"]]
    >>> samuel.policy_gradient(shapes, game="tic_tac_toe", generations=1)  # doctest: +SKIP
    PolicyFit(1 generations, 1,000 games, 50.6% in the last)
    """
    rules = game_for(game, shapes, *against)
    require_workers(jobs)
    patterns = pattern_set(shapes, rules)
    if patterns.n_weights > MOST_WEIGHTS:
        raise UserError(
            f"the shapes have {patterns.n_weights:,} weights; policy gradients take at most "
            f"{MOST_WEIGHTS:,} (samuel train fits larger models to games)"
        )
    opponents = [_loaded(opponent, rules) for opponent in against]
    if not opponents:
        raise UserError("give at least one opponent")
    learner = _Learner(patterns, rules, opponents, float(epsilon), seed, jobs)
    began = time.monotonic()
    most = DEFAULT_GENERATIONS if generations is None and minutes is None else generations
    ended = _learn(learner, most, minutes, progress)
    model = learner.scaled_model()
    seconds = time.monotonic() - began
    return PolicyFit(model, np.array(learner.scores), learner.games, seconds, ended)


def _learn(
    learner: _Learner,
    generations: int | None,
    minutes: float | None,
    progress: Callable[[float, float], None],
) -> str:
    """Go through generations until one limit is reached; return which, or "interrupted"."""
    began, shares = time.monotonic(), [0.0, 0.0]
    try:
        while max(shares) < 1:
            learner.step()
            done, spent = len(learner.scores), (time.monotonic() - began) / 60
            shares = [done / (generations or np.inf), spent / (minutes or np.inf)]
            progress(min(1.0, max(shares)), learner.scores[-1])
    except KeyboardInterrupt:
        if not learner.scores:
            raise
        return "interrupted"
    return "generations" if shares[0] >= 1 else "minutes"


class _Learner:
    """The weights, and what the games so far say of them."""

    def __init__(
        self,
        patterns: PatternSet,
        game: Game,
        opponents: Sequence[Evaluator | None],
        epsilon: float,
        seed: int,
        jobs: int,
    ) -> None:
        n = patterns.n_weights
        self.patterns, self.game, self.opponents = patterns, game, opponents
        self.epsilon, self.seed, self.jobs = epsilon, seed, jobs
        self.temperature = TEMPERATURE * game.max_utility
        self.weights, self.average, self.seen = np.zeros(n), np.zeros(n), np.zeros(n)
        self.fisher, self.gradient = np.zeros((n, n)), np.zeros(n)
        self.counted = 0.0
        self.games = 0
        self.scores: list[float] = []

    def step(self) -> None:
        """Play a generation of games, and learn from them."""
        eligibilities, results = (np.concatenate(part) for part in zip(*self._play(), strict=True))
        scores = results_of(results)
        moves, gains = _centred(eligibilities), _centred(scores)
        information = (moves.T @ moves).astype(np.float64)
        self.seen += np.diag(information)
        self.fisher = _KEPT * self.fisher + information
        self.gradient = _KEPT * self.gradient + moves.T @ gains
        self.counted = _KEPT * self.counted + len(scores)
        self.games += len(scores)
        self.weights = self.weights + self._direction()
        share = (_LATE + 1) / (len(self.scores) + 1 + _LATE)
        self.average = (1 - share) * self.average + share * self.weights
        self.scores.append(float(scores.mean()))  # last: an interruption keeps whole generations

    def _direction(self) -> NDArray[np.float64]:
        """Return the natural gradient, as long as the divergence allows."""
        fisher, gradient = self.fisher / self.counted, self.gradient / self.counted
        damping = _DAMPING * float(np.trace(fisher)) / len(fisher)
        if damping == 0 or not gradient.any():  # no game, or no move, made a difference
            return np.zeros_like(gradient)
        fisher[np.diag_indices_from(fisher)] += damping
        direction = solve(fisher, gradient, assume_a="pos")
        divergence = 0.5 * float(gradient @ direction)
        return np.asarray(direction * np.sqrt(_DIVERGENCE / divergence))

    def _play(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Play a generation; yield eligibilities (n, n_weights) and results (n,) task by task."""
        opponents = [o or self._itself() for o in self.opponents]
        tasks = -(-_GAMES // (2 * _TASK * len(opponents)))
        conditions = list(itertools.product(opponents, (0, 1), range(tasks)))
        calls = (
            delayed(play_policy_task)(
                *(self.patterns, self.weights, self.temperature, opponent, self.epsilon, side),
                *(self.seed, self.games + number * _TASK, _TASK),
            )
            for number, (opponent, side, _) in enumerate(conditions)
        )
        yield from run_tasks(calls, self.jobs)

    def _itself(self) -> Evaluator:
        return self._model(self.weights).compiled().evaluator(SELF)

    def scaled_model(self) -> PatternRegressor:
        """Return the average of the weights as a model whose scores are results, by regression."""
        model = self._model(self.average)
        plan = SelfplayPlan(self.game.name, depth=1, exact_from=0, seed=self.seed).checked()
        player = model.compiled().evaluator(SELF)
        played = play_task(plan, 0, _SCALING_GAMES, player).to_pandas()
        scores = model.predict(played[word_columns(self.game)].to_numpy(np.uint64))
        line = LinearRegression(fit_intercept=False).fit(scores[:, None], played["outcome"])
        if line.coef_[0] > 0:  # or it has learned nothing yet
            model.coef_ = model.coef_ * np.float32(line.coef_[0])
        return model

    def _model(self, weights: NDArray[np.float64]) -> PatternRegressor:
        """Return logits as a fitted model whose scores are worth `temperature` each."""
        shapes, game = self.patterns.shapes, self.game
        model = PatternRegressor(shapes, game.name, stages=1, fit_intercept=False)
        model.fit([game.start], [0.0])  # all weights are zero
        model.coef_ = (self.temperature * weights[None]).astype(np.float32)
        model.seen_ = self.seen[None].astype(np.float32)
        model.seen_intercept_ = 0.0
        return model


def _centred(values: NDArray[Any]) -> NDArray[Any]:
    """Subtract the mean of each task: that of games under the same conditions, the baseline."""
    tasks = values.reshape(-1, _TASK, *values.shape[1:])
    return (tasks - tasks.mean(axis=1, keepdims=True)).reshape(values.shape)


def _loaded(opponent: str | Path | Evaluator, game: Game) -> Evaluator | None:
    """Return an opponent; None for the model itself."""
    if opponent == SELF:
        return None
    found = opponent if isinstance(opponent, Evaluator) else load_evaluator(opponent, game)
    found.require_game(game)
    return found
