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
        stage = left * len(file["inner"]) // len(file["bias"])
        hidden = file["row_biases"][left] + sum(file["rows"][place].astype(int) for place in places)
        hidden = np.clip(hidden, 0, file["ceilings"])
        inner = np.einsum("nu,nuv->nv", hidden, file["inner"][stage]) + file["inner_biases"][stage]
        added = (np.maximum(inner, 0) * file["outputs"][stage]).sum(axis=1)
        added += file["output_biases"][stage]
        scores = scores + np.clip(added, -file["limit"], file["limit"])
    return scores


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
    scores, last = np.zeros(len(features)), len(file["widths"]) - 1
    chances = np.zeros((len(features), max(len(file["outcomes"]) - 1, 0)))
    for k in np.unique(classes):
        values, its = features[classes == k], classes == k
        for layer in range(1, last):
            values = activate(values @ file[f"weights_{layer}"][k] + file[f"biases_{layer}"][k])
        scores[its] = (values @ file[f"weights_{last}"][k] + file[f"biases_{last}"][k])[:, 0]
        if len(file["outcomes"]):
            chances[its] = values
    return scores, chances


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
    bucket = np.clip(left, 0, most) * len(file["weights"]) // (most + 1)
    weights, biases = file["weights"][bucket].astype(int), file["layer_biases"][bucket].astype(int)
    is_squared = file["activation"] == "screlu"
    if not len(file["hidden"]):
        total = ((values**2 if is_squared else 255 * values) * weights).sum(axis=1)
        total += 255 * biases[:, 0]
    else:
        values = values**2 // 255 if is_squared else values
        for units in [*file["hidden"], 1]:
            its, weights = np.split(weights, [units * values.shape[1]], axis=1)
            bias, biases = np.split(biases, [units], axis=1)
            sums = bias + np.einsum("nuv,nv->nu", its.reshape(len(its), units, -1), values)
            values = np.clip(sums // 256, 0, 255)
            values = values**2 // 255 if is_squared else values
        total = 255 * sums[:, 0]
    scores: Array = total * (file["unit"][0] / (255 * 255 * 256))
    return scores
