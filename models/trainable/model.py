"""An evaluation whose weights change while it plays, and how far each has to go.

All that it reads and writes lies in the two arrays of an evaluator, so that whoever sees an
evaluation inside a search can also teach it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import NDArray

from samuel.games.evaluator import Evaluator, SharingEvaluator
from samuel.games.game import Game
from samuel.games.rules import ROW, Row
from samuel.kernels.jit import jit
from samuel.kernels.laid_out import FieldsIn, reading
from samuel.kernels.pointers import FLOATS, INTS, WORDS, Pointer, at
from samuel.kernels.records import length, record, room

GRADIENT = int64(WORDS, INTS, FLOATS, INTS, FLOATS)
"""`gradient(position, integers, floats, places, parts) -> n` fills in places of weights, and parts.
The derivative of the score of a position by a weight is the sum of the parts at its place."""


@record
class Learned(NamedTuple):
    """Head of every evaluation that learns."""

    size: int = length("weights", "how many there are")
    weights: Any = room(float32, ("size",), "what is learned")
    changes: Any = room(float32, ("size",), "the sum of the changes of each that are waiting")
    waits: Any = room(int32, ("size",), "how many changes of each are waiting")
    changed: Any = room(int32, ("size",), "a list of the weights that have any")
    waiting: Any = room(int32, (1,), "how long the list is")
    places: Any = room(int32, ("most",), "of a gradient")
    parts: Any = room(float32, ("most",), "of a gradient")


learned = reading(Learned)


@dataclass(eq=False)
class TrainableModel:
    """An evaluation that learns."""

    game: Game
    evaluate: Any  # see EVALUATE
    gradient: Any  # see GRADIENT
    integers: NDArray[np.int32]  # a record derived from Learned
    floats: NDArray[np.float32]  # likewise
    estimator: Callable[[NDArray[np.float64]], Any]  # fitted, of weights (n,)

    @property
    def weights(self) -> NDArray[np.float32]:
        """The weights (n,): a view, so that they can be set."""
        return self._of_each("weights")

    def _of_each(self, name: str) -> NDArray[np.float32]:
        its = FieldsIn(Learned, self.integers, self.floats)
        view: NDArray[np.float32] = getattr(its, name)[: its.size].view(np.ndarray)
        return view

    def gradient_at(self, position: Row) -> NDArray[np.float32]:
        """Return the derivative of the score of a position (K,) by each weight, (n,)."""
        _add_gradient(self.gradient, position, self.integers, self.floats)
        found = self._of_each("changes").copy()
        _drop_changes(self.integers, self.floats)
        return found

    def evaluator(self, name: str) -> Evaluator:
        """Return it as an evaluator, whose weights change as these do."""
        return SharingEvaluator.of(
            self.floats,
            name=name,
            game=self.game.name,
            evaluate=self.evaluate,
            integers=self.integers,
            origin="learning",
        )


@jit
def dot(weights: Pointer, places: Pointer, parts: Pointer, n: int) -> float:
    """Return the sum of n weights, each times its part: the score of a linear form."""
    total = 0.0
    for i in range(n):
        total += weights[places[i]] * parts[i]
    return total


@jit
def add_gradient(
    gradient: Any, position: Pointer, integers: Pointer, floats: Pointer, step: float
) -> None:
    """Let the changes by `step` times the gradient at a position wait."""
    its = learned(integers, floats)
    places, parts, changes = its.places, its.parts, its.changes
    waits, changed, waiting = its.waits, its.changed, its.waiting
    n = gradient(position, integers, floats, places, parts)
    for i in range(n):
        place = int64(places[i])
        if waits[place] == 0:
            changed[waiting[0]] = int32(place)
            waiting[0] += int32(1)
        waits[place] += int32(1)
        changes[place] += float32(step * parts[i])


@jit
def apply_changes(
    integers: Pointer, floats: Pointer, steps: Any, rate: float, averages: bool
) -> None:
    """Change the weights by `rate` times what waits; then nothing waits.

    That is the sum of the changes of a weight, or their mean over all that was read of it (a
    pattern twice where a position has it twice, a feature also where it is 0): of a search, a step
    then goes as far for a pattern that a few of its positions have as for one that all have.

    Where `steps`, float64 (2, n), has room for each weight, its step is its own: temporal coherence
    (D. Beal and M. Smith, "Temporal coherence and prediction decay in TD learning", 1999). It is
    the rate times |sum of the changes so far| / sum of their sizes: 1 at first, small where they
    contradict each other.
    """
    its = learned(integers, floats)
    weights, changes, waits, changed = its.weights, its.changes, its.waits, its.changed
    for k in range(its.waiting[0]):
        place = int64(changed[k])
        change = float64(changes[place])
        if averages:
            change /= waits[place]
        step = rate
        if steps.shape[1] > 0:
            if steps[1, place] > 0.0:
                step *= abs(steps[0, place]) / steps[1, place]
            steps[0, place] += change
            steps[1, place] += abs(change)
        weights[place] += float32(step * change)
    drop_changes(integers, floats)


@jit
def drop_changes(integers: Pointer, floats: Pointer) -> None:
    """Forget the changes that wait."""
    its = learned(integers, floats)
    waits, changes, changed, waiting = its.waits, its.changes, its.changed, its.waiting
    for k in range(waiting[0]):
        place = int64(changed[k])
        waits[place] = int32(0)
        changes[place] = float32(0)
    waiting[0] = int32(0)


_INTEGERS = types.Array(int32, 1, "C", readonly=True)


@jit(types.void(types.FunctionType(GRADIENT), ROW, _INTEGERS, float32[::1]))
def _add_gradient(gradient: Any, position: Row, integers: Any, floats: Any) -> None:
    add_gradient(gradient, at(position, 0), at(integers, 0), at(floats, 0), 1.0)


@jit(types.void(_INTEGERS, float32[::1]))
def _drop_changes(integers: Any, floats: Any) -> None:
    drop_changes(at(integers, 0), at(floats, 0))
