"""A model of patterns as numpy's arrays: all that its score is made of (docs/exports.md)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samuel.models.compiled.arrays import arrays_bytes
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel
from samuel.models.patterns.network_kernel import layers_of

NOWHERE = -1
"""Placeholder where an instance has fewer squares than others."""


def numbers_of(model: PatternModel) -> dict[str, NDArray[np.generic]]:
    """Return the arrays of a model, by name."""
    terms, counts = model.terms, model.game.most_left + 1
    patterns, tables = terms.patterns, terms.tables
    longest = max(len(instance) for _, instance in patterns.instances)
    squares = np.full((len(patterns.instances), longest), NOWHERE)
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


def numbers_bytes(model: PatternModel | NetworkModel) -> bytes:
    """Return the content of a file of numpy's, an .npz: `numbers_of`, and what a network holds."""
    if isinstance(model, NetworkModel):
        held = model.held()
        (inner, inner_biases), last = layers_of(len(model.steps)).parts(held.pop("layers"))
        outputs, output_biases = (part[..., 0] for part in last)
        of_layers = {"inner": inner, "inner_biases": inner_biases}
        of_layers |= {"outputs": outputs, "output_biases": output_biases}
        return arrays_bytes(numbers_of(model.linear) | held | of_layers)
    return arrays_bytes(numbers_of(model))
