"""Networks over patterns inside the search: a linear model, and a layer of hidden units beside it.

Each configuration has, besides its weight, a row of UNITS small numbers, the same at every stage.
The rows of a position's instances are added up, and the score is

    linear + sum over units u of output_r[u] * max(0, bias_r[u] + row[u])

with r squares left. So a shape can count for more or less by what the others hold. In the search
the rows are 16-bit numbers: 32767 stands for the largest of them.

    integers: where the rows start (as 16-bit numbers), and the sums in the floats; the
              middles (features.pattern_index); the linear model's integers; the rows
    floats:   the linear model's; room for the sums; for each count of squares left the UNITS
              biases and outputs
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import int32, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from samuel.features.pattern_index import HALVES, as_halves, middles
from samuel.games.evaluator import Evaluator
from samuel.games.interface import EVALUATE, Game
from samuel.kernels.compose import compose
from samuel.kernels.jit import DISABLED
from samuel.kernels.pointers import INTS, cast_to, offset, view
from samuel.models.forms.arrays import number_in, taken
from samuel.models.forms.compiled import LARGEST_SCORE
from samuel.models.forms.kinds import described
from samuel.models.patterns.forms import NUMBERS_AT, PatternForm

UNITS = 8
_HEADER = 2
_MOST = 32767
as_integers = cast_to(int32)
_REST = 2 * UNITS
"""Floats for each count of squares left."""

_EVALUATE = """
def evaluate(position, integers, floats):
    score = linear(position, offset(integers, HEADER + {instances}), floats)
    left = min(max(game_left(view(position, {words})), 0), {most})
    sums = offset(floats, integers[1])
    rest = offset(sums, UNITS + REST * left)
    total, middle = as_integers(sums, 0), offset(integers, HEADER)
    rows, numbers = as_halves(integers, integers[0]), as_halves(floats, NUMBERS_AT)
    add_rows(rows, middle, numbers, {instances}, total)
    for u in range(UNITS):
        score += rest[UNITS + u] * max(ZERO, rest[u] + float32(total[u]))
    return score
