"""Linear models of patterns inside the search.

The evaluator adds up one weight an instance. Weights are blended ahead for every count of squares
left, so that stages cost nothing, and held as 16-bit numbers, so that those of one count fit the
processor's cache: a unit is a power of two, at most 1024, such that the largest weight fits, and
no weight is off by more than half a 1024th where the largest is below 32. All of it lies in the
evaluator's integers:

    header (below); the bias for each count of squares left;
    as 16-bit numbers the table of bytes, then the weights of each count of squares left
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numba import int32, int64
from numpy.typing import NDArray

from samuel.features import column_names, extractor
from samuel.features.pattern_index import (
    as_halves,
    byte_table,
    fill_kinds,
    fill_two,
    is_plain,
    lanes_of,
    middles,
)
from samuel.features.shapes import Shape, pattern_set
from samuel.features.stages import Stages
from samuel.features.terms import MOST_TABLES, CountTable, Terms
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.interface import EVALUATE, Game
from samuel.kernels.compose import compose
from samuel.kernels.pointers import concatenated, offset, view
from samuel.models.forms.arrays import number_in, taken
from samuel.models.forms.compiled import LARGEST_SCORE, MOST_NUMBERS
from samuel.models.forms.kinds import CardError, described, described_features, known_features

_BIAS, _TABLE, _WEIGHTS, _STRIDE = range(4)
_HEADER = 4
NUMBERS_AT = 2
"""Where the numbers of the instances start in the floats, in 16-bit numbers."""
_FINEST, _LARGEST = 1024, 32767
_BEYOND = 1e9
"""No intercept is so far from 0."""

# Middles and lengths are constants of the code: a fifth of the time of an evaluation.
_EVALUATE = """
def evaluate(position, integers, floats):
    left = min(max(game_left(view(position, {words})), 0), {most})
    numbers, table = as_halves(floats, {numbers_at}), as_halves(integers, integers[TABLE])
    {fill}
    weights = as_halves(integers, integers[WEIGHTS] + left * integers[STRIDE])
    total = integers[integers[BIAS] + left]
