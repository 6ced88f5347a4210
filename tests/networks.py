"""Networks by numpy, with random numbers, and evaluators that hide their state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.rules import EVALUATE
from samuel.kernels.pointers import compose
from samuel.models.compiled.layers import Layers
from samuel.models.nnue.inputs import areas_of, inputs_of
from samuel.models.nnue.model import NnueModel
from samuel.models.nnue.shape import Activation, Shape

_HIDING = """
def evaluate(position, integers, floats):
    return own(position, integers, floats)
"""


_ACTIVATIONS = {
    "identity": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "crelu": lambda x: np.clip(x, 0, 1),
    "screlu": lambda x: np.clip(x, 0, 1) ** 2,
}


def forward(layers: Layers, floats: NDArray[Any], values: NDArray[Any]) -> list[NDArray[Any]]:
    """Return `values` (..., inputs), and what each layer makes of those before it."""
    made, parts = [values], layers.parts(floats)
    for weights, biases in parts:
        sums = made[-1] @ weights + biases
        made.append(_ACTIVATIONS[layers.activation](sums) if len(made) < len(parts) else sums)
    return made


def random_network(
    game: Game,
    units: int = 16,
    hidden: tuple[int, ...] = (),
    activation: Activation = "screlu",
    buckets: int = 1,
    king: str = "",
    seed: int = 1,
    areas: int | Sequence[int] = 1,
) -> NnueModel:
    """Return a network whose scores are spread over about the game's results."""
    random, inputs = np.random.default_rng(seed), inputs_of(game)[0].size
    shape = Shape(units, hidden, buckets, activation, king, areas_of(game, king, areas))

    def numbers(most: int, *sizes: int) -> np.ndarray:
        return random.integers(-most, most, sizes, endpoint=True)

    pairs = shape.layers.pairs
    rows, first = numbers(60, shape.n_areas * inputs, units), 60 + numbers(60, units)
    weights = numbers(250, buckets, sum(n * m for n, m in pairs))
    biases = numbers(2000, buckets, sum(shape.layers.widths[1:]))
    ends = np.cumsum([n * m for n, m in pairs])[:-1], np.cumsum(shape.layers.widths[1:])[:-1]
    parts = [
        (its.reshape(buckets, m, n).swapaxes(1, 2), bias)
        for (n, m), its, bias in zip(
            pairs, np.split(weights, ends[0], 1), np.split(biases, ends[1], 1), strict=True
        )
    ]
    return NnueModel(
        *(game, shape),
        rows.astype(np.int16),
        first.astype(np.int16),
        shape.layers.joined(parts).astype(np.int32),
        float(np.float32(game.scores.scale or game.scores.max_utility / 4)),
    )


def plain(evaluator: Evaluator) -> Evaluator:
    """Return an evaluator that scores alike and has no state."""
    hiding = compose("evaluate", _HIDING, {"own": evaluator.evaluate}, EVALUATE)
    return replace(evaluator, evaluate=hiding)
