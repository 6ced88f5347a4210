"""Sums of products of sparse rows against plain numpy."""

from __future__ import annotations

import numpy as np

from samuel.models.columns import add_products


def test_the_sum_is_that_of_numpy() -> None:
    random = np.random.default_rng(1)
    columns = random.normal(size=(300, 7)).astype(np.float32)
    columns[random.random(columns.shape) < 0.6] = 0
    shares = random.random((300, 3)).astype(np.float32)
    shares[np.arange(300), random.integers(0, 3, 300)] = 0
    curve, found = random.random(300), np.zeros((21, 21))
    for part in (slice(0, 100), slice(100, 300)):
        room = np.zeros(21, np.int64), np.zeros(21)
        add_products(columns[part], shares[part], curve[part], *room, found)
    x = (shares[:, :, None] * columns[:, None, :]).reshape(300, 21).astype(np.float64)
    assert np.abs(found - np.triu((x.T * curve) @ x)).max() < 1e-5
