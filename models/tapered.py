"""`TaperedLogistic`: Texel's method, a linear evaluation fitted to the probability of winning.

The score q of a position is a sum of weights times features, each weight blended between the ends
of the game; the probability of winning is 1 / (1 + exp(-q / K)) (P. Österlund, "Texel's tuning
method", Chess Programming Wiki, 2014). K is fitted first, to the weights that the fit starts from,
and keeps the unit of the score; then the weights, all stages together, by Newton's method on the
cross-entropy. The Hessian of a part of the rows serves for a step, the gradient is that of all of
them, so a million rows and 800 weights take seconds; at the end the Hessian of all rows gives the
standard errors of the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from samuel.errors import UserError
from samuel.features import Feature, column_names, extract, features_named
from samuel.features.extraction import positions_in
from samuel.features.terms import Stages, even_knots
from samuel.games.catalog import known_game
from samuel.games.defaults import Handmade
from samuel.games.interface import Game
from samuel.games.rows import left_of
from samuel.models.checked import require_settings, weights_of
from samuel.models.compiled.features import FeatureModel, linear_block
from samuel.models.evaluate import evaluate

_ROWS = 1 << 14
"""Rows whose columns are in memory at once."""
_SAMPLE = 1 << 17
"""Rows whose Hessian serves for a step."""
_HALVINGS = 12
_BOUND = 100.0
"""K lies within this factor of where its search begins."""

Floats = NDArray[np.float64]


class TaperedLogistic(RegressorMixin, BaseEstimator):
    """Linear evaluation whose score means a probability of winning (Texel's method).

    Targets are results in the game's unit, brought to the size of scores: a won game counts 2 scale
    units, `scale` being the game's (`Game.scale`), or its largest result where it has none.

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
    scale
        Units of score per logit (K). None to fit it first, if there is a start, else the game's.
    max_iter
        Most steps.
    tol
        Relative fall of the loss at which the fit ends.

    Attributes
    ----------
    coef_
        Weights, float64 (knots, columns).
    errors_
        Standard errors of the weights, float64 (knots, columns).
    start_
        Weights that the fit began from, float64 (knots, columns).
    scale_
        Units of score per logit.
    loss_, first_loss_
        Mean cross-entropy at the end and at the start.
    n_iter_
        Number of steps.
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

    def __init__(
        self,
        features: Sequence[str] = (),
        game: str = "chess",
        knots: Sequence[int] | None = None,
        *,
        start: str | None = None,
        alpha: float = 1e-6,
        scale: float | None = None,
        max_iter: int = 30,
        tol: float = 1e-7,
    ) -> None:
        self.features = features
        self.game = game
        self.knots = knots
        self.start = start
        self.alpha = alpha
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> TaperedLogistic:
        """Fit to positions and targets, which may be weighted.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.
        y
            Targets (n,), from -2 scale to 2 scale units.
        sample_weight
            Weights (n,); by default all are 1.

        Returns
        -------
        TaperedLogistic
            The estimator itself.

        Raises
        ------
        UserError
            There is no such feature or start.
        ValueError
            Positions, targets and weights do not fit together, or a parameter cannot be used.
        """
        require_settings(self, {"max_iter": 0}, {"alpha": 0, "tol": 0})
        game = known_game(self.game)
        positions, targets = positions_in(X, self.game), column_or_1d(y)
        check_consistent_length(positions, targets)
        weights = weights_of(sample_weight, positions, np.float64)
        used = _Used.of(self, game)
        unit = logit_unit(game)
        wins = np.clip(0.5 + targets / (4 * unit), 0, 1)
        rows = _Rows(used, positions, wins, weights / weights.sum())
        self.n_features_in_ = positions.shape[1]
        self.scale_ = self.scale or (_best_scale(rows, unit) if self.start else unit)
        self.start_ = used.start.copy()
        self._descend(rows)
        return self

    def _descend(self, rows: _Rows) -> None:
        """Fit the weights; every step is a Newton step, halved until the loss falls."""
        begin = self.start_.ravel()
        weights = begin.copy()
        loss, gradient = rows.loss(weights, begin, self.scale_, self.alpha)
        self.first_loss_, self.n_iter_ = loss, 0
        for _ in range(self.max_iter):
            self.n_iter_ += 1
            hessian = rows.hessian(weights, self.scale_, self.alpha, _SAMPLE)
            step = cho_solve(cho_factor(hessian), gradient)
            fallen, length = loss, 1.0
            for _ in range(_HALVINGS):
                tried = weights - length * step
                fallen, slope = rows.loss(tried, begin, self.scale_, self.alpha)
                if fallen <= loss:
                    break
                length /= 2
            if fallen > loss:
                break
            weights, gradient, gain, loss = tried, slope, loss - fallen, fallen
            if gain <= self.tol * loss:
                break
        shape = self.start_.shape
        hessian = rows.hessian(weights, self.scale_, self.alpha, None)
        inverse = cho_solve(cho_factor(hessian), np.eye(len(weights)))
        self.errors_ = np.sqrt(np.diag(inverse) / rows.count).reshape(shape)
        self.coef_, self.loss_ = weights.reshape(shape), loss

    def predict(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the scores of positions, float32 (n,), for the side to move."""
        check_is_fitted(self)
        positions = positions_in(X, self.game)
        game = known_game(self.game)
        return evaluate(self.compiled().evaluator("fitted"), game, positions)

    def compiled(self, factor: float = 1.0) -> FeatureModel:
        """Return the model as the search runs it, its scores times `factor`."""
        check_is_fitted(self)
        used = _Used.of(self, known_game(self.game))
        blocks = tuple(
            linear_block(np.concatenate([fitted, kept]) * factor)
            for fitted, kept in zip(self.coef_, used.kept_weights, strict=True)
        )
        knots = tuple(map(int, used.knots))
        return FeatureModel("linear", used.game, used.features + used.kept, blocks, knots)


def logit_unit(game: Game) -> float:
    """Return the units of score per logit that a game names; half its largest result for none."""
    return game.scale or game.max_utility / 2


class _Used:
    """Features and stages of a fit, and the weights that it begins from."""

    def __init__(
        self,
        game: Game,
        features: tuple[Feature, ...],
        kept: tuple[Feature, ...],
        knots: Floats,
        start: Floats,
        kept_weights: Floats,
    ) -> None:
        self.game, self.features, self.kept = game, features, kept
        self.knots, self.start, self.kept_weights = knots, start, kept_weights

    @classmethod
    def of(cls, model: TaperedLogistic, game: Game) -> _Used:
        """Return what an estimator reads."""
        features = features_named(list(model.features), game.name)
        columns = column_names(features)
        knots = np.asarray((0, game.most_left) if model.knots is None else model.knots)
        if knots.ndim != 1 or not len(knots) or np.any(np.diff(knots) <= 0):
            raise UserError(f"knots must be ascending numbers, at least one (got {model.knots!r})")
        start = np.zeros((len(knots), len(columns)))
        kept: tuple[Feature, ...] = ()
        kept_weights = np.zeros((len(knots), 0))
        if model.start is not None:
            made = game.defaults.evaluators.get(model.start)
            if made is None:
                linear = ", ".join(game.defaults.evaluators) or "none"
                raise UserError(
                    f"start must be a linear hand-made evaluator of {game.name} ({linear}; got "
                    f"{model.start!r})"
                )
            known = features_named(made.features, game.name)
            by_column = _weights_at(made, game, knots)
            nothing = np.zeros(len(knots))
            start = np.stack([by_column.get(column, nothing) for column in columns], axis=1)
            kept = tuple(f for f in known if f not in features)
            if kept:
                kept_weights = np.stack([by_column[c] for c in column_names(kept)], axis=1)
        return cls(game, features, kept, knots, start, kept_weights)


def _weights_at(made: Handmade, game: Game, knots: NDArray[Any]) -> dict[str, Floats]:
    """Return the weights of a hand-made evaluator at some knots, by column."""
    count = len(next(iter(made.weights.values())))
    stages = Stages.of(even_knots(count, game.most_left), game.most_left)
    at = np.clip(knots, 0, game.most_left).astype(int)
    by_left = np.array(list(stages.blended(np.transpose(list(made.weights.values())))))
    return dict(zip(made.weights, by_left[at].T, strict=True))


class _Rows:
    """Rows of a fit, whose columns are made anew in each pass."""

    def __init__(self, used: _Used, positions: Any, wins: Floats, weights: Floats) -> None:
        self.used, self.positions, self.wins, self.weights = used, positions, wins, weights
        self.count = float(1 / np.sum(np.square(weights)))
        stages = Stages.of(tuple(map(int, used.knots)), used.game.most_left)
        self.shares = np.zeros((len(positions), len(used.knots)), np.float32)
        left = np.clip(left_of(used.game, positions), 0, used.game.most_left)
        low, share = stages.knot[left], stages.share[left].astype(np.float32)
        every = np.arange(len(positions))
        self.shares[every, low] = share
        high = np.minimum(low + 1, len(used.knots) - 1)
        self.shares[every, high] += (1 - share) * (high != low)
        self.fixed = np.zeros(len(positions), np.float32)
        if used.kept:
            for some, columns in self._columns(used.kept):
                kept = used.kept_weights.astype(np.float32)
                self.fixed[some] = np.sum(self.shares[some] * (columns @ kept.T), axis=1)

    def _columns(
        self, features: tuple[Feature, ...], most: int | None = None
    ) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        for first in range(0, len(self.positions) if most is None else most, _ROWS):
            some = slice(first, first + _ROWS)
            yield some, extract(features, self.positions[some])

    def scores(self, weights: Floats) -> Floats:
        """Return the scores (n,) of all rows under weights, flat."""
        found = np.zeros(len(self.positions))
        for some, columns in self._columns(self.used.features):
            found[some] = self._scores_of(some, columns, weights)
        return found

    def _scores_of(self, some: slice, columns: NDArray[np.float32], weights: Floats) -> Any:
        by_knot = weights.reshape(self.used.start.shape).astype(np.float32)
        return self.fixed[some] + np.sum(self.shares[some] * (columns @ by_knot.T), axis=1)

    def loss(
        self, weights: Floats, begin: Floats, scale: float, alpha: float
    ) -> tuple[float, Floats]:
        """Return the mean cross-entropy with its penalty, and its gradient."""
        change = weights - begin
        total, slope = 0.5 * alpha * float(change @ change), alpha * change
        for some, columns in self._columns(self.used.features):
            logits = self._scores_of(some, columns, weights) / scale
            wins, counts = self.wins[some], self.weights[some]
            total += float(counts @ _cross_entropy(logits, wins))
            errors = (counts * (expit(logits) - wins) / scale).astype(np.float32)
            slope += (self.shares[some].T * errors @ columns).ravel()
        return total, slope

    def hessian(self, weights: Floats, scale: float, alpha: float, most: int | None) -> Floats:
        """Return the Hessian of the loss; of rows evenly chosen where `most` says how many."""
        n, width = len(self.positions), self.used.start.shape[1]
        knots = len(self.used.knots)
        found = np.zeros((knots, knots, width, width))
        step = 1 if most is None else max(1, n // most)
        total = 0.0
        for number, first in enumerate(range(0, n, _ROWS)):
            if number % step:
                continue
            some = slice(first, first + _ROWS)
            columns = extract(self.used.features, self.positions[some])
            wins = expit(self._scores_of(some, columns, weights) / scale)
            counts = self.weights[some]
            total += counts.sum()
            curve = (counts * wins * (1 - wins) / scale**2).astype(np.float32)
            for a in range(knots):
                for b in range(a, knots):
                    both = curve * self.shares[some, a] * self.shares[some, b]
                    if both.any():
                        found[a, b] += (columns.T * both) @ columns
        for a in range(knots):
            for b in range(a):
                found[a, b] = found[b, a].T
        whole = found.transpose(0, 2, 1, 3).reshape(knots * width, knots * width)
        floor = 1e-9 * max(float(np.trace(whole)) / len(whole), 1e-12)
        return whole / max(total, 1e-300) + (alpha + floor) * np.eye(len(whole))


def _cross_entropy(logits: Any, wins: Any) -> Floats:
    """Return -p log(q) - (1 - p) log(1 - q), q being expit(logits)."""
    found: Floats = np.logaddexp(0, logits) - wins * logits
    return found


def _best_scale(rows: _Rows, first: float) -> float:
    """Return the K under which the scores that the fit starts from tell the results best."""
    scores = rows.scores(rows.used.start.ravel())
    if not np.any(scores):
        return first

    def loss(log_scale: float) -> float:
        return float(rows.weights @ _cross_entropy(scores / np.exp(log_scale), rows.wins))

    bounds = np.log(first / _BOUND), np.log(first * _BOUND)
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))
