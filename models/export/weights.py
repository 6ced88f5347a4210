"""Weights of linear models for other programs: a header in C, JSON, a table, numpy's arrays.

A linear model has weights for each of its stages, which lie at counts of what is left of the game
(`knots`); between two of them weights are blended by the count.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import c_comment
from samuel.games.game import Game
from samuel.models.compiled.model import arrays_bytes
from samuel.models.weights import Weights, decimals, errors_text, penalty_lines

_PARTS = {"pawns": 100}
"""Integers in one unit of a score, as a header has them; a thousand where none is named."""
_OTHERS = 1000
_FITTED = """
   The probability of winning is 1 / (1 + exp(-score / {scale:.0f})). The comment of a weight
   has its standard errors, if it was fitted."""


def weights_bytes(found: Weights, format: str, name: str) -> bytes:
    """Return the content of a file: numpy, json, csv or c (docs/exports.md)."""
    if format == "numpy":
        return arrays_bytes(_arrays_of(found))
    if format == "c":
        return _header(found, name).encode()
    if format == "csv":
        return found.table().to_csv(index=False, lineterminator="\n").encode()
    return (json.dumps(_described(found), indent=1) + "\n").encode()


def _arrays_of(found: Weights) -> dict[str, Any]:
    arrays = {
        **{"columns": np.array(found.columns), "knots": found.knots},
        **{"weights": found.weights, "intercept": found.intercept},
    }
    return arrays if found.fit is None else arrays | found.fit.arrays()


def _described(found: Weights) -> dict[str, Any]:
    def by_column(numbers: Any) -> dict[str, list[float | None]]:
        rows = [[None if n != n else n for n in row] for row in numbers.T.tolist()]
        return dict(zip(found.columns, rows, strict=True))

    told = {
        **{"game": found.game.name, "unit": found.game.scores.unit, "knots": found.knots.tolist()},
        "intercept": decimals(found.intercept).tolist(),
        "weights": by_column(decimals(found.weights)),
    }
    if found.fit is not None:
        told |= {"errors": by_column(found.fit.errors), "start": by_column(found.fit.start)}
        told["of_penalty"] = by_column(found.fit.of_penalty)
        told["scale"] = found.fit.scale
    return told


def _header(found: Weights, name: str) -> str:
    """Return a header: an array of whole numbers for each feature, one for each stage in it."""
    game, fit = found.game, found.fit
    parts = _PARTS.get(game.scores.unit, _OTHERS)
    knots, unit = ", ".join(map(str, found.knots)), c_comment(game.scores.unit)
    lines = [
        f"/* Weights of {c_comment(name)}, a linear evaluation of {game.name}; {parts} count one",
        f"   ({unit}). Each row has a number for each stage of the game, with knots at",
        f"   {knots} left (docs/exports.md of samuel); between two of them they are blended.",
        *(_FITTED.format(scale=parts * fit.scale).splitlines() if fit is not None else ()),
        *(penalty_lines(fit.of_penalty, fit.errors) if fit is not None else ()),
        "*/",
        *("#pragma once", "#include <stdint.h>", ""),
        f"#define WEIGHT_UNIT {parts}",
        f"#define WEIGHT_STAGES {len(found.knots)}",
        f"static const int32_t weight_knots[WEIGHT_STAGES] = {{{knots}}};",
        _row("intercept", np.round(parts * found.intercept)),
    ]
    whole = np.round(parts * found.weights.astype(float)).astype(int)
    errors = None if fit is None else parts * fit.errors
    first = 0
    for feature in found.features:
        names = [column.removeprefix(f"{feature.name}_") for column in feature.columns]
        own = slice(first, first + len(names))
        first += len(names)
        told = (
            [_error(*row) for row in zip(errors[:, own].T, fit.of_penalty[:, own].T, strict=True)]
            if fit is not None and errors is not None
            else [""] * len(names)
        )
        of_names = dict(zip(names, zip(whole[:, own].T.tolist(), told, strict=True), strict=True))
        for array, rows in _arrays(game, feature.name, of_names):
            lines += ["", *_array(array, rows)]
    return "\n".join(lines) + "\n"


def _row(name: str, numbers: NDArray[np.floating]) -> str:
    told = ", ".join(str(int(number)) for number in numbers)
    return f"static const int32_t {name}[WEIGHT_STAGES] = {{{told}}};"


def _error(errors: NDArray[np.floating], of_penalty: NDArray[np.bool_]) -> str:
    """Return the standard errors of a weight as a comment has them; "" where it was not fitted."""
    return "" if np.isnan(errors).any() else f" +- {errors_text(errors, of_penalty)}"


_Row = tuple[list[int], str]
"""Whole numbers of a weight, and what the comment says behind its name."""


def _arrays(
    game: Game, feature: str, rows: dict[str, _Row]
) -> Iterator[tuple[str, list[tuple[str, _Row]]]]:
    """Yield the arrays of a feature: one, or one for each kind of piece where it tells squares."""
    squares = game.squares
    kinds = list(dict.fromkeys(name.rpartition("_")[0] for name in rows))
    if len(rows) < len(squares) or not {name.rpartition("_")[2] for name in rows} <= set(squares):
        yield feature, list(rows.items())
        return
    assert game.board is not None
    bits = game.board.bits
    in_order = [squares[bits.index(bit)] for bit in sorted(bits)]
    nothing = [0] * len(next(iter(rows.values()))[0]), ""
    for kind in kinds:
        prefix = f"{kind}_" if kind else ""
        of_kind = [(square, rows.get(f"{prefix}{square}", nothing)) for square in in_order]
        yield f"{feature}_{kind}".rstrip("_"), of_kind


def _array(name: str, rows: list[tuple[str, _Row]]) -> list[str]:
    lines = [f"static const int32_t {name}[{len(rows)}][WEIGHT_STAGES] = {{"]
    lines += [
        f"    {{{', '.join(map(str, numbers))}}}, /* {c_comment(of)}{more} */"
        for of, (numbers, more) in rows
    ]
    return [*lines, "};"]
