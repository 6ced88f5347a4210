"""Evaluators of samuel in OpenSpiel: a bot, and an evaluator of its Monte Carlo tree search.

It is imported only when it is used, since it needs OpenSpiel (extra openspiel).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from samuel.common.errors import UserError
from samuel.common.extras import extra
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.position import Position
from samuel.models import find_evaluator
from samuel.search import analyse
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits
from samuel.search.method import Method
from samuel.search.methods import method_named

pyspiel: Any = extra("pyspiel", "samuel.play.openspiel", of="openspiel")

GAMES = ("chess", "connect_four", "othello", "tic_tac_toe")
"""Games that both have."""
_TABLE_BITS = 16
_SMALL, _UNITS = 3, 16
"""Largest utility that is the result itself; fraction of a larger one that is a logit."""


class SpielEvaluator:
    """Evaluator and search for states of OpenSpiel, as its Monte Carlo tree search takes them.

    Parameters
    ----------
    game
        Game of OpenSpiel with its usual parameters: chess, connect_four, othello or tic_tac_toe.
    evaluator
        Evaluator, its name, or the folder of a model.
    limits
        Limits of the search of a state.
    method
        Search method, or its name, such as `uct:playouts=500`.
    scale
        Units of score per logit of the probability of a win, such as `trained.metrics["scale"]`. By
        default the game's own.

    Raises
    ------
    UserError
        Samuel lacks the game, or the evaluator is unknown or for another game.
    """

    def __init__(
        self,
        game: Any,
        evaluator: Evaluator | str,
        limits: Limits = Limits(depth=1),
        method: Method | str = AlphaBeta(),
        scale: float | None = None,
    ) -> None:
        name = game.get_type().short_name
        if name not in GAMES or str(game) != str(pyspiel.load_game(name)):
            raise UserError(f"samuel.play.openspiel plays {', '.join(GAMES)} (got {game})")
        self.game, self.limits = known_game(name), limits
        self.evaluator = find_evaluator(evaluator, self.game)
        self.method = method_named(method) if isinstance(method, str) else method
        scores = self.game.scores
        usual = scores.scale or (scores.max_utility > _SMALL) * scores.max_utility / _UNITS
        self.scale = usual if scale is None else scale
        self._memory = self.method.new_memory(self.game, _TABLE_BITS, _TABLE_BITS)

    def position(self, state: Any, side: int = 0) -> Position:
        """Return a state as a position; a finished game has no side to move of its own."""
        text = str(state)
        if self.game.name != "chess":  # whose text is FEN
            is_framed = self.game.name == "othello"  # by letters and numbers
            squares = "".join(x for x in text.split() if not is_framed or x in ("-", "x", "o"))
            side = side if state.is_terminal() else state.current_player()
            text = f"{squares.replace('.', '-').upper()} {'XO'[side]}"
        return Position.parse(text, self.game)

    def evaluate(self, state: Any) -> NDArray[np.float64]:
        """Return the expected result of each player, from -1 to 1, by a search."""
        if state.is_terminal():
            return np.array(state.returns())
        score = self._analysed(state).score
        value = 2 * expit(score / self.scale) - 1 if self.scale else np.clip(score, -1, 1)
        return np.array([value, -value] if state.current_player() == 0 else [-value, value])

    def prior(self, state: Any) -> list[tuple[int, float]]:
        """Return the same probability for each action: evaluators have no policy."""
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]

    def best(self, state: Any) -> int:
        """Return the action of the best move."""
        position, side = self.position(state), 1 - state.current_player()
        wanted = position.play(self._analysed(state).move or "")
        children = {one: self.position(state.child(one), side) for one in state.legal_actions()}
        return next(one for one, child in children.items() if child.words == wanted.words)

    def _analysed(self, state: Any) -> Any:
        options = {"limits": self.limits, "method": self.method, "memory": self._memory}
        return analyse(self.position(state), self.evaluator, **options)


class SpielBot(pyspiel.Bot):
    """Bot of OpenSpiel that plays the best move of a search; see `SpielEvaluator`."""

    def __init__(self, game: Any, evaluator: Evaluator | str, *given: Any, **options: Any) -> None:
        super().__init__()
        self.searching = SpielEvaluator(game, evaluator, *given, **options)

    def step(self, state: Any) -> int:
        """Return the action of the best move."""
        return self.searching.best(state)

    def restart_at(self, state: Any) -> None:
        """Begin at a state; a bot remembers no moves."""
