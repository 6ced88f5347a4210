"""The fit of a network: batches of rows in random order, steps, and the epoch that is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
from sklearn.utils.validation import check_consistent_length

from samuel.models.compiled.layers import Layers
from samuel.models.networks.steps import (
    ACTIVATIONS,
    Inputs,
    Numbers,
    Plan,
    Sample,
    adam_step,
    gradients,
    mean_loss,
    outputs_of,
)

PARTS = 4
"""Parts of a batch whose gradients are made apart."""
_LAST_RATE = 0.02
"""Share of the learning rate that is left at the end."""
_AT_ONCE = 1 << 14
"""Rows that are listed at once."""
_FASTER = 8
"""Rate of the rows of columns, for a length of 1, as a multiple of the rate of the layers."""
_STEPS, _LEAST_TOGETHER, _MOST_TOGETHER = 256, 16, 1024
_DIVERGED, _LEAST_SIZE = 10.0, 0.25
"""Loss of a fit that has diverged, as a multiple of the mean square of the targets; the smallest
mean square that counts, where the targets are all alike."""
_UNBOUNDED = np.inf, np.inf, np.inf

Floats = NDArray[np.float32]


class Rows:
    """Rows that a network reads, and what it learns from them."""

    def __init__(
        self,
        n: int,
        inputs: Callable[[NDArray[np.int64]], Inputs],
        *,
        sets: NDArray[Any] | None = None,
        stages: NDArray[Any] | None = None,
        base: Floats | None = None,
        targets: Floats | None = None,
        weights: Floats | None = None,
    ) -> None:
        none = np.zeros(n, np.int32)
        self.n, self.inputs = n, inputs
        self.sets = none if sets is None else sets.astype(np.int32)
        self.stages = none if stages is None else stages.astype(np.int32)
        self.base = np.zeros(n, np.float32) if base is None else base
        self.targets = np.zeros((n, 1), np.float32) if targets is None else targets
        self.weights = np.ones(n, np.float32) if weights is None else weights / weights.max()

    def sample(self, chosen: NDArray[np.int64]) -> Sample:
        """Return some of the rows."""
        return Sample(
            *self.inputs(chosen),
            *(self.sets[chosen], self.stages[chosen], self.base[chosen]),
            *(self.targets[chosen], self.weights[chosen]),
        )

    def outputs(self, numbers: Numbers, plan: Plan) -> Floats:
        """Return the outputs of a network (n, outputs), without the base."""
        found = np.zeros((self.n, len(plan.shares)), np.float32)
        for start in range(0, self.n, _AT_ONCE):
            some = np.arange(start, min(self.n, start + _AT_ONCE))
            outputs_of(self.sample(some), numbers, plan, found[start : start + len(some)])
        return found


def inputs_of(matrix: Any) -> Inputs:
    """Return the inputs of a sparse matrix (n, columns)."""
    columns = matrix.indices.astype(np.int32, copy=False)
    return matrix.indptr.astype(np.int64), columns[None], matrix.data


def first_numbers(
    random: np.random.Generator, columns: int, length: float, layers: Layers, networks: int = 1
) -> Numbers:
    """Return random numbers for rows of a mean squared `length`, of so many networks."""
    units = layers.widths[0]
    rows = random.normal(0, length**-0.5, (networks * columns, units))
    parts = [
        (random.normal(0, 0.5 * n**-0.5, (networks, n, m)), np.zeros((networks, m)))
        for n, m in layers.pairs
    ]
    biases = np.zeros((networks, units), np.float32)
    return Numbers(rows.astype(np.float32), biases, layers.joined(parts))


def rates_of(length: float) -> tuple[float, float, float]:
    """Return the rates of rows, biases and layers of a network over columns."""
    return _FASTER * length**-0.5, 1, 1


def batch_of(n_rows: int) -> int:
    """Return how many rows of a network over columns take a step together."""
    return min(_MOST_TOGETHER, max(_LEAST_TOGETHER, n_rows // _STEPS))


def plan_of(
    layers: Layers, loss: int, shares: ArrayLike = (1,), ceiling: float | None = None
) -> Plan:
    """Return the plan of the layers behind a first layer, whose units are clipped at `ceiling`."""
    clips = [np.inf if layers.activation == "relu" else 1.0] * len(layers.pairs)
    clips[0] = ceiling or clips[0]
    return Plan(
        ACTIVATIONS.index(layers.activation),
        loss,
        np.array(layers.widths, np.int64),
        np.array(clips, np.float32),
        np.asarray(shares, np.float32),
    )


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
    """Numbers of a network with what their steps go by.

    The layers take steps of Adam, a batch at a time. So do the rows of the first layer, unless
    `seen` has a sum of squared gradients for each: then they move position by position.
    """

    def __init__(
        self,
        plan: Plan,
        numbers: Numbers,
        *,
        seen: Floats | None = None,
        parts: int = 1,
        rates: tuple[float, float, float] = (1, 1, 1),
        bounds: tuple[float, float, float] = _UNBOUNDED,
        weight_decay: float = 0.0,
        threads: int = 1,
    ) -> None:
        self.plan, self.numbers, self.rates, self.bounds = plan, numbers, rates, bounds
        self.decay, self.threads = weight_decay, threads
        self.seen = np.zeros(0, np.float32) if seen is None else seen
        self.parts = parts
        sizes = [part.shape for part in numbers]
        if seen is not None:
            sizes[0] = (0, sizes[0][1])
        self.slopes = [np.zeros((self.parts, *size), np.float32) for size in sizes]
        self.moments = [np.zeros((2, np.prod(size)), np.float32) for size in sizes]

    def learn(
        self,
        rows: Rows,
        random: Any,
        *,
        epochs: int,
        learning_rate: float,
        batch: int,
        train: NDArray[np.int64] | None = None,
        held: NDArray[np.int64] | None = None,
        is_rival: bool = False,
    ) -> tuple[list[float], list[float]]:
        """Learn from the rows `train`; keep the epoch that is best on the rows `held`, if any.

        Return the mean loss of each epoch, and the negated loss of `held` after each.
        """
        curve: list[float] = []
        scores: list[float] = []
        best, kept = np.inf, self.numbers
        held = None if held is None or not len(held) else held
        if held is not None and is_rival:
            best, kept = self.loss_of(rows, held), self.numbers.copy()
        train = np.arange(rows.n) if train is None else train
        step, steps = 0, -(-len(train) // batch) * epochs
        with ThreadPoolExecutor(min(self.parts, self.threads)) as pool:
            run = pool.map if self.parts > 1 else map
            for _ in range(epochs):
                total = whole = 0.0
                for sample, start, end in _batches(rows, random.permutation(train), batch):
                    rate = learning_rate * (1 - (1 - _LAST_RATE) * (step / steps))
                    step += 1
                    weight = float(sample.weights[start:end].sum())
                    total += self._step(sample, start, end, step, weight, rate, run)
                    whole += weight
                curve.append(total / max(1e-30, whole))
                if not np.isfinite(curve[-1]):
                    break
                if held is not None:
                    scores.append(-self.loss_of(rows, held))
                    if -scores[-1] < best:
                        best, kept = -scores[-1], self.numbers.copy()
        if np.isfinite(best):
            self.numbers = kept
        last = np.minimum(best, curve[-1]) if curve else 0.0
        size = np.average(np.square(rows.targets), axis=0, weights=rows.weights)
        is_finite = all(np.isfinite(part).all() for part in self.numbers)
        if not (is_finite and last <= _DIVERGED * self.plan.shares @ np.maximum(size, _LEAST_SIZE)):
            raise ValueError("the fit diverged; lower learning_rate")
        return curve, scores

    def _step(
        self,
        sample: Sample,
        start: int,
        end: int,
        step: int,
        weight: float,
        rate: float,
        run: Callable[..., Any],
    ) -> float:
        """Take a step, by its number, for rows that weigh so much; return their loss before it."""
        ends = [start + (end - start) * k // self.parts for k in range(self.parts + 1)]

        def part(k: int) -> float:
            of = Numbers(*(each[k] for each in self.slopes))
            its = ends[k], ends[k + 1], self.numbers, self.plan, of
            return float(gradients(sample, *its, self.seen, self.rates[0] * rate))

        total = sum(run(part, range(self.parts)))
        share = 1 / max(1e-30, weight)
        for numbers, slopes, moments, by, bound in zip(
            self.numbers, self.slopes, self.moments, self.rates, self.bounds, strict=True
        ):
            if slopes.size:
                flat = slopes.reshape(self.parts, -1)
                by_step = step, by * rate, share, self.decay, bound
                adam_step(numbers.ravel(), flat, *moments, *by_step)
        return float(total)

    def loss_of(self, rows: Rows, chosen: NDArray[np.int64]) -> float:
        """Return the mean loss of some rows."""
        sample = rows.sample(chosen)
        found = np.zeros(sample.targets.shape, np.float32)
        outputs_of(sample, self.numbers, self.plan, found)
        return float(mean_loss(sample, self.plan, found))


def _batches(rows: Rows, order: NDArray[np.int64], batch: int) -> Iterator[tuple[Sample, int, int]]:
    """Yield batches of rows in an order: a sample, and the first and the last row in it."""
    at_once = batch * max(1, _AT_ONCE // batch)
    for first in range(0, len(order), at_once):
        chosen = order[first : first + at_once]
        sample = rows.sample(chosen)
        for start in range(0, len(chosen), batch):
            yield sample, start, min(start + batch, len(chosen))
