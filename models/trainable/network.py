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
from samuel.kernels.pointers import Pointer, offset
from samuel.kernels.records import allocate, record, room
from samuel.models.sparse_network import SparseNetwork, first_weights
from samuel.models.trainable.model import GRADIENT, Learned, TrainableModel


@record
class _OfNetwork(Learned):
    """A network over features that learns."""

    values: Any = room(float32, ("columns",), "the features' numbers")
    sums: Any = room(float32, ("units",), "of the hidden layer")


@functools.lru_cache(maxsize=64)
def _over_features(features: tuple[Feature, ...], units: int) -> tuple[Any, Any]:
    """Return the evaluation and the gradient: weights of columns, biases, outputs, intercept."""
    columns, read = len(column_names(features)), extractor(features)
    biases, outputs = columns * units, (columns + 1) * units
    intercept, of_network = outputs + units, reading(_OfNetwork)

    def evaluate(position: Pointer, integers: Pointer, floats: Pointer) -> float:
        its = of_network(integers, floats)
        weights, values, sums = its.weights, its.values, its.sums
        read(position, values)
        for u in range(units):
            sums[u] = weights[biases + u]
        for k in range(columns):
            value = values[k]
            if value != 0:
                row = offset(weights, k * units)
                for u in range(units):
                    sums[u] += value * row[u]
        score = weights[intercept]
        for u in range(units):
            score += weights[outputs + u] * max(sums[u], float32(0))
        return score

    compiled = compose_closure(evaluate, EVALUATE)

    def gradient(
        position: Pointer, integers: Pointer, floats: Pointer, places: Pointer, parts: Pointer
    ) -> int:
        its = of_network(integers, floats)
        weights, values, sums = its.weights, its.values, its.sums
        compiled(position, integers, floats)
        places[0], parts[0] = int32(intercept), float32(1)
        n = int64(1)
        for u in range(units):
            if sums[u] > 0:
                output = weights[outputs + u]
                places[n], parts[n] = int32(outputs + u), sums[u]
                places[n + 1], parts[n + 1] = int32(biases + u), output
                n += 2
        for k in range(columns):
            if values[k] != 0:
                for u in range(units):
                    if sums[u] > 0:
                        places[n] = int32(k * units + u)
                        parts[n] = values[k] * weights[outputs + u]
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
    weights = np.concatenate([*map(np.ravel, first_weights(random, columns, units, length))])
    most = 1 + 2 * units + columns * units
    evaluate, gradient = _over_features(features, units)
    its = allocate(
        _OfNetwork,
        {"size": len(weights), "most": most, "columns": columns, "units": units},
        weights=weights.astype(np.float32),
    )

    def estimator(weights: NDArray[np.float64]) -> Any:
        ends = np.cumsum([columns * units, units, units])
        hidden, biases, outputs, intercept = np.split(weights.astype(np.float32), ends)
        model = SparseNetwork(units)
        model.coefs_ = [hidden.reshape(columns, units), outputs[:, None]]
        model.intercepts_ = [biases, intercept]
        model.n_features_in_ = columns
        return make_pipeline(Features(list(names), game.name, sparse=True).fit([game.start]), model)

    return TrainableModel(game, evaluate, gradient, *laid_out(its), estimator)
