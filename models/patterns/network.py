"""Networks over patterns inside the search: a linear model, and two layers of units beside it.

Each configuration has, besides its weight, a row of small numbers, one a unit, the same at every
stage. The rows of a position's instances are added up, and the score is

    linear + sum over v of output_s[v] * max(0, bias_s[v] + sum over u of inner_s[u, v] * h[u]),
    h[u] = min(CEILING, max(0, bias_r[u] + row[u])),

with r squares left, at stage s; the sum is kept within a limit, to either side. So what a shape
counts for depends on what the others hold. (The first layer as a sum of rows, of small whole
numbers, and layers after it too small to matter: Y. Nasu, "Efficiently updatable
neural-network-based evaluation functions for computer shogi", 2018. There the rows stand for single
pieces.)

In the search the rows are 8-bit numbers, each unit's in steps of its own: the row of a
configuration is one line of the processor's cache, or two. And the network is asked only where the
linear score, a quarter of the work, is no farther from the search's window than the limit
(`Evaluator.within`): what the search finds is the same. (That the rest of an evaluation is left out
where the first part decides is common in chess, with margins that are guessed: "lazy evaluation".)
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int8, int32
from numpy.typing import NDArray

from samuel.features.pattern_index import middles
from samuel.features.shapes import PatternSet
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.rules import EVALUATE, EVALUATE_WITHIN
from samuel.kernels.laid_out import reading
from samuel.kernels.pointers import LINE, compose, compose_later, offset, view
from samuel.kernels.records import array, declared, filled, number, part, record
from samuel.models.compiled.model import (
    arrays_for,
    arrays_of,
    described,
    evaluator_of,
    require,
    require_bounded,
    require_shapes,
)
from samuel.models.networks.steps import Numbers
from samuel.models.patterns.model import HeldPatterns, PatternModel
from samuel.models.patterns.network_kernel import WIDTHS, layers_of, network_of

CEILING = 8.0
_MOST, _LARGEST = 127, 128
"""Largest held number of a row, and a bound that none exceeds to either side."""
_LEAST = 1e-20
"""No step is smaller."""


@record
class HeldNetwork(NamedTuple):
    """A network over patterns as the search holds it; each unit in steps of its own."""

    linear: Any = part(HeldPatterns, "the linear model")
    limit: float = number("what the network adds is no farther from 0 than", float32)
    middles: Any = array(int32, ("instances",), "as `middles` (features.pattern_index)")
    weight_of: Any = array(
        int32, ("configurations",), "the row of each, which the mirror images of a shape share"
    )
    rows: Any = array(int8, ("rows", "units"), "a line of the processor's cache each, or two")
    ceilings: Any = array(float32, ("units",), "what each unit is clipped at")
    row_biases: Any = array(float32, ("counts", "units"), "for each count of squares left")
    layers: Any = array(float32, ("stages", "size"), "the parameters after that (`layers_of`)")


_WITHIN = """
def within(position, integers, floats, low, high):
    its = held_network(integers, floats)
    score, limit = linear(position, its.linear.integers, its.linear.floats), its.limit
    if score + limit <= low:
        return score + limit
    if score - limit >= high:
        return score - limit
    left = min(max(game_left(view(position, {words})), 0), {most})
    rows, weight_of, middle, numbers = its.rows, its.weight_of, its.middles, its.linear.numbers
    biases = offset(its.row_biases, {units} * left)
    stage = offset(its.layers, {stage} * (left * {stages} // {counts}))
    added = network((rows, weight_of, middle, numbers, {instances}, its.ceilings, biases, stage))
    return score + min(max(added, -limit), limit)
"""
_EVALUATE = """
def evaluate(position, integers, floats):
    return within(position, integers, floats, -INFINITY, INFINITY)
"""


def _stride(units: int) -> int:
    """Return how many floats a stage takes, so that the next begins at a line of the cache."""
    return -(-layers_of(units).size // LINE) * LINE


@functools.lru_cache(maxsize=64)
def _evaluate(game: Game, linear: Any, instances: int, units: int, stages: int) -> Any:
    """Return the compiled function for the function of a linear model of so many instances."""
    counts = game.most_left + 1
    parts = {
        "linear": linear,
        "game_left": game.left,
        "view": view,
        "offset": offset,
        "held_network": reading(HeldNetwork),
        "network": network_of(16 if instances * _LARGEST < 1 << 15 else 32, units),
    }
    source = _WITHIN.format(
        words=game.words,
        most=game.most_left,
        counts=counts,
        instances=instances,
        stages=stages,
        units=units,
        stage=_stride(units),
    )
    within = compose_later("within", source, parts, EVALUATE_WITHIN)
    infinite = {"within": within, "INFINITY": np.float32(np.inf)}
    evaluate = compose("evaluate", _EVALUATE, infinite, EVALUATE)
    evaluate.within = within
    return evaluate


@dataclass(frozen=True)
class _Described:
    """Entries of a card about a network."""

    linear: dict[str, Any]


@dataclass(frozen=True, eq=False)
@declared
class NetworkModel:
    """A network over patterns, as it is compiled and saved.

    With c counts of plies left and n stages, r plies left are at stage r * n // c.
    """

    linear: PatternModel
    rows: NDArray[np.int8] = array(int8, ("n_weights", "units"), "of each configuration")
    steps: NDArray[np.float32] = array(float32, ("units",), "what one of a unit's numbers is worth")
    biases: NDArray[np.float32] = array(
        float32, ("counts", "units"), "for each count of squares left"
    )
    layers: NDArray[np.float32] = array(
        float32, ("stages", "size"), "of the layers after the first, joined (`layers_of`)"
    )
    limit: float = number(
        "what the network adds to the linear score is no farther from 0 than", float32
    )

    kind = "pattern network"

    @property
    def game(self) -> Game:
        """The game."""
        return self.linear.game

    @property
    def patterns(self) -> PatternSet:
        """The shapes, whose configurations have the rows."""
        return self.linear.terms.patterns

    def check(self) -> None:
        """Raise ValueError with what is wrong, unless the search can run it within its arrays."""
        counts, stages, units = self.game.most_left + 1, len(self.layers), len(self.steps)
        self.linear.check()
        require(units in WIDTHS, f"'steps' has {units} numbers, as no network has units")
        require(0 < stages <= counts, f"'layers' has {stages} stages for {counts} counts")
        size = layers_of(units).size
        rows, biases, layers = (self.patterns.n_weights, units), (counts, units), (stages, size)
        require_shapes(self, {"rows": rows, "biases": biases, "layers": layers})
        least = float(self.steps.min())
        require(least > _LEAST, f"'steps' has {least:.3g}, below the least, {_LEAST}")  # or NaN
        require(self.limit >= 0, f"'limit' is {self.limit:.3g}, and must be at least 0")
        require_bounded("steps", self.steps)
        require_bounded("biases", self.biases.astype(float) / least)
        require_bounded("limit", self.limit)
        for most in (*self._bounds, self._held_layers, self.largest_score):
            require_bounded("layers", most)

    @property
    def _bounds(self) -> list[NDArray[np.float64]]:
        """Largest distances from 0 of the sums of each layer; NaN where a number is."""
        units = len(self.steps)
        return layers_of(units).bounds(self.layers, np.full(units, CEILING))

    @property
    def largest_score(self) -> float:
        """Largest distance of a score from 0; NaN where a number is."""
        return self.linear.largest_score + float(self._bounds[-1].max())

    def described(self) -> dict[str, Any]:
        """Return the model's entry of a card; `arrays` has the rest."""
        return {"kind": self.kind, "game": self.game.name, "linear": self.linear.described()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the linear model, and those beside it."""
        return self.linear.arrays() | arrays_of(self)

    @classmethod
    def read(cls, card: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> NetworkModel:
        """Return the model of a card and its arrays; see PatternModel.read."""
        linear = PatternModel.read(described(card, _Described).linear, arrays)
        return cls(linear, **arrays_for(cls, arrays))

    @property
    def _held_layers(self) -> NDArray[np.float32]:
        """The layers over sums of rows in steps."""
        layers = layers_of(len(self.steps))
        (inner, biases), last = layers.parts(self.layers)
        with np.errstate(over="ignore"):  # `check` refuses infinity
            return layers.joined([(inner * self.steps[:, None].astype(float), biases), last])

    def held(self) -> dict[str, NDArray[Any]]:
        """Return the network's numbers as the search has them."""
        return {
            "rows": self.rows[self.patterns.weight_of],
            "ceilings": CEILING / self.steps,
            "row_biases": self.biases / self.steps,
            "layers": self._held_layers,
            "limit": np.array([min(self.limit, float(self._bounds[-1].max()))], np.float32),
        }

    def numbers(self, unit: float = 1.0) -> Numbers:
        """Return the numbers as they are learned, for scores in `unit`s."""
        layers = self._scaled_layers(1 / unit)
        return Numbers(self.rows * self.steps, self.biases.copy(), layers)

    @classmethod
    def of(cls, linear: PatternModel, numbers: Numbers, unit: float) -> NetworkModel:
        """Return the model of numbers that were learned for scores in `unit`s, without a limit."""
        largest = np.abs(numbers.rows).max(axis=0, initial=0.0)
        steps = (np.maximum(largest, 1e-6) / _MOST).astype(np.float32)
        rows = np.round(numbers.rows / steps).astype(np.int8)
        return cls(linear, rows, steps, numbers.biases, numbers.layers, 0.0).times(unit, linear)

    def _scaled_layers(self, factor: float) -> NDArray[np.float32]:
        """Return the layers with the last one's numbers multiplied."""
        found = self.layers.copy()
        for array_of_last in layers_of(len(self.steps)).parts(found)[-1]:  # views
            array_of_last *= np.float32(factor)
        return found

    def times(self, factor: float, linear: PatternModel) -> NetworkModel:
        """Return the network with its scores multiplied, beside a linear model so multiplied."""
        layers, limit = self._scaled_layers(factor), factor * self.limit
        return replace(self, linear=linear, layers=layers, limit=limit)

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        held, units, instances = self.held(), len(self.steps), len(self.patterns.instances)
        layers = held["layers"]
        behind = np.zeros((len(layers), _stride(units) - layers.shape[1]), np.float32)
        values = {
            "linear": self.linear.laid(),
            "limit": held["limit"][0],
            "middles": middles(self.patterns),
            "weight_of": self.patterns.weight_of.astype(np.int32),
            "rows": self.rows,
            "ceilings": held["ceilings"],
            "row_biases": held["row_biases"],
            "layers": np.hstack([layers, behind]),
        }
        evaluate = _evaluate(self.game, self.linear.evaluate, instances, units, len(layers))
        return evaluator_of(filled(HeldNetwork, values), evaluate, self.game, name, origin)