"""
_FILL_TWO = "fill_two(table, {lanes}, position[0], position[1], numbers)"
_FILL_KINDS = "fill_kinds(table, {lanes}, STEPS, {kinds}, {each}, position, numbers)"
_INSTANCE = "    total += int32(weights[{middle} + numbers[{k}]])\n"
_EXTRACT = "    values = offset(floats, {values_at})\n    extract(position, values)\n"
_CELL = "min(max(int64(values[{column}]) - {low}, 0), {size} - 1)"


@functools.lru_cache(maxsize=64)
def _evaluate(terms: Terms) -> Any:
    """Return the compiled function for some terms."""
    game, patterns = known_game(terms.patterns.game), terms.patterns
    parts = {
        "game_left": game.left,
        "view": view,
        "offset": offset,
        "as_halves": as_halves,
        "fill_two": fill_two,
        "fill_kinds": fill_kinds,
        "STEPS": patterns.board.steps,
        "int32": int32,
        "int64": int64,
        "BIAS": _BIAS,
        "TABLE": _TABLE,
        "WEIGHTS": _WEIGHTS,
        "STRIDE": _STRIDE,
    }
    lanes, board = lanes_of(patterns), patterns.board
    fill = (_FILL_TWO if is_plain(board) else _FILL_KINDS).format(
        lanes=lanes, kinds=len(board.kept), each=board.words_each
    )
    source = _EVALUATE.format(
        words=game.words, most=game.most_left, numbers_at=NUMBERS_AT, fill=fill
    )
    for k, middle in enumerate(middles(patterns)):
        source += _INSTANCE.format(middle=middle, k=k)
    if terms.tables:
        parts["extract"] = extractor(terms.features)
        source += _EXTRACT.format(values_at=1 + lanes // 2) + _cells(terms)
    return compose("evaluate", source + "    return floats[0] * total\n", parts, EVALUATE)


def _cells(terms: Terms) -> str:
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
    """What a card says of one."""

    game: str
    shapes: list[Shape]
    tables: tuple[CountTable, ...]


@dataclass(frozen=True, eq=False)
class PatternForm:
    """A linear model of patterns, as it is compiled and saved.

    Attributes
    ----------
    terms
        The shapes and tables.
    knots
        Counts of squares left, ascending.
    weights
        float32 (knots, n_weights), in units of score.
    intercept
        The same at every stage.
    """

    terms: Terms
    knots: tuple[int, ...]
    weights: NDArray[np.float32]
    intercept: float = 0.0

    kind = "patterns"

    @property
    def game(self) -> Game:
        """The game."""
        return known_game(self.terms.patterns.game)

    @property
    def parameters(self) -> int:
        """How many numbers were learned."""
        return int(self.weights.size) + 1

    @property
    def is_sound(self) -> bool:
        """Whether the search can run it without leaving its arrays."""
        tables, counts = self.terms.tables, self.game.most_left + 1
        # what is there must be about as much as it stands for: a weight is shared by no more
        # configurations than there are symmetries
        most = len(self.game.symmetries) * self.weights.shape[-1]
        return bool(
            len(tables) <= MOST_TABLES
            and all(table.is_sound for table in tables)
            and self.terms.size <= most
            and counts * (self.terms.size + 1) < MOST_NUMBERS
            and self.weights.shape == (len(self.knots), self.terms.n_weights)
            and len(self.knots) > 0
            and all(a < b for a, b in zip(self.knots, self.knots[1:], strict=False))
            and abs(self.intercept) < _BEYOND
            and self.largest_score < LARGEST_SCORE  # nor is NaN
        )

    @property
    def largest_score(self) -> float:
        """What no score is farther from 0 than; NaN where a weight is."""
        terms = len(self.terms.patterns.instances) + len(self.terms.tables)
        return abs(self.intercept) + terms * float(np.abs(self.weights).max(initial=0.0))

    def plus(self, other: Any) -> PatternForm | None:
        """Return the sum with another of the same shapes, tables and knots; of others None."""
        if not (
            other.kind == self.kind and other.knots == self.knots and other.terms == self.terms
        ):
            return None
        intercept = self.intercept + other.intercept
        return PatternForm(self.terms, self.knots, self.weights + other.weights, intercept)

    def described(self) -> dict[str, Any]:
        """Return what a card says of it; `arrays` has the rest."""
        shapes = [{"name": s.name, "squares": list(s.squares)} for s in self.terms.patterns.shapes]
        tables = [asdict(table) for table in self.terms.tables]
        read = described_features(self.terms.features) if tables else {}
        game = self.terms.patterns.game
        return {"kind": self.kind, "game": game, "shapes": shapes, "tables": tables, **read}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the knots, the weights and the intercept."""
        return {
            "knots": np.array(self.knots, np.int64),
            "weights": self.weights,
            "intercept": np.array([self.intercept], np.float32),
        }

    @classmethod
    def read(cls, card: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> PatternForm:
        """Return the model of a card and its arrays, which may be unsound.

        Raises
        ------
        UserError
            Its shapes do not fit the game's board, or its features are not those there are.
        ValueError
            The arrays are none of such a model; CardError where the card is none.
        """
        said = described(card, _Described)
        known = column_names(known_features(card)) if said.tables else []
        if any(column not in known for table in said.tables for column in table.columns):
            raise CardError("a table counts what none of its features says")
        terms = Terms(pattern_set(said.shapes, said.game), said.tables)
        return cls(
            terms,
            tuple(taken(arrays, "knots", np.int64).tolist()),
            taken(arrays, "weights", np.float32, 2),
            number_in(arrays, "intercept"),
        )

    @property
    def unit(self) -> float:
        """What its weights are multiplied by to be held in 16 bits."""
        return unit_of(np.append(self.weights, self.intercept / _LARGEST))

    def held(self) -> NDArray[np.int16]:
        """Return the weights as the search holds them, `unit` times what they are worth.

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
        integers, floats = self.parts()
        return Evaluator(
            name=name,
            game=self.game.name,
            evaluate=self.evaluate,
            integers=concatenated(integers, np.int32),
            floats=floats,
            origin=origin,
        )

    @property
    def evaluate(self) -> Any:
        """The compiled function of its evaluator."""
        return _evaluate(self.terms)

    def parts(self) -> tuple[list[NDArray[np.int32]], NDArray[np.float32]]:
        """Return the numbers that `evaluate` reads.

        Returns
        -------
        Arrays int32 (n,) that lie one behind the other, and float32 (m,), most of it room to write.
        """
        terms, counts, unit = self.terms, self.game.most_left + 1, self.unit
        weights = self.held()
        table, lanes = byte_table(terms.patterns), lanes_of(terms.patterns)
        table_at = 2 * (_HEADER + counts)
        header = [_HEADER, table_at, table_at + table.size, weights.shape[1]]
        bias = np.full(counts, round(unit * self.intercept))
        integers = np.concatenate([header, bias]).astype(np.int32)
        halves = [half.ravel().view(np.int32) for half in (table, weights)]
        room = lanes // 2 + len(column_names(terms.features))
        floats = np.concatenate([[1 / unit], np.zeros(room)]).astype(np.float32)
        return [integers, *halves], floats


def unit_of(weights: NDArray[Any]) -> float:
    """Return the power of two by which weights are multiplied to be held in 16 bits."""
    largest = float(np.abs(weights).max(initial=0.0))
    return float(min(_FINEST, 2.0 ** np.floor(np.log2(_LARGEST / max(largest, 1e-30)))))
