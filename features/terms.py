"""Terms of a pattern model: a weight for each instance of a shape, and one for each table.

A table is indexed by one number of a feature, or by two together: how much five moves are worth
depends on how many the opponent has. Its numbers count something, so they are whole; those outside
the range that training data has take the nearest inside.

Stages of a game are knots on the count of what is left (`Game.left`): squares, in games in which
these fill.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError, unknown
from samuel.features.extraction import extract
from samuel.features.shapes import PatternSet
from samuel.games.feature import Feature, column_names, feature_names, features_named

MOST_CELLS = 4096
MOST_TABLES = 64
_MOST_VALUES = 64
_FARTHEST = 1 << 24
"""Up to here single precision, in which features are given, holds every whole number."""


@dataclass(frozen=True)
class CountTable:
    """A table over whole numbers of features."""

    columns: tuple[str, ...]  # one or two numbers of features
    low: tuple[int, ...]  # the least value of each
    sizes: tuple[int, ...]  # how many values of each are told apart

    @property
    def name(self) -> str:
        """The columns, as people read them."""
        return " x ".join(self.columns)

    @property
    def is_possible(self) -> bool:
        """True if it has a range for each of one or two columns, and cells enough for no more."""
        same = len(self.columns) == len(self.low) == len(self.sizes)
        return (
            same
            and len(self.columns) in (1, 2)
            and 0 < min(self.sizes) <= self.size <= MOST_CELLS
            and max(map(abs, self.low)) <= _FARTHEST
        )

    @property
    def size(self) -> int:
        """Number of cells."""
        return math.prod(self.sizes)  # of Python's integers, which do not wrap


@dataclass(frozen=True)
class PatternTerms:
    """Shapes and tables; a position's configurations are those of its instances and its cells."""

    patterns: PatternSet
    tables: tuple[CountTable, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is kept in a file: not what is computed when first asked for."""
        return {"patterns": self.patterns, "tables": self.tables}

    @functools.cached_property
    def features(self) -> tuple[Feature, ...]:
        """The features that the tables read."""
        named = dict.fromkeys(
            _feature_of(column, self.patterns.game)
            for table in self.tables
            for column in table.columns
        )
        return tuple(named)

    @functools.cached_property
    def starts(self) -> NDArray[np.int64]:
        """Start of the configurations of each table; one more entry, their total number."""
        sizes = [table.size for table in self.tables]
        return self.patterns.size + np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @property
    def size(self) -> int:
        """Number of configurations."""
        return int(self.starts[-1])

    @functools.cached_property
    def weight_of(self) -> NDArray[np.int32]:
        """The weight (size,) of each configuration."""
        cells = np.arange(self.size - self.patterns.size, dtype=np.int32)
        return np.concatenate([self.patterns.weight_of, self.patterns.n_weights + cells])

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return self.patterns.n_weights + self.size - self.patterns.size

    def cells(self, positions: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the configurations (n, tables) of positions in the tables."""
        found = np.zeros((len(positions), len(self.tables)), np.int32)
        if not self.tables:
            return found
        values = extract(self.features, positions)
        place = {name: k for k, name in enumerate(column_names(self.features))}
        for t, (table, start) in enumerate(zip(self.tables, self.starts, strict=False)):
            cell = np.zeros(len(positions), np.int32)
            for column, low, size in zip(table.columns, table.low, table.sizes, strict=True):
                value = values[:, place[column]].astype(np.int32) - low
                cell = cell * size + np.clip(value, 0, size - 1)
            found[:, t] = start + cell
        return found


def count_tables(
    columns: Sequence[str | Sequence[str]], game: str, positions: NDArray[np.uint64]
) -> tuple[CountTable, ...]:
    """Return tables with the ranges that positions (n, K) have."""
    if not isinstance(columns, Sequence) or isinstance(columns, str):
        raise UserError(f"tables must be a list of names or of pairs of names (got {columns!r})")
    if len(columns) > MOST_TABLES:
        raise UserError(f"a model can have at most {MOST_TABLES} tables (got {len(columns)})")
    made = []
    for names in columns:
        if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
            raise UserError(f"a table must be the name of a number, or two names (got {names!r})")
        chosen = (names,) if isinstance(names, str) else tuple(names)
        ranges = [_range(name, game, positions) for name in chosen]
        table = CountTable(chosen, tuple(a for a, _ in ranges), tuple(n for _, n in ranges))
        if not table.is_possible:
            raise UserError(
                f"a table can have one or two numbers and at most {MOST_CELLS:,} cells (got "
                f"{names!r})"
            )
        made.append(table)
    return tuple(made)


def _range(column: str, game: str, positions: NDArray[np.uint64]) -> tuple[int, int]:
    """Return the least value of a column, and how many values it has from there on."""
    of_feature = _feature_of(column, game)
    values = extract([of_feature], positions)[:, of_feature.columns.index(column)]
    if not np.array_equal(values, np.round(values)):
        raise UserError(f"{column} is not a count: a table needs integers")
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    return low, min(_MOST_VALUES, high - low + 1)


def _feature_of(column: str, game: str) -> Any:
    every = features_named(feature_names(game), game)
    for one in every:
        if column in one.columns:
            return one
    raise unknown("number of a feature", column, column_names(every), of=game)


@dataclass(frozen=True)
class Stages:
    """For each count of squares left the knot at or below it and its share, in [0, 1].

    The rest up to 1 is the share of the next knot; beyond the ends the end knots hold. `count`
    is the number of knots.
    """

    count: int
    knot: NDArray[np.int64]
    share: NDArray[np.float64]

    @classmethod
    def of(cls, knots: Sequence[int], most: int) -> Stages:
        """Return the stages at `knots` for 0 to `most` squares left; they must ascend."""
        numbers = np.asarray(knots)
        is_row = numbers.ndim == 1 and len(numbers) > 0 and numbers.dtype.kind in "iuf"
        if not (is_row and np.all(np.diff(numbers) > 0)):
            raise UserError(f"knots must be ascending numbers, at least one (got {knots!r})")
        place = np.interp(np.arange(most + 1), knots, np.arange(len(knots)))
        below = np.minimum(np.floor(place).astype(np.int64), len(knots) - 1)
        return cls(len(knots), below, 1.0 - (place - below))

    def blended(self, weights: NDArray[Any]) -> Iterator[NDArray[Any]]:
        """Yield the weights at each count of squares left, of those (count, ...) at the knots."""
        for below, share in zip(self.knot.tolist(), self.share.tolist(), strict=True):
            above = weights[min(below + 1, self.count - 1)]
            yield share * weights[below] + (1.0 - share) * above

    def hats(self, remaining: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share (n, count) that each knot has of so many squares left (n,)."""
        shares = np.zeros((len(self.knot), self.count + 1))
        left = np.arange(len(self.knot))
        shares[left, self.knot] = self.share
        shares[left, self.knot + 1] = 1.0 - self.share
        return shares[np.clip(remaining, 0, len(left) - 1), : self.count]


def even_knots(stages: int, most: int) -> tuple[int, ...]:
    """Return so many knots spread over 0 to `most` squares left; one stands for all."""
    if stages == 1:
        return (0,)
    return tuple(round(k) for k in np.linspace(0, most, stages))
