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

    integers: where the rows start (as 8-bit numbers), the rows of configurations, and in the floats
              the ceilings and the limit; the middles (features.pattern_index); the linear model's
              integers; for each configuration its row (the mirror images of a shape share them);
              the rows
    floats:   the linear model's; the limit; what is left of a line of the cache; the ceilings; for
              each count of squares left the biases of the units; for each stage the biases and the
              weights of the inner layer, one row an input, and the outputs
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int8
from numpy.typing import NDArray

from samuel.features.pattern_index import as_halves, middles
from samuel.features.shapes import PatternSet
from samuel.games.evaluator import Evaluator
from samuel.games.interface import EVALUATE, EVALUATE_WITHIN, Game
from samuel.kernels.compose import compose, compose_later
from samuel.kernels.pointers import LINE, cast_to, concatenated, offset, view
from samuel.models.forms.arrays import number_in, taken
from samuel.models.forms.compiled import LARGEST_SCORE
from samuel.models.forms.kinds import described
from samuel.models.patterns.forms import NUMBERS_AT, PatternForm
from samuel.models.patterns.network_kernel import INNER, WIDTHS, joined, layers_of, network_of

CEILING = 8.0
_HEADER = 4
_MOST, _LARGEST = 127, 128
"""What the largest number of a row is held as, and what none is farther from 0 than."""
_LEAST = 1e-20
"""No step is smaller."""
as_bytes = cast_to(int8)

