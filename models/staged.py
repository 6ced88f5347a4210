"""`Staged`: one estimator a stage of the game, blended between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d, get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, has_fit_parameter

from samuel.common.errors import UserError
from samuel.features.extraction import positions_in
from samuel.features.terms import Stages
from samuel.games.catalog import known_game
from samuel.games.rows import left_of
from samuel.models.compiled.log_odds import log_odds, steps_of, unwrapped
from samuel.models.estimator_methods import LogOdds, weights_of

FEWEST = 100
"""A stage with fewer positions takes the estimator of the nearest stage that has more."""


@dataclass(eq=False, repr=False)
class Staged(LogOdds, MetaEstimatorMixin, BaseEstimator):
    """Estimator that is fitted at several stages of the game, with blended scores in between.

    A stage is a number of plies left, called a knot. Its weight is 1 at the knot and falls linearly
    to 0 at the neighbouring knots. Beyond the ends, only the end knots count. The score of a
    position is the weighted sum of the scores of the stages. For a classifier, log-odds are
    blended.

    Each stage is fitted to the positions with a positive weight, which is their sample weight. An
    estimator without sample weights is fitted to the positions with a weight of at least a half, or
    to all if these are fewer than `FEWEST`. A stage without enough positions, or with one class
    only, uses the estimator of the nearest stage.

    Parameters
    ----------
    estimator
        A Pipeline that starts with Features.
    knots
        Counts of plies left, ascending.
    game
        Name of the game.

    Attributes
    ----------
    stages_
        The fitted estimator of each knot.
    classes_
        Classes of a classifier.
    n_features_in_
        K, the words of a position.

    Examples
    --------
    >>> import samuel
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> data = samuel.Dataset.open("data/games")
    >>> linear = make_pipeline(samuel.Features(["squares"], "tic_tac_toe"), Ridge())
    >>> model = samuel.Staged(linear, (2, 7), "tic_tac_toe")
    >>> model = model.fit(data.positions, data.frame(["outcome"])["outcome"])
    >>> model.predict(data.positions[:2]).shape
    (2,)
    """

    estimator: Any
    knots: Sequence[int] = (0, 15, 30, 45, 60)
    game: str = "othello"

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Staged:
        """Fit all stages to positions and targets, which may be weighted.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.
        y
            Targets (n,).
        sample_weight
            Weights (n,); by default all are 1.

        Returns
        -------
        Staged
            The estimator itself.

        Raises
        ------
        UserError
            The knots do not ascend, or the features are of another game.
        ValueError
            Positions, targets and weights do not fit together, or a weight is negative.
        """
        require_stages(self)
        positions, targets = positions_in(X, self.game), column_or_1d(y)
        check_consistent_length(positions, targets)
        given = weights_of(sample_weight, positions, np.float64)
        if is_classifier(self.estimator):
            self.classes_ = np.unique(targets)
        self.n_features_in_ = positions.shape[1]
        fitted = [
            self._fit_stage(positions, targets, hats, given) for hats in self._hats(positions).T
        ]
        if not any(fitted):
            some = given > 0
            fitted = [self._fit_rows(positions[some], targets[some], given[some])] * len(self.knots)
        self.stages_ = [nearest_fitted(fitted, self.knots, k) for k in range(len(fitted))]
        return self

    def _fit_stage(
        self,
        X: NDArray[Any],
        y: NDArray[Any],
        hats: NDArray[np.float64],
        given: NDArray[np.float64],
    ) -> Any | None:
        """Return the estimator of a stage, or None where there is too little to fit it to."""
        rows = hats * given > 0
        nearest = rows & (hats >= 0.5)
        if not takes_weights(self.estimator.steps[-1][1]) and np.sum(nearest) >= FEWEST:
            rows = nearest
        if rows.sum() < FEWEST:
            return None
        if is_classifier(self.estimator) and len(np.unique(y[rows])) < len(self.classes_):
            return None
        return self._fit_rows(X[rows], y[rows], (hats * given)[rows])

    def _fit_rows(self, X: NDArray[Any], y: NDArray[Any], given: NDArray[np.float64]) -> Any:
        """Return the estimator fitted, weighted if it can be."""
        name, last = self.estimator.steps[-1]
        extra = {f"{name}__sample_weight": given} if takes_weights(last) else {}
        with config_context(enable_metadata_routing=False):  # weights are given to the last step
            return clone(self.estimator).fit(X, y, **extra)

    def _hats(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the hat weights (n, stages)."""
        game = known_game(self.game)
        return Stages.of(self.knots, game.most_left).hats(left_of(game, X))

    def _blend(self, X: ArrayLike, score: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        X = positions_in(X, self.game)
        total = np.zeros(len(X))
        for stage, weights in zip(self.stages_, self._hats(X).T, strict=True):
            rows = weights > 0
            if rows.any():
                total[rows] += weights[rows] * score(stage, X[rows])
        return total

    def _scores(self, X: ArrayLike) -> NDArray[np.float64]:
        return self._blend(X, log_odds)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return blended scores, or the more probable class of each position.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[Any]
            Scores or classes (n,).
        """
        if is_classifier(self.estimator):
            return super().predict(X)
        return self._blend(X, lambda stage, rows: np.ravel(stage.predict(rows)))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the R2 of a regressor, or the accuracy of a classifier.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.
        y
            Targets (n,).
        sample_weight
            Weights (n,); by default all are 1.

        Returns
        -------
        float
            R2 of a regressor, accuracy of a classifier.
        """
        measure = accuracy_score if is_classifier(self.estimator) else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of = get_tags(self.estimator)
        tags.estimator_type = "classifier" if is_classifier(self.estimator) else "regressor"
        tags.target_tags = of.target_tags
        tags.classifier_tags, tags.regressor_tags = of.classifier_tags, of.regressor_tags
        return tags


def require_stages(staged: Staged) -> None:
    """Raise UserError unless the features are of the game of the stages."""
    if known_game(steps_of(staged.estimator)[0].game) is not known_game(staged.game):
        raise UserError(f"the stages are for {staged.game}, the features for another game")


def takes_weights(learner: Any) -> bool:
    """Return whether rows can count differently in the fit of an estimator."""
    learner = unwrapped(learner)
    if isinstance(learner, Pipeline):
        return takes_weights(learner.steps[-1][1])
    parts = () if hasattr(learner, "compiled") else learner.get_params(deep=True).values()
    takers = (learner, *(part for part in parts if hasattr(part, "predict")))
    return all(has_fit_parameter(part, "sample_weight") for part in takers)


def nearest_fitted(fitted: Sequence[Any], knots: Sequence[int], k: int) -> Any:
    """Return the fitted estimator whose knot is nearest to knot k."""
    return min(
        (abs(knots[i] - knots[k]), i, estimator)
        for i, estimator in enumerate(fitted)
        if estimator is not None
    )[2]


def set_weights(pipeline: Pipeline, weights: NDArray[np.float64], intercept: float) -> Pipeline:
    """Make a pipeline of Features and a linear model one that is fitted, with weights (n,)."""
    reader, model = pipeline
    reader.fit([known_game(reader.game).start])
    model.coef_, model.intercept_, model.n_features_in_ = weights, intercept, len(weights)
    return pipeline
