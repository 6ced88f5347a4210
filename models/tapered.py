"""`TaperedLogistic`: Texel's method, a linear evaluation fitted to the probability of winning.

The score q of a position is a sum of weights times features, each weight blended between the ends
of the game; the probability of winning is 1 / (1 + exp(-q / K)) (P. Österlund, "Texel's tuning
method", Chess Programming Wiki, 2014). K is fitted first, to the weights that the fit starts from,
and keeps the unit of the score; then the weights, all stages together (models/columns.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from samuel.common.errors import UserError
from samuel.features import Feature, column_names, extract, features_named
from samuel.features.extraction import positions_in
from samuel.features.terms import Stages, even_knots
from samuel.games.catalog import known_game
from samuel.games.game import Game
from samuel.games.groups import Handmade
from samuel.games.rows import left_of
from samuel.models.columns import ROWS, Rows, best_scale, fit_rows
from samuel.models.compiled.features import FeatureModel, linear_block
from samuel.models.estimator_methods import (
    FitRows,
    PositionEstimator,
    ScoreRegressor,
    require_settings,
)
from samuel.models.newton import Floats
from samuel.models.weights import WeightFit

_NARROW = 16
"""The game's scale in standard deviations that are expected of a change from the start."""
_LEAST_ALPHA = 1e-7


@dataclass(eq=False, repr=False)
class TaperedLogistic(ScoreRegressor, PositionEstimator):
    """Linear evaluation whose score means a probability of winning (Texel's method).

    Targets are results in the game's unit, brought to the size of scores: a won game counts 2 scale
    units, `scale` being the game's (`Scores.scale`), or its largest result where it has none.

    Parameters
    ----------
    features
        Names of the features.
    game
        Name of the game.
    knots
        Counts of what is left of the game, ascending: at each the weights have values of their own,
        and in between they are blended. None for the two ends of the game.
    start
        Name of a linear hand-made evaluator whose weights the fit begins from. Those of features
        that are not fitted stay. None begins with zeros.
    alpha
        Penalty on the squares of the changes of weights, in pawns or other units, for each row.
        None expects changes from the start of about a sixteenth of the game's scale (in chess a
        tenth of a pawn), so that few rows change little; without a start it is 1e-7.
    scale
        Units of score per logit (K). None to fit it first, if there is a start, else the game's.
    max_iter
        Most passes over the rows.
    tol
        Relative fall of the loss at which the fit ends.

    Attributes
    ----------
    coef_
        Weights, float64 (knots, columns).
    errors_
        Standard errors of the weights, float64 (knots, columns).
    of_penalty_
        Whether an error is the penalty's: it has more than half of the weight's precision.
    start_
        Weights that the fit began from, float64 (knots, columns).
    scale_
        Units of score per logit.
    loss_, first_loss_
        Mean cross-entropy at the end and at the start.
    n_iter_
        Number of passes over the rows.
    n_features_in_
        K, the words of a position.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> model = samuel.TaperedLogistic(["squares"], "tic_tac_toe")
    >>> model = model.fit(data.positions, data.frame(["outcome"])["outcome"])
    >>> model.coef_.shape
    (2, 9)
    """

    features: Sequence[str] = ()
    game: str = "chess"
    knots: Sequence[int] | None = None
    _: KW_ONLY
    start: str | None = None
    alpha: float | None = None
    scale: float | None = None
    max_iter: int = 100
    tol: float = 1e-7

    _weight_type = np.float64

    def _check(self) -> None:
        real = {"tol": 0.0} if self.alpha is None else {"alpha": 0.0, "tol": 0.0}
        require_settings(self, {"max_iter": 0}, real)

    def _fit_rows(self, given: FitRows, groups: ArrayLike | None) -> None:
        game, (positions, targets, weights) = known_game(self.game), given
        used = _Used.of(self, game)
        unit = logit_unit(game)
        games: NDArray[Any] | None = None
        if groups is not None:
            games = column_or_1d(groups)
            check_consistent_length(positions, games)
            order = np.argsort(games, kind="stable")
            games, positions = games[order], positions[order]
            targets, weights = targets[order], weights[order]
        wins, shares = _wins(targets, game), weights / weights.sum()
        rows = _rows(used, positions, wins, shares, games)
        self.n_features_in_ = positions.shape[1]
        self.scale_ = self.scale or (best_scale(rows, used.start, unit) if self.start else unit)
        self.start_ = used.start.copy()
        alpha = self.alpha
        if alpha is None:
            alpha = (_NARROW / unit) ** 2 / rows.count if self.start else _LEAST_ALPHA
        found = fit_rows(rows, self.start_, self.scale_, alpha, self.max_iter, self.tol)
        self.coef_, self.errors_, self.of_penalty_ = found.weights, found.errors, found.of_penalty
        self.first_loss_, self.loss_, self.n_iter_ = found.first_loss, found.loss, found.passes

    def compiled(self, factor: float = 1.0) -> FeatureModel:  # noqa: D102
        check_is_fitted(self)
        used = _Used.of(self, known_game(self.game))
        blocks = tuple(
            linear_block(np.concatenate([fitted, kept]) * factor)
            for fitted, kept in zip(self.coef_, used.kept_weights, strict=True)
        )
        return FeatureModel("linear", used.game, used.features + used.kept, blocks, used.knots)

    def weight_fit(self) -> WeightFit:
        """Return errors and start of the weights of `compiled`, those that stayed included."""
        check_is_fitted(self)
        kept = _Used.of(self, known_game(self.game)).kept_weights
        errors = np.concatenate([self.errors_, np.full_like(kept, np.nan)], axis=1)
        start = np.concatenate([self.start_, kept], axis=1)
        of_penalty = np.concatenate([self.of_penalty_, np.zeros(kept.shape, bool)], axis=1)
        return WeightFit(errors, start, self.scale_, of_penalty)

    def losses(self, X: ArrayLike, y: ArrayLike) -> tuple[float, float]:
        """Return the mean cross-entropy of X (n, K) and y (n,) before and after the fit."""
        check_is_fitted(self)
        game = known_game(self.game)
        positions, targets = positions_in(X, self.game), column_or_1d(y)
        even = np.full(len(positions), 1 / len(positions))
        rows = _rows(_Used.of(self, game), positions, _wins(targets, game), even)
        before, after = (rows.loss(one, self.scale_)[0] for one in (self.start_, self.coef_))
        return before, after


