"""Models as numpy's arrays: all that their scores are made of (docs/exports.md)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.features import column_names
from samuel.games.changes import board_of
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.layers import Layers, layers_in
from samuel.models.nnue.inputs import kings_of, rows_by_code
from samuel.models.nnue.model import NnueModel
from samuel.models.outcome_networks import outcomes_of
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel
from samuel.models.patterns.network_kernel import layers_of

Arrays = dict[str, NDArray[Any]]
_NOWHERE = -1
"""Placeholder where an instance has fewer squares than others, and where an input is missing."""


def _layer_arrays(layers: Layers, numbers: NDArray[Any]) -> Arrays:
    """Return the weights and biases of each layer, by stage, bucket or class."""
    found: Arrays = {"activation": np.array(layers.activation)}
    for layer, (weights, biases) in enumerate(layers.parts(numbers), start=1):
        found |= {f"weights_{layer}": weights, f"biases_{layer}": biases}
    return found


def pattern_arrays(model: PatternModel | NetworkModel) -> Arrays:
    """Return the arrays of a model of patterns, and what a network beside it holds."""
    if isinstance(model, NetworkModel):
        held = model.held()
        layers = _layer_arrays(layers_of(len(model.steps)), held.pop("layers"))
        return pattern_arrays(model.linear) | held | layers
    terms, counts = model.terms, model.game.most_left + 1
    patterns, tables = terms.patterns, terms.tables
    longest = max(len(instance) for _, instance in patterns.instances)
    squares = np.full((len(patterns.instances), longest), _NOWHERE)
    for row, (_, instance) in zip(squares, patterns.instances, strict=True):
        row[: len(instance)] = instance
    return {
        "unit": np.array([model.unit]),
        "bias": np.full(counts, round(model.unit * model.intercept), np.int32),
        "weights": model.held()[:, : terms.size],
        "squares": squares.astype(np.int16),
        "starts": patterns.starts[[shape for shape, _ in patterns.instances]],
        "columns": np.array([[*t.columns, ""][:2] for t in tables] or np.empty((0, 2)), str),
        "low": np.array([[*t.low, 0][:2] for t in tables], np.int64).reshape(-1, 2),
        "sizes": np.array([[*t.sizes, 1][:2] for t in tables], np.int64).reshape(-1, 2),
        "table_starts": terms.starts[: len(tables)],
        "digits": np.array([content.signs[0] for content in patterns.board.contents]),
    }


def networks_of(model: FeatureModel, title: str) -> tuple[Layers, NDArray[np.float32]]:
    """Return the layers of networks over features, and the parameters of each (networks, size)."""
    layers, *others = {layers_in(block) for block in model.blocks}
    if others or not (model.classes or len(model.blocks) == 1):
        raise UserError(
            f"{title} has networks of several stages or sizes, which no format supports; train it "
            "with --stages 1"
        )
    return layers, np.stack([block.parameters for block in model.blocks])


def column_arrays(model: FeatureModel, title: str) -> Arrays:
    """Return the arrays of networks over features."""
    layers, floats = networks_of(model, title)
    outcomes = outcomes_of(layers, floats)
    return {
        "columns": np.array(column_names(model.features)),
        "classes": np.array(model.classes),
        "widths": np.array(layers.widths),
        "outcomes": np.empty(0) if outcomes is None else outcomes,
    } | _layer_arrays(layers, floats)


def piece_arrays(model: NnueModel) -> Arrays:
    """Return the arrays of an efficiently updatable network.

    `counts` is one more than the most that is left of a game; `digits` the sign of each content of
    a square, in order; `inputs` int32 (views, 2, contents, squares), the row of a content on a
    square by how a half sees the board, as the side to move sees it and as the other, -1 for none;
    `kings` (2,), the content that chooses the view of each half, and `views` (2, squares), which it
    chooses on a square.
    """
    game, board = model.game, board_of(model.game)
    bits, contents = np.array(board.bits), board.contents
    tables = rows_by_code(game, model.shape.n_areas)
    inputs = np.full((len(tables), 2, len(contents), len(bits)), _NOWHERE, np.int32)
    digits, views = np.full(2, _NOWHERE), np.zeros((2, len(bits)), np.int32)
    for digit, content in enumerate(contents):
        if content.word is not None:
            inputs[:, :, digit] = tables[:, :, 64 * content.word + bits]
    if (kings := kings_of(game, model.shape.king, model.shape.king_areas)) is not None:
        words = [content.word for content in contents]
        digits[:] = [words.index(word) for word in kings.words]
        views = kings.views[:, bits]
    return _layer_arrays(model.shape.layers, model.layers) | {
        **{"rows": model.rows, "biases": model.biases, "unit": np.array([model.unit], np.float32)},
        "counts": np.array([game.most_left + 1]),
        "digits": np.array([content.signs[0] for content in contents]),
        "inputs": inputs,
        "kings": digits,
        "views": views,
    }
