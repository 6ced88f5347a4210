"""`NNUERegressor` and `NNUEClassifier`: efficiently updatable networks, fitted on the processor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    has_fit_parameter,
)

from samuel.errors import UserError
from samuel.features.extraction import positions_in
from samuel.games.catalog import known_game
from samuel.games.changes import board_of
from samuel.games.interface import Game
from samuel.models.checked import require_finite, require_settings, threads_of
from samuel.models.compiled.arrays import taken
from samuel.models.compiled.model import CompiledModel
from samuel.models.compiled.sums import SumModel
from samuel.models.convert import compiled_model
from samuel.models.evaluate import evaluate
from samuel.models.nnue.kernel import ONE_UNIT, ONE_WEIGHT
from samuel.models.nnue.learner import (
    PARTS,
    Floats,
    Learner,
    Numbers,
    inputs_in,
    network_scores,
)
from samuel.models.nnue.model import (
    LARGEST_UNIT,
    LEAST_UNITS,
    MOST_HIDDEN,
    MOST_SMALL,
    MOST_UNITS,
    Activation,
    NnueModel,
    Shape,
    inputs_of,
    king_masks,
)
from samuel.models.nnue.steps import (
    LOGISTIC,
    PROBABILITY,
    SQUARED,
)
from samuel.models.patterns.estimators import SCALE, checked_rows
from samuel.models.tapered import logit_unit

_LAST_RATE = 0.02
"""Share of the learning rate that is left at the end."""
_FEWEST_STEPS = 64
"""Steps of an epoch, at least, where `batch_size` leaves it open."""
_MOST_BATCH, _LEAST_BATCH = 16384, 128


class _Nnue(BaseEstimator):
    """Base of the regressor and the classifier."""

    reads = ("pieces on squares",)
    _numbers: Numbers
    _fitted_game: str
    base_form_: CompiledModel | None

    def __init__(
        self,
        game: str = "chess",
        *,
        base: Any = None,
        units: int = 128,
        hidden: int | Sequence[int] | None = (),
        activation: Activation = "screlu",
        buckets: int = 1,
        king: str | None = "",
        epochs: int = 20,
        learning_rate: float = 0.002,
        batch_size: int | None = None,
        weight_decay: float = 0.0,
        validation_fraction: float = 0.1,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.game = game
        self.base = base
        self.units = units
        self.hidden = hidden
        self.activation = activation
        self.buckets = buckets
        self.king = king
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.weight_decay = weight_decay
        self.validation_fraction = validation_fraction
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(
        self,
        rows: tuple[NDArray[np.uint64], Floats, Floats],
        groups: ArrayLike | None,
        loss: int,
        unit: float,
    ) -> Any:
        """Fit to positions, targets in units of the network, and weights."""
        (game, shape), threads = self._checked(), threads_of(self.n_jobs)
        positions, targets, weights = rows
        weights = weights / weights.max()
        random = check_random_state(self.random_state)
        found = inputs_in(game, shape, positions)
        base = self._base_scores(positions) / np.float32(unit)
        pieces = found.inputs.shape[1] / max(1, len(positions))
        begun = self._begin(game, shape, random, pieces, unit)
        train, held = self._split(positions, groups, random)
        learner = Learner(game, shape, found, base, targets, weights, loss, begun)
        self.loss_curve_, self.validation_scores_ = [], []
        best, kept = np.inf, begun.copy()
        goes_on = self.warm_start and hasattr(self, "_numbers")
        if len(held) and (goes_on or self.base is not None):
            best = learner.loss_of(held)
        batch = self.batch_size or min(_MOST_BATCH, max(_LEAST_BATCH, len(train) // _FEWEST_STEPS))
        steps = -(-len(train) // batch) * self.epochs
        with ThreadPoolExecutor(min(PARTS, threads)) as pool:
            for _ in range(self.epochs):
                order = random.permutation(train)
                total = 0.0
                for start in range(0, len(order), batch):
                    done = learner.steps / steps
                    rate = self.learning_rate * (1 - (1 - _LAST_RATE) * done)
                    chosen = order[start : start + batch]
                    total += learner.step(chosen, rate, self.weight_decay, pool.map)
                self.loss_curve_.append(total / max(1e-30, float(weights[train].sum())))
                require_finite((learner.numbers.layers,), "lower learning_rate")
                if len(held):
                    self.validation_scores_.append(-learner.loss_of(held))
                    if -self.validation_scores_[-1] < best:
                        best, kept = -self.validation_scores_[-1], learner.numbers.copy()
        self._numbers = kept if len(held) and np.isfinite(best) else learner.numbers
        require_finite(self._numbers, "lower learning_rate")
        self.unit_, self.shape_, self.n_iter_ = float(unit), shape, len(self.loss_curve_)
        self._fitted_game = game.name
        self.n_features_in_ = positions.shape[1]
        return self

    def _checked(self) -> tuple[Game, Shape]:
        """Return the game and the shape of the network.

        Raises
        ------
        UserError
            The game has no board.
        ValueError
            A parameter cannot be used.
        """
        least = {"units": LEAST_UNITS, "buckets": 1, "epochs": 1}
        if self.batch_size is not None:
            least["batch_size"] = 1
        positive = {"learning_rate": 0.0, "weight_decay": 0.0, "validation_fraction": 0.0}
        require_settings(self, least, positive)
        game = known_game(self.game)
        board_of(game)
        hidden: list[Any] = []
        if self.hidden is not None:
            hidden = np.atleast_1d(np.asarray(self.hidden, object)).tolist()
        if not all(isinstance(one, int | np.integer) and one is not True for one in hidden):
            raise ValueError(f"hidden must be whole numbers (got {self.hidden!r})")
        king = "" if self.king is None else self.king
        king_masks(game, king)
        layers = tuple(map(int, hidden))
        shape = Shape(int(self.units), layers, int(self.buckets), self.activation, king)
        if self.buckets > game.most_left + 1:
            raise ValueError(f"buckets must be at most {game.most_left + 1} (got {self.buckets})")
        if self.validation_fraction >= 1:
            raise ValueError(
                f"validation_fraction must be below 1 (got {self.validation_fraction})"
            )
        if not shape.is_possible:
            raise ValueError(
                f"units must be a multiple of {LEAST_UNITS} up to {MOST_UNITS}, hidden at most "
                f"{MOST_HIDDEN} layers of up to {MOST_SMALL} units and activation crelu or screlu "
                f"(got {self.units!r}, {self.hidden!r} and {self.activation!r})"
            )
        return game, shape

    def _begin(self, game: Game, shape: Shape, random: Any, pieces: float, unit: float) -> Numbers:
        """Return the numbers that a fit begins from."""
        if self.warm_start and hasattr(self, "_numbers"):
            if (self.shape_, self._fitted_game) != (shape, game.name):
                raise ValueError("a warm start must keep the game and the layers")
            begun = self._numbers.copy()
            last = shape.layers.parts(begun.layers)[-1]
            for part in last:  # views
                part *= np.float32(self.unit_ / unit)
            return begun
        n_inputs = inputs_of(game)[0].size
        rows = random.normal(0, 0.5 / np.sqrt(max(1.0, pieces)), (n_inputs, shape.units))
        parts = []
        for n, m in shape.layers.pairs:  # stages begin alike
            matrix = random.uniform(-1, 1, (n, m)) / np.sqrt(n)
            if m == 1 and self.base is not None:
                matrix *= 0  # the base alone, to begin with
            parts.append((np.stack([matrix] * shape.buckets), np.zeros((shape.buckets, m))))
        biases = np.full(shape.units, 0.1, np.float32)
        layers = np.ascontiguousarray(shape.layers.joined(parts))
        return Numbers(rows.astype(np.float32), biases, layers)

    def _split(
        self, positions: NDArray[np.uint64], groups: ArrayLike | None, random: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows to learn from, and those by which the best epoch is chosen."""
        every = np.arange(len(positions))
        check_consistent_length(positions, groups)
        enough = len(every) > 1 and (groups is None or len(np.unique(groups)) > 1)
        if not self.validation_fraction or not enough:
            return every, every[:0]
        kind = ShuffleSplit if groups is None else GroupShuffleSplit
        seed = random.randint(1 << 31)
        splits = kind(1, test_size=self.validation_fraction, random_state=seed)
        try:
            train, held = next(splits.split(every, groups=groups))
        except ValueError:
            raise ValueError(
                "validation_fraction leaves no rows to learn from "
                f"(got {self.validation_fraction}); give a smaller one"
            ) from None
        return train.astype(np.int64), held.astype(np.int64)

    def _fit_base(self, rows: Any, groups: ArrayLike | None) -> None:
        """Fit the model beside the network to positions, targets and weights.

        Raises
        ------
        UserError
            It has no compiled form.
        """
        kept = self.warm_start and hasattr(self, "_numbers")
        if kept and (self.base is None) != (self.base_form_ is None):
            raise ValueError("a warm start must keep the base")
        if self.base is None or kept:
            self.base_form_ = self.base_form_ if kept else None
            return
        if isinstance(self.base, type) or not hasattr(self.base, "get_params"):
            raise ValueError(
                f"base must be an estimator, such as TaperedLogistic() (got {self.base!r:.60})"
            )
        positions, targets, weights = rows
        given = {"sample_weight": weights, "groups": groups}
        taken_by = [name for name in given if has_fit_parameter(self.base, name)]
        fitted = clone(self.base).fit(positions, targets, **{n: given[n] for n in taken_by})
        self.base_form_ = compiled_model(fitted)
        if self.base_form_ is None:
            raise UserError(
                f"base must have a compiled form, and {type(self.base).__name__} has none; take a "
                "linear model, such as TaperedLogistic"
            )

    def _base_scores(self, positions: NDArray[np.uint64]) -> Floats:
        """Return what the model beside the network makes of positions."""
        form = self.base_form_
        if form is None:
            return np.zeros(len(positions), np.float32)
        return evaluate(form.evaluator("base"), form.game, positions)

    def compiled(self, factor: float = 1.0) -> CompiledModel:
        """Return the compiled form, in whole numbers, its scores multiplied by `factor`.

        With a base it is the sum of both, and `factor` must be 1.
        """
        network = self.network(factor)
        if self.base_form_ is None:
            return network
        if factor != 1.0:
            raise ValueError(f"factor must be 1 for a network beside a base (got {factor})")
        return SumModel((self.base_form_, network))

    def network(self, factor: float = 1.0) -> NnueModel:
        """Return the network alone, in whole numbers, its scores multiplied by `factor`."""
        check_is_fitted(self)
        shape, numbers = self.shape_, self._numbers
        weights, biases = [], []
        for matrix, bias in shape.layers.parts(numbers.layers):
            flat = matrix.swapaxes(1, 2).reshape(shape.buckets, -1)
            weights.append(np.round(ONE_WEIGHT * flat).astype(np.int16))
            biases.append(np.round(ONE_UNIT * ONE_WEIGHT * bias).astype(np.int32))
        return NnueModel(
            known_game(self._fitted_game),
            shape.activation,
            shape.hidden,
            shape.king,
            np.round(ONE_UNIT * numbers.rows).astype(np.int16),
            np.round(ONE_UNIT * numbers.biases).astype(np.int16),
            np.concatenate(weights, axis=1),
            np.concatenate(biases, axis=1),
            float(np.float32(factor * self.unit_)),
        )

    def float_scores(self, X: ArrayLike) -> Floats:
        """Return the scores (n,) of positions before they are made whole numbers.

        Parameters
        ----------
        X
            Positions, uint64 (n, K).
        """
        check_is_fitted(self)
        game, positions = known_game(self._fitted_game), positions_in(X, self._fitted_game)
        found = inputs_in(game, self.shape_, positions)
        every = np.arange(len(found.buckets))
        scores = network_scores(self.shape_, found, self._numbers, every)
        return self._base_scores(positions) + np.float32(self.unit_) * scores

    def _scores_of(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        game, positions = known_game(self._fitted_game), positions_in(X, self._fitted_game)
        return evaluate(self.compiled().evaluator("fitted"), game, positions)

    def warm_start_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what `start_from` needs besides the compiled form."""
        check_is_fitted(self)
        return self._numbers._asdict() | {"unit": np.array([self.unit_])}

    def start_from(self, form: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Become what was fitted before: its sound form, and `warm_start_arrays` from a file.

        Raises
        ------
        ValueError
            They do not fit together.
        """
        base, network = form.parts if isinstance(form, SumModel) else (None, form)
        if not isinstance(network, NnueModel) or (base is None) != (self.base is None):
            raise ValueError("it is not a network of this kind")
        if network.game.name != self.game:
            raise ValueError(f"it is a network of {network.game.name}, not of {self.game}")
        parts = [("rows", 2), ("biases", 1), ("layers", 2)]
        numbers = Numbers(*(taken(arrays, name, np.float32, n).copy() for name, n in parts))
        unit = taken(arrays, "unit", np.float64)
        shape = network.shape
        expected = (
            network.rows.shape,
            network.biases.shape,
            (shape.buckets, shape.layers.size),
            (1,),
        )
        if tuple(part.shape for part in (*numbers, unit)) != expected:
            raise ValueError("the number of its weights does not fit its layers")
        require_finite((*numbers, unit), "train it again")
        rounded: list[Any] = [network.rows / ONE_UNIT, network.biases / ONE_UNIT]
        rounded.append(network.float_layers)
        for part, whole in zip(numbers, rounded, strict=True):
            if not np.allclose(part, whole, rtol=1e-6, atol=0.51 / ONE_UNIT):
                raise ValueError("its weights are not those of the model")
        if abs(unit[0]) >= LARGEST_UNIT:
            raise ValueError("its unit is too large")
        self._numbers, self.shape_, self.unit_ = numbers, shape, float(unit[0])
        self._fitted_game = self.game
        self.n_features_in_, self.n_iter_, self.base_form_ = form.game.words, 0, base

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_numbers")


class NNUERegressor(RegressorMixin, _Nnue):
    """Efficiently updatable network (NNUE) over the pieces of a board, fitted to scores.

    The first layer reads each piece on its square, once as the side to move sees it and once as the
    other side does. In the search it is not computed anew but changed by what a move changes. A fit
    takes steps of Adam over batches of positions, in compiled code and on all cores.

    In games whose score has a scale (chess) targets mean probabilities of winning, as for
    `TaperedLogistic`, and the loss is the squared error of the probability. In other games it is
    the squared error of the score.

    Parameters
    ----------
    game
        Name of the game, which has a board.
    base
        Estimator over positions, such as TaperedLogistic, that is fitted first; the network then
        adds to its score. With few positions this is stronger than a network alone. `warm_start`
        keeps the base.
    units
        Units of each half of the first layer: a multiple of 16, at most 1024.
    hidden
        Units of the small layers behind them, at most two layers of at most 64; a number for one.
    activation
        "crelu" clips units to [0, 1]; "screlu" squares them as well.
    buckets
        Number of stages of the game that have layers of their own after the first.
    king
        Sign of the piece by which a side mirrors the board, "K" in chess: where it stands on the
        left, left and right are exchanged. Then half as many positions tell the same. By default
        no side does.
    epochs
        Number of passes over the rows.
    learning_rate
        Learning rate of the first step. It falls to a fiftieth.
    batch_size
        Rows of a step. None for a 64th of the rows, from 128 to 16,384.
    weight_decay
        Share of each weight that a step with a learning rate of 1 would remove.
    validation_fraction
        Share of the games (or rows) that is held out to choose the best epoch. 0 keeps the last.
    warm_start
        Continue from the last fit.
    n_jobs
        Number of threads, four at most. The weights do not depend on it.
    random_state
        Seed of the first weights, of the order of rows and of what is held out.

    Attributes
    ----------
    base_form_
        Compiled form of the fitted base, or None.
    loss_curve_
        Mean loss of each epoch, over the rows that were learned from.
    validation_scores_
        Negated mean loss of the held-out rows after each epoch.
    unit_
        Score that 1 at the end of the network stands for.
    n_iter_
        Number of epochs.
    n_features_in_
        K, the words of a position.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> model = samuel.NNUERegressor("tic_tac_toe", units=16, epochs=2, random_state=1)
    >>> model = model.fit(data.positions, data.frame(["outcome"])["outcome"])
    >>> model.predict(data.positions[:2]).shape
    (2,)
    """

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> NNUERegressor:
        """Fit to positions and targets, which may be weighted.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.
        y
            Targets (n,) in the game's unit.
        sample_weight
            Weights (n,); by default all are 1.
        groups
            Games of the positions (n,): whole games are held out.

        Returns
        -------
        NNUERegressor
            The estimator itself.

        Raises
        ------
        UserError
            The game has no board.
        ValueError
            Positions, targets and weights do not fit together, or a parameter cannot be used.
        """
        game, _ = self._checked()
        rows = checked_rows(X, np.asarray(y, np.float64), sample_weight, self.game)
        self._fit_base(rows, groups)
        positions, targets, weight = rows
        if game.scale:
            unit = logit_unit(game)
            wins = np.clip(0.5 + targets / (4 * unit), 0, 1)
            return self._fit((positions, wins.astype("f4"), weight), groups, PROBABILITY, unit)
        unit = float(np.std(targets)) or 1.0
        if unit >= LARGEST_UNIT:
            raise ValueError(f"a target is too large: {SCALE}")
        scaled = (targets / unit).astype(np.float32)
        return self._fit((positions, scaled, weight), groups, SQUARED, unit)

    def predict(self, X: ArrayLike) -> Floats:
        """Return the scores of positions.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[np.float32]
            Scores float32 (n,) for the side to move, as the search computes them.
        """
        return self._scores_of(X)


class NNUEClassifier(ClassifierMixin, _Nnue):
    """Efficiently updatable network (NNUE) over the pieces of a board, fitted to won and lost.

    The score is the log-odds of a win; the loss is the cross-entropy. See `NNUERegressor`.

    Parameters
    ----------
    game
        Name of the game, which has a board.
    base
        None: a network for wins stands alone.
    units, hidden, activation, buckets, king, epochs, learning_rate
        As for NNUERegressor.
    batch_size, weight_decay, validation_fraction, warm_start, n_jobs, random_state
        As for NNUERegressor.

    Attributes
    ----------
    classes_
        The two classes; the second is the win of the side to move.
    base_form_, loss_curve_, validation_scores_, unit_, n_iter_, n_features_in_
        As of NNUERegressor.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> model = samuel.NNUEClassifier("tic_tac_toe", units=16, epochs=2, random_state=1)
    >>> wins = data.frame(["outcome"])["outcome"] > 0
    >>> model.fit(data.positions, wins).predict_proba(data.positions[:2]).shape
    (2, 2)
    """

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> NNUEClassifier:
        """Fit to positions and two classes.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.
        y
            Classes (n,), two different ones; the second in their order is a win.
        sample_weight
            Weights (n,); by default all are 1.
        groups
            Games of the positions (n,): whole games are held out.

        Returns
        -------
        NNUEClassifier
            The estimator itself.

        Raises
        ------
        UserError
            The game has no board.
        ValueError
            There are not two classes, positions, classes and weights do not fit together, or a
            parameter cannot be used.
        """
        self._checked()
        check_classification_targets(y)
        self.classes_ = np.unique(np.asarray(y))
        if len(self.classes_) != 2:
            raise ValueError(f"y must have two classes (got {len(self.classes_)})")
        wins = (np.asarray(y) == self.classes_[1]).astype(np.float32)
        if self.base is not None:
            raise ValueError("base is for NNUERegressor; leave it out")
        rows = checked_rows(X, wins, sample_weight, self.game)
        self._fit_base(rows, groups)
        return self._fit(rows, groups, LOGISTIC, 1.0)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the log-odds (n,) of the second class.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[np.float32]
            Log-odds float32 (n,) of a win of the side to move.
        """
        return self._scores_of(X)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities (n, 2) of the classes.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[np.float64]
            Probabilities float64 (n, 2), in the order of `classes_`.
        """
        wins = expit(self._scores_of(X).astype(np.float64))
        return np.column_stack([1 - wins, wins])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the likelier class (n,) of positions.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[Any]
            Classes (n,).
        """
        chosen: NDArray[Any] = self.classes_[(self._scores_of(X) > 0).astype(int)]
        return chosen


def regressor_of(form: NnueModel) -> NNUERegressor:
    """Return a network in whole numbers as a fitted estimator, whose compiled form it is."""
    shape = form.shape
    model = NNUERegressor(
        form.game.name,
        units=shape.units,
        hidden=shape.hidden,
        activation=shape.activation,
        buckets=shape.buckets,
        king=shape.king,
    )
    numbers: dict[str, NDArray[Any]] = {
        "rows": form.rows / np.float32(ONE_UNIT),
        "biases": form.biases / np.float32(ONE_UNIT),
        "layers": form.float_layers,
        "unit": np.array([form.unit]),
    }
    model.start_from(form, numbers)
    return model
