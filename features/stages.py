"""Stages of a game: knots on the count of squares left, and each count's share of them.

What is counted is what is left of a game (`Game.left`): squares, in games in which these fill.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Stages:
    """For each count of squares left the knot at or below it and its share, in [0, 1].

    What is missing to 1 is the share of the next knot; beyond the ends the end knots hold. `count`
    is the number of knots.
    """

    count: int
    knot: NDArray[np.int64]
    share: NDArray[np.float64]

    @classmethod
    def of(cls, knots: Sequence[int], most: int) -> Stages:
        """Return the stages at `knots`, ascending, for 0 to `most` squares left."""
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
