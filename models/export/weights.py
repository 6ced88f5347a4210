"""Weights of linear models for other programs: a header in C, JSON, a table, numpy's arrays.

A linear model has weights for each of its stages, which lie at counts of what is left of the game
(`knots`); between two of them weights are blended by the count.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samuel.features import column_names
from samuel.models.compiled.arrays import arrays_bytes
from samuel.models.compiled.features import FeatureModel

_PARTS = {"pawns": 100}
"""Whole numbers in one unit of a score, as a header has them; a thousand where none is named."""
_OTHERS = 1000


class Weights(NamedTuple):
    """Weights of a linear model.

    Attributes
    ----------
    columns
        Names of the features' numbers.
    knots
        int64 (S,), counts of what is left of the game where the stages lie.
    weights
        float32 (S, columns), in the game's unit.
    intercept
        float32 (S,), what a score begins with.
    """

    columns: tuple[str, ...]
    knots: NDArray[np.int64]
    weights: NDArray[np.float32]
    intercept: NDArray[np.float32]


def weights_of(model: FeatureModel) -> Weights:
    """Return the weights of a linear model."""
    return Weights(
        tuple(column_names(model.features)),
        np.array(model.knots, np.int64),
        np.array([block.weights for block in model.blocks], np.float32),
        np.array([block.intercept for block in model.blocks], np.float32),
    )


def weights_bytes(model: FeatureModel, format: str, name: str) -> bytes:
    """Return the content of a file: numpy, json, csv or c (docs/formats.md)."""
    found = weights_of(model)
    if format == "numpy":
        arrays = found._asdict() | {"columns": np.array(found.columns)}
        return arrays_bytes(arrays)
    if format == "c":
        return _header(model, found, name).encode()
    if format == "csv":
        return _table(found).encode()
    by_column = dict(zip(found.columns, found.weights.T.astype(float).tolist(), strict=True))
    told = {
        **{"game": model.game.name, "unit": model.game.unit, "knots": found.knots.tolist()},
        **{"intercept": found.intercept.astype(float).tolist(), "weights": by_column},
    }
    return (json.dumps(told, indent=1) + "\n").encode()


def _table(found: Weights) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["column", *(f"at_{knot}" for knot in found.knots)])
    writer.writerow(["intercept", *found.intercept.astype(float).tolist()])
    for column, numbers in zip(found.columns, found.weights.T.astype(float), strict=True):
        writer.writerow([column, *numbers.tolist()])
    return text.getvalue()


def _header(model: FeatureModel, found: Weights, name: str) -> str:
    """Return a header: an array of whole numbers for each feature, one for each stage in it."""
    parts = _PARTS.get(model.game.unit, _OTHERS)
    knots = ", ".join(map(str, found.knots))
    lines = [
        f"/* Weights of {name}, a linear evaluation of {model.game.name}; {parts} count one",
        f"   ({model.game.unit}). Each row has a number for each stage of the game, which lie at",
        f"   {knots} left (docs/formats.md of samuel); between two of them they are blended. */",
        *("#pragma once", "#include <stdint.h>", ""),
        f"#define WEIGHT_UNIT {parts}",
        f"#define WEIGHT_STAGES {len(found.knots)}",
        f"static const int32_t weight_knots[WEIGHT_STAGES] = {{{knots}}};",
        _row("intercept", np.round(parts * found.intercept)),
    ]
    whole = np.round(parts * found.weights.astype(float)).astype(int)
    first = 0
    for feature in model.features:
        names = [column.removeprefix(f"{feature.name}_") for column in feature.columns]
        numbers = whole[:, first : first + len(names)].T
        first += len(names)
        for array, rows in _arrays(model, feature.name, names, numbers):
            lines += ["", *_array(array, rows)]
    return "\n".join(lines) + "\n"


def _row(name: str, numbers: NDArray[np.floating]) -> str:
    told = ", ".join(str(int(number)) for number in numbers)
    return f"static const int32_t {name}[WEIGHT_STAGES] = {{{told}}};"


_Rows = list[tuple[str, list[int]]]


def _arrays(
    model: FeatureModel, feature: str, names: list[str], numbers: NDArray[np.int64]
) -> Iterator[tuple[str, _Rows]]:
    """Yield the arrays of a feature: one, or one for each kind of piece where it tells squares."""
    squares = model.game.squares
    kinds = list(dict.fromkeys(name.rpartition("_")[0] for name in names))
    if len(names) < len(squares) or not {name.rpartition("_")[2] for name in names} <= set(squares):
        yield feature, list(zip(names, numbers.tolist(), strict=True))
        return
    board = model.game.board
    assert board is not None
    in_order = [squares[board.bits.index(bit)] for bit in sorted(board.bits)]
    known = dict(zip(names, numbers.tolist(), strict=True))
    nothing = [0] * numbers.shape[1]
    for kind in kinds:
        prefix = f"{kind}_" if kind else ""
        rows = [(square, known.get(f"{prefix}{square}", nothing)) for square in in_order]
        yield f"{feature}_{kind}".rstrip("_"), rows


def _array(name: str, rows: _Rows) -> list[str]:
    lines = [f"static const int32_t {name}[{len(rows)}][WEIGHT_STAGES] = {{"]
    lines += [f"    {{{', '.join(map(str, numbers))}}}, /* {of} */" for of, numbers in rows]
    return [*lines, "};"]
