"""`OutcomeNetworks`: the chances of each outcome, by a network for each class of positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from samuel.features import Features, column_names
from samuel.features.extraction import extract, extractor, positions_in
from samuel.games.catalog import known_game
from samuel.games.feature import Feature, features_named
from samuel.kernels.records import allocate
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.layers import Layers, layers_in, mlp_block, mlp_scratch
from samuel.models.estimator_methods import (
    FitRows,
    PositionEstimator,
    ScoreRegressor,
    require_settings,
)
from samuel.models.networks.learner import (
    Learner,
    Rows,
    batch_of,
    first_numbers,
    inputs_of,
    plan_of,
    rates_of,
)
from samuel.models.networks.steps import LOGISTIC, Inputs, Numbers, Plan
from samuel.models.outcome_steps import Ahead, look_ahead

MOVE, THROWS = "move", "throws"
"""Values of `ahead`."""
MOST_OUTCOMES = MOST_CLASSES = 16
_AT_ONCE = 1 << 10
"""Rows between two looks at whether somebody wants to stop."""
_SAMPLE = 4096


@dataclass(eq=False, repr=False)
class OutcomeNetworks(ScoreRegressor, PositionEstimator):
    """Networks that give the chance of each outcome; the score is the outcome to expect.

    With the outcomes o_0 < o_1 < ..., a network has an output for the chance p_k of at least o_k,
    k from 1 on. In backgammon these are the chances to win, to win a gammon or backgammon, and not
    to lose one. The score is o_0 + sum over k of (o_k - o_(k-1)) p_k. Each class of positions, such
    as races, has a separate network.

    A fit takes steps of Adam down the cross-entropy, with step sizes that fall evenly. A target
    between two outcomes counts as a mixture of them.

    Parameters
    ----------
    features
        Names of features of the game.
    game
        Name of the game.
    classes
        One of the features, which returns the class of a position: 0, 1 and so on. None for one
        network.
    outcomes
        Results of a game, ascending and symmetric about 0. By default those among the targets.
    units
        Number of hidden units of each network.
    epochs
        Number of passes over the rows.
    learning_rate
        Learning rate of the first step.
    ahead
        Targets of a fit that continues. "move": the chances after the best move, by the earlier
        fit. "throws": the row becomes the position after that move, and its target the mean of the
        chances after the best replies to all throws. None: the given targets.
    warm_start
        Continue from the last fit. Another feature of classes may have more: those begin as copies
        of the network of the last class.
    random_state
        Seed of the first weights and the order of the rows.

    Attributes
    ----------
    outcomes_
        The outcomes, ascending.
    numbers_
        Rows and biases of the first layer of all classes, and the layers after it.
    n_features_in_
        K, the words of a position.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> model = samuel.OutcomeNetworks(["squares"], "tic_tac_toe", units=8, random_state=1)
    >>> model = model.fit(data.positions, data.frame(["outcome"])["outcome"])
    >>> model.chances(data.positions[:2]).shape
    (2, 2)
    """

    between_fits = ("features", "classes", "epochs", "learning_rate", "ahead")
    """Parameters that a warm start may change."""
    outcomes_: NDArray[np.float64] = field(init=False)
    _made: tuple[str, tuple[str, ...], str] = field(init=False)
    numbers_: Numbers = field(init=False)

    features: Sequence[str] = ("tesauro",)
    game: str = "backgammon"
    _: KW_ONLY
    classes: str | None = None
    outcomes: Sequence[float] | None = None
    units: int = 128
    epochs: int = 1
    learning_rate: float = 0.005
    ahead: str | None = None
    warm_start: bool = False
    random_state: Any = None

    def _check(self) -> None:
        require_settings(self, {"units": 1, "epochs": 0}, {"learning_rate": 0})
        if self.ahead not in (None, MOVE, THROWS):
            raise ValueError(f"ahead must be {MOVE!r}, {THROWS!r} or None (got {self.ahead!r:.60})")

    def _fit_rows(self, rows_given: FitRows, _groups: ArrayLike | None) -> None:
        positions, given, weight = rows_given
        random = np.random.default_rng(check_random_state(self.random_state).randint(1 << 31))
        goes_on = self.warm_start and hasattr(self, "numbers_")
        outcomes = self.outcomes_ if goes_on else _outcomes(self.outcomes, given)
        gaps = np.diff(outcomes)
        targets = np.clip((given[:, None] - outcomes[:-1]) / gaps, 0, 1).astype(np.float32)
        some = positions[random.permutation(len(positions))[:_SAMPLE]]
        values = extract(self._features, some)
        length = 1.0 + float(np.square(values.astype(np.float64)).sum(axis=1).mean())
        if goes_on:
            numbers = self._numbers_of_classes(self._count_of_classes(positions))
            if self.ahead:
                positions, targets = self._looked_ahead(positions, self.ahead == THROWS)
        else:
            layers = Layers((self.units, len(gaps)), "logistic")
            classes = self._count_of_classes(positions)
            numbers = first_numbers(random, values.shape[1], length, layers, classes)
            _begin_with_means(numbers, targets.mean(axis=0))
        made, classes = self._given, len(numbers.biases)
        rows = self._rows(made, positions, classes, targets=targets, weights=weight)
        learner = Learner(_plan(numbers, gaps), numbers, rates=rates_of(length))
        learner.learn(
            rows,
            random,
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            batch=batch_of(len(positions)),
            goes_on=goes_on,
        )
        self.outcomes_, self.numbers_, self._made = outcomes, learner.numbers, made
        self.n_features_in_ = positions.shape[1]

    @staticmethod
    def _rows(
        made: tuple[str, tuple[str, ...], str],
        positions: NDArray[np.uint64],
        classes: int,
        **given: Any,
    ) -> Rows:
        """Return positions as rows; each class has separate rows of the first layer."""
        game, names, of = made
        features = features_named(names, game)
        reader, counts = Features(list(names), game, sparse=True).fit(positions[:1]), None
        if of:
            chosen = [feature for feature in features if feature.name == of]
            counts = np.clip(extract(chosen, positions)[:, 0].astype(np.int32), 0, classes - 1)

        def inputs(chosen: NDArray[np.int64]) -> Inputs:
            starts, columns, values = inputs_of(matrix := reader.transform(positions[chosen]))
            if counts is not None:
                columns = columns + matrix.shape[1] * np.repeat(counts[chosen], np.diff(starts))
            return starts, columns, values

        return Rows(len(positions), inputs, sets=counts, stages=counts, **given)

    @property
    def _given(self) -> tuple[str, tuple[str, ...], str]:
        return known_game(self.game).name, tuple(self.features), self.classes or ""

    @property
    def _features(self) -> tuple[Feature, ...]:
        return features_named(self.features, self.game)

    def _count_of_classes(self, positions: NDArray[np.uint64]) -> int:
        """Return the number of classes of positions; ValueError where it is not known."""
        if self.classes is None:
            return 1
        chosen = [f for f in self._features if f.name == self.classes and f.scalar]
        if not chosen:
            raise ValueError(
                f"classes must be one of the features, of one number (got {self.classes!r:.60})"
            )
        count = 1 + int(extract(chosen, positions).max())
        if not 1 <= count <= MOST_CLASSES:
            raise ValueError(f"{self.classes} must be from 0 to {MOST_CLASSES - 1} (got {count})")
        return count

    def _numbers_of_classes(self, count: int) -> Numbers:
        """Return the numbers of the last fit; classes beyond its last begin as copies of that."""
        (game, names, of), numbers = self._made, self.numbers_.copy()
        last = len(numbers.biases) - 1
        more = np.arange(1, count - last)
        kept = [self.classes if name == of and len(more) else name for name in names]
        given = game, tuple(kept), self.classes or "" if len(more) else of
        if given != self._given or numbers.biases.shape[1] != self.units:
            raise ValueError(
                "a warm start must keep the units and the features, but for that of the classes, "
                "which one with more classes may replace"
            )
        if not len(more):
            return numbers
        rows = numbers.rows.reshape(last + 1, -1, self.units)
        column = column_names(self._features).index(self.classes or "")
        beyond = more if of else 0 * more  # the last network of classes always read its own
        biases = numbers.biases[last] - beyond[:, None] * rows[last, column]
        return Numbers(
            np.concatenate([rows, *[rows[last:]] * len(more)]).reshape(-1, self.units),
            np.concatenate([numbers.biases, biases.astype(np.float32)]),
            np.concatenate([numbers.layers, *[numbers.layers[last:]] * len(more)]),
        )

    def _looked_ahead(
        self, positions: NDArray[np.uint64], throws: bool
    ) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
        """Return the positions, or with `throws` those after the best moves, and their targets."""
        game, levels, model = known_game(self.game), self.outcomes_.astype("f4"), self.compiled()
        layers, columns = layers_in(model.blocks[0]), column_names(model.features)
        n, chances = len(positions), len(levels) - 1
        after, targets = positions.copy(), np.zeros((n, chances), np.float32)
        sizes = {"words": game.words, "moves": game.max_moves, "chances": chances}
        room = allocate(
            Ahead,
            sizes | {"columns": len(columns), "scratch": mlp_scratch(model.blocks[0])},
            column=columns.index(model.classes) if model.classes else -1,
            activation=model.blocks[0].activation,
            widths=np.array(layers.widths, np.int32),
            parameters=np.stack([block.parameters for block in model.blocks]),
            levels=levels,
        )
        names = extractor(model.features)
        for start in range(0, n, _AT_ONCE):
            part = np.arange(start, min(n, start + _AT_ONCE))
            rules = game.rules_of_play
            look_ahead(names, rules, positions, part, room, throws, after, targets)
        return after, targets

    def chances(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the chances of at least each outcome but the lowest.

        Parameters
        ----------
        X
            Positions, uint64 (n, K), each row from its side to move.

        Returns
        -------
        NDArray[np.float32]
            Chances float32 (n, outcomes - 1), for the side to move.
        """
        check_is_fitted(self)
        positions, numbers = positions_in(X, self._made[0]), self.numbers_
        rows = self._rows(self._made, positions, len(numbers.biases))
        return expit(rows.outputs(numbers, _plan(numbers, np.diff(self.outcomes_))))

    def compiled(self, factor: float = 1.0) -> FeatureModel:  # noqa: D102
        # the sum of the chances is one more layer of the network
        check_is_fitted(self)
        game, names, classes = self._made  # whatever the parameters are now
        gaps, lowest = factor * np.diff(self.outcomes_), factor * self.outcomes_[:1]
        numbers, units = self.numbers_, self.numbers_.biases.shape[1]
        rows = numbers.rows.reshape(len(numbers.biases), -1, units)
        ((outputs, offsets),) = _layers(numbers).parts(numbers.layers)
        blocks = tuple(
            mlp_block([inputs, outputs, gaps[:, None]], [biases, offsets, lowest], "logistic")
            for inputs, biases, outputs, offsets in zip(
                rows, numbers.biases, outputs, offsets, strict=True
            )
        )
        return FeatureModel(
            "mlp",
            known_game(game),
            features_named(names, game),
            blocks,
            tuple(range(len(blocks))),
            classes,
        )

    def _fitted_arrays(self) -> dict[str, NDArray[Any]]:
        return {}  # the compiled form holds the whole fit

    def _restore(self, form: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        outcomes, parts = None, []
        if isinstance(form, FeatureModel) and form.kind == "mlp":
            layers, *others = {layers_in(block) for block in form.blocks}
            if not others and (form.classes or len(form.blocks) == 1):
                floats = np.stack([block.parameters for block in form.blocks])
                outcomes, parts = outcomes_of(layers, floats), layers.parts(floats)
        if outcomes is None or len(parts) != 3:
            raise ValueError("it is not a network of this kind")
        (inputs, biases), *last = parts[:2]
        rows = np.array(inputs, order="C").reshape(-1, inputs.shape[2])
        joined = Layers(layers.widths[1:-1], "logistic").joined(last)
        self.numbers_ = Numbers(rows, np.array(biases, order="C"), joined)
        self.outcomes_, self.n_features_in_ = _outcomes(outcomes, outcomes), form.game.words
        names = tuple(feature.name for feature in form.features)
        self._made = form.game.name, names, form.classes


def outcomes_of(layers: Layers, floats: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return the outcomes whose chances the last layer of such networks adds up, ascending.

    `floats` are their parameters (networks, size). None where the networks are of another kind:
    only here are positive weights symmetric, and the bias minus half of their sum.
    """
    gaps, lowest = (part.astype(np.float64) for part in layers.parts(floats)[-1])
    outcomes = np.cumsum(np.concatenate([lowest, gaps[..., 0]], axis=1), axis=1)
    if layers.activation != "logistic" or len(layers.pairs) < 2 or gaps.min() <= 0:
        return None
    both_ways, atol = [outcomes, -outcomes[:, ::-1]], 1e-5 * gaps.min()
    return outcomes[0] if np.allclose(both_ways, outcomes[0], atol=atol) else None


def _outcomes(given: ArrayLike | None, targets: NDArray[Any]) -> NDArray[np.float64]:
    """Return the outcomes, ascending; ValueError where they cannot be used."""
    found = np.unique(np.asarray(targets if given is None else given, np.float64))
    if given is None:
        found = np.unique(np.concatenate([found, -found]))
    if not 2 <= len(found) <= MOST_OUTCOMES or not np.isfinite(found).all():
        raise ValueError(
            f"there must be 2 to {MOST_OUTCOMES} outcomes (got {len(found)}); give outcomes=, or "
            "fit to the target outcome"
        )
    if not np.array_equal(found, -found[::-1]):
        raise ValueError(f"outcomes must be symmetric about 0 (got {found.tolist()})")
    return found


def _layers(numbers: Numbers) -> Layers:
    """Return the layers after the first: of its units, and a chance for each outcome but one."""
    units = numbers.biases.shape[1]
    return Layers((units, numbers.layers.shape[1] // (units + 1)), "logistic")


def _plan(numbers: Numbers, gaps: NDArray[Any]) -> Plan:
    return plan_of(_layers(numbers), LOGISTIC, gaps / gaps.mean())


def _begin_with_means(numbers: Numbers, means: NDArray[np.float32]) -> None:
    """Set the last biases of random networks so that the chances are near their means."""
    means = np.clip(means, 1e-3, 1 - 1e-3)
    ((outputs, offsets),) = _layers(numbers).parts(numbers.layers)  # views
    offsets[:] = np.log(means / (1 - means)) - 0.5 * outputs.sum(axis=1)
