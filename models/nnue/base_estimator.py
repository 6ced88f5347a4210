"""Base of the estimators of efficiently updatable networks: parameters, fit, compiled form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from samuel.common.errors import UserError
from samuel.features.extraction import positions_in
from samuel.games.catalog import known_game
from samuel.games.changes import board_of
from samuel.games.game import Game
from samuel.models.compiled.model import CompiledModel, taken
from samuel.models.compiled.sums import SumModel
from samuel.models.convert import compiled_model
from samuel.models.estimator_methods import (
    FitRows,
    PositionEstimator,
    require_finite,
    require_settings,
    threads_of,
)
from samuel.models.evaluate import evaluate
from samuel.models.networks.learner import PARTS, Floats, Learner, Rows, plan_of, split_rows
from samuel.models.networks.steps import SQUARED, Numbers
from samuel.models.nnue.inputs import areas_of, buckets_in, inputs_in, inputs_of, kings_of
from samuel.models.nnue.model import LARGEST_UNIT, NnueModel
from samuel.models.nnue.shape import (
    LEAST_UNITS,
    MOST_HIDDEN,
    MOST_SMALL,
    MOST_UNITS,
    ONE_UNIT,
    Activation,
    Shape,
)

_MOST_WEIGHT = 1.98
"""Bound of a weight after the first layer, as 8 bits would hold it in 64ths."""
_MOST_ROW, _LARGEST_SUM = 2.0, 32767 / ONE_UNIT
"""Bounds of a number of the first layer, and of a sum, which 16 bits hold."""
_FEWEST_STEPS, _MOST_BATCH, _LEAST_BATCH = 64, 16384, 128
"""Steps of an epoch, at least, where `batch_size` leaves it open, and sizes of a batch."""


@dataclass(eq=False, repr=False)
class NnueEstimator(PositionEstimator):
    """Base of the regressor and the classifier."""

    reads = ("pieces on squares",)
    _numbers: Numbers = field(init=False)
    _fitted_game: str = field(init=False)
    base_form_: CompiledModel | None = field(init=False)

    game: str = "chess"
    _: KW_ONLY
    base: Any = None
    units: int = 128
    hidden: int | Sequence[int] | None = ()
    activation: Activation = "screlu"
    buckets: int = 1
    king: str | None = ""
    king_areas: int | Sequence[int] | None = 1
    epochs: int = 20
    learning_rate: float = 0.002
    batch_size: int | None = None
    weight_decay: float = 0.0
    validation_fraction: float = 0.1
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: Any = None

    def _fit(self, rows: FitRows, groups: ArrayLike | None, loss: int, unit: float) -> None:
        """Fit to positions, targets in units of the network, and weights."""
        (game, shape), threads = self._checked(), threads_of(self.n_jobs)
        positions, targets, weights = rows
        random = check_random_state(self.random_state)
        given = _rows(
            game,
            shape,
            positions,
            base=self._base_scores(positions) / np.float32(unit),
            targets=targets[:, None],
            weights=weights,
        )
        numbers = self._begin(game, shape, positions, random, unit)
        train, held = split_rows(len(positions), groups, self.validation_fraction, random)
        learner = Learner(
            plan_of(shape.layers, loss),
            numbers,
            parts=PARTS,
            bounds=_bounds(game, shape),
            weight_decay=self.weight_decay,
            threads=threads,
        )
        steps = max(_LEAST_BATCH, len(train) // _FEWEST_STEPS)
        self.loss_curve_, self.validation_scores_ = learner.learn(
            given,
            random,
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            batch=self.batch_size or min(_MOST_BATCH, steps),
            train=train,
            held=held,
            is_rival=self.base is not None or self._goes_on,
            goes_on=self._goes_on,
        )
        self._numbers = learner.numbers
        self.unit_, self.shape_, self.n_iter_ = float(unit), shape, len(self.loss_curve_)
        self._fitted_game = game.name
        self.n_features_in_ = positions.shape[1]

    @property
    def _goes_on(self) -> bool:
        return self.warm_start and hasattr(self, "_numbers")

    def _check(self) -> None:
        self._checked()

    def _checked(self) -> tuple[Game, Shape]:
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
            raise ValueError(f"hidden must be integers (got {self.hidden!r})")
        king = "" if self.king is None else self.king
        kings_of(game, king)
        areas = areas_of(game, king, self.king_areas)
        layers = tuple(map(int, hidden))
        shape = Shape(int(self.units), layers, int(self.buckets), self.activation, king, areas)
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

    def _begin(
        self, game: Game, shape: Shape, positions: NDArray[np.uint64], random: Any, unit: float
    ) -> Numbers:
        if not self._goes_on:
            return first_numbers(game, shape, positions, random, adds=self.base is not None)
        if (self.shape_, self._fitted_game) != (shape, game.name):
            raise ValueError("a warm start must keep the game and the layers")
        begun = self._numbers.copy()
        last = shape.layers.parts(begun.layers)[-1]
        for part in last:  # views
            part *= np.float32(self.unit_ / unit)
        return begun

    def _fit_base(self, rows: Any, groups: ArrayLike | None) -> None:
        """Fit the model beside the network to positions, targets and weights."""
        kept = self._goes_on
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
        if self.base_form_ is None or isinstance(self.base_form_, SumModel | NnueModel):
            raise UserError(
                f"base must have a compiled form and be no network over pieces (got "
                f"{type(self.base).__name__}); take a linear model, such as TaperedLogistic"
            )

    def _base_scores(self, positions: NDArray[np.uint64]) -> Floats:
        """Return what the model beside the network makes of positions."""
        form = self.base_form_
        if form is None:
            return np.zeros(len(positions), np.float32)
        return evaluate(form.evaluator("base"), form.game, positions)

    def compiled(self, factor: float = 1.0) -> CompiledModel:
        """Return the compiled form, in integers, with its scores multiplied by `factor`.

        With a base it is the sum of both, and `factor` must be 1.
        """
        network = self.network(factor)
        if self.base_form_ is None:
            return network
        if factor != 1.0:
            raise ValueError(f"factor must be 1 for a network beside a base (got {factor})")
        return SumModel((self.base_form_, network))

    def network(self, factor: float = 1.0) -> NnueModel:
        """Return the network without a base, in integers, its scores multiplied by `factor`."""
        check_is_fitted(self)
        shape, numbers = self.shape_, self._numbers
        return NnueModel(
            known_game(self._fitted_game),
            shape,
            np.round(ONE_UNIT * rows_of_areas(numbers, shape)).astype(np.int16),
            np.round(ONE_UNIT * numbers.biases[0]).astype(np.int16),
            np.round(shape.ones * numbers.layers).astype(np.int32),
            float(np.float32(factor * self.unit_)),
        )

    def float_scores(self, X: ArrayLike) -> Floats:
        """Return the scores (n,) of positions (n, K) before they are rounded to integers."""
        check_is_fitted(self)
        game, positions = known_game(self._fitted_game), positions_in(X, self._fitted_game)
        rows = _rows(game, self.shape_, positions)
        scores = rows.outputs(self._numbers, plan_of(self.shape_.layers, SQUARED))[:, 0]
        return self._base_scores(positions) + np.float32(self.unit_) * scores

    def _fitted_arrays(self) -> dict[str, NDArray[Any]]:
        return self._numbers._asdict() | {"unit": np.array([self.unit_])}

    def _restore(self, form: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        base, network = form.parts if isinstance(form, SumModel) else (None, form)
        if not isinstance(network, NnueModel) or (base is None) != (self.base is None):
            raise ValueError("it is not a network of this kind")
        if network.game.name != self.game:
            raise ValueError(f"it is a network of {network.game.name}, not of {self.game}")
        parts = [("rows", 2), ("biases", 2), ("layers", 2)]
        numbers = Numbers(*(taken(arrays, name, np.float32, n).copy() for name, n in parts))
        unit = taken(arrays, "unit", np.float64)
        shape = network.shape
        n_inputs = len(network.rows) // shape.n_areas
        expected = (
            (len(network.rows) + n_inputs * (shape.n_areas > 1), shape.units),
            (1, shape.units),
            (shape.buckets, shape.layers.size),
            (1,),
        )
        if tuple(part.shape for part in (*numbers, unit)) != expected:
            raise ValueError("the number of its weights does not fit its layers")
        require_finite((*numbers, unit), "train it again")
        rounded: list[Any] = [network.rows / ONE_UNIT, network.biases[None] / ONE_UNIT]
        rounded.append(network.float_layers)
        with np.errstate(over="ignore"):
            summed = numbers._replace(rows=rows_of_areas(numbers, shape))
        for part, whole in zip(summed, rounded, strict=True):
            if not np.allclose(part, whole, rtol=1e-6, atol=0.51 / ONE_UNIT):
                raise ValueError("its weights are not those of the model")
        if abs(unit[0]) >= LARGEST_UNIT:
            raise ValueError("its unit is too large")
        self._numbers, self.shape_, self.unit_ = numbers, shape, float(unit[0])
        self._fitted_game = self.game
        self.n_features_in_, self.n_iter_, self.base_form_ = form.game.words, 0, base

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_numbers")


def _rows(game: Game, shape: Shape, positions: NDArray[np.uint64], **given: Any) -> Rows:
    """Return positions as rows, whose inputs are the pieces as either side sees them."""
    return Rows(
        len(positions),
        lambda chosen: inputs_in(game, shape, positions[chosen]),
        stages=buckets_in(game, shape.buckets, positions),
        **given,
    )


def first_numbers(
    game: Game, shape: Shape, positions: NDArray[np.uint64], random: Any, adds: bool
) -> Numbers:
    """Return random numbers to begin with; a network that `adds` to a base scores 0."""
    words = positions[:, : board_of(game).words]
    pieces = float(np.bitwise_count(words).sum()) / max(1, len(positions))
    n_inputs = inputs_of(game)[0].size
    rows = random.normal(0, 0.5 / np.sqrt(max(1.0, pieces)), (n_inputs, shape.units))
    parts = []
    for n, m in shape.layers.pairs:  # stages begin alike
        matrix = random.uniform(-1, 1, (n, m)) / np.sqrt(n)
        if m == 1 and adds:
            matrix *= 0
        parts.append((np.stack([matrix] * shape.buckets), np.zeros((shape.buckets, m))))
    biases = np.full((1, shape.units), 0.1, np.float32)
    if shape.n_areas > 1:
        rows = np.concatenate([rows, np.zeros((shape.n_areas * n_inputs, shape.units))])
    return Numbers(rows.astype(np.float32), biases, shape.layers.joined(parts))


def rows_of_areas(numbers: Numbers, shape: Shape) -> Floats:
    """Return the rows of each area."""
    if shape.n_areas == 1:
        return numbers.rows
    parts = numbers.rows.reshape(shape.n_areas + 1, -1, shape.units)
    found: Floats = (parts[0] + parts[1:]).reshape(-1, shape.units)
    return found


def _bounds(game: Game, shape: Shape) -> tuple[float, float, float]:
    """Return the bounds of rows, biases and layers."""
    row = min(_MOST_ROW, _LARGEST_SUM / (len(game.squares) + 1))
    # a piece adds two rows where there are areas
    return row / (1 + (shape.n_areas > 1)), row, _MOST_WEIGHT
