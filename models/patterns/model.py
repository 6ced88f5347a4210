"""Linear models of patterns inside the search.

The evaluator adds up one weight an instance. Weights are blended ahead for every count of squares
left, so that stages cost nothing, and held as 16-bit numbers, so that those of one count fit the
processor's cache: a unit is a power of two, at most 1024, such that the largest weight fits, and
no weight is off by more than half a 1024th where the largest is below 32.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int16, int32, int64
from numpy.typing import NDArray

from samuel.features import column_names, extractor
from samuel.features.pattern_index import byte_table, filling, lanes_of, middles
from samuel.features.shapes import Shape, pattern_set
from samuel.features.terms import MOST_TABLES, CountTable, PatternTerms, Stages
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.rules import EVALUATE
from samuel.kernels.laid_out import reading
from samuel.kernels.pointers import compose, offset, view
from samuel.kernels.records import array, declared, filled, number, record, room
from samuel.models.compiled.model import (
    CardError,
    arrays_for,
    arrays_of,
    described,
    described_features,
    evaluator_of,
    known_features,
    require,
    require_ascending,
    require_bounded,
    require_room,
    require_shapes,
)

_FINEST, _LARGEST = 1024, 32767
_BEYOND = 1e9
"""No intercept is so far from 0."""


@record
class HeldPatterns(NamedTuple):
    """A linear model of patterns as the search stores it: in 16 bits, blended ahead."""

    worth: float = number("of one in the weights, in units of score", float32)
    stride: int = number("how far the weights of the next count of squares left are")
    bias: Any = array(int32, ("counts",), "the intercept, for each count of squares left")
    table: Any = array(int16, ("bytes * 256", "lanes"), "as `byte_table`")
    weights: Any = array(
        int16, ("counts", "stride"), "of each configuration (`terms`), for each count"
    )
    numbers: Any = room(int16, ("lanes",), "what the instances hold")
    values: Any = room(float32, ("columns",), "the numbers of the features of tables")


# Middles and lengths are constants of the code: a fifth of the time of an evaluation. Features are
# read before weights: what is written between would keep the sum from being added up as it is read.
_EVALUATE = """
def evaluate(position, integers, floats):
    its = held_patterns(integers, floats)
    left = min(max(game_left(view(position, {words})), 0), {most})
    numbers, table = its.numbers, its.table
    {extract}
    {fill}
    weights = offset(its.weights, left * its.stride)
    total = its.bias[left]
