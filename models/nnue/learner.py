"""The fit of an efficiently updatable network: inputs, learned numbers and steps of Adam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from samuel.games.changes import board_of
from samuel.games.interface import Game
from samuel.games.rows import left_of
from samuel.models.nnue.kernel import ONE_UNIT
from samuel.models.nnue.model import Shape, king_masks, rows_by_code
from samuel.models.nnue.steps import adam_step, gradients, list_inputs, mean_loss, scores_of

PARTS = 4
"""Parts of a batch whose gradients are made apart."""
_MOST_WEIGHT = 1.98
"""Bound of a weight after the first layer, as 8 bits would hold it in 64ths."""
_LARGEST_SUM = 32767 / ONE_UNIT
"""Bound of a sum of the first layer, which 16 bits hold."""
_MOST_ROW = 2.0

Floats = NDArray[np.float32]


class Inputs(NamedTuple):
    """Inputs of positions, one position's behind another's, and their stages."""

    starts: NDArray[np.int64]
    inputs: NDArray[np.uint16]  # (2, inputs), the second row the other side's
    buckets: NDArray[np.int32]


class Numbers(NamedTuple):
    """Learned numbers of a network: rows, biases and the layers after them by stage."""

    rows: Floats
    biases: Floats
    layers: Floats

    def copy(self) -> Numbers:
        """Return a copy."""
        return Numbers(*(part.copy() for part in self))


def inputs_in(game: Game, shape: Shape, positions: NDArray[np.uint64]) -> Inputs:
    """Return the inputs of positions (n, K) for a network of a shape."""
    words = board_of(game).words
    counts = np.bitwise_count(positions[:, :words]).sum(axis=1, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)])
    mirrors = np.zeros((len(positions), 2), np.int64)
    for half, masks in enumerate(king_masks(game, shape.king)):
        for word, mask in masks:
            mirrors[:, half] |= positions[:, word] & np.uint64(mask) != 0
    row_of = rows_by_code(game).reshape(2, 2, -1)
    inputs = np.zeros((2, starts[-1]), np.uint16)
    list_inputs(positions, words, row_of, mirrors, starts, inputs)
    left = np.clip(left_of(game, positions), 0, game.most_left)
    buckets = left * shape.buckets // (game.most_left + 1)
    return Inputs(starts, inputs, buckets.astype(np.int32))


class Learner:
    """Numbers of a network with the moments of Adam, and the rows that it learns from."""

    def __init__(
        self,
        game: Game,
        shape: Shape,
        found: Inputs,
        base: Floats,
        targets: Floats,
        weights: Floats,
        loss: int,
        numbers: Numbers,
    ) -> None:
        self.shape, self.found, self.loss = shape, found, loss
        self.base, self.targets, self.weights, self.numbers = base, targets, weights, numbers
        self.widths = np.array(shape.layers.widths, np.int64)
        self.is_squared = shape.activation == "screlu"
        self.moments = [(np.zeros(part.size, "f4"), np.zeros(part.size, "f4")) for part in numbers]
        self.slopes = [np.zeros((PARTS, *part.shape), np.float32) for part in numbers]
        squares = len(game.squares)
        row = min(_MOST_ROW, _LARGEST_SUM / (squares + 1))
        self.bounds = row, row, _MOST_WEIGHT
        self.steps = 0

    def step(
        self, chosen: NDArray[np.int64], rate: float, decay: float, run: Callable[..., Any]
    ) -> float:
        """Take a step for the rows `chosen`; return their loss before it."""
        parts = np.array_split(chosen, PARTS)

        def part(k: int) -> float:
            slopes = [each[k] for each in self.slopes]
            return float(
                gradients(
                    *(self.found.starts, self.found.inputs, parts[k]),
                    *(self.found.buckets, self.base, self.targets, self.weights, *self.numbers),
                    *(self.widths, *slopes, self.loss, self.is_squared),
                )
            )

        total = sum(run(part, range(PARTS)))
        self.steps += 1
        share = 1 / max(1e-30, float(self.weights[chosen].sum()))
        for numbers, slopes, moments, bound in zip(
            self.numbers, self.slopes, self.moments, self.bounds, strict=True
        ):
            flat = slopes.reshape(PARTS, -1)
            adam_step(numbers.ravel(), flat, *moments, self.steps, rate, share, decay, bound)
        return float(total)

    def loss_of(self, chosen: NDArray[np.int64]) -> float:
        """Return the mean loss of some rows."""
        scores = self.base[chosen] + network_scores(self.shape, self.found, self.numbers, chosen)
        return float(mean_loss(self.loss, scores, self.targets[chosen], self.weights[chosen]))


def network_scores(
    shape: Shape, found: Inputs, numbers: Numbers, chosen: NDArray[np.int64]
) -> Floats:
    """Return the scores of some rows, in units of the network."""
    scores = np.zeros(len(chosen), np.float32)
    scores_of(
        *(found.starts, found.inputs, chosen, found.buckets, *numbers),
        *(np.array(shape.layers.widths, np.int64), shape.activation == "screlu", scores),
    )
    return scores
