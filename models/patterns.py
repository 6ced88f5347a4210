"""Linear models of patterns inside the search.

The evaluator adds up one weight an instance. Weights are blended ahead for every count of squares
left, so that stages cost nothing, and held as 16-bit numbers, so that those of one count fit the
processor's cache: a unit is a power of two, at most 1024, such that the largest weight fits, and
no weight is off by more than half a 1024th where the largest is below 32. All of it lies in the
evaluator's integers:

    header (below); the middles (features.pattern_index); the bias for each count of squares left;
    as 16-bit numbers the table of bytes, then the weights of each count of squares left
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int32
from numpy.typing import NDArray

from features.pattern_index import as_halves, byte_table, fill_numbers, lanes_of, middles
from features.shapes import PatternSet, Shape, pattern_set
from games.abi import EVALUATE, Evaluator, Game
from games.catalog import game_named
from games.pointers import offset, view
from jit import compose

_N, _LANES, _BIAS, _TABLE, _WEIGHTS, _STRIDE = range(6)
_HEADER = 6
_FINEST, _LARGEST = 1024, 32767

_EVALUATE = """
def evaluate(position, integers, floats):
    left = min(max(remaining(view(position, 2)), 0), {most})
    numbers, middle = as_halves(floats, 2), offset(integers, HEADER)
    table = as_halves(integers, integers[TABLE])
    fill_numbers(table, integers[LANES], position[0], position[1], numbers)
    weights = as_halves(integers, integers[WEIGHTS] + left * integers[STRIDE])
    total = integers[integers[BIAS] + left]
    for k in range(integers[N]):
        total += int32(weights[middle[k] + numbers[k]])
    return floats[0] * total
"""


@functools.lru_cache(maxsize=16)
def _evaluate(game: Game) -> Any:
    """Return the compiled function for a game; the shapes are data."""
    parts = {
        "remaining": game.remaining,
        "view": view,
        "offset": offset,
        "as_halves": as_halves,
        "fill_numbers": fill_numbers,
        "int32": int32,
        "HEADER": _HEADER,
        "N": _N,
        "LANES": _LANES,
        "BIAS": _BIAS,
        "TABLE": _TABLE,
        "WEIGHTS": _WEIGHTS,
        "STRIDE": _STRIDE,
    }
    return compose("evaluate", _EVALUATE.format(most=game.max_remaining), parts, EVALUATE)


@dataclass(frozen=True, eq=False)
class PatternForm:
    """A linear model of patterns, as it is compiled and saved.

    Attributes
    ----------
    patterns
        The shapes.
    knots
        Counts of squares left, ascending.
    weights
        float32 (knots, n_weights), in units of score.
    intercept
        The same at every stage.
    """

    patterns: PatternSet
    knots: tuple[int, ...]
    weights: NDArray[np.float32]
    intercept: float = 0.0

    kind = "patterns"

    @property
    def game(self) -> Game:
        """The game."""
        return game_named(self.patterns.game)

    @property
    def parameters(self) -> int:
        """How many numbers were learned."""
        return int(self.weights.size) + 1

    @property
    def is_sound(self) -> bool:
        """Whether the search can run it without leaving its arrays."""
        return bool(
            self.weights.shape == (len(self.knots), self.patterns.n_weights)
            and len(self.knots) > 0
            and all(a < b for a, b in zip(self.knots, self.knots[1:], strict=False))
            and np.isfinite(self.weights).all()
            and np.isfinite(self.intercept)
        )

    def described(self) -> dict[str, Any]:
        """Return what a card says of it; `arrays` has the rest."""
        shapes = [{"name": s.name, "squares": list(s.squares)} for s in self.patterns.shapes]
        return {"kind": self.kind, "game": self.patterns.game, "shapes": shapes}

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
            Its shapes do not fit the game's board.
        Exception
            The arrays are none of such a model.
        """
        shapes = [Shape(str(s["name"]), tuple(map(str, s["squares"]))) for s in card["shapes"]]
        knots = tuple(map(int, arrays["knots"]))
        weights = np.ascontiguousarray(arrays["weights"], np.float32)
        patterns = pattern_set(shapes, card["game"])
        return cls(patterns, knots, weights, float(arrays["intercept"][0]))

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        patterns, counts = self.patterns, self.game.max_remaining + 1
        unit = unit_of(self.weights)
        weights = np.empty((counts, patterns.size + patterns.size % 2), np.int16)
        for left, blended in enumerate(blended_weights(self.weights, self.knots, counts)):
            held = np.round(unit * blended).astype(np.int16)
            weights[left, : patterns.size] = held[patterns.weight_of]
        middle, table = middles(patterns), byte_table(patterns)
        bias_at = _HEADER + len(middle)
        table_at = bias_at + counts
        header = [len(middle), lanes_of(patterns), bias_at, 2 * table_at]
        header += [2 * table_at + table.size, weights.shape[1]]
        bias = np.full(counts, round(unit * self.intercept))
        integers = np.concatenate([header, middle, bias]).astype(np.int32)
        halves = np.concatenate([table.ravel(), weights.ravel()])
        return Evaluator(
            name=name,
            game=patterns.game,
            evaluate=_evaluate(self.game),
            integers=np.concatenate([integers, halves.view(np.int32)]),
            floats=np.concatenate([[1 / unit], np.zeros(lanes_of(patterns) // 2)]).astype("f4"),
            origin=origin,
        )


def unit_of(weights: NDArray[Any]) -> float:
    """Return the power of two by which weights are multiplied to be held in 16 bits."""
    largest = float(np.abs(weights).max(initial=0.0))
    return float(min(_FINEST, 2.0 ** np.floor(np.log2(_LARGEST / max(largest, 1e-30)))))


def blended_weights(weights: NDArray[Any], knots: tuple[int, ...], counts: int) -> Any:
    """Yield the weights at 0 to `counts` - 1 squares left, between two knots those of both."""
    for left in range(counts):
        place = float(np.interp(left, knots, np.arange(len(knots))))
        low = int(place)
        share = 1.0 - (place - low)
        above = weights[min(low + 1, len(knots) - 1)]
        yield share * weights[low] + (1.0 - share) * above