"""


def _add_rows(_typing: Any, _rows: Any, _middle: Any, _numbers: Any, _n: Any, _sums: Any) -> Any:
    """Emit the sum of the rows of n configurations, in one register."""

    def generate(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        rows, middle, numbers, n, sums = arguments
        wide, narrow = (ir.VectorType(ir.IntType(bits), UNITS) for bits in (32, 16))
        word = ir.IntType(64)
        total = cgutils.alloca_once_value(b, ir.Constant(wide, [0] * UNITS))
        with cgutils.for_range(b, n, intp=word) as loop:
            base = b.sext(b.load(b.gep(middle, [loop.index])), word)
            number = b.sext(b.load(b.gep(numbers, [loop.index])), word)
            place = b.mul(b.add(base, number), ir.Constant(word, UNITS))
            row = b.load(b.bitcast(b.gep(rows, [place]), narrow.as_pointer()), align=1)
            b.store(b.add(b.load(total), b.sext(row, wide)), total)
        b.store(b.load(total), b.bitcast(sums, wide.as_pointer()), align=4)

    return types.void(HALVES, INTS, HALVES, types.int64, INTS), generate


if DISABLED:

    def add_rows(rows: Any, middle: Any, numbers: Any, n: int, sums: Any) -> None:
        """Add up the rows of n configurations, as the compiled form does."""
        places = [UNITS * (int(middle[k]) + int(numbers[k])) for k in range(n)]
        sums[:UNITS] = sum(rows[place : place + UNITS].astype(np.int32) for place in places)
else:
    add_rows = intrinsic(_add_rows)
    """`add_rows(rows, middle, numbers, n, sums)`: the sum of the rows of n configurations."""


@functools.lru_cache(maxsize=64)
def _evaluate(game: Game, linear: Any, instances: int) -> Any:
    """Return the compiled function for the function of a linear model of so many instances."""
    parts = {
        "linear": linear,
        "game_left": game.left,
        "view": view,
        "offset": offset,
        "as_halves": as_halves,
        "as_integers": as_integers,
        "add_rows": add_rows,
        "float32": np.float32,
        "ZERO": np.float32(0),
        "UNITS": UNITS,
        "REST": _REST,
        "HEADER": _HEADER,
        "NUMBERS_AT": NUMBERS_AT,
    }
    source = _EVALUATE.format(words=game.words, most=game.most_left, instances=instances)
    return compose("evaluate", source, parts, EVALUATE)


@dataclass(frozen=True)
class _Described:
    """What a card says of one."""

    linear: dict[str, Any]


@dataclass(frozen=True, eq=False)
class NetworkForm:
    """A network over patterns, as it is compiled and saved.

    Attributes
    ----------
    linear
        The linear model, whose configurations these are.
    rows
        int16 (n_weights of the patterns, UNITS).
    step
        What one of the rows' numbers is worth.
    biases, outputs
        float32 (counts, UNITS), for each count of squares left.
    """

    linear: PatternForm
    rows: NDArray[np.int16]
    step: float
    biases: NDArray[np.float32]
    outputs: NDArray[np.float32]

    kind = "pattern network"

    @property
    def game(self) -> Game:
        """The game."""
        return self.linear.game

    @property
    def parameters(self) -> int:
        """How many numbers were learned."""
        return self.linear.parameters + self.rows.size + self.biases.size + self.outputs.size

    @property
    def is_sound(self) -> bool:
        """Whether the search can run it without leaving its arrays."""
        of_counts = (self.game.most_left + 1, UNITS)
        return bool(
            self.linear.is_sound
            and self.rows.shape == (self.linear.terms.patterns.n_weights, UNITS)
            and self.biases.shape == self.outputs.shape == of_counts
            and self.step > 0
            and float(np.abs(self.biases).max()) < LARGEST_SCORE * self.step
            and float(np.abs(self.outputs).max()) < LARGEST_SCORE / max(self.step, 1.0)
            and self.largest_score < LARGEST_SCORE  # nor is NaN
        )

    @property
    def largest_score(self) -> float:
        """What no score is farther from 0 than; NaN where a number is."""
        inputs = len(self.linear.terms.patterns.instances) * (_MOST + 1) * self.step
        units = np.abs(self.outputs.astype(float)) * (np.abs(self.biases.astype(float)) + inputs)
        return self.linear.largest_score + float(units.sum(axis=1).max())

    def described(self) -> dict[str, Any]:
        """Return what a card says of it; `arrays` has the rest."""
        return {"kind": self.kind, "game": self.game.name, "linear": self.linear.described()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the linear model, and those beside it."""
        return self.linear.arrays() | {
            "rows": self.rows,
            "step": np.array([self.step], np.float32),
            "biases": self.biases,
            "outputs": self.outputs,
        }

    @classmethod
    def read(cls, card: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> NetworkForm:
        """Return the model of a card and its arrays; see PatternForm.read."""
        return cls(
            PatternForm.read(described(card, _Described).linear, arrays),
            taken(arrays, "rows", np.int16, 2),
            number_in(arrays, "step"),
            taken(arrays, "biases", np.float32, 2),
            taken(arrays, "outputs", np.float32, 2),
        )

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        linear, patterns = self.linear.evaluator(name, origin), self.linear.terms.patterns
        middle, rows = middles(patterns), self.rows[patterns.weight_of]
        rows_at = 2 * (_HEADER + len(middle) + len(linear.integers))
        header = np.array([rows_at, len(linear.floats)], np.int32)
        # max(0, step * x) is step * max(0, x): biases in steps, and outputs for steps
        rest = np.hstack([self.biases / self.step, self.outputs * self.step])
        return Evaluator(
            name=name,
            game=self.game.name,
            evaluate=_evaluate(self.game, linear.evaluate, len(middle)),
            integers=np.concatenate([header, middle, linear.integers, rows.ravel().view(np.int32)]),
            floats=np.concatenate([linear.floats, np.zeros(UNITS), rest.ravel()]).astype("f4"),
            origin=origin,
        )


def held_rows(rows: NDArray[np.float32]) -> tuple[NDArray[np.int16], float]:
    """Return rows as 16-bit numbers, and what one of these is worth."""
    step = max(float(np.abs(rows).max(initial=0.0)), 1e-6) / _MOST
    return np.round(rows / step).astype(np.int16), step