def _wins(targets: Any, game: Game) -> Floats:
    """Return the probabilities of winning that targets mean."""
    return np.clip(0.5 + np.asarray(targets, np.float64) / (4 * logit_unit(game)), 0, 1)


def logit_unit(game: Game) -> float:
    """Return the units of score per logit that a game names; half its largest result for none."""
    return game.scores.scale or game.scores.max_utility / 2


class _Used(NamedTuple):
    """Features and stages of a fit, and the weights that it begins from."""

    game: Game
    features: tuple[Feature, ...]
    kept: tuple[Feature, ...]
    knots: tuple[int, ...]
    start: Floats
    kept_weights: Floats

    @classmethod
    def of(cls, model: TaperedLogistic, game: Game) -> _Used:
        """Return what an estimator reads."""
        features = features_named(list(model.features), game.name)
        columns = column_names(features)
        knots = (0, game.most_left) if model.knots is None else model.knots
        Stages.of(knots, game.most_left)  # which refuses others
        start = np.zeros((len(knots), len(columns)))
        kept: tuple[Feature, ...] = ()
        kept_weights = np.zeros((len(knots), 0))
        if model.start is not None:
            made = game.defaults.evaluators.get(model.start)
            if made is None:
                linear = ", ".join(game.defaults.evaluators) or "none"
                raise UserError(
                    f"texel starts only from a hand-made linear evaluator of {game.name}: {linear} "
                    f"(got {model.start})"
                )
            known = features_named(made.features, game.name)
            by_column = _weights_at(made, game, knots)
            nothing = np.zeros(len(knots))
            start = np.stack([by_column.get(column, nothing) for column in columns], axis=1)
            kept = tuple(f for f in known if f not in features)
            if kept:
                kept_weights = np.stack([by_column[c] for c in column_names(kept)], axis=1)
        whole = tuple(map(int, knots))
        return cls(game, features, kept, whole, start, kept_weights)


def _weights_at(made: Handmade, game: Game, knots: Sequence[int]) -> dict[str, Floats]:
    """Return the weights of a hand-made evaluator at some knots, by column."""
    count = len(next(iter(made.weights.values())))
    stages = Stages.of(even_knots(count, game.most_left), game.most_left)
    at = np.clip(knots, 0, game.most_left).astype(int)
    by_left = np.array(list(stages.blended(np.transpose(list(made.weights.values())))))
    return dict(zip(made.weights, by_left[at].T, strict=True))


def _rows(used: _Used, positions: Any, wins: Floats, weights: Floats, groups: Any = None) -> Rows:
    stages = Stages.of(used.knots, used.game.most_left)
    shares = stages.hats(left_of(used.game, positions)).astype(np.float32)
    fixed = np.zeros(len(positions), np.float32)
    if used.kept:
        kept = used.kept_weights.astype(np.float32).T
        for first in range(0, len(positions), ROWS):
            some = slice(first, first + ROWS)
            by_stage = extract(used.kept, positions[some]) @ kept
            fixed[some] = np.sum(shares[some] * by_stage, axis=1)

    def columns_of(some: slice) -> NDArray[np.float32]:
        return extract(used.features, positions[some])

    return Rows(columns_of, shares, fixed, wins, weights, groups)
