"""Base of the estimators that are linear in patterns: parameters, fits, compiled form."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from samuel.features.extraction import positions_in
from samuel.features.shapes import Shape, Shapes, pattern_set
from samuel.features.terms import PatternTerms, Stages, count_tables, even_knots
from samuel.games.catalog import known_game
from samuel.games.rows import left_of
from samuel.models.compiled.model import taken
from samuel.models.estimator_methods import (
    SCALE,
    FitRows,
    PositionEstimator,
    checked_rows,
    require_finite,
    require_settings,
    threads_of,
)
from samuel.models.newton import Floats, minimise
from samuel.models.patterns.fit import RowBlock, Source, block_of, parts_of
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.objective import EarlyStopping, PatternObjective

Batch = tuple[ArrayLike, ArrayLike, ArrayLike | None]
"""Positions (n, K), targets (n,) and weights (n,) or None."""


@dataclass(eq=False, repr=False)
class PatternEstimator(PositionEstimator):
    """Base of the regressor and the classifier.

    Attributes
    ----------
    coef_
        Weights at each knot, float32 (knots, n_weights), in units of the target.
    intercept_
        Intercept of all stages.
    knots_
        Numbers of squares left at the stages, ascending.
    terms_
        Shapes and tables (features.terms); `terms_.weight_of` has the weight of a configuration.
    n_iter_
        Number of passes over the data.
    validation_scores_
        Scores on the held-out rows after each step, and before the first one with a warm start;
        None without early stopping.
    n_features_in_
        K, the words of a position.
    """

    _loss: ClassVar[int]

    shapes: Shapes = "logistello"
    game: str = "othello"
    _: KW_ONLY
    tables: Sequence[str | Sequence[str]] = ()
    stages: int = 11
    alpha: float = 10.0
    smoothing: float = 300.0
    max_iter: int = 200
    tol: float = 1e-5
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    fit_intercept: bool = True
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: Any = None

    def _fit_rows(self, rows: FitRows, groups: ArrayLike | None) -> None:
        start, used, check = self._begin(lambda: rows[0]), rows, None
        if self.early_stopping:
            train, held = self._held_out(rows[0], groups)
            check = parts_of(self._block(*(part[held] for part in rows)), threads_of(self.n_jobs))
            used = rows[0][train], rows[1][train], rows[2][train]
        source = parts_of(self._block(*used), threads_of(self.n_jobs))
        self._fit_source(source, check, start)

    def fit_batches(
        self,
        batches: Sequence[Callable[[], Batch]],
        *,
        held_out: Sequence[Callable[[], Batch]] = (),
    ) -> Any:
        """Fit to data that need not fit in memory; each pass reads every batch once.

        Each batch is a function that returns positions, targets and weights (or None), the same
        ones at every call; a thread has one of them in memory. `held_out` are the batches of early
        stopping. The classes of a classifier are 0 and 1.
        """
        if not batches:
            raise ValueError("there are no rows to fit to")
        self._check()
        self._set_classes([0, 1])
        start = self._begin(lambda: positions_in(batches[0]()[0], self.game))

        def given(batch: Callable[[], Batch]) -> Callable[[], RowBlock]:
            return lambda: self._block(*self._batch(*batch()))

        check = [given(batch) for batch in held_out] if self.early_stopping and held_out else None
        self._fit_source([given(batch) for batch in batches], check, start)
        return self

    def compiled(self, factor: float = 1.0) -> PatternModel:  # noqa: D102
        check_is_fitted(self)
        weights = (factor * self.coef_).astype(np.float32)
        return PatternModel(self.terms_, self.knots_, weights, factor * self.intercept_)

    def _fitted_arrays(self) -> dict[str, NDArray[Any]]:
        return {"coef": self.coef_, "intercept": np.array([self.intercept_])}

    def _restore(self, form: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        if not isinstance(form, PatternModel):
            raise ValueError("it is not a linear model of patterns")
        coef = taken(arrays, "coef", np.float32, 2).copy()
        intercept = taken(arrays, "intercept", np.float64)
        if not (coef.shape == form.weights.shape and intercept.shape == (1,)):
            raise ValueError("the number of its weights does not fit its shapes")
        require_finite((coef, intercept), "train it again")
        self._set_classes([0, 1])
        self.terms_, self.knots_ = form.terms, form.knots
        self.coef_, self.intercept_ = coef, float(intercept[0])
        self.n_features_in_, self.n_iter_ = form.game.words, 0

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def _scores(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return intercept and weights added up, (n,)."""
        check_is_fitted(self)
        positions = positions_in(X, self.game)
        left = self._remaining(positions)
        order = np.argsort(left, kind="stable")
        zeros = np.zeros(len(positions), np.float32)
        counts = known_game(self.game).most_left + 1
        block = block_of(self.terms_, positions, zeros, None, left, counts)
        problem = self._problem(parts_of(block, threads_of(self.n_jobs)))
        found = problem.scores(np.append(self.coef_.astype(np.float64), self.intercept_))
        scores = np.empty(len(positions), np.float32)
        scores[order] = np.concatenate([part for _, part in found]) if found else zeros
        return scores

    def _check(self) -> None:
        least = {"stages": 1, "max_iter": 1, "n_iter_no_change": 1}
        require_settings(self, least, {"alpha": 0, "smoothing": 0, "tol": 0})
        most = known_game(self.game).most_left + 1
        if self.stages > most:
            raise ValueError(f"stages must be 1 to {most} (got {self.stages})")

    def _begin(self, positions: Callable[[], NDArray[np.uint64]]) -> Floats:
        """Set what does not depend on the targets, and return where to start."""
        game = known_game(self.game)
        patterns = pattern_set(shapes_in(self.shapes), game)
        knots = even_knots(self.stages, game.most_left)
        goes_on = self.warm_start and hasattr(self, "coef_")
        if goes_on and (self.terms_.patterns, self.knots_) != (patterns, knots):
            raise ValueError("a warm start must keep the game, the shapes and the stages")
        if goes_on:  # with the tables as they are: their ranges were those of other rows
            start = np.append(self.coef_.astype(np.float64), self.intercept_ * self.fit_intercept)
        else:
            self.__dict__.pop("coef_", None)
            tables = count_tables(self.tables, self.game, positions()) if self.tables else ()
            self.terms_, self.knots_ = PatternTerms(patterns, tables), knots
            start = np.zeros(len(knots) * self.terms_.n_weights + 1)
        self.n_features_in_ = game.words
        self.validation_scores_: list[float] | None = None
        return start

    def _targets(self, y: NDArray[Any]) -> NDArray[np.float32]:
        return np.asarray(y, np.float32)

    def _batch(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Any:
        """Return checked positions, targets and weights."""
        positions, targets, weight = checked_rows(X, y, sample_weight, self.game)
        return positions, self._targets(targets), weight

    def _remaining(self, positions: NDArray[np.uint64]) -> NDArray[np.int64]:
        game = known_game(self.game)
        return np.clip(left_of(game, positions), 0, game.most_left)

    def _block(
        self, X: NDArray[np.uint64], y: NDArray[np.float32], weight: NDArray[np.float32]
    ) -> RowBlock:
        counts = known_game(self.game).most_left + 1
        return block_of(self.terms_, X, y, weight, self._remaining(X), counts)

    def _held_out(self, X: NDArray[np.uint64], groups: ArrayLike | None) -> Any:
        kind = ShuffleSplit if groups is None else GroupShuffleSplit
        if groups is not None and len(np.unique(groups)) < 2:
            raise ValueError(
                "early_stopping needs at least 4 games (got 1), better 1,000: it holds out "
                "some of them"
            )
        random = check_random_state(self.random_state).randint(1 << 31)
        splits = kind(1, test_size=self.validation_fraction, random_state=random)
        return next(splits.split(X[:, 0], groups=groups))

    def _problem(
        self, source: Source, alpha: float = 0.0, smoothing: float = 0.0
    ) -> PatternObjective:
        stages = Stages.of(self.knots_, known_game(self.game).most_left)
        return PatternObjective(
            *(self.terms_, stages, source, self._loss, alpha, smoothing),
            n_jobs=self.n_jobs,
            fit_intercept=self.fit_intercept,
        )

    def _fit_source(self, source: Source, check: Source | None, start: Floats) -> None:
        problem = self._problem(source, float(self.alpha), float(self.smoothing))
        held_out = None if check is None else self._problem(check)
        stopping = EarlyStopping(held_out, self.n_iter_no_change, self.tol)
        if start.any():
            stopping(0, start, np.nan)
        at, self.n_iter_ = minimise(
            problem, start, max_iter=self.max_iter, tol=self.tol, watch=stopping
        )
        if self.n_iter_ >= self.max_iter and check is None:
            warnings.warn(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} before it converged",
                ConvergenceWarning,
                stacklevel=4,
            )
        if check is not None:
            self.validation_scores_ = stopping.scores
        best = at if stopping.best is None else stopping.best
        with np.errstate(over="ignore", invalid="ignore"):  # refused in the next line
            coef = problem.weights_of(best).astype(np.float32)
        require_finite((coef, best[-1]), SCALE)
        self.coef_, self.intercept_ = coef, float(best[-1])


def shapes_in(shapes: Any) -> Any:
    """Return a parameter as pattern_set takes it: clone() may have made lists of shapes tuples."""
    if isinstance(shapes, list | tuple) and not all(isinstance(s, Shape) for s in shapes):
        return [tuple(s) if isinstance(s, list) else s for s in shapes]
    return shapes
