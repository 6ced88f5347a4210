"""An evaluation whose weights change while it plays, and how far each has to go.

All that it reads and writes lies in two flat arrays, as of every evaluator, so that whoever sees an
evaluation inside a search can also teach it:

    integers: the header (below), what the form needs, then of each weight how many changes of it
              are waiting, a list of those that have any, and room for the places of a gradient
    floats:   what the form needs, the weights, the changes that wait, and room for the parts of a
              gradient
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float32, float64, int32, int64, types
from numpy.typing import NDArray

from samuel.games.evaluator import Evaluation, Evaluator
from samuel.games.interface import ROW, Game, Row
from samuel.kernels.jit import jit
from samuel.kernels.pointers import FLOATS, INTS, WORDS, Pointer, at, offset

GRADIENT = int64(WORDS, INTS, FLOATS, INTS, FLOATS)
"""`gradient(position, integers, floats, places, parts) -> n` fills in places of weights, and parts.
The derivative of the score of a position by a weight is the sum of the parts at its place."""
HEADER = 8
SIZE, WEIGHTS, CHANGES, PARTS, WAITS, LIST, PLACES, WAITING = range(HEADER)
"""Of the header: how many weights there are; where they, their changes, and the room for parts
begin in the floats; where the numbers of changes that wait, the list of weights that have any and
the room for places begin in the integers; how long the list is."""


@dataclass(eq=False)
class Live:
    """An evaluation that learns.

    Attributes
    ----------
    game
        what it evaluates.
    evaluate, gradient
        compiled; see EVALUATE and GRADIENT.
    integers, floats
        int32 and float32, what they read, and where the weights change.
    most
        how many weights a gradient has at most.
    estimator
        `estimator(weights)` returns the scikit-learn estimator, fitted, that scores as this does
        with such weights (float64, (n,)).
    """

    game: Game
    evaluate: Any
    gradient: Any
    integers: NDArray[np.int32]
    floats: NDArray[np.float32]
    most: int
    estimator: Callable[[NDArray[np.float64]], Any]

    @property
    def weights(self) -> NDArray[np.float32]:
        """The weights (n,): a view, so that they can be set."""
        start, size = int(self.integers[WEIGHTS]), int(self.integers[SIZE])
        return self.floats[start : start + size]

    def gradient_at(self, position: Row) -> NDArray[np.float32]:
        """Return the derivative of the score of a position (K,) by each weight, (n,)."""
        _add_gradient(self.gradient, position, self.integers, self.floats)
        start, size = int(self.integers[CHANGES]), int(self.integers[SIZE])
        found = self.floats[start : start + size].copy()
        _drop_changes(self.integers, self.floats)
        return found

    def evaluator(self, name: str) -> Evaluator:
        """Return it as an evaluator, whose weights change as these do."""
        return _Changing(name, self.game.name, self.evaluate, live=self)


class _Changing(Evaluator):
    """An evaluator with the arrays of something that learns, not copies of them."""

    def __init__(self, name: str, game: str, evaluate: Any, *, live: Live) -> None:
        super().__init__(name, game, evaluate, origin="learning")
        object.__setattr__(self, "_live", live)

    def evaluation(self) -> Evaluation:
        """Return what a kernel takes: the arrays themselves."""
        live: Live = self._live  # type: ignore[attr-defined]
        return Evaluation(self._pointer, live.integers, live.floats)


def arrays(
    integers: Sequence[int] | NDArray[Any], floats: NDArray[Any], weights: NDArray[Any], most: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the two arrays of an evaluation that learns.

    Parameters
    ----------
    integers, floats
        what the form needs; kernels find the integers at HEADER, the floats at 0.
    weights
        as they are at first.
    most
        how many weights a gradient has at most.
    """
    size, own = len(weights), HEADER + len(integers)
    begin, list_at = len(floats), own + size
    header = [size, begin, begin + size, begin + 2 * size, own, list_at, list_at + size, 0]
    room = np.zeros(2 * size + most)
    return (
        np.concatenate([header, integers, room]).astype(np.int32),
        np.concatenate([floats, weights, np.zeros(size + most)]).astype(np.float32),
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
    places = offset(integers, int64(integers[PLACES]))
    parts = offset(floats, int64(integers[PARTS]))
    n = gradient(position, integers, floats, places, parts)
    for i in range(n):
        place = int64(places[i])
        if integers[integers[WAITS] + place] == 0:
            integers[integers[LIST] + integers[WAITING]] = int32(place)
            integers[WAITING] += int32(1)
        integers[integers[WAITS] + place] += int32(1)
        floats[integers[CHANGES] + place] += float32(step * parts[i])


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
    for k in range(integers[WAITING]):
        place = int64(integers[integers[LIST] + k])
        change = float64(floats[integers[CHANGES] + place])
        if averages:
            change /= integers[integers[WAITS] + place]
        step = rate
        if steps.shape[1] > 0:
            if steps[1, place] > 0.0:
                step *= abs(steps[0, place]) / steps[1, place]
            steps[0, place] += change
            steps[1, place] += abs(change)
        floats[integers[WEIGHTS] + place] += float32(step * change)
    drop_changes(integers, floats)


@jit
def drop_changes(integers: Pointer, floats: Pointer) -> None:
    """Forget the changes that wait."""
    for k in range(integers[WAITING]):
        place = int64(integers[integers[LIST] + k])
        integers[integers[WAITS] + place] = int32(0)
        floats[integers[CHANGES] + place] = float32(0)
    integers[WAITING] = int32(0)


_INTEGERS, _FLOATS = types.Array(int32, 1, "C"), types.Array(float32, 1, "C")


@jit(types.void(types.FunctionType(GRADIENT), ROW, _INTEGERS, _FLOATS))
def _add_gradient(gradient: Any, position: Row, integers: Any, floats: Any) -> None:
    add_gradient(gradient, at(position, 0), at(integers, 0), at(floats, 0), 1.0)


@jit(types.void(_INTEGERS, _FLOATS))
def _drop_changes(integers: Any, floats: Any) -> None:
    drop_changes(at(integers, 0), at(floats, 0))
