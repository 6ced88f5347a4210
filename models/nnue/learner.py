"""The fit of an efficiently updatable network: inputs, learned numbers and steps of Adam."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
from sklearn.utils.validation import check_consistent_length

from samuel.games.changes import board_of
from samuel.games.game import Game
from samuel.models.checked import require_finite
from samuel.models.nnue.inputs import buckets_in, inputs_of, learned_rows_by_code, views_in
from samuel.models.nnue.kernel import ONE_UNIT
from samuel.models.nnue.shape import Shape
from samuel.models.nnue.steps import adam_step, gradients, list_inputs, mean_loss, scores_of

PARTS = 4
"""Parts of a batch whose gradients are made apart."""
_MOST_WEIGHT = 1.98
"""Bound of a weight after the first layer, as 8 bits would hold it in 64ths."""
_LARGEST_SUM = 32767 / ONE_UNIT
"""Bound of a sum of the first layer, which 16 bits hold."""
_MOST_ROW = 2.0
_LAST_RATE = 0.02
"""Share of the learning rate that is left at the end."""
_FEWEST_STEPS = 64
"""Steps of an epoch, at least, where `batch_size` leaves it open."""
_MOST_BATCH, _LEAST_BATCH = 16384, 128

Floats = NDArray[np.float32]


class Inputs(NamedTuple):
    """Inputs of positions, one position's behind another's, and their stages."""

    starts: NDArray[np.int64]
    inputs: NDArray[np.uint16]  # (2, inputs), the second row the other side's
    buckets: NDArray[np.int32]


class Numbers(NamedTuple):
    """Learned numbers of a network: rows, biases and the layers after them by stage.

    With several areas of a king, rows that all areas share come first, then those of each area. A
    piece adds the sum of both, so rows of areas where few kings stood are near the shared ones.
    """

    rows: Floats
    biases: Floats
    layers: Floats

    def copy(self) -> Numbers:
        """Return a copy."""
        return Numbers(*(part.copy() for part in self))

    def rows_of_areas(self, shape: Shape) -> Floats:
        """Return the rows of each area, with what all areas share."""
        if shape.n_areas == 1:
            return self.rows
        parts = self.rows.reshape(shape.n_areas + 1, -1, shape.units)
        return (parts[0] + parts[1:]).reshape(-1, shape.units)


def inputs_in(game: Game, shape: Shape, positions: NDArray[np.uint64]) -> Inputs:
    """Return the inputs of positions (n, K) for a network of a shape."""
    words, row_of = board_of(game).words, learned_rows_by_code(game, shape.n_areas)
    counts = np.bitwise_count(positions[:, :words]).sum(axis=1, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(len(row_of) * counts)])
    inputs = np.zeros((2, starts[-1]), np.uint16)
    list_inputs(positions, words, row_of, views_in(game, shape, positions), starts, inputs)
    return Inputs(starts, inputs, buckets_in(game, shape.buckets, positions))


def first_numbers(game: Game, shape: Shape, found: Inputs, random: Any, adds: bool) -> Numbers:
    """Return random numbers to begin with; a network that `adds` to a base scores 0."""
    pieces = found.inputs.shape[1] / max(1, len(found.buckets)) / (1 + (shape.n_areas > 1))
    n_inputs = inputs_of(game)[0].size
    rows = random.normal(0, 0.5 / np.sqrt(max(1.0, pieces)), (n_inputs, shape.units))
    parts = []
    for n, m in shape.layers.pairs:  # stages begin alike
        matrix = random.uniform(-1, 1, (n, m)) / np.sqrt(n)
        if m == 1 and adds:
            matrix *= 0
        parts.append((np.stack([matrix] * shape.buckets), np.zeros((shape.buckets, m))))
    biases = np.full(shape.units, 0.1, np.float32)
    layers = np.ascontiguousarray(shape.layers.joined(parts))
    if shape.n_areas > 1:
        rows = np.concatenate([rows, np.zeros((shape.n_areas * n_inputs, shape.units))])
    return Numbers(rows.astype(np.float32), biases, layers)


def split_rows(
    n_rows: int, groups: ArrayLike | None, fraction: float, random: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows to learn from, and those by which the best epoch is chosen."""
    every = np.arange(n_rows)
    check_consistent_length(every, groups)
    enough = n_rows > 1 and (groups is None or len(np.unique(groups)) > 1)
    if not fraction or not enough:
        return every, every[:0]
    kind = ShuffleSplit if groups is None else GroupShuffleSplit
    splits = kind(1, test_size=fraction, random_state=random.randint(1 << 31))
    try:
        train, held = next(splits.split(every, groups=groups))
    except ValueError:
        raise ValueError(
            f"validation_fraction leaves no rows to learn from (got {fraction}); give a smaller one"
        ) from None
    return train.astype(np.int64), held.astype(np.int64)


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
        # a piece adds two rows where there are areas
        self.bounds = row / (1 + (shape.n_areas > 1)), row, _MOST_WEIGHT
        self.steps = 0

    def learn(
        self,
        train: NDArray[np.int64],
        held: NDArray[np.int64],
        random: Any,
        threads: int,
        *,
        epochs: int,
        learning_rate: float,
        batch_size: int | None,
        weight_decay: float,
        is_rival: bool,
    ) -> tuple[list[float], list[float]]:
        """Learn from the rows `train`; keep the epoch that is best on the rows `held`, if any."""
        curve: list[float] = []
        scores: list[float] = []
        best, kept = np.inf, self.numbers.copy()
        if len(held) and is_rival:
            best = self.loss_of(held)
        batch = batch_size or min(_MOST_BATCH, max(_LEAST_BATCH, len(train) // _FEWEST_STEPS))
        steps, whole = -(-len(train) // batch) * epochs, float(self.weights[train].sum())
        with ThreadPoolExecutor(min(PARTS, threads)) as pool:
            for _ in range(epochs):
                order, total = random.permutation(train), 0.0
                for start in range(0, len(order), batch):
                    rate = learning_rate * (1 - (1 - _LAST_RATE) * (self.steps / steps))
                    total += self.step(order[start : start + batch], rate, weight_decay, pool.map)
                curve.append(total / max(1e-30, whole))
                require_finite((self.numbers.layers,), "lower learning_rate")
                if len(held):
                    scores.append(-self.loss_of(held))
                    if -scores[-1] < best:
                        best, kept = -scores[-1], self.numbers.copy()
        if np.isfinite(best):
            self.numbers = kept
        require_finite(self.numbers, "lower learning_rate")
        return curve, scores

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
