"""Efficiently updatable networks (NNUE), as they are compiled and saved.

An input is a piece on a square as a side sees it. The rows of the inputs that are there are added
up once as the side to move sees the board and once as the other side does; both halves are clipped
to [0, 1], squared or not, and small layers make a number of them:

    score = unit * layers(clip(bias + sum of rows of mine), clip(bias + sum of rows of theirs)).

(Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi",
2018; the two halves and the squares are Stockfish's.) In the search all is whole numbers: 16 bits
in the first layer, in steps of 1/255, and weights after it in steps of 1/256. The search keeps the
two halves for each ply and changes them by the pieces that a move changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numba import float32, int16, int32
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.catalog import known_game
from samuel.games.changes import board_of
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.kernels.records import array, declared, filled, number
from samuel.models.compiled.model import (
    LARGEST_SCORE,
    CardError,
    arrays_for,
    arrays_of,
    described,
    evaluator_of,
    require,
    require_bounded,
    require_room,
    require_shapes,
)
from samuel.models.nnue.evaluation import HeldNnue, evaluation_of, state_size
from samuel.models.nnue.inputs import areas_of, inputs_of, kings_of, rows_by_code
from samuel.models.nnue.shape import LEAST_UNITS, ONE_UNIT, ONE_WEIGHT, Shape

LARGEST_WEIGHT = 1000
"""No weight after the first layer is farther from 0, in whole numbers; sums fit 32 bits."""
LARGEST_UNIT = LARGEST_SCORE / 2**32
"""No unit of score is as large: the last sum is a number of so many units at most."""
_LARGEST_BIAS = 1 << 30


@dataclass(frozen=True)
class _OfGame:
    """Entry of a card about the game of a network."""

    game: str


@dataclass(frozen=True, eq=False)
@declared
class NnueModel:
    """An efficiently updatable network, as it is compiled and saved: in whole numbers.

    With c counts of plies left and n buckets, r plies left are in bucket r * n // c.
    """

    game: Game
    shape: Shape
    rows: NDArray[np.int16] = array(
        int16, ("inputs", "units"), "of each input, in 255ths, area by area"
    )
    biases: NDArray[np.int16] = array(int16, ("units",), "of the first layer, in 255ths")
    layers: NDArray[np.int32] = array(
        int32,
        ("buckets", "size"),
        "of the layers after it (`Layers`): weights in 256ths, biases in parts of 255 * 256",
    )
    unit: float = number("score that 1 at the end stands for", float32)

    kind = "nnue"

    def check(self) -> None:
        """Raise ValueError with what is wrong, unless the search can run it within its arrays."""
        game, shape, most = self.game, self.shape, self.game.most_left + 1
        if game.board is None:
            raise CardError(f"{game.name} has no board, and a network of this kind reads one")
        if not shape.is_possible or shape.buckets > most:
            raise CardError("its layers are too many, or of a size that no network has")
        try:
            kings_of(game, shape.king)
            areas = areas_of(game, shape.king, shape.king_areas or 1)
        except UserError as error:
            raise CardError(str(error)) from None
        require(areas == shape.king_areas, "its king_areas are of one area, and stand for none")
        rows = shape.n_areas * inputs_of(game)[0].size
        biases, layers = (shape.units,), (shape.buckets, shape.layers.size)
        require_shapes(self, {"rows": (rows, shape.units), "biases": biases, "layers": layers})
        require_room(self.rows.size)
        for part in shape.layers.parts(self.layers.astype(int)):
            weight, bias = (int(np.abs(numbers).max()) for numbers in part)
            found, limit = weight / ONE_WEIGHT, LARGEST_WEIGHT / ONE_WEIGHT
            beyond = f"'layers' has a weight of {found:.1f}, beyond the limit of {limit:.1f}"
            require(weight <= LARGEST_WEIGHT, beyond)
            require(bias <= _LARGEST_BIAS, f"'layers' has a bias of {bias:,}, beyond the limit")
        require_bounded("unit", self.unit, LARGEST_UNIT)

    def described(self) -> dict[str, Any]:
        """Return the model's entry of a card; `arrays` has the rest."""
        return {"kind": self.kind, "game": self.game.name} | asdict(self.shape)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return its numbers by name."""
        return arrays_of(self)

    @classmethod
    def read(cls, card: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> NnueModel:
        """Return the model of a card and its arrays, which may be unsound."""
        shape, game = described(card, Shape), known_game(described(card, _OfGame).game)
        return cls(game, shape, **arrays_for(cls, arrays))

    @property
    def float_layers(self) -> NDArray[np.float32]:
        """The layers after the first in floating point."""
        return (self.layers / self.shape.ones).astype(np.float32)

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        shape, rows, bits = self.shape, self.rows, 64 * board_of(self.game).words_each
        kings = kings_of(self.game, shape.king, shape.king_areas)
        weights, biases = zip(*shape.layers.parts(self.layers), strict=True)
        by_unit = [one.swapaxes(1, 2).reshape(shape.buckets, -1) for one in weights]
        values = {
            "worth": self.unit / (ONE_UNIT * ONE_UNIT * ONE_WEIGHT),
            "row_of": rows_by_code(self.game, shape.n_areas).ravel(),
            "views": np.zeros(2 * bits, np.int32) if kings is None else kings.views.ravel(),
            "rows": np.concatenate([rows, np.zeros((1, shape.units), np.int16)]),
            "biases": self.biases,
            "weights": np.concatenate(by_unit, axis=1).astype(np.int16),
            "layer_biases": np.concatenate(biases, axis=1),
            "state": np.zeros(state_size(shape.units), np.uint64),
            "values": np.zeros(2 * shape.units + sum(shape.hidden) + LEAST_UNITS, np.int16),
        }
        evaluate = evaluation_of(self.game, replace(shape, king_areas=()))
        return evaluator_of(filled(HeldNnue, values), evaluate, self.game, name, origin, True)
