"""A network with one hidden layer that learns: `SparseNetwork` (models/sparse_network.py)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import float32, int32, int64
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

from samuel.features import Features, column_names, extract, extractor, features_named
from samuel.games.feature import Feature
from samuel.games.game import Game
from samuel.games.rules import EVALUATE
from samuel.kernels.compose import compose_closure
from samuel.kernels.laid_out import laid_out, reading
from samuel.kernels.pointers import Pointer
from samuel.kernels.records import allocate, array, record, room
from samuel.models.compiled.layers import ACTIVATIONS, Layers, Network, forward
from samuel.models.networks.learner import first_numbers
from samuel.models.sparse_network import SparseNetwork
from samuel.models.trainable.model import GRADIENT, Learned, TrainableModel


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
