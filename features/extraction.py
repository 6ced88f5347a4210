"""Features of many positions at once, and as one compiled function."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import float32, types
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.catalog import known_game
from samuel.games.feature import LARGEST_FEATURE, Feature, column_names
from samuel.games.playing import random_positions
from samuel.games.rows import possible_rows
from samuel.games.rules import ROWS
from samuel.games.words import PositionsLike, words_of
from samuel.kernels.jit import jit
from samuel.kernels.pointers import FLOATS, WORDS, at, compose_later, made_ready, offset, view


def positions_in(X: PositionsLike, game: str) -> NDArray[np.uint64]:
    """Return positions (n, K), or `Position` objects, as uint64, laid out as kernels take them."""
    rules = known_game(game)
    words = words_of(rules.name, rules.words, X)
    rows = possible_rows(rules, words)
    shape = np.asarray(words).shape  # what only calls itself an array has no np.ndim
    if len(shape) != 2:
        raise ValueError(
            f"positions of {game} must be an array (n, {rows.shape[1]}) of uint64 (got shape "
            f"{shape})"
        )
    return rows


EXTRACT = types.void(WORDS, FLOATS)
_PROBES, _GUARD = 256, 256


@functools.lru_cache(maxsize=64)
def extractor(features: tuple[Feature, ...]) -> Any:
    """Return the compiled function `extract(position, values)` that fills all the features in."""
    words = known_game(features[0].game).words
    lines = ["def extract(position, values):", f"    row = view(position, {words})"]
    parts: dict[str, Any] = {"view": view, "offset": offset}
    column = 0
    for number, f in enumerate(features):
        parts[f"f{number}"] = f.function
        if f.scalar:
            lines.append(f"    values[{column}] = f{number}(row)")
        else:
            part = f"view(offset(values, {column}), {len(f.columns)})"
            lines.append(f"    f{number}(row, {part})")
        column += len(f.columns)
    return compose_later("extract", "\n".join(lines), parts, EXTRACT)


@jit(types.void(types.FunctionType(EXTRACT), ROWS, float32[:, ::1]))
def _fill(extract: Any, positions: Any, values: Any) -> None:
    for i in range(positions.shape[0]):
        extract(at(positions, i), at(values, i))


def extract(features: Sequence[Feature], positions: PositionsLike) -> NDArray[np.float32]:
    """Return the features of positions (n, K), or `Position` objects, as a matrix (n, columns)."""
    features = tuple(features)
    _require_filled(features)
    rows = possible_rows(known_game(features[0].game), positions)
    values = np.zeros((len(rows), len(column_names(features))), np.float32)
    _fill(made_ready(extractor(features)), rows, values)
    return values


@functools.lru_cache(maxsize=64)
def _require_filled(features: tuple[Feature, ...]) -> None:
    """Try the features where writing too much does no harm, and nothing can be left out unseen."""
    names = column_names(features)
    positions = random_positions(known_game(features[0].game), 16, seed=1)
    for blank in (np.nan, 12345.0):
        values = np.full((16, len(names) + _GUARD), blank, np.float32)
        for row, position in zip(values, positions, strict=True):
            _fill(made_ready(extractor(features)), position[None], row[None])
        untouched = np.isnan(values) if np.isnan(blank) else values == np.float32(blank)
        if not untouched[:, len(names) :].all():
            raise UserError(f"feature {features[-1].name} writes more numbers than it has outputs")
        left_out = untouched[:, : len(names)].all(axis=0)
        for name, column in zip(names, values.T, strict=False):
            if np.isinf(column).any():
                words = tuple(positions[int(np.argmax(np.isinf(column)))].tolist())
                text = known_game(features[0].game).notation.write(words, 0)
                raise UserError(
                    f"feature {name} is infinite at {text}: a division by zero, or a number "
                    "beyond the range of float32"
                )
            most = np.fmax.reduce(np.abs(column))
            if most > LARGEST_FEATURE:
                raise UserError(
                    f"feature {name} reaches {most:g}; features must stay below "
                    f"{LARGEST_FEATURE:g} in size: give it in another unit"
                )
    if left_out.any():
        raise UserError(
            f"feature {names[int(np.argmax(left_out))]} is never set: a feature with outputs "
            "must write every output into `values`"
        )


@functools.lru_cache(maxsize=64)
def features_digest(features: tuple[Feature, ...]) -> str:
    """Return a digest of what the features are: names, and values on fixed positions.

    Rewriting a feature so that it gives the same numbers leaves it the same, changing a number
    anywhere does not. Six digits count, since compilers may differ in the last one.
    """
    digest = hashlib.sha256(" ".join(column_names(features)).encode())
    positions = random_positions(known_game(features[0].game), _PROBES, seed=1959)
    for value in extract(features, positions).ravel():
        digest.update(f"{value:.6g} ".encode())
    return digest.hexdigest()[:16]
