"""The list of a network's layers: in numpy it scores as scikit-learn does."""

from typing import Any

import numpy as np
import pytest
from numba import float32, types
from sklearn.neural_network import MLPRegressor

from samuel.kernels.jit import jit
from samuel.kernels.logistic import logistic
from samuel.models.compiled.layers import ACTIVATIONS, Layers
from tests.networks import forward

_F32 = types.Array(float32, 1, "C")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_scores_and_bounds(activation: str) -> None:
    random = np.random.default_rng(0)
    rows, target = random.normal(size=(50, 5)), random.normal(size=50)
    model = MLPRegressor(
        hidden_layer_sizes=(4, 3), activation=activation, max_iter=2, random_state=0
    )
    model.fit(rows, target)
    layers = Layers((5, 4, 3, 1), activation)
    parts = list(zip(model.coefs_, model.intercepts_, strict=True))
    floats = layers.joined(parts).astype(float)
    assert floats.shape == (layers.size,)
    for (weights, biases), (other, also) in zip(parts, layers.parts(floats), strict=True):
        np.testing.assert_allclose(weights, other, rtol=1e-6)
        np.testing.assert_allclose(biases, also, rtol=1e-6)
    made = forward(layers, floats, rows)
    np.testing.assert_allclose(made[-1][:, 0], model.predict(rows), rtol=1e-4, atol=1e-5)
    bounds = layers.bounds(floats, np.abs(rows).max(axis=0))
    assert all((np.abs(a) <= most).all() for a, most in zip(made[1:], bounds, strict=True))


def test_several_stages_are_joined_at_once() -> None:
    layers, random = Layers((2, 3, 1), "relu"), np.random.default_rng(0)
    parts = [(random.normal(size=(7, a, b)), random.normal(size=(7, b))) for a, b in layers.pairs]
    floats = layers.joined(parts)
    assert floats.shape == (7, layers.size)
    for stage in range(7):
        alone = layers.joined([(weights[stage], biases[stage]) for weights, biases in parts])
        np.testing.assert_array_equal(floats[stage], alone)
    for given, found in zip(parts, layers.parts(floats), strict=True):
        for one, other in zip(given, found, strict=True):
            np.testing.assert_array_equal(one.astype("f4"), other)


@jit(types.void(_F32, _F32))
def _fill(x: Any, found: Any) -> None:
    for i in range(x.shape[0]):
        found[i] = logistic(x[i])


def test_logistic_without_a_call_is_right_to_single_precision() -> None:
    x = np.concatenate([np.linspace(-100, 100, 100_001), np.linspace(-1, 1, 10_001)]).astype("f4")
    found, exact = np.zeros_like(x), 1 / (1 + np.exp(-x.astype(float)))
    _fill(x, found)
    np.testing.assert_allclose(found, exact, rtol=1e-6, atol=2e-7)
    np.testing.assert_allclose(found[x > -87], exact[x > -87], rtol=1e-5)
    assert 0 <= found.min() <= 1e-37 and found.max() == 1