"""
_EXTRACT = "values = its.values; extract(position, values)"
_INSTANCE = "    total += int32(weights[{middle} + numbers[{k}]])\n"
_CELL = "min(max(int64(values[{column}]) - {low}, 0), {size} - 1)"


@functools.lru_cache(maxsize=64)
def _evaluate(terms: PatternTerms) -> Any:
    """Return the compiled function for some terms."""
    game, patterns = known_game(terms.patterns.game), terms.patterns
    fill, filled_by = filling(patterns)
    parts = filled_by | {
        "game_left": game.left,
        "view": view,
        "offset": offset,
        "held_patterns": reading(HeldPatterns),
        "int32": int32,
        "int64": int64,
    }
    extract = _EXTRACT if terms.tables else ""
    source = _EVALUATE.format(words=game.words, most=game.most_left, extract=extract, fill=fill)
    for k, middle in enumerate(middles(patterns)):
        source += _INSTANCE.format(middle=middle, k=k)
    if terms.tables:
        parts["extract"] = extractor(terms.features)
        source += _cells(terms)
    return compose("evaluate", source + "    return its.worth * total\n", parts, EVALUATE)


def _cells(terms: PatternTerms) -> str:
    """Return the lines that add the weight of a cell of each table."""
    columns, lines = column_names(terms.features), ""
    for table, start in zip(terms.tables, terms.starts, strict=False):
        cell = "0"
        for column, low, size in zip(table.columns, table.low, table.sizes, strict=True):
            value = _CELL.format(column=columns.index(column), low=low, size=size)
            cell = f"({cell}) * {size} + {value}"
        lines += f"    total += int32(weights[{start} + {cell}])\n"
    return lines


@dataclass(frozen=True)
class _Described:
    """Entries of a card about a pattern model."""

    game: str
    shapes: list[Shape]
    tables: tuple[CountTable, ...]


@dataclass(frozen=True, eq=False)
@declared
class PatternModel:
    """A linear model of patterns, as it is compiled and saved."""

    terms: PatternTerms
    knots: tuple[int, ...] = array(int64, ("knots",), "counts of squares left, ascending")
    weights: NDArray[np.float32] = array(
        float32, ("knots", "n_weights"), "of each configuration, in units of score"
    )
    intercept: float = number("the same at every stage", float32)

    kind = "patterns"

    @property
    def game(self) -> Game:
        """The game."""
        return known_game(self.terms.patterns.game)

    def check(self) -> None:
        """Raise ValueError with what is wrong, unless the search can run it within its arrays."""
        terms, counts, given = self.terms, self.game.most_left + 1, self.weights.shape[-1]
        possible = len(terms.tables) <= MOST_TABLES and all(t.is_possible for t in terms.tables)
        require(possible, "it has more tables than can be, or one with more columns or cells")
        # what is there must be about as much as it stands for: a weight is shared by no more
        # configurations than there are symmetries
        fits = terms.size <= len(self.game.symmetries) * given
        require(fits, f"'weights' has {given:,} for {terms.size:,} configurations")
        require_room(counts * (terms.size + 1))
        require_shapes(self, {"weights": (len(self.knots), terms.n_weights)})
        require_ascending(self.knots)
        require_bounded("intercept", self.intercept, _BEYOND)
        require_bounded("weights", self.largest_score)

    @property
    def largest_score(self) -> float:
        """Largest distance of a score from 0; NaN where a weight is."""
        terms = len(self.terms.patterns.instances) + len(self.terms.tables)
        return abs(self.intercept) + terms * float(np.abs(self.weights).max(initial=0.0))

    def described(self) -> dict[str, Any]:
        """Return the model's entry of a card; `arrays` has the rest."""
        shapes = [{"name": s.name, "squares": list(s.squares)} for s in self.terms.patterns.shapes]
        tables = [asdict(table) for table in self.terms.tables]
        read = described_features(self.terms.features) if tables else {}
        game = self.terms.patterns.game
        return {"kind": self.kind, "game": game, "shapes": shapes, "tables": tables, **read}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the knots, the weights and the intercept."""
        return arrays_of(self)

    @classmethod
    def read(cls, card: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> PatternModel:
        """Return the model of a card and its arrays, which may be unsound."""
        said = described(card, _Described)
        known = column_names(known_features(card)) if said.tables else []
        if any(column not in known for table in said.tables for column in table.columns):
            raise CardError("a table counts a number that none of its features has")
        terms = PatternTerms(pattern_set(said.shapes, said.game), said.tables)
        found = arrays_for(cls, arrays)
        return cls(terms, **found | {"knots": tuple(found["knots"].tolist())})

    @property
    def unit(self) -> float:
        """Factor of its weights as 16-bit numbers."""
        return unit_of(np.append(self.weights, self.intercept / _LARGEST))

    def held(self) -> NDArray[np.int16]:
        """Return the weights as the search stores them, multiplied by `unit`.

        For each count of squares left a row, for each configuration (`terms`) a column, and one
        more, 0, where their number is odd.
        """
        terms, counts, unit = self.terms, self.game.most_left + 1, self.unit
        weights = np.zeros((counts, terms.size + terms.size % 2), np.int16)
        for left, blended in enumerate(Stages.of(self.knots, counts - 1).blended(self.weights)):
            held = np.round(unit * blended).astype(np.int16)
            weights[left, : terms.size] = held[terms.weight_of]
        return weights

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        return evaluator_of(self.laid(), self.evaluate, self.game, name, origin)

    @property
    def evaluate(self) -> Any:
        """The compiled function of its evaluator."""
        return _evaluate(self.terms)

    def laid(self) -> HeldPatterns:
        """Return what `evaluate` reads and writes."""
        weights, unit = self.held(), self.unit
        columns = len(column_names(self.terms.features))
        values = {
            "worth": 1 / unit,
            "stride": weights.shape[1],
            "bias": np.full(len(weights), round(unit * self.intercept), np.int32),
            "table": byte_table(self.terms.patterns),
            "weights": weights,
            "numbers": np.zeros(lanes_of(self.terms.patterns), np.int16),
            "values": np.zeros(columns, np.float32),
        }
        return filled(HeldPatterns, values)


def unit_of(weights: NDArray[Any]) -> float:
    """Return the power of two by which weights are multiplied to be held in 16 bits."""
    largest = float(np.abs(weights).max(initial=0.0))
    return float(min(_FINEST, 2.0 ** np.floor(np.log2(_LARGEST / max(largest, 1e-30)))))
