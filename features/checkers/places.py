"""What stands on each square: for models that find out by themselves what it is worth."""

from __future__ import annotations

from typing import Any

from samuel.features.feature import feature
from samuel.games.checkers.squares import PLACES, place_of
from samuel.games.interface import Row
from samuel.kernels.bits import ONE, ZERO, trailing_zeros

_PIECES = ("man", "their_man", "king", "their_king")
_NUMBERS = len(_PIECES) * PLACES


@feature(
    game="checkers",
    outputs=tuple(f"{piece}_{place + 1}" for piece in _PIECES for place in range(PLACES)),
)
def places(position: Row, values: Any) -> None:
    """Which piece stands on each square, 1 where it does; the mover's first row has 1 to 4."""
    for k in range(_NUMBERS):
        values[k] = 0
    for word in range(len(_PIECES)):
        left = position[word]
        while left != ZERO:
            values[PLACES * word + place_of(trailing_zeros(left))] = 1
            left &= left - ONE
