"""Positions as words: rows of uint64 that kernels take, from whatever a user gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.games.rules import Words


class HoldsWords:
    """One position of a game; functions take it, or a list of them, instead of rows."""

    game: Any
    words: Words


PositionsLike: TypeAlias = ArrayLike | HoldsWords | Sequence[HoldsWords]


def as_words(positions: ArrayLike) -> NDArray[np.uint64]:
    """Return the words of positions as kernels take them: uint64, writable, in C order.

    Another array is copied: pandas and joblib give read-only ones. The words of an int64 array
    keep their bits; a negative number in a list or an object array is refused.
    """
    if np.ma.is_masked(positions):
        raise ValueError("some words of positions are masked; give rows without masked words")
    given = np.asarray(positions)
    if given.dtype.kind == "f" and isinstance(positions, list | tuple):
        given = np.array(positions, object)  # what numpy makes of small and large numbers together
    kinds = {given.dtype.type} if given.dtype != object else set(map(type, given.flat))
    for kind in kinds:
        if not issubclass(kind, int | np.integer) or kind in (bool, np.timedelta64):
            raise ValueError(
                f"positions must be uint64 words (got {kind.__name__}); give "
                "Dataset.positions, TrainingData.positions or Position objects. An outer "
                "merge in pandas turns words into float64 and loses bits: take the columns "
                "from before it"
            )
    if given.dtype == np.int64 and not isinstance(positions, list | tuple):
        given = given.view(np.uint64)  # the same bits
    elif given.dtype != np.uint64 and given.size:
        for word in (given.min(), given.max()):
            if not 0 <= word < 2**64:
                raise ValueError(f"words of positions must be from 0 to 2**64 - 1 (got {word})")
    return np.require(given.astype(np.uint64, copy=False), np.uint64, ["C", "W"])


def words_of(name: str, count: int, positions: PositionsLike) -> ArrayLike:
    """Return words (n, count) or (count,) of positions, a data frame (word_0, ...) or an array."""
    given: Any = [positions] if isinstance(positions, HoldsWords) else positions
    is_object_array = str(getattr(given, "dtype", "")) == "object" and given.ndim == 1
    if not (is_object_array or isinstance(given, list | tuple)):
        return _in_order(given, name, count) if hasattr(given, "columns") else given
    words = list(given)
    for k, one in enumerate(words):
        if isinstance(one, HoldsWords):
            if one.game.name != name:
                raise ValueError(f"position {k} is a position of {one.game.name}, not of {name}")
            words[k] = one.words
    return words


def rows_of(name: str, count: int, positions: PositionsLike) -> NDArray[np.uint64]:
    """Return positions as kernels take them: (n, K), writable, in C order."""
    rows = as_words(words_of(name, count, positions))
    if rows.ndim not in (1, 2) or rows.shape[-1] != count:
        raise ValueError(
            f"positions of {name} must be an array (n, {count}) of uint64 (got shape {rows.shape})"
        )
    return rows.reshape(-1, count)


def _in_order(frame: Any, name: str, count: int) -> Any:
    """Return a data frame of positions with its columns in order; ValueError for other columns."""
    names, numbers = list(frame.columns), list(range(count))
    if names == numbers:
        return frame
    for known in ([f"word_{k}" for k in numbers], numbers):
        if len(names) == len(known) and set(names) == set(known):
            return frame[known]
    raise ValueError(
        f"columns of positions of {name} must be word_0 to word_{count - 1} "
        f"(got {', '.join(map(str, names[:8]))})"
    )
