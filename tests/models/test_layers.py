"""The list of a network's layers: in numpy it scores as scikit-learn does."""

import numpy as np
import pytest
from numba import float32, types
from sklearn.neural_network import MLPRegressor

from samuel.models.compiled.layers import Layers
from tests.networks import forward

_F32 = types.Array(float32, 1, "C")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("activation", ["identity", "relu", "tanh", "logistic"])
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
