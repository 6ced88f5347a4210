"""Readers of the files that `samuel models export --format numpy` writes (docs/exports.md).

`digits` has a row per position and a column per square, `left` is what is left of the game:

    digits, left = game.board.digits(rows).T, samuel.games.rows.left_of(game, rows)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def pattern_scores(
    file: Mapping[str, Array], digits: Array, left: Array, counts: Mapping[str, Array]
) -> Array:
    """Return the scores of a model of patterns; `counts` has the columns that its tables read."""
    base = len(file["digits"])
    total, places = file["bias"][left].astype(int), []
    for squares, start in zip(file["squares"], file["starts"], strict=True):
        squares = squares[squares >= 0]
        places.append(start + digits[:, squares] @ base ** np.arange(len(squares)))
        total += file["weights"][left, places[-1]]
    for t, start in enumerate(file["table_starts"]):
        cell = np.zeros(len(left), int)
        columns, lows, sizes = (file[name][t] for name in ("columns", "low", "sizes"))
        for column, low, size in zip(columns, lows, sizes, strict=True):
            value = counts[column].astype(int) - low if column else 0
            cell = cell * size + np.clip(value, 0, size - 1)
        total += file["weights"][left, start + cell]
    scores: Array = total / file["unit"]
    if "rows" in file:
        stage = left * len(file["weights_1"]) // len(file["bias"])
        hidden = file["row_biases"][left] + sum(file["rows"][place].astype(int) for place in places)
        hidden = np.clip(hidden, 0, file["ceilings"])
        inner = np.maximum(layer_sums(file, 1, stage, hidden), 0)
        added = layer_sums(file, 2, stage, inner)[:, 0]
        scores = scores + np.clip(added, -file["limit"], file["limit"])
    return scores


def layer_sums(file: Mapping[str, Array], layer: int, stage: Array, values: Array) -> Array:
    """Return the sums of a layer over values (n, inputs), by the stage of each row."""
    weights, biases = file[f"weights_{layer}"][stage], file[f"biases_{layer}"][stage]
    sums: Array = np.einsum("nu,nuv->nv", values, weights) + biases
    return sums


def network_scores(file: Mapping[str, Array], features: Array) -> tuple[Array, Array]:
    """Return the scores of a network over features, and the chances of networks of outcomes."""
    activate = {
        **{"identity": lambda x: x, "relu": lambda x: np.maximum(x, 0), "tanh": np.tanh},
        "logistic": lambda x: 1 / (1 + np.exp(-x)),
    }[str(file["activation"])]
    classes = np.zeros(len(features), int)
    if file["classes"]:
        column = file["columns"].tolist().index(file["classes"])
        classes = np.clip(features[:, column].astype(int), 0, len(file["weights_1"]) - 1)
    values, last = features, len(file["widths"]) - 1
    for layer in range(1, last):
        values = activate(layer_sums(file, layer, classes, values))
    chances = values if len(file["outcomes"]) else np.zeros((len(features), 0))
    return layer_sums(file, last, classes, values)[:, 0], chances


def nnue_scores(file: Mapping[str, Array], digits: Array, left: Array) -> Array:
    """Return the scores of an efficiently updatable network."""
    most, halves = int(file["counts"][0]) - 1, []
    for half in range(2):
        views = ((digits == file["kings"][half]) * file["views"][half]).max(axis=1)
        tables = file["inputs"][views, half]
        inputs = tables[np.arange(len(digits))[:, None], digits, np.arange(digits.shape[1])]
        there = file["rows"][inputs] * (inputs >= 0)[:, :, None]
        halves.append(file["biases"] + there.sum(axis=1, dtype=int))
    values = np.clip(np.concatenate(halves, axis=1), 0, 255)
    last = max(int(name[8:]) for name in file if name.startswith("weights_"))
    bucket = np.clip(left, 0, most) * len(file["weights_1"]) // (most + 1)
    is_squared = file["activation"] == "screlu"
    if last == 1:
        values = values**2 if is_squared else 255 * values
        total = layer_sums(file, 1, bucket, values)[:, 0] + 254 * file["biases_1"][bucket, 0]
    else:
        for layer in range(1, last + 1):
            values = values**2 // 255 if is_squared else values
            sums = layer_sums(file, layer, bucket, values.astype(int))
            values = np.clip(sums // 256, 0, 255)
        total = 255 * sums[:, 0]
    scores: Array = total * (file["unit"][0] / (255 * 255 * 256))
    return scores
