"""Alpha, who learns at every move, and Beta, who stays as it is for a game, play each other.

A. Samuel, "Some studies in machine learning using the game of checkers", IBM Journal 3, 1959,
"Learning procedure involving generalizations". After any number of games the same options leave the
same polynomials, in however many goes they were played.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games import Position
from samuel.games.evaluator import Evaluator
from samuel.learning.options import LearnOptions
from samuel.learning.samuel.polynomial import (
    SERIES,
    Floats,
    Polynomial,
    PolynomialTerms,
    corrected,
    jolt,
    least_delta,
    tally,
)
from samuel.search import Result, analyse
from samuel.search.alphabeta.memory import Memory, new_memory

MARKS = 3
"""So many black marks, and Alpha loses its leading term."""
_WINS = 2
"""A majority is so many of Alpha's wins at least, where one is needed."""
_LONGEST = 70
"""Plies of a game, after which the pieces decide."""
_DECISIVE = 0.5
"""Share of the largest result from which a delta all but decides the game."""
_TABLE_BITS = 12
_PATIENCE = 1000
_KNOWN = ("order", "correlation", "uses", "tallies", "adjusted")
_GROWING = ("powers", "active", "events")
"""Parts of the state that grow: what is known of each term, and a row for each game."""


class Event(IntEnum):
    """Consequences of a game."""

    NOTHING = 0
    TAKEN_OVER = 1
    JOLTED = 2


@dataclass
class GameOutcomes:
    """Outcomes of each of G games."""

    powers: NDArray[np.int8]
    active: NDArray[np.int8]
    events: NDArray[np.int32]


@dataclass
class _Saved:
    """A position of Alpha's: values and contributions (T,), and scores, searched where `looks`."""

    values: Floats
    contributions: Floats
    pieces: float
    score: float


@dataclass
class _Game:
    """A game under way: the tables of both players, and what is counted."""

    alpha: Memory
    other: Memory
    corrections: int = 0
    saved: _Saved | None = field(default=None)


