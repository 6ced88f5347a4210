"""An evaluation taught by games: its searchers, and what has to be kept to go on.

After any number of games the same settings leave the same weights, in however many goes they were
played.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError, require_number, unknown
from samuel.games.evaluator import Evaluator
from samuel.games.playing import new_game_state
from samuel.kernels.budget import INTERRUPTED
from samuel.learning.online.lessons import (
    TREESTRAP,
    Lesson,
    imitate,
    learn_in_games,
    listener_for,
    notes_for,
)
from samuel.models.live.live import Live
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.switches import Switches

Rule: TypeAlias = Literal["tdlambda", "tdleaf", "rootstrap", "treestrap", "treestrap-minimax"]
RULES: tuple[str, ...] = get_args(Rule)
_TABLE_BITS = 12
"""Small: it is emptied whenever the weights change."""
_IMITATES = 0.2
"""The rate of the first pass over the scores of another evaluation."""
_FARTHEST = 100
"""A weight that alone is worth so many times what a game can bring is no longer learning."""


@dataclass(frozen=True)
class Teaching:
    """How an evaluation learns while it plays.

    Attributes
    ----------
    rule
        What it learns from (learning/online/lessons.py).
    depth
        Plies of search a move; TD(lambda) is usually played at 1.
    rate
        The share of an error that a step at a usual position takes away.
    coherent
        Whether each weight has a step of its own, which falls where its changes contradict each
        other (TCL); the rate is then that of the first steps.
    trace
        Lambda, of the rules that learn from differences.
    explore
        The share of random moves.
    opening_plies
        Random moves at the start of a game.
    wins
        Whether differences are learned of who wins, tanh(score / a quarter of the largest result),
        and not of the score itself.
    seed
        Of every random choice.

    Raises
    ------
    UserError
        There is no such rule, or a number is out of its range.
    """

    rule: str = "treestrap"
    depth: int = 3
    rate: float = 0.05
    coherent: bool = False
    trace: float = 0.7
    explore: float = 0.0
    opening_plies: int = 0
    wins: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise unknown("learning rule", self.rule, RULES)
        require_number("depth", self.depth, 1, 60)
        require_number("rate", self.rate, 1e-12, 1e6)
        require_number("trace", self.trace, 0.0, 1.0)
        require_number("explore", self.explore, 0.0, 0.99)
        require_number("opening_plies", self.opening_plies, 0, 10_000)
        require_number("seed", self.seed, 0, (1 << 62) - 1)


class Learner:
    """An evaluation that is taught, with all that its next game depends on.

    Attributes
    ----------
    live
        The evaluation.
    teaching
        How it is taught.
    games
        How many it has played.
    """

    grows: frozenset[str] = frozenset()
    """What of its state has a row a game; nothing."""

    def __init__(self, live: Live, teaching: Teaching, positions: NDArray[np.uint64]) -> None:
        """Begin; by the gradients at `positions` (n, K), such as come up, steps are measured."""
        self.live, self.teaching, self.games = live, teaching, 0
        self._steps = np.zeros((2, len(live.weights) if teaching.coherent else 0))
        self._rate = teaching.rate / _mean_square(live, positions)

    def estimator(self) -> Any:
        """Return what is saved of it, an ordinary model."""
        return self.live.estimator(self.live.weights.astype(np.float64))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what has to be kept."""
        return {
            "weights": self.live.weights.copy(),
            "steps": self._steps.copy(),
            "rate": np.array(self._rate),
            "games": np.array(self.games),
        }

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what was kept of a learner with the same teaching."""
        self.live.weights[:] = state["weights"]
        self._steps[:] = state["steps"]
        self._rate, self.games = float(state["rate"]), int(state["games"])

    def imitate(self, positions: NDArray[np.uint64], scores: NDArray[Any], passes: int) -> None:
        """Begin as what comes nearest to given scores (n,) of positions (n, K), in units."""
        live, none = self.live, np.zeros((2, 0))
        evaluation = live.evaluator("learner").evaluation()
        rate = self._rate / self.teaching.rate
        for share in np.linspace(_IMITATES, 0, passes, endpoint=False):
            wanted = scores.astype(np.float64)
            imitate(live.gradient, evaluation, positions, wanted, none, share * rate)

    def play(self, games: int, opponent: Evaluator | None = None) -> None:
        """Play games, and learn from them; against itself, or against another evaluation.

        Raises
        ------
        UserError
            The weights have left all bounds, or random openings end the game.
        KeyboardInterrupt
            It was interrupted: the games that were finished count.
        """
        live, game = self.live, self.live.game
        searcher, memory = self._searcher(live.evaluator("learner"), listens=True)
        other, its_memory = searcher, memory
        if opponent is not None:
            opponent.require_game(game)
            other, its_memory = self._searcher(opponent, listens=False)
        played = learn_in_games(
            live.gradient,
            searcher,
            other,
            int(opponent is None),
            self._lesson(),
            notes_for(game, self._steps),
            game.row(game.start),
            new_game_state(game),
            self.teaching.seed,
            self.games,
            games,
        )
        self.games += played
        if memory.counters[INTERRUPTED] or its_memory.counters[INTERRUPTED]:
            raise KeyboardInterrupt
        if played < games:
            raise UserError(
                f"games of {game.name} are over before {self.teaching.opening_plies} random plies: "
                "ask for fewer"
            )
        self._require_bounded()

    def _lesson(self) -> Lesson:
        told = self.teaching
        return Lesson(
            min(RULES.index(told.rule), TREESTRAP),
            told.depth,
            told.opening_plies,
            float(told.explore),
            float(told.trace),
            self._rate,
            4 / self.live.game.max_utility if told.wins else 0.0,
        )

    def _searcher(self, evaluator: Evaluator, *, listens: bool) -> tuple[Any, Any]:
        """Return a searcher and its memory."""
        method = AlphaBeta()
        if listens and self.teaching.rule.startswith("treestrap"):
            is_full = self.teaching.rule == "treestrap-minimax"
            switches = Switches.none() if is_full else None
            listener = listener_for(self.live.gradient)
            method = AlphaBeta(switches, listener=listener, cuts=not is_full)
        game = self.live.game
        memory = method.new_memory(game, _TABLE_BITS, 1)
        return method.searcher(game, evaluator, memory, solves=False), memory

    def _require_bounded(self) -> None:
        largest = float(np.abs(self.live.weights).max())  # NaN where one is
        if not largest <= _FARTHEST * self.live.game.max_utility:
            raise UserError(
                f"the weights have left all bounds after {self.games:,} games; lower --rate, "
                f"which is {self.teaching.rate:g}"
            )


def _mean_square(live: Live, positions: NDArray[np.uint64]) -> float:
    """Return the mean of the squared length of the gradients at positions."""
    squares = [float((live.gradient_at(row).astype(np.float64) ** 2).sum()) for row in positions]
    return float(np.mean(squares)) or 1.0
