"""The fit of networks: gradients are those of the loss, and both kinds of steps lower it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samuel.models.compiled.layers import ACTIVATIONS, Layers
from samuel.models.networks.learner import Learner, Rows, first_numbers, plan_of
from samuel.models.networks.steps import (
    LOGISTIC,
    PROBABILITY,
    SEEN,
    SQUARED,
    Numbers,
    Sample,
    gradients,
)

ROWS, INPUTS, EACH, STAGES = 40, 12, 5, 3


def rows(halves: int, outputs: int) -> Rows:
    """Return random rows of stages and sets, each of a few inputs with values."""
    random = np.random.default_rng(1)
    inputs = random.integers(0, INPUTS, (halves, ROWS, EACH)).astype(np.int32)
    values = random.uniform(0.5, 1.5, (ROWS, EACH)).astype(np.float32)

    def chosen_inputs(chosen: Any) -> Any:
        starts = np.arange(0, EACH * len(chosen) + 1, EACH)
        return starts, inputs[:, chosen].reshape(halves, -1), values[chosen].ravel()

    return Rows(
        ROWS,
        chosen_inputs,
        sets=np.arange(ROWS) % STAGES,
        stages=np.arange(ROWS) // 7 % STAGES,
        base=random.uniform(-1, 1, ROWS).astype(np.float32),
        targets=random.uniform(0, 1, (ROWS, outputs)).astype(np.float32),
        weights=random.uniform(0.5, 1, ROWS).astype(np.float32),
    )


@pytest.mark.parametrize("loss", [PROBABILITY, SQUARED, LOGISTIC])
@pytest.mark.parametrize("widths", [(16, 1), (8, 5, 3, 1), (8, 4, 2)])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_are_those_of_the_loss(loss: int, widths: Any, activation: str) -> None:
    random, halves = np.random.default_rng(0), 2 if widths[0] == 16 else 1
    layers = Layers(widths, activation)
    first = Layers((8, *widths[1:]), activation)
    numbers = first_numbers(random, INPUTS, EACH, first, STAGES)
    numbers = Numbers(
        numbers.rows[:INPUTS],
        numbers.biases + np.float32(0.3),
        random.normal(0, 0.4, (STAGES, layers.size)).astype(np.float32),
    )
    sample: Sample = rows(halves, widths[-1]).sample(np.arange(ROWS))
    plan = plan_of(layers, loss, np.arange(1, 1 + widths[-1]), ceiling=2.0)
    none = np.zeros(0, np.float32)

    def loss_at(parts: Any) -> tuple[float, Numbers]:
        slopes = Numbers(*map(np.zeros_like, parts))
        return gradients(sample, 0, ROWS, Numbers(*parts), plan, slopes, none, 0.0), slopes

    _, slopes = loss_at(numbers)
    for part in range(3):
        step = [np.zeros_like(one) for one in numbers]
        step[part] = random.normal(size=numbers[part].shape).astype(np.float32)
        ahead, behind = (
            loss_at([one + sign * 2e-4 * by for one, by in zip(numbers, step, strict=True)])[0]
            for sign in (1, -1)
        )
        expected = float(np.sum(slopes[part] * step[part]))
        assert (ahead - behind) / 4e-4 == pytest.approx(expected, rel=0.05, abs=0.1)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_steps_lower_the_loss(is_sparse: bool) -> None:
    random = np.random.default_rng(0)
    layers = Layers((8, 1), "relu")
    numbers = first_numbers(random, INPUTS, EACH, layers, STAGES)
    seen = np.full(STAGES * INPUTS, SEEN, np.float32) if is_sparse else None
    learner = Learner(plan_of(layers, SQUARED), numbers, seen=seen)
    curve, scores = learner.learn(
        rows(1, 1), random, epochs=200, learning_rate=0.01, batch=8, held=np.arange(5)
    )
    assert curve[-1] < 0.3 * curve[0]
    assert -max(scores) == pytest.approx(learner.loss_of(rows(1, 1), np.arange(5)))


@pytest.mark.parametrize("learning_rate", [1, 5])  # with 1 its loss is thrice that of nothing
def test_a_fit_that_diverges_is_refused(learning_rate: float) -> None:
    random = np.random.default_rng(0)
    numbers = first_numbers(random, INPUTS, EACH, Layers((8, 1), "relu"), STAGES)
    learner = Learner(plan_of(Layers((8, 1), "relu"), SQUARED), numbers)
    with pytest.raises(ValueError, match="the fit diverged; lower learning_rate"):
        learner.learn(rows(1, 1), random, epochs=2, learning_rate=learning_rate, batch=8)


def test_a_fit_that_goes_on_from_other_targets_may_learn_slowly() -> None:
    random, layers = np.random.default_rng(0), Layers((8, 1), "relu")
    numbers = first_numbers(random, INPUTS, EACH, layers, STAGES)
    numbers.layers[:] *= 10
    given: Any = {"epochs": 1, "learning_rate": 1e-6, "batch": 8}
    learner = Learner(plan_of(layers, SQUARED), numbers)
    with pytest.raises(ValueError, match="the fit diverged"):
        learner.learn(rows(1, 1), random, **given)
    learner.learn(rows(1, 1), random, goes_on=True, **given)
    with pytest.raises(ValueError, match="the fit diverged"):
        learner.learn(rows(1, 1), random, goes_on=True, **given | {"learning_rate": 10})
