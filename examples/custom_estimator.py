"""An estimator of your own: least absolute deviations, a linear model that outliers do not sway.

It is linear in its features (it has coef_ and intercept_), so it runs compiled in the search; an
estimator that is not would still run, on a slow path that says so. From the command line:

    samuel train data/gen0 --model examples/custom_estimator.py:least_deviations --out runs/lad
"""

import sys

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

from samuel import Features, SelfplayPlan, Staged, generate, match, train


class LeastDeviations(RegressorMixin, BaseEstimator):
    """Minimises the sum of |error| by iteratively reweighted least squares."""

    def __init__(self, iterations=10, epsilon=0.5, alpha=1.0):
        self.iterations = iterations
        self.epsilon = epsilon
        self.alpha = alpha

    def fit(self, X, y, sample_weight=None):
        X, y = validate_data(self, X, y, dtype=np.float64)
        design = np.column_stack([X, np.ones(len(X))])
        start = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight)
        weights, ridge = start, self.alpha * np.eye(design.shape[1])
        for _ in range(self.iterations):
            weighted = design.T * weights
            solution = np.linalg.solve(weighted @ design + ridge, weighted @ y)
            weights = start / np.maximum(np.abs(y - design @ solution), self.epsilon)
        self.coef_, self.intercept_ = solution[:-1], solution[-1]
        return self

    def predict(self, X):
        check_is_fitted(self)
        return validate_data(self, X, reset=False) @ self.coef_ + self.intercept_


def least_deviations(game, features):
    return Staged(make_pipeline(Features(features, game.name), LeastDeviations()), game=game.name)


def main(folder: str = "runs/custom_estimator", games: int = 1000, pairs: int = 200) -> None:
    dataset = generate(
        SelfplayPlan(depth=2, epsilon=0.05, seed=1), games, f"{folder}/data", jobs=-1
    )
    model = train(dataset, f"{__file__}:least_deviations")
    s = match(model.evaluator, "wpc", pairs=pairs, jobs=-1).statistics
    print(f"least deviations against wpc, depth 4, {s.games} games:")
    print(f"{100 * s.score:.1f} %, {s.elo:+.0f} Elo ({s.elo_low:+.0f} to {s.elo_high:+.0f})")


if __name__ == "__main__":
    main(*sys.argv[1:2])