_WITHIN = """
def within(position, integers, floats, low, high):
    score = linear(position, offset(integers, HEADER + {instances}), floats)
    limit = floats[integers[3]]
    if score + limit <= low:
        return score + limit
    if score - limit >= high:
        return score - limit
    left = min(max(game_left(view(position, {words})), 0), {most})
    rows, numbers = as_bytes(integers, integers[0]), as_halves(floats, NUMBERS_AT)
    weight_of, ceilings = offset(integers, integers[1]), offset(floats, integers[2])
    biases = offset(ceilings, {units} * (1 + left))
    stage = offset(ceilings, {stages_at} + {stage} * (left * {stages} // {counts}))
    middle = offset(integers, HEADER)
    added = network((rows, weight_of, middle, numbers, {instances}, ceilings, biases, stage))
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
        "as_halves": as_halves,
        "as_bytes": as_bytes,
        "network": network_of(16 if instances * _LARGEST < 1 << 15 else 32, units),
        "HEADER": _HEADER,
        "NUMBERS_AT": NUMBERS_AT,
    }
    source = _WITHIN.format(
        words=game.words,
        most=game.most_left,
        counts=counts,
        instances=instances,
        stages=stages,
        units=units,
        stage=_stride(units),
        stages_at=units * (1 + counts),
    )
    within = compose_later("within", source, parts, EVALUATE_WITHIN)
    infinite = {"within": within, "INFINITY": np.float32(np.inf)}
    evaluate = compose("evaluate", _EVALUATE, infinite, EVALUATE)
    evaluate.within = within
    return evaluate


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
        int8 (n_weights of the patterns, units).
    steps
        float32 (units,), what one of each unit's numbers is worth.
    biases
        float32 (counts, units), for each count of squares left.
    inner, inner_biases, outputs
        float32 (stages, units, INNER), (stages, INNER) and (stages, INNER); of c counts of squares
        left and n stages, r squares left are at stage r * n // c.
    limit
        What the network adds to the linear score is no farther from 0 than; infinite where it may
        add anything, as models saved before there was a limit do.
    """

    linear: PatternForm
    rows: NDArray[np.int8]
    steps: NDArray[np.float32]
    biases: NDArray[np.float32]
    inner: NDArray[np.float32]
    inner_biases: NDArray[np.float32]
    outputs: NDArray[np.float32]
    limit: float = np.inf

    kind = "pattern network"

    @property
    def game(self) -> Game:
        """The game."""
        return self.linear.game

    @property
    def patterns(self) -> PatternSet:
        """The shapes, whose configurations have the rows."""
        return self.linear.terms.patterns

    @property
    def parameters(self) -> int:
        """How many numbers were learned."""
        own = (self.rows, self.biases, self.inner, self.inner_biases, self.outputs)
        return self.linear.parameters + sum(array.size for array in own)

    @property
    def is_sound(self) -> bool:
        """Whether the search can run it without leaving its arrays."""
        counts, stages, units = self.game.most_left + 1, len(self.inner), len(self.steps)
        return bool(
            self.linear.is_sound
            and units in WIDTHS
            and self.steps.shape == (units,)
            and self.rows.shape == (self.patterns.n_weights, units)
            and self.biases.shape == (counts, units)
            and 0 < stages <= counts
            and self.inner.shape == (stages, units, INNER)
            and self.inner_biases.shape == self.outputs.shape == (stages, INNER)
            and float(self.steps.min()) > _LEAST
            and float(self.steps.max()) < LARGEST_SCORE
            and float(np.abs(self.biases).max()) < LARGEST_SCORE * float(self.steps.min())
            and self.limit >= 0
            and all((most < LARGEST_SCORE).all() for most in self._bounds)
            and float(np.abs(self.steps[:, None] * self.inner.astype(float)).max()) < LARGEST_SCORE
            and self.largest_score < LARGEST_SCORE  # nor is NaN
        )

    @property
    def layers(self) -> NDArray[np.float32]:
        """The parameters of the layers over the sum of rows, at each stage."""
        return joined(self.inner, self.inner_biases, self.outputs)

    @property
    def _bounds(self) -> list[NDArray[np.float64]]:
        """What the sums of each layer are no farther from 0 than; NaN where a number is."""
        units = len(self.steps)
        return layers_of(units).bounds(self.layers, np.full(units, CEILING))

    @property
    def largest_score(self) -> float:
        """What no score is farther from 0 than; NaN where a number is."""
        return self.linear.largest_score + float(self._bounds[-1].max())

    def described(self) -> dict[str, Any]:
        """Return what a card says of it; `arrays` has the rest."""
        return {"kind": self.kind, "game": self.game.name, "linear": self.linear.described()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the linear model, and those beside it."""
        is_limited = self.limit <= float(np.finfo(np.float32).max)
        limit = {"limit": np.array([self.limit], np.float32)} if is_limited else {}
        own: dict[str, NDArray[Any]] = {
            "rows": self.rows,
            "steps": self.steps,
            "biases": self.biases,
            "inner": self.inner,
            "inner_biases": self.inner_biases,
            "outputs": self.outputs,
        }
        return self.linear.arrays() | own | limit

    @classmethod
    def read(cls, card: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> NetworkForm:
        """Return the model of a card and its arrays; see PatternForm.read."""
        return cls(
            PatternForm.read(described(card, _Described).linear, arrays),
            taken(arrays, "rows", np.int8, 2),
            taken(arrays, "steps", np.float32),
            taken(arrays, "biases", np.float32, 2),
            taken(arrays, "inner", np.float32, 3),
            taken(arrays, "inner_biases", np.float32, 2),
            taken(arrays, "outputs", np.float32, 2),
            number_in(arrays, "limit") if "limit" in arrays else np.inf,
        )

    def held(self) -> dict[str, NDArray[Any]]:
        """Return the network's numbers as the search has them.

        Returns
        -------
        `rows` int8 (configurations, units), of all configurations of all shapes; float32 in their
        steps `ceilings` (units,) and `row_biases` (counts, units), and float32 `inner` (stages,
        units, INNER), for units in steps, `inner_biases` and `outputs` (stages, INNER):
        max(0, step * x) is step * max(0, x). And `limit` (1,), which is finite.
        """
        return {"rows": self.rows[self.patterns.weight_of], **self._held()}

    def _held(self) -> dict[str, NDArray[np.float32]]:
        """Return `held` without the rows."""
        return {
            "ceilings": CEILING / self.steps,
            "row_biases": self.biases / self.steps,
            "inner": self.inner * self.steps[:, None],
            "inner_biases": self.inner_biases,
            "outputs": self.outputs,
            "limit": np.array([min(self.limit, float(self._bounds[-1].max()))], np.float32),
        }

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        integers, floats = self.linear.parts()
        held, patterns = self._held(), self.patterns
        middle, weight_of = middles(patterns), patterns.weight_of.astype(np.int32)
        weight_of_at = _HEADER + len(middle) + sum(map(len, integers))
        end = weight_of_at + len(weight_of)
        lead = np.zeros(-end % LINE, np.int32)
        limit_at = len(floats)
        gap = np.zeros(-(limit_at + 1) % LINE, np.float32)
        starts = [4 * (end + len(lead)), weight_of_at, limit_at + 1 + len(gap), limit_at]
        header = np.array(starts, np.int32)
        layers = joined(held["inner"], held["inner_biases"], held["outputs"])
        units = len(self.steps)
        room = np.zeros((len(layers), _stride(units) - layers.shape[1]), np.float32)
        rest: list[NDArray[np.float32]] = [
            held["limit"],
            gap,
            held["ceilings"],
            held["row_biases"],
            np.hstack([layers, room]),
        ]
        return Evaluator(
            name=name,
            game=self.game.name,
            evaluate=_evaluate(self.game, self.linear.evaluate, len(middle), units, len(layers)),
            integers=concatenated(
                [header, middle, *integers, weight_of, lead, self.rows.ravel().view(np.int32)],
                np.int32,
            ),
            floats=concatenated([floats, *(part.ravel() for part in rest)], np.float32),
            origin=origin,
        )


def held_rows(rows: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return rows (n, units) as 8-bit numbers, and what one of each unit's is worth."""
    largest = np.abs(rows).max(axis=0, initial=0.0)
    steps = (np.maximum(largest, 1e-6) / _MOST).astype(np.float32)
    return np.round(rows / steps).astype(np.int8), steps