class Generalizer:
    """Alpha and Beta, and all that their next game depends on."""

    grows = frozenset(_GROWING)

    def __init__(self, terms: PolynomialTerms, options: LearnOptions) -> None:
        self.terms, self.options = terms, options
        self.rules = SERIES[options.samuel.series]
        own = options.samuel
        self.alpha = Polynomial.of(len(terms.names), own.active, is_proportional=own.proportional)
        self.beta = np.zeros(len(terms.names))
        self.marks = self.wins = self.games = 0
        self._outcomes: list[tuple[Any, Any, Any]] = []

    def play(self, games: int, opponent: Evaluator | None = None) -> None:
        """Play games and learn; against Beta, or against another evaluator, who stays as it is."""
        for _ in range(games):
            before = copy.deepcopy(self.alpha)
            try:
                self._play_game(opponent)
            except BaseException:
                self.alpha = before
                raise

    def evaluator(self, name: str = "Alpha") -> Evaluator:
        """Return Alpha as an evaluator."""
        return self.terms.evaluator(name, self.alpha.weights())

    def estimator(self) -> Any:
        """Return what is saved of Alpha: a linear model over the features that it reads."""
        return self.terms.estimator(self.alpha.weights())

    def outcomes(self) -> GameOutcomes:
        """Return what came of each game."""
        n, kinds = len(self.terms.names), (np.int8, np.int8, np.int32)
        columns = zip(*self._outcomes, strict=True) if self._outcomes else ((), (), ())
        made = [
            np.array(list(rows), kind).reshape(-1, width)
            for rows, kind, width in zip(columns, kinds, (n, n, 4), strict=True)
        ]
        return GameOutcomes(*made)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what has to be kept."""
        alpha, counts = self.alpha, (self.games, self.wins, self.marks, self.alpha.replaced)
        known = {name: getattr(alpha, name).copy() for name in _KNOWN}
        kept = {"beta": self.beta.copy(), "counts": np.array(counts, np.int64)}
        return known | kept | vars(self.outcomes())

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what was kept of a learner with the same terms and options."""
        games, wins, marks, replaced = state["counts"].tolist()
        outcomes = [state[name] for name in _GROWING]
        if sorted(state["order"]) != list(range(len(self.terms.names))):
            raise ValueError("some of its terms are missing")
        if np.abs(state["correlation"]).max() > 1 or min(wins, marks, replaced) < 0:
            raise ValueError("it has values that no game leads to")
        if {len(rows) for rows in outcomes} != {games}:
            raise ValueError("some of its games are missing")
        for name in _KNOWN:
            setattr(self.alpha, name, state[name].copy())
        self.alpha.replaced = replaced
        self.beta = state["beta"].copy()
        self.games, self.wins, self.marks = games, wins, marks
        self._outcomes = list(zip(*outcomes, strict=True))

    def _play_game(self, opponent: Evaluator | None) -> None:
        """Play a game, learn from its moves, and settle what it means for Beta."""
        side, alpha = self.games % 2, self.alpha
        other = opponent or self.terms.evaluator("Beta", self.beta)
        tables = (new_memory(self.terms.game, _TABLE_BITS, 1) for _ in range(2))
        game = _Game(next(tables), next(tables))
        replaced = alpha.replaced
        position, plies = self._opening(), self.options.opening_plies
        while not position.is_terminal and plies < _LONGEST:
            if position.side == side:
                found = self._alpha_moves(position, game)
            else:
                found = self._search(position, other, game.other)
            assert found.move is not None
            position, plies = position.play(found.move), plies + 1
        result = self._result(position, side)
        event = Event.NOTHING if opponent else self._settle(result)
        self._note((result, event, game.corrections, alpha.replaced - replaced))
        self.games += 1

    def _opening(self) -> Position:
        """Return the position after the random moves that this game begins with."""
        random = np.random.default_rng((self.options.seed, self.games))
        for _ in range(_PATIENCE):
            position = Position.start(self.terms.game)
            for _ in range(self.options.opening_plies):
                if not position.is_terminal:
                    position = position.play(
                        int(random.choice(position.game.playable_in(position.row)))
                    )
            if not position.is_terminal:
                return position
        raise UserError(
            f"games of {self.terms.game.name} end before {self.options.opening_plies} random "
            "plies; give fewer --opening-plies"
        )

    def _search(self, position: Position, evaluator: Evaluator, memory: Memory) -> Result:
        return analyse(position, evaluator, depth=self.options.depth, exact_from=0, memory=memory)

    def _alpha_moves(self, position: Position, game: _Game) -> Result:
        """Return what Alpha finds, and let it learn from it."""
        found = self._search(position, self.evaluator(), game.alpha)
        is_worth_it = game.saved is not None and self._correct(position, found, game)
        tally(self.alpha, self.rules.tallies)
        if game.saved is None or is_worth_it or not self.rules.waits:
            # with the weights as they are now: a score by older ones makes them oscillate
            game.saved = self._save(position, game.alpha)
        return found

    def _correct(self, position: Position, found: Result, game: _Game) -> bool:
        """Correct Alpha by the difference to what was saved; return whether it is worth it."""
        saved, rules = game.saved, self.rules
        assert saved is not None
        delta = found.score - saved.score
        least = self.terms.unit * least_delta(self.alpha)
        if abs(delta) <= least:
            return False
        times = 1
        if abs(delta) >= _DECISIVE * self.terms.game.scores.max_utility:
            times = 4
        elif self._pieces_after(position, found) != saved.pieces:
            times = 2
        changed = corrected(
            self.alpha,
            saved.values,
            delta,
            times=times,
            contributions=saved.contributions if rules.spares_good else None,
            score=saved.score if abs(saved.score) > least else 0.0,
        )
        game.corrections += changed > 0
        return True

    def _pieces_after(self, position: Position, found: Result) -> float:
        """Return the piece advantage of the side to move at the end of the line that was found."""
        after = position
        for move in found.pv:
            after = after.play(move)
        _, pieces = self.terms.values(after.row)
        return pieces if after.side == position.side else -pieces

    def _save(self, position: Position, memory: Memory) -> _Saved:
        """Return a position as Alpha sees it now."""
        values, pieces = self.terms.values(position.row)
        values[self.alpha.order[self.alpha.active :]] = 0
        contributions = self.alpha.weights() * values
        score = pieces + self.terms.unit * float(contributions.sum())
        if self.rules.looks:
            found = analyse(position, self.evaluator(), depth=1, exact_from=0, memory=memory)
            score = found.score
            pieces = self._pieces_after(position, found)
        return _Saved(values, contributions, pieces, score)

    def _result(self, position: Position, side: int) -> int:
        """Return 1 where Alpha won, or is ahead in pieces where nobody did; -1 where it lost."""
        is_decided = position.is_terminal and not position.is_drawn
        score = position.utility() if is_decided else self.terms.values(position.row)[1]
        return int(np.sign(score)) * (1 if position.side == side else -1)

    def _settle(self, result: int) -> Event:
        """Let Beta take Alpha's weights over where Alpha won; else give a black mark."""
        self.wins += result > 0
        self.marks += result < 0
        is_majority = self.wins >= _WINS and self.wins > self.marks
        if result > 0 and (is_majority or not self.rules.needs_majority):
            self.beta = self.alpha.weights()
            self.wins = self.marks = 0
            return Event.TAKEN_OVER
        if self.marks == MARKS:
            jolt(self.alpha)
            self.wins = self.marks = 0
            return Event.JOLTED
        return Event.NOTHING

    def _note(self, events: tuple[int, ...]) -> None:
        signs, powers = self.alpha.powers()
        active = np.zeros(len(signs), np.int8)
        active[self.alpha.in_use] = 1
        self._outcomes.append(((signs * (1 + powers)).astype(np.int8), active, events))
