"""An evaluation whose weights change while it plays, and how far each has to go.

All that it reads and writes lies in the two arrays of an evaluator, so that whoever sees an
evaluation inside a search can also teach it.

A network with one hidden layer that learns: `SparseNetwork` (models/sparse_network.py).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

from samuel.features import Features, column_names, extract, extractor, features_named
from samuel.games.evaluator import Evaluator, SharingEvaluator
from samuel.games.feature import Feature
from samuel.games.game import Game
from samuel.games.rules import EVALUATE, ROW, Row
from samuel.kernels.jit import jit
from samuel.kernels.laid_out import FieldsIn, laid_out, reading
from samuel.kernels.pointers import FLOATS, INTS, WORDS, Pointer, at, compose_closure
from samuel.kernels.records import allocate, array, length, record, room
from samuel.models.compiled.layers import ACTIVATIONS, Layers, Network, forward
from samuel.models.networks.learner import first_numbers
from samuel.models.sparse_network import SparseNetwork

GRADIENT = int64(WORDS, INTS, FLOATS, INTS, FLOATS)
"""`gradient(position, integers, floats, places, parts) -> n` fills in places of weights, and parts.
The derivative of the score of a position by a weight is the sum of the parts at its place."""


@record
class Learned(NamedTuple):
    """Head of every evaluation that learns."""

    size: int = length("weights", "how many there are")
    weights: Any = room(float32, ("size",), "what is learned")
    changes: Any = room(float32, ("size",), "the sum of the changes of each that are waiting")
    waits: Any = room(int32, ("size",), "how many changes of each are waiting")
    changed: Any = room(int32, ("size",), "a list of the weights that have any")
    waiting: Any = room(int32, (1,), "how long the list is")
    places: Any = room(int32, ("most",), "of a gradient")
    parts: Any = room(float32, ("most",), "of a gradient")


learned = reading(Learned)


@dataclass(eq=False)
class TrainableModel:
    """An evaluation that learns."""

    game: Game
    evaluate: Any  # see EVALUATE
    gradient: Any  # see GRADIENT
    integers: NDArray[np.int32]  # a record derived from Learned
    floats: NDArray[np.float32]  # likewise
    estimator: Callable[[NDArray[np.float64]], Any]  # fitted, of weights (n,)

    @property
    def weights(self) -> NDArray[np.float32]:
        """The weights (n,): a view, so that they can be set."""
        return self._of_each("weights")

    def _of_each(self, name: str) -> NDArray[np.float32]:
        its = FieldsIn(Learned, self.integers, self.floats)
        view: NDArray[np.float32] = getattr(its, name)[: its.size].view(np.ndarray)
        return view

    def gradient_at(self, position: Row) -> NDArray[np.float32]:
        """Return the derivative of the score of a position (K,) by each weight, (n,)."""
        _add_gradient(self.gradient, position, self.integers, self.floats)
        found = self._of_each("changes").copy()
        _drop_changes(self.integers, self.floats)
        return found

    def evaluator(self, name: str) -> Evaluator:
        """Return it as an evaluator, whose weights change as these do."""
        return SharingEvaluator.of(
            self.floats,
            name=name,
            game=self.game.name,
            evaluate=self.evaluate,
            integers=self.integers,
            origin="learning",
        )


@jit
def dot(weights: Pointer, places: Pointer, parts: Pointer, n: int) -> float:
    """Return the sum of n weights, each times its part: the score of a linear form."""
    total = 0.0
    for i in range(n):
        total += weights[places[i]] * parts[i]
    return total


@jit
def add_gradient(
    gradient: Any, position: Pointer, integers: Pointer, floats: Pointer, step: float
) -> None:
    """Let the changes by `step` times the gradient at a position wait."""
    its = learned(integers, floats)
    places, parts, changes = its.places, its.parts, its.changes
    waits, changed, waiting = its.waits, its.changed, its.waiting
    n = gradient(position, integers, floats, places, parts)
    for i in range(n):
        place = int64(places[i])
        if waits[place] == 0:
            changed[waiting[0]] = int32(place)
            waiting[0] += int32(1)
        waits[place] += int32(1)
        changes[place] += float32(step * parts[i])


@jit
def apply_changes(
    integers: Pointer, floats: Pointer, steps: Any, rate: float, averages: bool
) -> None:
    """Change the weights by `rate` times what waits; then nothing waits.

    That is the sum of the changes of a weight, or their mean over all that was read of it (a
    pattern twice where a position has it twice, a feature also where it is 0): of a search, a step
    then goes as far for a pattern that a few of its positions have as for one that all have.

    Where `steps`, float64 (2, n), has room for each weight, its step is its own: temporal coherence
    (D. Beal and M. Smith, "Temporal coherence and prediction decay in TD learning", 1999). It is
    the rate times |sum of the changes so far| / sum of their sizes: 1 at first, small where they
    contradict each other.
    """
    its = learned(integers, floats)
    weights, changes, waits, changed = its.weights, its.changes, its.waits, its.changed
    for k in range(its.waiting[0]):
        place = int64(changed[k])
        change = float64(changes[place])
        if averages:
            change /= waits[place]
        step = rate
        if steps.shape[1] > 0:
            if steps[1, place] > 0.0:
                step *= abs(steps[0, place]) / steps[1, place]
            steps[0, place] += change
            steps[1, place] += abs(change)
        weights[place] += float32(step * change)
    drop_changes(integers, floats)


@jit
def drop_changes(integers: Pointer, floats: Pointer) -> None:
    """Forget the changes that wait."""
    its = learned(integers, floats)
    waits, changes, changed, waiting = its.waits, its.changes, its.changed, its.waiting
    for k in range(waiting[0]):
        place = int64(changed[k])
        waits[place] = int32(0)
        changes[place] = float32(0)
    waiting[0] = int32(0)


_INTEGERS = types.Array(int32, 1, "C", readonly=True)


@jit(types.void(types.FunctionType(GRADIENT), ROW, _INTEGERS, float32[::1]))
def _add_gradient(gradient: Any, position: Row, integers: Any, floats: Any) -> None:
    add_gradient(gradient, at(position, 0), at(integers, 0), at(floats, 0), 1.0)


@jit(types.void(_INTEGERS, float32[::1]))
def _drop_changes(integers: Any, floats: Any) -> None:
    drop_changes(at(integers, 0), at(floats, 0))


@record
class _OfNetwork(Learned):
    """A network over features that learns."""

    widths: Any = array(int32, (3,), "columns, units and 1")
    values: Any = room(float32, ("columns",), "the features' numbers")
    made: Any = room(float32, ("units + 1",), "the units of the hidden layer, and the score")


@functools.lru_cache(maxsize=64)
def _over_features(features: tuple[Feature, ...], units: int) -> tuple[Any, Any]:
    """Return the evaluation and the gradient of weights that are joined as `Layers` has them."""
    columns, read = len(column_names(features)), extractor(features)
    intercept, of_network = units * (columns + 1), reading(_OfNetwork)
    relu = ACTIVATIONS.index("relu")

    def evaluate(position: Pointer, integers: Pointer, floats: Pointer) -> float:
        its = of_network(integers, floats)
        read(position, its.values)
        network = Network(int64(3), int64(relu), its.widths, its.weights)
        return float32(forward(its.values, its.made, network))

    compiled = compose_closure(evaluate, EVALUATE)

    def gradient(
        position: Pointer, integers: Pointer, floats: Pointer, places: Pointer, parts: Pointer
    ) -> int:
        its = of_network(integers, floats)
        weights, values, made = its.weights, its.values, its.made
        compiled(position, integers, floats)
        places[0], parts[0] = int32(intercept), float32(1)
        n = int64(1)
        for u in range(units):
            if made[u] > 0:
                places[n], parts[n] = int32(intercept + 1 + u), made[u]
                places[n + 1], parts[n + 1] = int32(u), weights[intercept + 1 + u]
                n += 2
        for k in range(columns):
            if values[k] != 0:
                for u in range(units):
                    if made[u] > 0:
                        places[n] = int32(units * (k + 1) + u)
                        parts[n] = values[k] * weights[intercept + 1 + u]
                        n += 1
        return n

    return compiled, compose_closure(gradient, GRADIENT)


def trainable_network(
    names: Sequence[str],
    game: Game,
    positions: NDArray[np.uint64],
    units: int = 80,
    random: np.random.Generator | None = None,
) -> TrainableModel:
    """Return a network over features that learns, its first weights drawn at random."""
    random = random or np.random.default_rng(0)
    features = features_named(names, game.name)
    values = extract(features, positions).astype(np.float64)
    columns = values.shape[1]
    length = 1.0 + float((values**2).sum()) / len(values)
    layers, last = Layers((columns, units, 1), "relu"), Layers((units, 1), "relu")
    first = first_numbers(random, columns, length, last)
    weights = layers.joined([(first.rows, first.biases[0]), *last.parts(first.layers[0])])
    evaluate, gradient = _over_features(features, units)
    its = allocate(
        _OfNetwork,
        {
            **{"size": layers.size, "most": 1 + 2 * units + columns * units},
            **{"columns": columns, "units + 1": units + 1},
        },
        widths=np.array(layers.widths, np.int32),
        weights=weights,
    )

    def estimator(weights: NDArray[np.float64]) -> Any:
        model = SparseNetwork(units)
        matrices, biases = zip(*layers.parts(weights.astype(np.float32)), strict=True)
        model.coefs_, model.intercepts_, model.n_features_in_ = [*matrices], [*biases], columns
        return make_pipeline(Features(list(names), game.name, sparse=True).fit([game.start]), model)

    return TrainableModel(game, evaluate, gradient, *laid_out(its), estimator)
