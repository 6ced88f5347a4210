"""Gain of a shape for a model: tables of means over the residuals of a sample.

A shape is rated by how much of the residuals of the model so far its configurations explain. The
means of the residuals, by configuration and stage, are taken over one half of the games, shrunken
toward 0, and predict the other half, and the other way round. With r the residuals and p what was
so predicted, of games that had no part in it, the squared error falls by

    max over s of  |r|^2 - |r - s p|^2  =  (r.p)^2 / p.p      for r.p > 0, else by nothing.

So a shape with many configurations gains nothing by their number alone. Nor is one to gain by being
the luckiest of thousands: a standard error is taken off r.p first, from its sums over games, as
the residuals of a game have much in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float32, float64, int8, int64, types
from numpy.typing import NDArray

from samuel.features.shapes import PatternSet, Shape
from samuel.features.terms import Stages, even_knots
from samuel.games.feature import board_of
from samuel.games.interface import Game
from samuel.games.rows import left_of
from samuel.kernels.jit import jit

_ERRORS = 1.0
"""Standard errors by which a gain is taken to be less than it seems."""
_PULL = 10.0
"""Occurrences of a configuration by which its mean is shrunken: n of them count n / (n + this)."""


@jit(
    types.void(
        *(int64[:, ::1], int8[:, ::1], float32[::1]),
        *(int64[::1], int64, float64, float32[::1]),
    )
)
def _predict_halves(
    instances: Any,
    digits: Any,
    residual: Any,
    starts: Any,
    base: int,
    pull: float,
    predicted: Any,
) -> None:
    """Predict each half of the rows of each stage from the means of the other half.

    Parameters
    ----------
    instances
        int64 (instances, squares), the squares of each instance.
    digits, residual, starts
        As Sample has them.
    base
        How many digits there are.
    pull
        As _PULL.
    predicted
        float32 (n,), filled in.
    """
    count, squares = instances.shape
    size = base**squares
    longest = 0
    for stage in range(starts.shape[0] // 2):
        longest = max(longest, starts[2 * stage + 2] - starts[2 * stage])
    numbers = np.zeros((count, longest), np.int32)
    total, seen = np.zeros((2, size), np.float32), np.zeros((2, size), np.float32)
    for stage in range(starts.shape[0] // 2):
        first, middle, last = starts[2 * stage : 2 * stage + 3]
        total[:], seen[:] = 0.0, 0.0
        for j in range(count):
            number, power = numbers[j], np.int32(1)
            number[: last - first] = 0
            for k in range(squares):
                digit = digits[instances[j, k], first:last]
                for i in range(last - first):
                    number[i] += power * digit[i]
                power *= np.int32(base)
            for half, a, b in ((0, first, middle), (1, middle, last)):
                for i in range(a, b):
                    total[half, number[i - first]] += residual[i]
                    seen[half, number[i - first]] += np.float32(1)
        for half in range(2):
            for c in range(size):
                total[half, c] /= np.float32(seen[half, c] + pull)
        predicted[first:last] = 0.0
        for j in range(count):
            for half, a, b in ((1, first, middle), (0, middle, last)):
                for i in range(a, b):
                    predicted[i] += total[half, numbers[j, i - first]]


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows sorted by stage, within a stage by half; `of` makes one.

    Attributes
    ----------
    positions
        uint64 (n, K).
    target
        float32 (n,).
    games
        int64 (n,), the games, from 0 on.
    residual
        float32 (n,), what of the target the model so far leaves; changed by `renew` and `take_out`.
    digits
        int8 (squares, n), what each square has (games.board.Board.digits).
    starts
        int64 (2 * stages + 1,), where the halves of the stages start.
    """

    game: Game
    positions: NDArray[np.uint64]
    target: NDArray[np.float32]
    games: NDArray[np.int64]
    residual: NDArray[np.float32]
    digits: NDArray[np.int8]
    starts: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        game: Game,
        positions: NDArray[np.uint64],
        target: NDArray[np.float32],
        games: NDArray[np.int64],
        stages: int,
        seed: int,
    ) -> Sample:
        """Return a sample of positions (n, K), targets (n,) and the games (n,) they are of.

        Games are put into one half or the other by the seed. A row belongs to the stage whose knot
        (features.terms) is the nearest.
        """
        knots = Stages.of(even_knots(stages, game.most_left), game.most_left)
        stage = knots.hats(left_of(game, positions)).argmax(axis=1)
        numbers, of_row = np.unique(games, return_inverse=True)
        half = np.random.default_rng((seed, 6)).permutation(len(numbers))[of_row] % 2
        part = 2 * stage + half
        order = np.argsort(part, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(part, minlength=2 * stages))])
        positions = np.ascontiguousarray(positions[order])
        digits = board_of(game).digits(positions)
        target = np.ascontiguousarray(target[order], np.float32)
        return cls(game, positions, target, of_row[order], target.copy(), digits, starts)

    def renew(self, estimator: Any) -> None:
        """Set the residuals to those of an estimator."""
        self.residual[:] = self.target - estimator.predict(self.positions)

    def gain(self, shape: Shape) -> float:
        """Return the share of the target's variance that a shape would explain besides, 0 to 1."""
        predicted = self._predicted(shape)
        by_game = np.bincount(self.games, predicted * self.residual)
        sure = float(by_game.sum() - _ERRORS * np.sqrt(by_game @ by_game))
        if sure <= 0:
            return 0.0
        squares = float(np.vdot(predicted, predicted))
        return sure**2 / squares / len(self.target) / max(float(self.target.var()), 1e-30)

    def take_out(self, shape: Shape) -> None:
        """Subtract from the residuals what a shape explains of them."""
        predicted = self._predicted(shape)
        product = float(np.vdot(predicted, self.residual))
        if product > 0:
            step = product / float(np.vdot(predicted, predicted))
            self.residual[:] -= np.float32(step) * predicted

    def _predicted(self, shape: Shape) -> NDArray[np.float32]:
        """Return what a shape predicts of the residuals, (n,)."""
        instances = PatternSet(self.game.name, (shape,)).instances
        predicted = np.empty_like(self.residual)
        squares = np.array([squares for _, squares in instances], np.int64)
        base = len(board_of(self.game).contents)
        _predict_halves(squares, self.digits, self.residual, self.starts, base, _PULL, predicted)
        return predicted
