"""The fit of a network: batches of rows in random order, steps, and the epoch that is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
from sklearn.utils.validation import check_consistent_length

from samuel.common.steps import send_iteration
from samuel.kernels.records import allocate
from samuel.models.compiled.layers import ACTIVATIONS, UNBOUNDED, Layers
from samuel.models.networks.optimizer import Optimizer, finish_step, part_of_step, take_steps
from samuel.models.networks.steps import Inputs, Numbers, Plan, Sample, mean_loss, outputs_of

PARTS = 4
"""Parts of a batch whose gradients are made apart."""
_AT_ONCE = 1 << 14
"""Rows that are listed at once."""
_FASTER = 16
"""Rate of the rows of columns, for a length of 1, as a multiple of the rate of the layers."""
_STEPS, _LEAST_TOGETHER, _MOST_TOGETHER = 256, 16, 1024
_WORSE, _LEAST_LOSS = 2.0, 0.25
"""Loss of a fit that has diverged, as a multiple of that of a network that adds nothing, or of the
one that a fit goes on from; the smallest such loss that counts, where the targets are all 0."""

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
    return Plan(
        ACTIVATIONS.index(layers.activation),
        loss,
        ceiling or (float(UNBOUNDED) if layers.activation == "relu" else 1.0),
        np.array(layers.widths, np.int64),
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
        bounds: tuple[float, float, float] = (np.inf, np.inf, np.inf),
        weight_decay: float = 0.0,
        threads: int = 1,
    ) -> None:
        self.plan, self.numbers, self.threads = plan, numbers, min(parts, threads)
        (rows, units), sets, (stages, size) = (
            *(numbers.rows.shape, len(numbers.biases), numbers.layers.shape),
        )
        sizes = {"parts": parts, "units": units, "sets": sets, "stages": stages, "size": size}
        self.by: Optimizer = allocate(
            Optimizer,
            sizes | {"adam rows": rows if seen is None else 0},
            seen=np.zeros(0, np.float32) if seen is None else seen,
            rates=np.array(rates, np.float64),
            bounds=np.array(bounds, np.float64),
            decay=weight_decay,
        )

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
        goes_on: bool = False,
    ) -> tuple[list[float], list[float]]:
        """Learn from the rows `train`; keep the epoch that is best on the rows `held`, if any."""
        curve: list[float] = []
        scores: list[float] = []
        begun, best, kept = self.numbers.copy() if goes_on else None, np.inf, self.numbers
        held = None if held is None or not len(held) else held
        if held is not None and is_rival:
            best, kept = self.loss_of(rows, held), self.numbers.copy()
        train = np.arange(rows.n) if train is None else train
        steps = -(-len(train) // batch)
        self.by = self.by._replace(learning_rate=learning_rate, steps=steps * epochs)
        with ThreadPoolExecutor(self.threads) as pool:
            for epoch in range(epochs):
                step, total, whole = epoch * steps, 0.0, 0.0
                for sample in _samples(rows, random.permutation(train), batch):
                    loss, weight = self._steps(sample, batch, step, pool)
                    step += -(-len(sample.sets) // batch)
                    total, whole = total + loss, whole + weight
                curve.append(total / max(1e-30, whole))
                if not np.isfinite(curve[-1]):
                    break
                if held is not None:
                    scores.append(-self.loss_of(rows, held))
                    if -scores[-1] < best:
                        best, kept = -scores[-1], self.numbers.copy()
                send_iteration(epoch + 1, curve[-1], -scores[-1] if scores else None)
        if np.isfinite(best):
            self.numbers = kept
        last = np.minimum(best, curve[-1]) if curve else 0.0
        is_finite = all(np.isfinite(part).all() for part in self.numbers)
        if not is_finite or self._is_worse(rows, last, begun):
            raise ValueError("the fit diverged; lower learning_rate")
        return curve, scores

    def _is_worse(self, rows: Rows, loss: float, begun: Numbers | None) -> bool:
        """Return whether a loss is that of a fit that has diverged, or NaN."""

        def loss_of(found: Floats) -> float:
            return float(mean_loss(rows.base, rows.targets, rows.weights, self.plan, found))

        least = _LEAST_LOSS * float(self.plan.shares.sum())
        if loss <= _WORSE * max(least, loss_of(np.zeros_like(rows.targets))):
            return False
        # with other targets than before a fit begins with a large loss, and may learn slowly
        return begun is None or not loss <= _WORSE * loss_of(rows.outputs(begun, self.plan))

    def _steps(
        self, sample: Sample, batch: int, step: int, pool: ThreadPoolExecutor
    ) -> tuple[float, float]:
        """Take a step for each batch of rows, and return their loss before it and their weight."""
        if self.threads == 1:
            found: tuple[float, float] = take_steps(
                sample, batch, step, self.numbers, self.plan, self.by
            )
            return found
        total, whole, n = 0.0, 0.0, len(sample.sets)
        for number, start in enumerate(range(0, n, batch), step):
            place = sample, start, min(start + batch, n)

            def part(k: int, at: Any = (*place,), number: int = number) -> float:
                return float(part_of_step(*at, k, number, self.numbers, self.plan, self.by))

            total += sum(pool.map(part, range(len(self.by.biases))))
            whole += finish_step(*place, number, self.numbers, self.by)
        return total, whole

    def loss_of(self, rows: Rows, chosen: NDArray[np.int64]) -> float:
        """Return the mean loss of some rows."""
        sample = rows.sample(chosen)
        found = np.zeros(sample.targets.shape, np.float32)
        outputs_of(sample, self.numbers, self.plan, found)
        return float(mean_loss(sample.base, sample.targets, sample.weights, self.plan, found))


def _samples(rows: Rows, order: NDArray[np.int64], batch: int) -> Iterator[Sample]:
    """Yield rows in an order, some whole batches at a time."""
    at_once = batch * max(1, _AT_ONCE // batch)
    for first in range(0, len(order), at_once):
        yield rows.sample(order[first : first + at_once])
