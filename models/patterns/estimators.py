"""`PatternRegressor` and `PatternClassifier`: linear in patterns, fitted without a matrix."""

from __future__ import annotations

from samuel.models.estimator_methods import LogOddsClassifier, ScoreRegressor
from samuel.models.patterns.base_estimator import PatternEstimator
from samuel.models.patterns.fit import LOGISTIC, SQUARED


class PatternRegressor(ScoreRegressor, PatternEstimator):
    """Linear regression over patterns by stage: the score is a sum of weights, one per instance.

    Tables of features may be added to the patterns, each with a weight for every pair of numbers.

    The objective is the sum of sample_weight * (f - y)**2, plus alpha times the sum of the squared
    weights, plus smoothing times the sum of the squared differences between neighbouring stages
    (twice the objective of models.patterns.fit). With `smoothing=0` it equals scikit-learn's Ridge
    over the matrix of `Patterns` with equal stages. A weight that only n positions determine is
    shrunk by n / (n + alpha), so rare patterns count for little.

    Parameters
    ----------
    shapes
        The name of a set of shapes, a file of shapes, or a list (features.shapes.pattern_set).
    game
        Name of the game.
    tables
        For each table of features one or two names of their numbers, such as
        ("mobility_player", "mobility_opponent"); they must be integers.
    stages
        Knots, spread evenly over the squares left; between two the weights are blended.
    alpha, smoothing
        The pull of each weight toward 0, and toward its neighbours in stage, in rows.
    max_iter, tol
        Largest number of passes over the data. The fit ends earlier if a pass lowers the objective
        by less than the share `tol`.
    early_stopping, validation_fraction, n_iter_no_change
        With early stopping, a share `validation_fraction` of the games (or rows) is held out. The
        fit ends after `n_iter_no_change` steps without a score there that is better by more than
        `tol`. The best weights are kept. The score is R2, of a classifier the negated log loss.
    fit_intercept
        Fit an intercept, which is not regularized.
    warm_start
        Begin with the weights of the last fit.
    n_jobs
        Number of threads. They change the last digits.
    random_state
        Seed of the choice of held-out games.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> model = samuel.PatternRegressor([["a1", "b1", "c1"]], "tic_tac_toe", stages=3)
    >>> model = model.fit(data.positions, data.frame(["outcome"])["outcome"])
    >>> model.predict(data.positions[:2]).shape
    (2,)
    """

    _loss = SQUARED


class PatternClassifier(LogOddsClassifier, PatternEstimator):
    """Logistic regression over patterns by stage: the log-odds of a win are a sum of weights.

    The objective is the sum of sample_weight times the log loss, plus alpha / 2 times the sum of
    the squared weights, plus smoothing / 2 times the sum of the squared differences between
    neighbouring stages. A draw is two rows of half the weight.

    Parameters
    ----------
    shapes
        Name of a set of shapes, a file of shapes, or a list (features.shapes.pattern_set).
    game
        Name of the game.
    tables
        Tables of features, as in PatternRegressor.
    stages
        Number of knots, spread evenly over the plies left.
    alpha, smoothing
        Pull of each weight toward 0, and toward its neighbours in stage.
    max_iter, tol
        Largest number of passes, and the share of the objective below which a gain ends the fit.
    early_stopping, validation_fraction, n_iter_no_change
        Early stopping, as in PatternRegressor.
    fit_intercept
        Fit an intercept, which is not regularized.
    warm_start
        Begin with the weights of the last fit.
    n_jobs
        Number of threads.
    random_state
        Seed of the choice of held-out games.

    Attributes
    ----------
    classes_
        The two classes; the second is the win of the side to move.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> model = samuel.PatternClassifier([["a1", "b1", "c1"]], "tic_tac_toe", stages=3)
    >>> wins = data.frame(["outcome"])["outcome"] > 0
    >>> model.fit(data.positions, wins).predict_proba(data.positions[:2]).shape
    (2, 2)
    """

    _loss = LOGISTIC
