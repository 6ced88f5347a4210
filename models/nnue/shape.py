"""Sizes of an efficiently updatable network (NNUE): what its code depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from samuel.models.compiled.layers import Layers

ONE_UNIT, ONE_WEIGHT = 255, 256
"""Size of 1 in the numbers of the first layer, and in the weights after it."""

Activation = Literal["crelu", "screlu"]
LEAST_UNITS, MOST_UNITS = 16, 1024
"""Units of a half; a multiple of LEAST_UNITS."""
MOST_HIDDEN, MOST_SMALL = 2, 64
"""Small layers at most, and units of one."""

MOST_AREAS = 64
"""Areas of a king at most."""


@dataclass(frozen=True)
class Shape:
    """Numbers that the code of a network depends on, as its card has them."""

    units: int  # of each half of the first layer
    hidden: tuple[int, ...]  # units of the small layers
    buckets: int  # stages with layers of their own after the first
    activation: Activation
    king: str = ""  # sign of the piece by which a half mirrors the board
    king_areas: tuple[int, ...] = ()  # of each square, row by row from the top

    @property
    def n_areas(self) -> int:
        """Number of areas of the king."""
        return 1 + max(self.king_areas, default=0)

    @property
    def layers(self) -> Layers:
        """The list of layers after the first, which reads both halves."""
        return Layers((2 * self.units, *self.hidden, 1), self.activation)

    @property
    def is_possible(self) -> bool:
        """True if a network of this shape can be compiled."""
        return (
            LEAST_UNITS <= self.units <= MOST_UNITS
            and self.units % LEAST_UNITS == 0
            and len(self.hidden) <= MOST_HIDDEN
            and all(1 <= n <= MOST_SMALL for n in self.hidden)
            and self.buckets >= 1
            and self.activation in ("crelu", "screlu")
        )

    @property
    def ones(self) -> NDArray[np.float32]:
        """Size of 1 in each number of the layers after the first."""
        parts = [
            (np.full(pair, ONE_WEIGHT), np.full(pair[1], ONE_UNIT * ONE_WEIGHT))
            for pair in self.layers.pairs
        ]
        return self.layers.joined(parts)
